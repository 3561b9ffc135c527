"""What is wrong with the configured agents; nothing of them is started."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from sprintwright.agents.config import CheckAgentConfig, CliAgentConfig, ReplayAgentConfig
from sprintwright.agents.registry import Configured
from sprintwright.app.config import Settings
from sprintwright.errors import Operational
from sprintwright.processes import find_command
from sprintwright.text import did_you_mean, fold

ALIASES = ("primary", "escalation")


def problem_of(agent: Configured, folder: Path, environment: Mapping[str, str]) -> str:
    """Why an agent could not take a turn in a folder; empty when nothing is known against it."""
    match agent.config:
        case CliAgentConfig() as config:
            programs = [config.command[0]]
        case CheckAgentConfig() as config:
            programs = [command[0] for command in config.commands if command]
        case ReplayAgentConfig() as config:
            return "" if (agent.base / config.file).is_file() else f"there is no recording {config.file!r}"
        case _:
            return ""
    for program in programs:
        try:
            find_command(program, path=environment.get("PATH"), folder=folder)
        except Operational as error:
            return error.message
    return ""


def unknown_names(settings: Settings) -> Iterator[str]:
    """Sentences about agents that the configuration names and does not have."""
    known = {fold(name) for name in (*settings.agents, *ALIASES)}
    named = {alias: getattr(settings, alias) for alias in ALIASES} | {
        f"roles: {role}": agent for role, agent in settings.roles.items()
    }
    for where, agent in named.items():
        if agent and fold(agent) not in known:
            yield f"`{where}` names {agent!r}, and there is no such agent.{did_you_mean(agent, settings.agents)}"
