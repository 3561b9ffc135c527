"""A bench whose clock stands still until a test moves it, so that a wait can be looked at while it lasts."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
from collections.abc import Callable

from sprintwright.engine.doubles import ManualClock
from sprintwright.engine.run import Run
from sprintwright.engine.walk import walk_run
from sprintwright.model.records import Ended, Started, Waiting
from sprintwright.state.fold import RunState, fold
from tests.unit.engine.support import Bench


class HeldClock(ManualClock):
    """A clock that moves by `to` alone; whoever sleeps wakes at its own moment."""

    def __init__(self, at: float = 0.0) -> None:
        super().__init__()
        self.now_seconds = at
        self.was_set = datetime.timedelta()
        """By how much somebody set the time of day."""
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> datetime.datetime:
        return super().now() + self.was_set

    async def sleep(self, seconds: float) -> None:
        waker: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._sleepers.append((self.now_seconds + seconds, waker))
        await waker

    async def to(self, moment: float) -> None:
        """Move on to a moment, over every earlier one at which somebody wakes."""
        await settle()
        while self.sleeping() and (first := min(end for end, _ in self._sleepers)) <= moment:
            self.now_seconds = max(self.now_seconds, first)
            for end, waker in self._sleepers:
                if end <= first and not waker.done():
                    waker.set_result(None)
            await settle()
        self.now_seconds = moment
        await settle()

    def sleeping(self) -> int:
        """How many sleep."""
        self._sleepers = [(end, waker) for end, waker in self._sleepers if not waker.done()]
        return len(self._sleepers)


async def settle() -> None:
    """Let every task go on until all of them wait for something."""
    for _ in range(200):
        await asyncio.sleep(0)


class Lab(Bench):
    """A bench with a held clock; ``walk`` starts a run and returns while it is going on."""

    clock: HeldClock = HeldClock()
    chance: Callable[[], float] = staticmethod(lambda: 0.5)
    slots: asyncio.Semaphore | None = None

    def make(self) -> Run:
        run = super().make()
        ports = dataclasses.replace(run.ports, clock=self.clock, chance=self.chance, slots=self.slots)
        self.walking = Run(self.definition, self.started, ports, run.history)
        return self.walking

    def walk(self, at: float = 0.0) -> asyncio.Task[Ended]:
        """Start walking, the clock at a moment."""
        self.clock = HeldClock(at)
        return asyncio.create_task(walk_run(self.make()))

    def now(self) -> RunState:
        """The state while the run is going on."""
        return fold(self.journal.records)

    def leave(self) -> None:
        """The owner dies: only what is durable is left."""
        self.records = self.journal.records[: self.journal.durable]

    def waits(self) -> list[tuple[str, str, float]]:
        """Key, cause and seconds of each recorded wait."""
        return [
            (record.key, record.payload.cause, record.payload.seconds)
            for record in self.journal.records
            if isinstance(record.payload, Waiting)
        ]

    def attempts(self) -> list[tuple[str, int]]:
        """Key and number of each try that was started."""
        return [
            (record.key, record.payload.attempt)
            for record in self.journal.records
            if isinstance(record.payload, Started) and record.payload.what == "turn"
        ]
