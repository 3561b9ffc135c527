"""`sprintwright pause`."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from sprintwright.app.acting import pause
from sprintwright.app.places import Places
from sprintwright.app.runs import find_run


def run(arguments: argparse.Namespace) -> int:
    """Tell the run's owner to park it once the turn in hand has ended."""
    places = Places.of(os.environ)
    place = find_run(places, Path(arguments.folder).resolve(), arguments.run)
    pause(places, place)
    print(f"Run {place.run_id} pauses when the turn in hand has ended. Go on: sprintwright continue {place.run_id}")
    return 0
