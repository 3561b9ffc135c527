"""`sprintwright fix`: a run of the built-in workflow `fix` on one finding."""

from __future__ import annotations

import argparse
from dataclasses import replace

from sprintwright.app.findings import find_finding, fix_request
from sprintwright.app.look import see
from sprintwright.cli.drive import Session
from sprintwright.cli.run import positive, roles_of, start_and_drive
from sprintwright.text import one_line


def run(arguments: argparse.Namespace) -> int:
    """Start it, and stay with it to its end. Completed, it has fixed the finding of that run."""
    session, place = Session.with_run(arguments)
    tracked = find_finding(see(session.places, place), arguments.finding)
    request = replace(
        fix_request(place, tracked.finding, roles_of(arguments)),
        max_passes=positive(arguments.max_passes, "--max-passes"),
        consent=arguments.consent,
        concurrent=arguments.concurrent,
    )
    if not session.json:
        print(f"Mending: {one_line(f'{tracked.finding.place} {tracked.finding.message}', 160)}", flush=True)
    return start_and_drive(session, request)
