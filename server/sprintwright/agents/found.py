"""Agents that are there without any configuration: known programs on PATH. Nothing is started to find out."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from sprintwright.agents.acp.presets import PRESETS
from sprintwright.agents.config import AcpAgentConfig, AcpPreset, CliAgentConfig, Preset
from sprintwright.processes import is_on_path


def found_agents(path: str, folder: Path | None) -> Mapping[str, AcpAgentConfig | CliAgentConfig]:
    """The known agents on a PATH by name: by the protocol where their program for it is there, else by command line.

    Args:
        folder: the workspace; what lies in it is never meant.
    """
    found: dict[str, AcpAgentConfig | CliAgentConfig] = {}
    for name in get_args(AcpPreset):
        title = PRESETS[name].title
        if is_on_path(PRESETS[name].command[0], path, folder):
            found[name] = AcpAgentConfig(kind="acp", preset=name, description=title)
        elif name in get_args(Preset) and is_on_path(name, path, folder):
            found[name] = CliAgentConfig(kind="cli", preset=name, description=f"{title}, one call a turn")
    return found
