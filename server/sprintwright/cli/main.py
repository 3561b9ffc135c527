"""The terminal: arguments, and which verb they mean. Nothing heavy is imported before it is needed."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from sprintwright import __version__
from sprintwright.cli.commands import COMMANDS, Command, find, overview
from sprintwright.cli.streams import prepare_streams, silence

if TYPE_CHECKING:
    import argparse


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    typed = list(sys.argv[1:] if argv is None else argv)
    prepare_streams()
    if (code := _about_ourselves(typed)) is not None:
        return code
    command = find(typed[0])
    if command is None:
        return _unknown(typed[0])
    from sprintwright.cli.arguments import Arguments

    arguments = Arguments(command.name, command.text)
    command.arguments(arguments)
    known = arguments.parse(typed[1:], roles=command.roles)
    known.command = command.name
    try:
        return _called(command, known)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read our output has enough
        silence()
        return 1
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        print(f"sprintwright: {error.strerror or error}{where}. Nothing more was done.", file=sys.stderr)
        silence()
        return 1


def _about_ourselves(typed: list[str]) -> int | None:
    """The answer to no command, `--help` and `--version`; None for a command."""
    if typed[:1] == ["--version"]:
        print(f"sprintwright {__version__}")
        return 0
    if not typed or typed[0] in ("-h", "--help"):
        print(overview(), end="")
        return 0 if typed else 2
    return None


def _unknown(name: str) -> int:
    from sprintwright.text import clean, did_you_mean

    hint = did_you_mean(name, [command.name for command in COMMANDS])
    shown = clean(repr(name), newlines=False)
    print(
        f"sprintwright: There is no command {shown}.{hint} All commands: sprintwright --help. "
        "To start a workflow: sprintwright run NAME",
        file=sys.stderr,
    )
    return 2


def _called(command: Command, known: argparse.Namespace) -> int:
    # Nobody's plugin runs inside us, and looking for them would cost more than our own start.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    run: Callable[[argparse.Namespace], int] = import_module(f"sprintwright.cli.{command.module or command.name}").run
    from sprintwright.errors import SprintwrightError

    try:
        if command.acts:
            from sprintwright.app.callers import require_user

            require_user(os.environ)
        code = run(known)
        sys.stdout.flush()
        return code
    except SprintwrightError as error:
        from sprintwright.text import clean

        print(f"sprintwright: {clean(error.message, newlines=True)}", file=sys.stderr)
        from sprintwright.cli.exits import exit_of_refusal

        return exit_of_refusal(error.code)
