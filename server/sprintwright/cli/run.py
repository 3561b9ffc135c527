"""`sprintwright run`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sprintwright.app.live import LiveRun, World
from sprintwright.app.start import StartRequest, catalogue, start, usable_folder
from sprintwright.cli.drive import Session, Wishes, drive
from sprintwright.cli.exits import INTERRUPTED, REFUSED
from sprintwright.cli.words import LIMITS, option_of
from sprintwright.errors import Refused
from sprintwright.model.effects import Outcome
from sprintwright.text import did_you_mean, fold

_MOST_TASK_BYTES = 4 * 1024 * 1024


def run(arguments: argparse.Namespace) -> int:
    """Start a workflow and stay with it to its end; in a terminal, ask for what is missing."""
    request = request_of(arguments)
    try:
        return _run(arguments, request)
    except Refused as refused:
        raise (_no_such_option(refused, request, arguments.rest) or refused) from refused


def _run(arguments: argparse.Namespace, request: StartRequest) -> int:
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


def _no_such_option(refused: Refused, request: StartRequest, flags: Sequence[str]) -> Refused | None:
    """The refusal of a flag that is neither an option nor a role, in words; None for any other."""
    if refused.code != "unknown_role":
        return None
    known = [str(role) for role in refused.data["known"]]
    folded = {fold(role) for role in known}
    typed = (flag[2:].partition("=")[0] for flag in flags if flag.startswith("--"))
    name = next((one for one in typed if fold(one) not in folded), None)
    if name is None:
        return None
    limit = name.replace("-", "_")
    more = did_you_mean(name, known)
    if limit in LIMITS:
        more = (
            f" Limits stand in the configuration, as `limits: {{{limit}: N}}`, and "
            f"`sprintwright resume {option_of(limit)} N` goes on with a higher one."
        )
    text = f"There is no option or role '--{name}' for workflow {request.workflow!r}.{more}"
    return Refused("unknown_role", f"{text} Its roles: {', '.join(known)}.", known=known)


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
