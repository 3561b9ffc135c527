"""`sprintwright dismiss`."""

from __future__ import annotations

import argparse
import asyncio

from sprintwright.app.acting import dismiss
from sprintwright.app.findings import find_finding
from sprintwright.app.look import see
from sprintwright.cli.drive import Session
from sprintwright.text import one_line


def run(arguments: argparse.Namespace) -> int:
    """Mark a finding as none; it stays so when an evaluator finds it again."""
    session, place = Session.with_run(arguments)
    tracked = find_finding(see(session.places, place), arguments.finding)
    asyncio.run(dismiss(place, session.looking(), tracked.finding.identity))
    print(f"Dismissed: {one_line(tracked.finding.message, 200)}")
    return 0
