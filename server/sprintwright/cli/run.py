"""`sprintwright run`."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from sprintwright.app.start import StartRequest, start
from sprintwright.cli.drive import Session, drive
from sprintwright.errors import Refused

_MOST_TASK_BYTES = 4 * 1024 * 1024


def run(arguments: argparse.Namespace) -> int:
    """Start a workflow and stay with it to its end."""
    roles = _roles(arguments)
    request = StartRequest(
        workflow=arguments.workflow,
        task=_task(arguments),
        folder=Path(arguments.folder),
        roles=roles,
        vars=dict(_pair(item, "--var") for item in arguments.var),
        max_passes=positive(arguments.max_passes),
        consent=arguments.consent,
        concurrent=arguments.concurrent,
    )
    session = Session.of(arguments)
    return drive(session, lambda world: start(request, world, session.settings, world.registry))


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


def _roles(arguments: argparse.Namespace) -> dict[str, str]:
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


def positive(number: int | None) -> int:
    """A limit that was given, or 0 for none. Raises `Refused`."""
    if number is not None and number < 1:
        raise Refused("bad_argument", "--max-passes takes a number of 1 or more.")
    return number or 0
