"""What is wrong with the agents that are here, and which versions of the known ones."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path

from sprintwright.agents.config import (
    AcpAgentConfig,
    CheckAgentConfig,
    CliAgentConfig,
    EditorAgentConfig,
    ModelAgentConfig,
    ReplayAgentConfig,
    command_setting,
)
from sprintwright.agents.model.launch import key_of, missing
from sprintwright.agents.registry import Configured
from sprintwright.app.config import Settings
from sprintwright.errors import Operational
from sprintwright.processes import child_environment, find_command, find_program, run_process
from sprintwright.text import did_you_mean, fold, one_line
from sprintwright.threads import in_thread

_VERSION_SECONDS = 5.0
ALIASES = ("primary", "escalation")


def problem_of(agent: Configured, folder: Path, environment: Mapping[str, str]) -> str:
    """Why an agent could not take a turn in a folder; empty when nothing is known against it."""
    match agent.config:
        case CliAgentConfig() | AcpAgentConfig() as config:
            programs, setting = [config.words[0]], command_setting(agent.name)
        case CheckAgentConfig() as config:
            programs, setting = [command[0] for command in config.commands if command], "`commands`"
        case EditorAgentConfig() as config:
            return missing(config)
        case ModelAgentConfig() as config:
            key = key_of(config, agent.origin)
            return missing(config) or (f"the variable {key} is not set" if key and not environment.get(key) else "")
        case ReplayAgentConfig() as config:
            return "" if (agent.base / config.file).is_file() else f"there is no recording {config.file!r}"
        case _:
            return ""
    for program in programs:
        try:
            find_command(program, path=environment.get("PATH"), folder=folder, setting=setting)
        except Operational as error:
            return error.message
    return ""


async def versions_of(agents: Iterable[Configured], environment: Mapping[str, str]) -> dict[str, str]:
    """What the known programs say to ``--version``, by agent; they are started in the home folder (faults.md X5).

    Only those that the user installed or configured by a preset: what a folder names is not started to look at it.
    """

    async def ask(program: str) -> str:
        try:
            home = Path(environment.get("HOME") or Path.home())
            found = await in_thread(partial(find_program, path=environment.get("PATH")), program)
            env = child_environment(environment, {})
            finished = await run_process([str(found), "--version"], cwd=home, env=env, timeout=_VERSION_SECONDS)
        except Operational:
            return ""
        return one_line(finished.stdout, 60) if finished.returncode == 0 else ""

    known = {
        agent.name: agent.config.words[0]
        for agent in agents
        if isinstance(agent.config, AcpAgentConfig | CliAgentConfig)
        and agent.config.preset
        and not agent.config.command
        and agent.origin != "workspace"
    }
    told = await asyncio.gather(*map(ask, known.values()))
    return {name: version for name, version in zip(known, told, strict=True) if version}


def unknown_names(settings: Settings) -> Iterator[str]:
    """Sentences about agents that the configuration names and does not have."""
    known = {fold(name) for name in (*settings.agents, *ALIASES)}
    named = {alias: getattr(settings, alias) for alias in ALIASES} | {
        f"roles: {role}": agent for role, agent in settings.roles.items()
    }
    for where, agent in named.items():
        if agent and fold(agent) not in known:
            yield f"`{where}` names {agent!r}, and there is no such agent.{did_you_mean(agent, settings.agents)}"
