"""Who worked in the folder at the same time: then it is not certain whose change a change was."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from itertools import islice

MOST_NAMES = 20
"""Neighbours that are named; one is enough to make a change uncertain."""


class Beside:
    """The leaves at work in a folder. The cost of one does not depend on how many there are."""

    def __init__(self) -> None:
        self._at_work: dict[str, None] = {}
        self._begun: list[str] = []

    @contextmanager
    def at_work(self, key: str) -> Generator[Callable[[], tuple[str, ...]]]:
        """Keep the books for one leaf; the value tells, at any time, who has worked beside it so far."""
        if not self._at_work:
            self._begun.clear()
        before = tuple(islice(self._at_work, MOST_NAMES))
        self._at_work[key] = None
        self._begun.append(key)
        place = len(self._begun)

        def together() -> tuple[str, ...]:
            after = self._begun[place : place + MOST_NAMES]
            return tuple(sorted(dict.fromkeys([*before, *after]))[:MOST_NAMES])

        try:
            yield together
        finally:
            del self._at_work[key]
