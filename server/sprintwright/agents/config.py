"""How an agent is configured. One class a kind; unknown fields are problems with a place."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias, get_args

from pydantic import Field, field_validator, model_validator

from sprintwright.agents.acp.presets import PRESETS
from sprintwright.agents.model.endpoints import SERVICES, Provider, Service, fault_of
from sprintwright.model.definition import CheckFormat
from sprintwright.model.limits import Limits
from sprintwright.model.value import Value

Preset: TypeAlias = Literal["claude", "codex", "gemini", "opencode", "qwen", "pi"]
AcpPreset: TypeAlias = Literal["claude", "codex", "gemini", "opencode", "qwen", "goose", "vibe", "pi", "copilot"]


class _Agent(Value):
    description: str = Field(default="", description="One line for lists.")


class CliAgentConfig(_Agent):
    """Any command line: the prompt on its standard input, the answer on its standard output."""

    kind: Literal["cli"] = Field(description="A command line, one call a turn.")
    command: tuple[str, ...] = Field(
        default=(),
        description="Program and arguments, a list; there is no shell. With `preset`: only what is started in place of "
        "that program.",
    )
    preset: Preset | Literal[""] = Field(
        default="",
        description="A known program: its options for permissions and sessions are set, its events are read.",
    )
    model: str = Field(
        default="", pattern=r"^([^-\s]\S*)?$", description="Model that a `preset` is told; else its own choice."
    )
    env: dict[str, str] = Field(default={}, description="Further environment variables of the program.")

    @field_validator("preset", mode="before")
    @classmethod
    def _is_no_command_line(cls, given: object) -> object:
        if given not in get_args(Preset) and given in get_args(AcpPreset):
            raise ValueError(f"{given} speaks the Agent Client Protocol: write `kind: acp`")
        return given

    @model_validator(mode="after")
    def _has_a_program(self) -> Self:
        if not self.command and not self.preset:
            raise ValueError("name a `command`, or a `preset`")
        if self.model and not self.preset:
            raise ValueError("`model` goes with a `preset`; a `command` has its own arguments")
        return self

    @property
    def words(self) -> tuple[str, ...]:
        """The program, and what always stands behind it."""
        return self.command or (self.preset,)


class AcpAgentConfig(_Agent):
    """An agent that speaks the Agent Client Protocol: its sessions go on from pass to pass, and it asks first."""

    kind: Literal["acp"] = Field(description="An agent that speaks the Agent Client Protocol.")
    preset: AcpPreset | Literal[""] = Field(
        default="", description="A known agent: how it is started, and what is known of it."
    )
    command: tuple[str, ...] = Field(
        default=(),
        description="Program and arguments, a list; there is no shell. With `preset`: what is started in its place.",
    )
    model: str = Field(default="", description="Model to choose where the agent offers it; else its own choice.")
    env: dict[str, str] = Field(default={}, description="Further environment variables of the program.")

    @model_validator(mode="after")
    def _has_a_program(self) -> Self:
        if not self.command and not self.preset:
            raise ValueError("name a `command`, or a `preset`")
        return self

    @property
    def words(self) -> tuple[str, ...]:
        """The program, and what stands behind it."""
        return self.command or PRESETS[self.preset].command


class ModelAgentConfig(_Agent):
    """A model endpoint, with our own small agent in front of it: files, commands and permissions go through us."""

    kind: Literal["model"] = Field(description="A model endpoint; `pip install 'sprintwright[models]'` is needed.")
    provider: Provider = Field(
        default="openai", description="Whose endpoint, or the form that an endpoint of your own (`base_url`) speaks."
    )
    model: str = Field(min_length=1, pattern=r"^\S+$", description="The model, by the name that the endpoint knows.")
    base_url: str = Field(
        default="",
        description="Where the endpoint is, if not where its provider has it: https, or http on this machine.",
    )
    key_env: str = Field(
        default="",
        pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$",
        description="Environment variable that has the key. Without it: the provider's usual one, and none for a "
        "`base_url`.",
    )
    max_tokens: int | None = Field(default=None, ge=1, description="Longest answer to one request, in tokens.")
    temperature: float | None = Field(default=None, ge=0, le=2, description="How free the model is in its choices.")
    context: int | None = Field(
        default=None, ge=1024, description="Tokens that the model can take in; older results of tools are left out."
    )

    @model_validator(mode="after")
    def _has_a_safe_endpoint(self) -> Self:
        if self.base_url and (fault := fault_of(self.base_url)):
            raise ValueError(fault)
        return self

    @property
    def service(self) -> Service:
        """What is known of the provider."""
        return SERVICES[self.provider]

    @property
    def endpoint(self) -> str:
        """Where requests go."""
        return (self.base_url or self.service.base_url).rstrip("/")

    @property
    def key(self) -> str:
        """The variable of the key, if there is one: a provider's own key goes to its own endpoint only."""
        return self.key_env or ("" if self.base_url else self.service.key_env)


class EditorAgentConfig(_Agent):
    """A model that the editor offers, with our own small agent in front of it."""

    kind: Literal["editor"] = Field(
        description="A model of the editor that the run was started in; `pip install 'sprintwright[models]'` is needed."
    )
    vendor: str = Field(default="", description="Who offers the model, such as `copilot`. Empty: anybody.")
    family: str = Field(default="", description="The model's family, such as `gpt-4o`. Empty: any.")
    id: str = Field(default="", description="The one model that is meant. Empty: the editor's first that fits.")

    @property
    def selector(self) -> dict[str, str]:
        """Which model is meant; empty: the editor's choice."""
        named = {"vendor": self.vendor, "family": self.family, "id": self.id}
        return {key: value for key, value in named.items() if value}


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
    AcpAgentConfig
    | CliAgentConfig
    | ModelAgentConfig
    | EditorAgentConfig
    | CheckAgentConfig
    | HumanAgentConfig
    | ReplayAgentConfig,
    Field(discriminator="kind"),
]


def command_setting(name: str) -> str:
    """Where a user says which program an agent is, for sentences."""
    return f"`command` of agent {name!r} in the configuration"


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
