"""The terminal: arguments, and which verb they mean. Nothing heavy is imported before it is needed."""

from __future__ import annotations

import argparse
import atexit
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from io import TextIOWrapper
from typing import TYPE_CHECKING, TypeAlias

from sprintwright import __version__

if TYPE_CHECKING:
    Commands: TypeAlias = argparse._SubParsersAction[argparse.ArgumentParser]  # pyright: ignore[reportPrivateUsage]

_EPILOG = """\
start here:
  sprintwright demo                       a whole run on a sample project; needs no agent
  sprintwright run dev "Add a --json flag" --primary human
  sprintwright show                       the newest run: its tree, findings, what to type next

exit codes: 0 completed, 1 failed, 2 usage or refused, 3 not converged, 4 needs you, 130 cancelled
"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; its exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    parser = _parser()
    known, rest = parser.parse_known_args(arguments)
    if rest and known.command != "run":
        parser.error(f"unrecognized arguments: {' '.join(rest)}")
    if known.command is None:
        parser.print_help()
        return 2
    known.rest = rest
    _prepare_streams()
    try:
        return _called(known)
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read our output has enough
        _silence()
        return 1
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        print(f"sprintwright: {error.strerror or error}{where}. Nothing more was done.", file=sys.stderr)
        _silence()
        return 1


def _called(known: argparse.Namespace) -> int:
    # Nobody's plugin runs inside us, and looking for them would cost more than our own start.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "__all__")
    run: Callable[[argparse.Namespace], int] = import_module(f"sprintwright.cli.{known.module}").run
    from sprintwright.errors import SprintwrightError

    try:
        code = run(known)
        sys.stdout.flush()
        return code
    except SprintwrightError as error:
        from sprintwright.text import clean

        print(f"sprintwright: {clean(error.message, newlines=True)}", file=sys.stderr)
        return 2 if error.code not in ("run_unreadable", "stopped", "workspace") else 1


def _prepare_streams() -> None:
    """Streams that are there and can hold any text: closed ones lead nowhere, other encodings get question marks."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for the process's life
            atexit.register(nowhere.close)
            setattr(sys, name, nowhere)
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors="replace")


def _silence() -> None:
    """Nothing more can be written there, and Python must not try at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="sprintwright",
        description="Multi-agent development workflows: design, build, judge, until the work is good.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"sprintwright {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    _add_run(commands)
    _add_others(commands)
    return parser


def _command(commands: Commands, name: str, module: str, text: str) -> argparse.ArgumentParser:
    command = commands.add_parser(name, help=text, description=text, allow_abbrev=False)
    command.set_defaults(module=module)
    command.add_argument("--folder", default=".", metavar="DIR", help="the folder to work in (default: this one)")
    return command


def _live_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("--max-passes", type=int, metavar="N", help="limit of each loop of passes")
    command.add_argument("--json", action="store_true", help="one event a line instead of the live tree")
    command.add_argument("--yes", action="store_true", help="ask nothing: empty answers, never a permission")


def _add_run(commands: Commands) -> None:
    run = _command(commands, "run", "run", "Start a workflow on a task.")
    run.add_argument("workflow", help="name of the workflow; see `sprintwright workflows`")
    run.add_argument("task", nargs="*", help="what is to be done; `-` reads it from standard input")
    run.add_argument("--task-file", metavar="F", help="read the task from a file")
    run.add_argument(
        "--role", action="append", default=[], metavar="NAME=AGENT", help="agent of a role; also as --NAME AGENT"
    )
    run.add_argument("--primary", metavar="AGENT", help="agent for every role that has none of its own")
    run.add_argument("--var", action="append", default=[], metavar="K=V", help="replace a variable of the workflow")
    run.add_argument("--consent", metavar="HASH", help="agree to what files of this folder would run")
    run.add_argument("--concurrent", action="store_true", help="start although another run is live in the folder")
    _live_options(run)


def _add_others(commands: Commands) -> None:
    resume = _command(commands, "resume", "resume", "Go on with a run that was interrupted, cancelled or stopped.")
    resume.add_argument("run", nargs="?", default="last", help="id of the run, or part of it (default: the newest)")
    resume.add_argument("--interrupted", choices=("redo", "keep", "stop"), help="what to do with a cut-off turn")
    resume.add_argument("--consent", metavar="HASH", help="agree to what files of this folder would run")
    resume.add_argument("--accept-shorter", action="store_true", help="go on from a journal older than what was seen")
    _live_options(resume)
    cancel = _command(commands, "cancel", "cancel", "Cancel a live run; what is finished is kept.")
    cancel.add_argument("run", nargs="?", default="last", help="id of the run, or part of it (default: the newest)")
    show = _command(commands, "show", "show", "Show a run: tree, verdicts, findings, and what to type next.")
    show.add_argument("run", nargs="?", default="last", help="id of the run, or part of it (default: the newest)")
    show.add_argument("--json", action="store_true", help="the whole state as JSON")
    show.add_argument(
        "--changes", nargs="?", const="", default=None, metavar="LEAF", help="the diff of a leaf, a pass, or the run"
    )
    listing = _command(commands, "list", "listing", "List the runs of a folder.")
    listing.add_argument("--all", action="store_true", help="all your runs, wherever they are")
    listing.add_argument("--json", action="store_true", help="one run a line")
    workflows = _command(commands, "workflows", "workflows", "List the workflows that can be run here.")
    workflows.add_argument("--json", action="store_true", help="one workflow a line")
    validate = _command(commands, "validate", "validate", "Check workflow files; every problem with its place.")
    validate.add_argument("files", nargs="*", help="files to check (default: all that are seen from this folder)")
    validate.add_argument("--json", action="store_true", help="one problem a line")
    agents = _command(commands, "agents", "agents", "List the configured agents and what is wrong with them.")
    agents.add_argument("--json", action="store_true", help="one agent a line")
    schema = _command(commands, "schema", "schema", "Print the JSON Schema of workflow files.")
    schema.add_argument("--check", metavar="FILE", help="exit 1 if FILE is not the schema")
    demo = _command(commands, "demo", "demo", "Run the demo: a real loop on a sample project, without any agent.")
    demo.add_argument("--plain", action="store_true", help="no live tree, one line an event")
