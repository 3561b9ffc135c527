"""R52: somebody sets the time of day by a day while the engine waits for something."""

from __future__ import annotations

import asyncio
import datetime

import pytest

from sprintwright.engine.ports import Desk, TurnRequest
from sprintwright.errors import Operational
from sprintwright.model.records import Noted
from tests.unit.engine.lab import Lab, settle
from tests.unit.engine.support import define, turn

DAYS = [datetime.timedelta(days=1), datetime.timedelta(days=-1)]


async def silent(_desk: Desk) -> str:
    """A turn that never ends by itself."""
    await asyncio.Event().wait()
    return ""


def refused_once() -> Lab:
    """A run whose only turn fails, waits for a minute, and answers then."""
    calls: list[TurnRequest] = []

    def script(request: TurnRequest) -> str:
        calls.append(request)
        if len(calls) == 1:
            raise Operational("exit", "no")
        return "yes"

    return Lab(define(turn("a", retry={"wait_seconds": 60})), script)


@pytest.mark.parametrize("days", DAYS, ids=str)
def test_r052_a_turn_is_ended_and_its_silence_told_of_by_the_time_that_passed(
    days: datetime.timedelta, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def act() -> None:
        limits = {"turn_seconds": 100, "idle_seconds": 80}
        lab = Lab(define(turn("a", retry={"attempts": 1}), limits=limits), lambda _request: silent)
        walk = lab.walk()
        monkeypatch.setattr(asyncio.get_running_loop(), "time", lab.clock.monotonic)
        await lab.clock.to(1)
        lab.clock.was_set = days
        await lab.clock.to(39.9)
        assert not [record for record in lab.journal.records if isinstance(record.payload, Noted)]
        await lab.clock.to(40)
        assert len([record for record in lab.journal.records if isinstance(record.payload, Noted)]) == 1
        await lab.clock.to(99.9)
        assert not walk.done()
        await lab.clock.to(100)
        assert (await walk).code == "timeout"

    asyncio.run(act())


def test_r052_a_wait_does_not_become_longer_when_the_time_of_day_is_set_back() -> None:
    async def act() -> None:
        lab = refused_once()
        walk = lab.walk()
        await lab.clock.to(1)
        lab.clock.was_set = datetime.timedelta(days=-1)
        await lab.clock.to(59.9)
        assert lab.attempts() == [("a", 1)]
        await lab.clock.to(60)
        assert (await walk).status == "completed"

    asyncio.run(act())


def test_r051_a_wait_whose_moment_has_passed_by_the_time_of_day_ends_at_its_next_look() -> None:
    """So it is after a sleep; a clock that was set forward by a day looks the same, and costs one early try."""

    async def act() -> None:
        lab = refused_once()
        walk = lab.walk()
        await settle()
        lab.clock.was_set = datetime.timedelta(days=1)
        await lab.clock.to(15)
        assert (await walk).status == "completed"

    asyncio.run(act())
