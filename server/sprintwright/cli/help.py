"""`sprintwright help`: a workflow step by step, from its own definition; or what there is."""

from __future__ import annotations

import argparse
import os
import shlex
import shutil
import textwrap
from collections.abc import Iterator
from pathlib import Path

from sprintwright.app.places import Places
from sprintwright.app.start import catalogue
from sprintwright.app.supported import refuse_unsupported
from sprintwright.cli import commands
from sprintwright.cli.lifecycle import ending, phases
from sprintwright.cli.words import program
from sprintwright.definitions.discovery import Catalogue, Entry
from sprintwright.definitions.nodes import MappingNode
from sprintwright.definitions.outline import outline_of
from sprintwright.errors import Refused
from sprintwright.model.definition import AgentTurn, Definition, Loop, UserCheckpoint, walk_stages
from sprintwright.text import clean, did_you_mean, one_line

_MOST_COLUMNS = 100


def run(arguments: argparse.Namespace) -> int:
    """Print the life cycle of a workflow; 2 when it can't be run. Without a name, commands and workflows."""
    known = catalogue(Places.of(os.environ), Path(arguments.folder).resolve())
    if not arguments.name:
        print(commands.overview(), end="")
        _print_names(known)
        return 0
    entry, command = known.find(arguments.name), commands.find(arguments.name)
    if entry is not None:
        code = _explain(entry)
        if command is not None:
            print(f"\nThere is a command of that name too: sprintwright {command.name} --help")
        return code
    if command is None:
        names = known.names()
        hint = did_you_mean(arguments.name, [*names, *(command.name for command in commands.COMMANDS)])
        raise Refused(
            "unknown_workflow",
            f"There is no workflow and no command {arguments.name!r}.{hint} Workflows: {', '.join(map(repr, names))}.",
            known=names,
        )
    from sprintwright.cli.arguments import Arguments

    about = Arguments(command.name, command.text)
    command.arguments(about)
    print(about.help_text(), end="")
    return 0


def _print_names(known: Catalogue) -> None:
    print("\nworkflows (sprintwright help NAME):")
    for entry in known.entries:
        value = entry.loaded.value
        title = (value.title or value.description) if value else "can't be run: sprintwright help says why"
        print(f"  {one_line(entry.name, 40):<12} {one_line(title, 64)}")


def _explain(entry: Entry) -> int:
    definition = entry.loaded.value
    if definition is None:
        for line in _broken(entry):
            print(line)
        return 2
    for line in explained(entry, definition, min(_MOST_COLUMNS, shutil.get_terminal_size().columns)):
        print(line)
    return 0


def explained(entry: Entry, definition: Definition, columns: int) -> Iterator[str]:
    """The whole text about a workflow, in lines of at most so many columns."""
    title = f": {one_line(definition.title, 100)}" if definition.title else ""
    yield from _wrapped(f"{one_line(definition.name, 60)}{title} ({entry.origin})", "", columns)
    if definition.description:
        yield ""
        yield from _wrapped(one_line(definition.description, 1000), "  ", columns)
    if definition.roles:
        yield "\nroles:"
        for name, role in definition.roles.items():
            about = f" {one_line(role.description, 200)}" if role.description else ""
            words = f"{one_line(name, 40)}:{about} ({role.permissions.replace('_', ' ')})"
            yield from _wrapped(words, "  ", columns, hanging=4)
    yield "\nlife cycle:"
    for depth, mark, text in phases(definition):
        yield from _wrapped(
            f"{mark} {text}" if mark else text, "  " + "   " * depth, columns, hanging=len(mark) + 1 if mark else 2
        )
    yield "\nends:"
    for sentence in ending(definition):
        yield from _wrapped(sentence, "  ", columns)
    yield "\ncommands:"
    yield from (f"  {what:<22} {command}" for what, command in _commands(definition))
    yield from _unsupported(definition, columns)


def _commands(definition: Definition) -> Iterator[tuple[str, str]]:
    stages = [stage for _, stage in walk_stages(definition.stages)]
    call = program()
    yield "start it", f'{call} run {shlex.quote(definition.name)} "what is to be done"'
    yield "see where it is", f"{call} show"
    if any(isinstance(s, UserCheckpoint) or getattr(s, "skip_user_checkpoint_marker", "") for s in stages):
        yield "answer a question", f'{call} answer last "your answer"'
    if any(isinstance(stage, AgentTurn | Loop) and stage.pause_after for stage in stages):
        yield "go on after a pause", f"{call} continue"
    else:
        yield "pause after a phase", f"{call} run … --pause-after {shlex.quote(definition.stages[0].id)}"
    yield "go on after an end", f"{call} resume"
    yield "stop it", f"{call} cancel"
    if definition.completion == "explicit" or definition.close_artifacts:
        yield "end it", f"{call} end"


def _unsupported(definition: Definition, columns: int) -> Iterator[str]:
    try:
        refuse_unsupported(definition)
    except Refused as refused:
        yield ""
        for line in clean(refused.message, newlines=True).splitlines():
            yield from _wrapped(line, "", columns)


def _broken(entry: Entry) -> Iterator[str]:
    yield f"{one_line(entry.name, 60)} ({entry.origin}) can't be run:"
    for problem in entry.loaded.problems:
        place = clean(f"{entry.path}:{problem.range.line + 1}:{problem.range.column + 1}", newlines=False)
        yield f"  {place}: {one_line(problem.message, 400)}"
    if isinstance(entry.loaded.root, MappingNode) and (stages := outline_of(entry.loaded.root).stages):
        named = ", ".join(f"{one_line(s.id, 40) or '?'} ({one_line(s.kind, 40) or '?'})" for s in stages[:20])
        yield f"\nIts stages, as far as they can be read: {named}"


def _wrapped(text: str, indent: str, columns: int, *, hanging: int = 0) -> list[str]:
    return textwrap.wrap(
        text, max(columns, len(indent) + hanging + 20), initial_indent=indent, subsequent_indent=indent + " " * hanging,
        break_on_hyphens=False,
    )  # fmt: skip
