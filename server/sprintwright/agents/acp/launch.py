"""From the configuration of an agent to how it is started."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

from sprintwright.agents.acp.presets import PRESETS, Preset, UsageScope
from sprintwright.agents.config import AcpAgentConfig, command_setting
from sprintwright.errors import Operational
from sprintwright.model.definition import Permissions
from sprintwright.processes import child_environment, find_program

Models: TypeAlias = Callable[[Mapping[str, Any]], AsyncIterator[dict[str, Any]]]
"""`EditorModels.ask` for one agent."""


@dataclass(frozen=True, slots=True)
class Launch:
    """How an agent is started, and what is known of it; from the configuration and its preset."""

    name: str
    argv: tuple[str, ...]
    env: Mapping[str, str]
    folder: Path
    sign_in: str = ""
    reads: bool = True
    tools_seconds: float = 0
    models: Models | None = None
    """What answers `sprintwright/languageModel`; no agent but our own is ever given that."""


@dataclass(frozen=True, slots=True)
class Known:
    """An agent as a turn needs it.

    Attributes:
        launch: how it is started; raises `Operational` (`spawn`).
        usage: what the usage in its answers counts.
        modes: session modes by permissions, best first, before those that are tried at every agent.
        model: the model to choose; empty: its own choice.
    """

    launch: Callable[[], Launch]
    usage: UsageScope
    modes: Mapping[Permissions, tuple[str, ...]] = field(default_factory=dict[Permissions, tuple[str, ...]])
    model: str = ""


_UNKNOWN = Preset("", (), "", "")


def preset_of(config: AcpAgentConfig) -> Preset:
    """What is known of the configured agent."""
    return PRESETS.get(config.preset, _UNKNOWN)


def launch_of(name: str, config: AcpAgentConfig, parent: Mapping[str, str], folder: Path) -> Launch:
    """How the agent is started in a folder. Raises `Operational` (`spawn`): there is no such program."""
    preset = preset_of(config)
    command = config.words
    try:
        program = find_program(command[0], path=parent.get("PATH"), folder=folder, setting=command_setting(name))
    except Operational as error:
        how = f"\n{preset.title} is installed by: {preset.install}" if preset.install else ""
        raise Operational("spawn", error.message + how) from error
    return Launch(
        name=name,
        argv=(str(program), *command[1:]),
        env=child_environment(parent, {**preset.env, **config.env}, listed=preset.passes),
        folder=folder,
        sign_in=preset.sign_in,
        reads=preset.reads,
        tools_seconds=preset.tools_seconds,
    )
