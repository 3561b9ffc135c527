"""`sprintwright init`: a first configuration with the agents that are there, or a starter workflow. It runs nothing."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

from sprintwright.agents.acp.presets import PRESETS
from sprintwright.agents.config import AcpAgentConfig, CliAgentConfig, Preset
from sprintwright.agents.found import found_agents
from sprintwright.app.places import Places
from sprintwright.app.starter import create_workflow
from sprintwright.cli.words import program
from sprintwright.text import clean

_BY_PROTOCOL = "asks before it acts, by what its role may do; its session goes on from pass to pass"
_BY_COMMAND: dict[Preset, str] = {
    "claude": "a role that may write edits files; what else it may do, its own settings say",
    "codex": "a role that may write does so in this folder, in its sandbox, without network",
    "gemini": "a role that may write edits files; add `model: NAME`, or it chooses one anew for every request",
    "opencode": "a role that may write edits files; commands are for roles that may do everything (full)",
    "qwen": "a role that may write edits files",
    "pi": "a role that may write edits files; commands are for roles that may do everything (full)",
}
"""Remarks on those that are called once a turn."""


def run(arguments: argparse.Namespace) -> int:
    """Write what is asked for; what is there already stays as it is."""
    if arguments.workflow is not None:
        return _init_workflow(Path(arguments.folder), arguments.workflow)
    return _init_settings(Places.of(os.environ), Path(arguments.folder).resolve())


def _init_settings(places: Places, folder: Path) -> int:
    file = places.config / "config.yaml"
    found = found_agents(os.environ.get("PATH", ""), folder)
    try:
        file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with file.open("x", encoding="utf-8") as opened:
            opened.write(settings_text(found))
    except FileExistsError:
        print(f"There is a configuration already, and it was left as it is: {_shown(file)}")
        print(f"What is in force: {program()} agents")
        return 0
    print(f"Written: {_shown(file)}")
    for name, config in found.items():
        print(f"  {name}: {config.description}")
    if found:
        print(f"{next(iter(found))} plays every role that has no agent of its own. It was not started; try it:")
        print(f'  {program()} run dev "what is to be done"')
    else:
        print(f"None of {', '.join(PRESETS)} was found on your PATH: install one, or name your agent in that file.")
        print(f"Until then, see it work without one: {program()} demo")
    print(f"Who plays what: {program()} agents")
    return 0


def settings_text(found: Mapping[str, AcpAgentConfig | CliAgentConfig]) -> str:
    """A configuration with comments; the first of the agents found is the primary one."""
    lines = [*_HEAD, "agents:" if found else "# agents:"]
    for name, config in found.items():
        remark = _BY_COMMAND[config.preset] if isinstance(config, CliAgentConfig) and config.preset else _BY_PROTOCOL
        lines += [f"  # {remark}", f"  {name}: {{kind: {config.kind}, preset: {config.preset}}}"]
    lines += _EXAMPLES
    primary = next(iter(found), "mine")
    lines += ["# Plays every role that has no agent of its own.", f"{'' if found else '# '}primary: {primary}", *_TAIL]
    return "\n".join(lines) + "\n"


_HEAD = (
    "# Agents, and who plays which role. What is in force in a folder: sprintwright agents",
    "#",
    "# An agent speaks the Agent Client Protocol (`acp`), is a command line (`cli`: the prompt on its standard input,",
    "# the answer on its standard output), a model's endpoint (`model`), real commands (`check`), or you (`human`,",
    "# no entry needed). Commands are lists of words, there is no shell. Known agents on PATH need no entry, either.",
    "# A `preset` is called with what the role may do; any other command changes files as its own flags allow.",
    "",
)
_EXAMPLES = (
    '#  mine: {kind: cli, command: ["my-agent", "--print"]}   # or: {kind: acp, command: ["my-agent", "--acp"]}',
    "#  # Tests as a judge: they pass or fail, and their failures are the findings.",
    '#  tests: {kind: check, commands: [["python3", "-m", "pytest", "-q"]]}',
    "",
)
_TAIL = (
    "",
    "# Agents for roles of any workflow; for one run: --role evaluator=tests, or --evaluator tests",
    "# roles: {evaluator: tests}",
)


def _init_workflow(folder: Path, name: str) -> int:
    file = create_workflow(Places.of(os.environ), folder, name)
    print(f"Written: {_shown(file)}\n(git ignores that folder; to commit it: git add -f)")
    print(f"what it does, step by step: {program()} help {name}")
    print(f"after you edited it:        {program()} validate {_shown(file.relative_to(folder.resolve()))}")
    print(f'start it:                   {program()} run {name} "what is to be done"')
    return 0


def _shown(path: Path) -> str:
    return clean(str(path), newlines=False)
