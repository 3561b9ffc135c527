"""An agent that has been silent for half of the time that it may be: one warning for each silence."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Generator

from sprintwright.engine.ports import Clock
from sprintwright.errors import JournalError


class Silence:
    """Watches the output of one turn.

    Args:
        idle: longest silence of the turn, in seconds; None: it is not watched.
        warn: called once in each silence that has lasted half as long, with the seconds.
    """

    def __init__(self, clock: Clock, idle: float | None, warn: Callable[[float], None]) -> None:
        self._clock, self._idle, self._warn = clock, idle, warn
        self._since, self._told, self._asking = clock.monotonic(), False, 0

    def heard(self) -> None:
        """The agent did something."""
        self._since, self._told = self._clock.monotonic(), False

    @contextlib.contextmanager
    def asking(self) -> Generator[None]:
        """While the user is asked it is not the agent that is silent."""
        self._asking += 1
        try:
            yield
        finally:
            self._asking -= 1
            self.heard()

    @contextlib.asynccontextmanager
    async def watched(self) -> AsyncGenerator[None]:
        """Watch as long as the context lasts."""
        if self._idle is None:
            yield
            return
        watch = asyncio.create_task(self._watch(self._idle / 2), name="silence")
        try:
            yield
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)

    async def _watch(self, half: float) -> None:
        while True:
            left = self._since + half - self._clock.monotonic()
            if left > 0 or self._told or self._asking:
                await self._clock.sleep(left if left > 0 else half)
                continue
            self._told = True
            with contextlib.suppress(JournalError):  # the turn's own end will find that out
                self._warn(half)
