"""An agent that has been silent for a while: one warning for each silence."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Callable, Generator

from sprintwright.engine.ports import Clock
from sprintwright.errors import JournalError
from sprintwright.pulse import Pulse


def told_after(idle: float | None, longest: float | None) -> float | None:
    """Seconds of silence that are told of: half of those that end the turn, and ``longest`` at most; None: never."""
    known = [seconds for seconds in (idle / 2 if idle is not None else None, longest) if seconds is not None]
    return min(known, default=None)


class Silence:
    """Watches the output of one turn.

    Args:
        after: seconds of silence that are told of; None: it is not watched.
        warn: called once in each silence that has lasted so long, with the seconds.
    """

    def __init__(self, clock: Clock, after: float | None, warn: Callable[[float], None]) -> None:
        self._clock, self._after, self._warn = clock, after, warn
        self._pulse, self._asking = Pulse(clock.monotonic), 0
        self._told: float | None = None  # since when that silence lasts that was told of

    def did(self) -> None:
        """The agent did something."""
        self._pulse.beat()

    def said(self, text: str) -> None:
        """The agent said something; noise does not end a silence."""
        self._pulse.hear(text)

    @contextlib.contextmanager
    def asking(self) -> Generator[None]:
        """While the user is asked it is not the agent that is silent."""
        self._asking += 1
        try:
            yield
        finally:
            self._asking -= 1
            self.did()

    @contextlib.asynccontextmanager
    async def watched(self) -> AsyncGenerator[None]:
        """Watch as long as the context lasts."""
        if self._after is None:
            yield
            return
        watch = asyncio.create_task(self._watch(self._after), name="silence")
        try:
            yield
        finally:
            watch.cancel()
            await asyncio.gather(watch, return_exceptions=True)

    async def _watch(self, after: float) -> None:
        while True:
            since = self._pulse.at
            left = since + after - self._clock.monotonic()
            if left > 0 or self._told == since or self._asking:
                await self._clock.sleep(left if left > 0 else after)
                continue
            self._told = since
            with contextlib.suppress(JournalError):  # the turn's own end will find that out
                self._warn(after)
