"""Who calls: the user, or a program that an agent started and that must not speak for the user (X27)."""

from __future__ import annotations

import os
from collections.abc import Mapping

from sprintwright.app.places import Places
from sprintwright.errors import Refused
from sprintwright.processes import Leftovers, descends_from_turn


def require_user(environment: Mapping[str, str]) -> None:
    """Raise `Refused` (`within_turn`) when this process descends from a turn of any run of this user."""
    turns = Leftovers(Places.of(environment).state / "processes").live_pids()
    if descends_from_turn(os.getpid(), turns):
        raise Refused(
            "within_turn",
            "This program was started by an agent in its turn: starting, answering and deciding are the user's. "
            "Only commands that look, such as show and list, work here.",
        )
