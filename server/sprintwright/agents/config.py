"""How an agent is configured. One class a kind; unknown fields are problems with a place."""

from __future__ import annotations

from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from sprintwright.model.definition import CheckFormat
from sprintwright.model.limits import Limits
from sprintwright.model.value import Value


class _Agent(Value):
    description: str = Field(default="", description="One line for lists.")


class CliAgentConfig(_Agent):
    """Any command line: the prompt on its standard input, the answer on its standard output."""

    kind: Literal["cli"] = Field(description="A command line, one call a turn.")
    command: tuple[str, ...] = Field(min_length=1, description="Program and arguments, a list; there is no shell.")
    env: dict[str, str] = Field(default={}, description="Further environment variables of the program.")


class CheckAgentConfig(_Agent):
    """A role played by tests and linters."""

    kind: Literal["check"] = Field(description="Real commands; their exit status is the verdict.")
    commands: tuple[tuple[str, ...], ...] = Field(
        min_length=1, description="Commands, each a list of program and arguments; there is no shell."
    )
    format: CheckFormat = Field(default="auto", description="How the output is read for findings.")
    timeout_seconds: float = Field(default=600, gt=0, description="Longest time of one command, in seconds.")


class HumanAgentConfig(_Agent):
    """The person at the terminal or editor."""

    kind: Literal["human"] = Field(description="You: the prompt is shown, your answer is the turn.")


class ReplayAgentConfig(_Agent):
    """Recorded turns with the file changes that they made, found by the key of the leaf."""

    kind: Literal["replay"] = Field(description="Recorded turns.")
    file: str = Field(description="The recording, relative to the file that configures the agent.")


AgentConfig: TypeAlias = Annotated[
    CliAgentConfig | CheckAgentConfig | HumanAgentConfig | ReplayAgentConfig, Field(discriminator="kind")
]

LATER_KINDS: tuple[str, ...] = ("acp", "model", "editor")
"""Kinds of design.md section 5 that this version can't start yet."""


class HistoryConfig(Value):
    """How many runs are kept. It counts in the user's own file only."""

    runs: int | None = Field(
        default=None, ge=1, description="Finished runs of yours that a folder keeps; older ones go at the next start."
    )


class Config(Value):
    """One configuration file, of the user or of a workspace."""

    agents: dict[str, AgentConfig] = Field(default={}, description="Agents by name.")
    primary: str = Field(default="", description="Agent for every role that has none of its own.")
    escalation: str = Field(default="", description="The stronger agent; roles may name it by this alias.")
    roles: dict[str, str] = Field(default={}, description="Agent for a role of any workflow.")
    limits: Limits = Field(
        default=Limits(), description="Upper bounds for every run; a folder's file can only lower them."
    )
    history: HistoryConfig = Field(default=HistoryConfig(), description="How many runs are kept; without it, all.")
