"""What holds turns back: a limited agent, a wait before the next try, and failures that all are the same."""

from __future__ import annotations

import asyncio
import datetime
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sprintwright.engine.limits import check_limits
from sprintwright.model.records import Waiting
from sprintwright.text import one_line

if TYPE_CHECKING:
    from sprintwright.engine.run import Run

FIRST_BACK_OFF_SECONDS = 30.0
LAST_BACK_OFF_SECONDS = 900.0
LONGEST_SECONDS = 86_400.0
"""No wait is longer, whatever an agent says."""
_LOOK_SECONDS = 15.0
"""How often a wait looks at the time of day: a machine that slept does not wait for what it slept."""


@dataclass(frozen=True, slots=True)
class Due:
    """A moment before which a turn does not start."""

    agent: str
    cause: str
    until: datetime.datetime
    longest: float
    """Seconds of the whole wait; the time of day can be set back, then it would never end."""

    def left(self, now: datetime.datetime) -> float:
        """Seconds until then."""
        return min(self.longest, (self.until - now).total_seconds())


class Waits:
    """Until when which turns wait: a gate an agent, and a time a leaf. Pure but for what it remembers.

    Args:
        pending: waits that earlier owners recorded and that no start of their leaf followed, by leaf.
    """

    def __init__(self, pending: Iterable[tuple[str, Waiting]] = ()) -> None:
        self._gates: dict[str, Due] = {}
        self._tries: dict[str, Due] = {}
        self._steps: dict[str, int] = {}
        """How often in a row an agent was limited without saying for how long."""
        for key, waiting in pending:
            if (due := _due_of(waiting)) is not None:
                self._take(key, due)

    def _take(self, key: str, due: Due) -> None:
        if due.cause != "rate_limit":
            self._tries[key] = due
        elif (gate := self._gates.get(due.agent)) is None or gate.until < due.until:
            self._gates[due.agent] = due

    def again(self, key: str, agent: str, cause: str, seconds: float, now: datetime.datetime) -> None:
        """The leaf's next try comes after so many seconds."""
        self._tries[key] = _due(agent, cause, seconds, now)

    def limited(self, agent: str, retry_after: float | None, now: datetime.datetime) -> None:
        """The agent is limited, for so many seconds if it said so: all its turns wait for the same end."""
        gate = self._gates.get(agent)
        closed = gate is not None and gate.left(now) > 0
        if retry_after is None:
            if closed:  # another turn of the same time, which was told no other thing
                return
            step = self._steps[agent] = self._steps.get(agent, 0) + 1
            retry_after = min(LAST_BACK_OFF_SECONDS, FIRST_BACK_OFF_SECONDS * 2 ** min(step - 1, 10))
        due = _due(agent, "rate_limit", max(1.0, retry_after), now)
        if gate is None or not closed or gate.until < due.until:
            self._gates[agent] = due

    def answered(self, agent: str) -> None:
        """A turn of the agent came to its end: the next back-off is short again."""
        self._steps.pop(agent, None)

    def due(self, key: str, agent: str, now: datetime.datetime) -> Due | None:
        """What the next turn of this leaf has to wait for; what has passed is forgotten."""
        gate, mine = self._gates.get(agent), self._tries.get(key)
        if mine is not None and mine.agent != agent:  # the user gave the role to another one
            mine = None
        found = [due for due in (gate, mine) if due is not None and due.left(now) > 0]
        return max(found, key=lambda due: due.until, default=None)

    def over(self, key: str, due: Due) -> None:
        """This wait was waited for, whatever the time of day says."""
        if self._tries.get(key) == due:
            del self._tries[key]
        if self._gates.get(due.agent) == due:
            del self._gates[due.agent]


def _due(agent: str, cause: str, seconds: float, now: datetime.datetime) -> Due:
    seconds = max(0.0, min(seconds, LONGEST_SECONDS))
    return Due(agent, cause, now + datetime.timedelta(seconds=seconds), seconds)


def _due_of(waiting: Waiting) -> Due | None:
    try:
        until = datetime.datetime.fromisoformat(waiting.until)
    except ValueError:
        return None
    if until.tzinfo is None:
        until = until.replace(tzinfo=datetime.UTC)
    return Due(waiting.agent, waiting.cause, until, waiting.seconds)


async def hold(run: Run, key: str, agent: str) -> None:
    """Return when nothing holds a turn of the agent back any more. Each wait is durable before it begins.

    Raises:
        Parked: the run is being parked; a wait ends at once then.
    """
    clock, journal = run.ports.clock, run.ports.journal
    while (due := run.waits.due(key, agent, now := clock.now())) is not None:
        check_limits(run, key)
        seconds = due.left(now)
        until = due.until.isoformat(timespec="milliseconds")
        journal.append(key, Waiting(agent=agent, cause=due.cause, seconds=round(seconds, 3), until=until))
        await journal.sync()
        await _pass(run, due, clock.monotonic() + seconds)
        if run.parking is not None:
            raise run.parking
        run.waits.over(key, due)


async def _pass(run: Run, due: Due, end: float) -> None:
    """Wait until the moment has come by either clock, or the run is being parked."""
    clock = run.ports.clock
    while run.parking is None and (left := min(due.left(clock.now()), end - clock.monotonic())) > 0:
        sleep = asyncio.create_task(clock.sleep(min(left, _LOOK_SECONDS)), name="wait")
        pause = asyncio.create_task(run.parked.wait(), name="wait for a pause")
        try:
            await asyncio.wait({sleep, pause}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            sleep.cancel()
            pause.cancel()
            await asyncio.gather(sleep, pause, return_exceptions=True)
        if not sleep.cancelled():
            sleep.result()


class Breaker:
    """Stops the run when two turns in a row, of any lane, used up their attempts with the same cause."""

    def __init__(self) -> None:
        self._cause = ""
        self._key = ""

    def answered(self) -> None:
        """A turn came to an answer."""
        self._cause = ""

    def failed(self, run: Run, key: str, cause: str, message: str) -> None:
        """A turn has used up its attempts: the second one of the same cause parks the run as ``failed``."""
        if cause == self._cause:
            why = one_line(message, 300).rstrip(". ")
            reason = (
                f"No further turn was started, because {self._key!r} and {key!r} failed one after the other in the "
                f"same way ({cause}: {why}); mend that, then: sprintwright resume {run.started.run_id}"
            )
            run.park(key, reason, cause, status="failed")
        self._cause, self._key = cause, key
