"""`sprintwright delete`."""

from __future__ import annotations

import argparse
import asyncio
import sys

from sprintwright.app.delete import delete
from sprintwright.app.look import Seen, see
from sprintwright.app.runs import require_unowned
from sprintwright.cli.drive import Session
from sprintwright.cli.exits import OK, REFUSED
from sprintwright.cli.people import ask_line
from sprintwright.cli.words import status_words
from sprintwright.errors import Refused
from sprintwright.text import clean, one_line

_WORD = "delete"


def run(arguments: argparse.Namespace) -> int:
    """Delete runs, one after the other, each after a question of its own."""
    if not arguments.runs:
        raise Refused("bad_argument", "Say which run is to be deleted: its id, part of it, or `last`.")
    codes = [_delete(arguments, name) for name in dict.fromkeys(arguments.runs)]
    return max(codes)


def _delete(arguments: argparse.Namespace, name: str) -> int:
    arguments.run = name
    session, place = Session.with_run(arguments)
    require_unowned(session.places, place)
    if not session.yes:
        if not session.interactive:
            raise Refused("needs_choice", f"Run {place.run_id} was not deleted: nobody was asked. To delete it: --yes")
        answer = asyncio.run(ask_line(f"{_question(see(session.places, place))} type the word `{_WORD}`: "))
        if answer != _WORD:
            print(f"Cancelled: run {place.run_id} is kept.")
            return REFUSED
    problems = asyncio.run(delete(place, session.looking()))
    print(f"Run {place.run_id} is deleted; the files of the folder are as they were.")
    for problem in problems:
        print(clean(problem, newlines=True), file=sys.stderr)
    return OK


def _question(seen: Seen) -> str:
    task = f" ({one_line(seen.state.started.task, 80)})" if seen.state.started else ""
    elsewhere = "" if seen.own else ", made elsewhere"
    return f"delete run {seen.place.run_id}{task}, {status_words(seen.state)}{elsewhere}?"
