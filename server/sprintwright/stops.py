"""Named points at which a test can stop the process: killed there, an error there, or a wait there.

`SPRINTWRIGHT_TEST_STOP` holds `point[:n]`, several separated by commas; at the n-th visit of a point (the
first when no number stands there) the process sends itself SIGKILL. `SPRINTWRIGHT_TEST_STOP_ACTION` has other
ends: `raise` raises `Stopped`, `wait:<file>` blocks until that file exists. Unset: nothing happens.
"""

from __future__ import annotations

import os
import signal
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

_POLL_SECONDS = 0.005


class Stopped(BaseException):
    """A test asked for an error at this point. Not an `Exception`: nothing in the program may handle it."""


def stop(point: str) -> None:
    """Visit a named point. Does nothing unless a test asked for it."""
    if _stops:
        _visit(point)


def read_environment(environment: Mapping[str, str] = os.environ) -> None:
    """Look at the variables again, with all counts at zero. The module does this once by itself."""
    _stops.clear()
    _visits.clear()
    for entry in environment.get("SPRINTWRIGHT_TEST_STOP", "").split(","):
        point, _, count = entry.strip().partition(":")
        if point:
            _stops[point] = int(count or 1)
    _action[0] = environment.get("SPRINTWRIGHT_TEST_STOP_ACTION", "")


_stops: dict[str, int] = {}
_visits: Counter[str] = Counter()
_action: list[str] = [""]


def _visit(point: str) -> None:
    if point not in _stops:
        return
    _visits[point] += 1
    if _visits[point] != _stops[point]:
        return
    action, _, file = _action[0].partition(":")
    if action == "raise":
        raise Stopped(point)
    if action == "wait":
        while not Path(file).exists():
            time.sleep(_POLL_SECONDS)
        return
    os.kill(os.getpid(), signal.SIGKILL)


read_environment()
