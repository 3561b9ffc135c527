"""`sprintwright answer`."""

from __future__ import annotations

import argparse
import sys

from sprintwright.app.acting import answer
from sprintwright.cli.drive import Session, Wishes, drive
from sprintwright.journal.store import RUN_ID


def run(arguments: argparse.Namespace) -> int:
    """Answer an open question: here, or with the program that carries the run on."""
    if not arguments.text and not RUN_ID.fullmatch(arguments.run) and arguments.run != "last":
        arguments.run, arguments.text = "last", [arguments.run]  # `answer approve`: the newest run is meant
    session, place = Session.with_run(arguments)
    text = words(arguments.text)
    wishes = Wishes.of(arguments)
    return drive(
        session,
        lambda world: answer(
            place,
            world,
            text,
            question=arguments.question or "",
            artifacts=wishes.artifacts,
            consent=wishes.consent,
            concurrent=wishes.concurrent,
        ),
        wishes,
    )


def words(given: list[str]) -> str:
    """The words of a command line as one text; `-` reads standard input."""
    if given == ["-"]:
        return sys.stdin.buffer.read().decode("utf-8", "replace").strip()
    return " ".join(given)
