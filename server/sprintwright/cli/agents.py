"""`sprintwright agents`."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from sprintwright.agents.config import CheckAgentConfig, CliAgentConfig, ReplayAgentConfig
from sprintwright.agents.registry import Configured
from sprintwright.app.compose import settings_of
from sprintwright.app.places import Places
from sprintwright.errors import Operational
from sprintwright.processes import find_program
from sprintwright.text import one_line


def run(arguments: argparse.Namespace) -> int:
    """List the agents that roles can name; nothing of them is started."""
    places, folder = Places.of(os.environ), Path(arguments.folder).resolve()
    settings = settings_of(places, folder)
    for agent in settings.agents.values():
        problem = _problem(agent, folder)
        aliases = [a for a in ("primary", "escalation") if getattr(settings, a).casefold() == agent.name.casefold()]
        if arguments.json:
            row = {"name": agent.name, "kind": agent.config.kind, "origin": agent.origin, "aliases": aliases}
            print(json.dumps({**row, "description": agent.config.description, "problem": problem}))
            continue
        marks = f" [{', '.join(aliases)}]" if aliases else ""
        words = one_line(agent.config.description, 80)
        print(
            f"{agent.name}{marks}  {agent.config.kind}, {agent.origin}  {(problem and f'PROBLEM: {problem}') or words}"
        )
    if len(settings.agents) == 1 and not arguments.json:
        print(
            f"\nNo agent but you is configured. Add one to {places.config / 'config.yaml'}:\n"
            "  agents:\n"
            "    mine: {kind: cli, command: [my-agent, --print]}   # prompt on stdin, answer on stdout"
        )
    return 0


def _problem(agent: Configured, folder: Path) -> str:
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
            find_program(program, path=os.environ.get("PATH"), folder=folder)
        except Operational as error:
            return error.message
    return ""
