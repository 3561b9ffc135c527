"""`sprintwright cancel`: from another terminal than the run's own."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from sprintwright.app import owners
from sprintwright.app.places import Places
from sprintwright.app.resume import find_run
from sprintwright.errors import Refused


def run(arguments: argparse.Namespace) -> int:
    """Tell the run's owner to cancel it."""
    places = Places.of(os.environ)
    place = find_run(places, Path(arguments.folder).resolve(), arguments.run)
    answer = owners.send(places, place.run_id, {"verb": "cancel"})
    if answer is None:
        raise Refused("bad_argument", f"Run {place.run_id} is not being carried on by anybody; nothing to cancel.")
    if not answer.get("ok"):
        raise Refused("bad_argument", str(answer.get("message", "The owner of the run refused.")))
    print(f"Run {place.run_id} is being cancelled. Go on with it later: sprintwright resume {place.run_id}")
    return 0
