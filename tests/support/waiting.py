"""Waiting for what another program does."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path


def until(true: Callable[[], bool]) -> None:
    """Look again and again until it is so.

    Raises:
        AssertionError: it did not come to that in 30 seconds.
    """
    event = threading.Event()
    for _ in range(600):
        if true():
            return
        event.wait(0.05)
    raise AssertionError("it did not come to that")


def wardens_of(pid: int) -> list[int]:
    """Processes that would end the agents of an engine, were it killed."""
    found: list[int] = []
    for place in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if place.name.isdigit() and b"/processes/warden.py" in (place / "cmdline").read_bytes():
                parent = (place / "stat").read_bytes().rpartition(b")")[2].split()[1]
                found += [int(place.name)] if int(parent) == pid else []
    return found
