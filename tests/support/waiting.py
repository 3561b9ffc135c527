"""Waiting for what another program does."""

from __future__ import annotations

import threading
from collections.abc import Callable


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
