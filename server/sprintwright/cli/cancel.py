"""`sprintwright cancel`: from another terminal than the run's own."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from sprintwright.app.acting import cancel
from sprintwright.app.places import Places
from sprintwright.app.runs import find_run


def run(arguments: argparse.Namespace) -> int:
    """Tell the run's owner to cancel it."""
    places = Places.of(os.environ)
    place = find_run(places, Path(arguments.folder).resolve(), arguments.run)
    cancel(places, place)
    print(f"Run {place.run_id} is being cancelled. Go on with it later: sprintwright resume {place.run_id}")
    return 0
