"""Who worked in the folder at the same time: then it is not certain whose change a change was."""

from __future__ import annotations

from collections.abc import Callable, Generator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

MOST_NAMES = 20
"""Neighbours that are named; one is enough to make a change uncertain."""


@dataclass(frozen=True, slots=True)
class Neighbours:
    """Leaves that were at work beside another one."""

    names: tuple[str, ...] = ()
    wrote: bool = False
    """Whether one of them may change files."""


class Beside:
    """The leaves at work in a folder. The cost of one does not depend on how many there are."""

    def __init__(self) -> None:
        self._at_work: dict[str, bool] = {}
        self._begun: list[tuple[str, bool]] = []

    @contextmanager
    def at_work(self, key: str, *, reads: bool = False) -> Generator[Callable[[], Neighbours]]:
        """Keep the books for one leaf; the value tells, at any time, who has worked beside it so far."""
        if not self._at_work:
            self._begun.clear()
        before = list(islice(self._at_work.items(), MOST_NAMES))
        self._at_work[key] = reads
        self._begun.append((key, reads))
        place = len(self._begun)

        def together() -> Neighbours:
            seen = dict([*before, *self._begun[place : place + MOST_NAMES]])
            wrote = len(seen) >= MOST_NAMES or not all(seen.values())
            return Neighbours(tuple(sorted(seen)[:MOST_NAMES]), bool(seen) and wrote)

        try:
            yield together
        finally:
            del self._at_work[key]
