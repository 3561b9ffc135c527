"""`sprintwright agents`."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shlex
from pathlib import Path

from sprintwright.agents.config import (
    AcpAgentConfig,
    AgentConfig,
    CheckAgentConfig,
    CliAgentConfig,
    EditorAgentConfig,
    ModelAgentConfig,
)
from sprintwright.app.compose import settings_of
from sprintwright.app.config import Settings
from sprintwright.app.doctor import ALIASES, problem_of, unknown_names, versions_of
from sprintwright.app.resolve import HOW
from sprintwright.text import clean, one_line


def run(arguments: argparse.Namespace) -> int:
    """List the agents that roles can name, with their versions, and everything that is wrong."""
    folder = Path(arguments.folder).resolve()
    settings = settings_of(os.environ, folder)
    versions = asyncio.run(versions_of(settings.agents.values(), os.environ))
    for agent in settings.agents.values():
        problem = problem_of(agent, folder, os.environ)
        parts = _parts(settings, agent.name)
        if arguments.json:
            row = {"name": agent.name, "kind": agent.config.kind, "origin": agent.origin, "plays": parts}
            about = {"description": agent.config.description, "version": versions.get(agent.name, "")}
            print(json.dumps({**row, **about, "problem": problem}))
            continue
        marks = f" [{', '.join(parts)}]" if parts else ""
        words = f"PROBLEM: {problem}" if problem else _words(agent.config)
        words = " · ".join(part for part in (words, versions.get(agent.name, "")) if part)
        print(clean(f"{agent.name}{marks}  {agent.config.kind}, {agent.origin}  {words}".rstrip(), newlines=False))
    if not arguments.json:
        _print_problems(settings)
    if len(settings.agents) == 1 and not arguments.json:
        print(f"\n{HOW}")
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
        case CliAgentConfig() | AcpAgentConfig():
            known = f" (preset {config.preset})" if config.preset else ""
            command = shlex.join(config.words) + known
        case CheckAgentConfig():
            command = "; ".join(shlex.join(command) for command in config.commands)
        case ModelAgentConfig():
            command = f"{config.model}, {config.service.title} at {config.endpoint}"
        case EditorAgentConfig():
            command = f"{' '.join(config.selector.values())} (needs an editor that offers models)".strip()
        case _:
            command = ""
    return one_line(" · ".join(part for part in (config.description, command) if part), 160)
