"""`sprintwright say`."""

from __future__ import annotations

import argparse
import asyncio

from sprintwright.app.acting import say
from sprintwright.cli.answer import words
from sprintwright.cli.drive import Session


def run(arguments: argparse.Namespace) -> int:
    """Add words to the next prompt of a run."""
    session, place = Session.with_run(arguments)
    asyncio.run(say(place, session.looking(), words(arguments.text), lane=arguments.lane or ""))
    where = f"of {arguments.lane} " if arguments.lane else ""
    print(f"Recorded. The next prompt {where}has it.")
    return 0
