"""`sprintwright continue`."""

from __future__ import annotations

import argparse

from sprintwright.app.acting import continue_run
from sprintwright.cli.drive import Session, Wishes, drive


def run(arguments: argparse.Namespace) -> int:
    """Go on with a run that pauses: here, or with the program that carries it on."""
    session, place = Session.with_run(arguments)
    wishes = Wishes.of(arguments)
    return drive(
        session,
        lambda world: continue_run(
            place, world, artifacts=wishes.artifacts, consent=wishes.consent, concurrent=wishes.concurrent
        ),
        wishes,
    )
