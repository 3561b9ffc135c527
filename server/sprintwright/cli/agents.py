"""`sprintwright agents`."""

from __future__ import annotations

import argparse
import json
import os
import shlex
from pathlib import Path

from sprintwright.agents.config import AgentConfig, CheckAgentConfig, CliAgentConfig
from sprintwright.app.compose import settings_of
from sprintwright.app.config import Settings
from sprintwright.app.doctor import ALIASES, problem_of, unknown_names
from sprintwright.app.places import Places
from sprintwright.text import clean, one_line


def run(arguments: argparse.Namespace) -> int:
    """List the agents that roles can name, and everything that is wrong; nothing of them is started."""
    places, folder = Places.of(os.environ), Path(arguments.folder).resolve()
    settings = settings_of(places, folder)
    for agent in settings.agents.values():
        problem = problem_of(agent, folder, os.environ)
        parts = _parts(settings, agent.name)
        if arguments.json:
            row = {"name": agent.name, "kind": agent.config.kind, "origin": agent.origin, "plays": parts}
            print(json.dumps({**row, "description": agent.config.description, "problem": problem}))
            continue
        marks = f" [{', '.join(parts)}]" if parts else ""
        words = f"PROBLEM: {problem}" if problem else _words(agent.config)
        print(clean(f"{agent.name}{marks}  {agent.config.kind}, {agent.origin}  {words}".rstrip(), newlines=False))
    if not arguments.json:
        _print_problems(settings)
    if len(settings.agents) == 1 and not arguments.json:
        print(
            f"\nNo agent but you is configured. Add one to {places.config / 'config.yaml'}:\n"
            "  agents:\n"
            "    mine: {kind: cli, command: [my-agent, --print]}   # prompt on stdin, answer on stdout"
        )
    return 0


def _print_problems(settings: Settings) -> None:
    for sentence in (*settings.warnings, *unknown_names(settings)):
        print(f"PROBLEM: {clean(sentence, newlines=False)}")


def _parts(settings: Settings, name: str) -> list[str]:
    """The aliases and roles that name an agent."""
    aliases = [alias for alias in ALIASES if getattr(settings, alias).casefold() == name.casefold()]
    return aliases + [role for role, agent in settings.roles.items() if agent.casefold() == name.casefold()]


def _words(config: AgentConfig) -> str:
    match config:
        case CliAgentConfig():
            command = shlex.join(config.command)
        case CheckAgentConfig():
            command = "; ".join(shlex.join(command) for command in config.commands)
        case _:
            command = ""
    return one_line(" · ".join(part for part in (config.description, command) if part), 160)
