"""`sprintwright end`."""

from __future__ import annotations

import argparse

from sprintwright.app.acting import end
from sprintwright.cli.drive import Session, Wishes, drive


def run(arguments: argparse.Namespace) -> int:
    """End a run whose stages are all done, if everything that it has to leave is there."""
    session, place = Session.with_run(arguments)
    wishes = Wishes.of(arguments)
    return drive(session, lambda world: end(place, world, artifacts=wishes.artifacts), wishes)
