"""One of the places for turns that are at work at the same time (faults.md X76)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable


class Slot:
    """The place of one leaf, for each of its tries anew. Taking it twice, or giving it back twice, does nothing.

    Args:
        places: all there are; None: any number.
    """

    def __init__(self, places: asyncio.Semaphore | None) -> None:
        self._places, self._taken = places, False

    async def take(self, waits: Callable[[], None]) -> None:
        """Return when there is a place; ``waits`` is called if that takes a while."""
        if self._places is None or self._taken:
            return
        if self._places.locked():
            waits()
        await self._places.acquire()
        self._taken = True

    def give(self) -> None:
        """Make room for another."""
        if self._places is not None and self._taken:
            self._taken = False
            self._places.release()
