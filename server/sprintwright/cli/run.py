"""`sprintwright run`."""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

from sprintwright.app.live import LiveRun, World
from sprintwright.app.start import StartRequest, catalogue, start, usable_folder
from sprintwright.cli.drive import Session, Wishes, drive
from sprintwright.cli.exits import INTERRUPTED, REFUSED
from sprintwright.errors import Refused
from sprintwright.model.effects import Outcome

_MOST_TASK_BYTES = 4 * 1024 * 1024


def run(arguments: argparse.Namespace) -> int:
    """Start a workflow and stay with it to its end; in a terminal, ask for what is missing."""
    request = request_of(arguments)
    session = Session.of(arguments)
    if session.interactive:
        asked = _asked(session, request)
        if isinstance(asked, int):
            return asked
        request = asked
    elif not request.workflow:
        names = ", ".join(map(repr, catalogue(session.places, session.folder).names()))
        raise Refused(
            "bad_argument", f'Say which workflow, and what is to be done: run NAME "TASK". Known workflows: {names}.'
        )
    return start_and_drive(session, request)


def start_and_drive(session: Session, request: StartRequest) -> int:
    """Start a run and stay with it."""
    wishes = Wishes(request.consent)

    async def begin(world: World) -> LiveRun | Outcome:
        return await start(replace(request, consent=wishes.consent), world, session.settings)

    return drive(session, begin, wishes)


def request_of(arguments: argparse.Namespace) -> StartRequest:
    """What was asked for by arguments; workflow and task may be empty. Raises `Refused`."""
    return StartRequest(
        workflow=arguments.workflow,
        task=_task(arguments),
        folder=Path(arguments.folder),
        roles=roles_of(arguments),
        vars=dict(_pair(item, "--var") for item in arguments.var),
        max_passes=positive(arguments.max_passes, "--max-passes"),
        pause_after=tuple(arguments.pause_after),
        consent=arguments.consent,
        concurrent=arguments.concurrent,
        token=arguments.start_token or "",
        untrusted=arguments.untrusted,
    )


def _asked(session: Session, request: StartRequest) -> StartRequest | int:
    """The request with everything that was missing, or an exit code: then nothing is started."""
    from sprintwright.app.compose import make_world
    from sprintwright.cli.people import Absent
    from sprintwright.cli.prompter import GivenUp, TerminalPrompter
    from sprintwright.cli.wizard import Setting, fill, is_complete

    folder = usable_folder(request.folder)
    setting = Setting(make_world(session.environment, folder, session.settings, Absent()), session.settings)
    if is_complete(request, setting):
        return request
    try:
        return fill(request, setting, TerminalPrompter())
    except (GivenUp, KeyboardInterrupt) as end:
        print("\nNothing was started.")
        return INTERRUPTED if isinstance(end, KeyboardInterrupt) else REFUSED


def _task(arguments: argparse.Namespace) -> str:
    words = list(arguments.task)
    if arguments.task_file and words:
        raise Refused("bad_argument", "Give the task as words or with --task-file, not both.")
    if arguments.task_file:
        try:
            with Path(arguments.task_file).open("rb") as file:
                return _text(file.read(_MOST_TASK_BYTES + 1))
        except OSError as error:
            raise Refused(
                "bad_argument", f"The task file {arguments.task_file!r} can't be read: {error.strerror}."
            ) from error
    if words == ["-"]:
        return _text(sys.stdin.buffer.read(_MOST_TASK_BYTES + 1))
    return " ".join(words)


def _text(data: bytes) -> str:
    if len(data) > _MOST_TASK_BYTES:
        raise Refused("bad_argument", f"The task is larger than {_MOST_TASK_BYTES:,} bytes; shorten it.")
    return data.decode("utf-8", "replace")


def roles_of(arguments: argparse.Namespace) -> dict[str, str]:
    """Agents by role: `--role NAME=AGENT`, and `--NAME AGENT` or `--NAME=AGENT` for any role's name."""
    roles = dict(_pair(item, "--role") for item in arguments.role)
    if arguments.primary:
        roles["primary"] = arguments.primary
    rest = list(arguments.rest)
    while rest:
        flag = rest.pop(0)
        if not flag.startswith("--") or flag == "--":
            raise Refused("bad_argument", f"{flag!r} is not understood. Put the task in quotes.")
        name, equals, value = flag[2:].partition("=")
        if not equals:
            if not rest or rest[0].startswith("--"):
                raise Refused("bad_argument", f"The flag {flag!r} needs a value: the agent of role {name!r}.")
            value = rest.pop(0)
        roles[name] = value
    return roles


def _pair(text: str, flag: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise Refused("bad_argument", f"{flag} takes NAME=VALUE, not {text!r}.")
    return name, value


def positive(number: int | None, flag: str) -> int:
    """A limit that was given, or 0 for none. Raises `Refused`."""
    if number is not None and number < 1:
        raise Refused("bad_argument", f"{flag} takes a number of 1 or more.")
    return number or 0
