"""Tries after an operational failure. The loop is around the leaf: attempts are not leaves and use up no pass."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sprintwright.engine.lane import Lane
from sprintwright.engine.run import Run
from sprintwright.engine.signals import StageFailed
from sprintwright.engine.waiting import hold
from sprintwright.errors import Operational
from sprintwright.model.definition import Retry
from sprintwright.model.records import Started
from sprintwright.model.results import TurnResult

DEFAULT_ATTEMPTS = 3
LONGEST_WAIT_SECONDS = 60.0
"""Before the jitter."""
MOST_RATE_LIMITS = 20
"""So often in a row a leaf waits for a limited agent; then that is its failure."""
_TRANSIENT = ("exit", "timeout", "protocol", "rate_limit")
"""Causes that another try may mend, if the error itself does not say (``transient``)."""


async def with_retry(
    run: Run,
    retry: Retry | None,
    lane: Lane,
    key: str,
    agent: str,
    start: Callable[[int, str], Awaitable[Started]],
    perform: Callable[[int, Started], Awaitable[TurnResult]],
    seconds: float | None,
) -> TurnResult:
    """The value of an agent's turn, tried as often as the stage allows.

    Waits come before the turn's `started` and only where it is really performed. A rate limit uses up no attempt.

    Args:
        retry: of the stage; None: the defaults.
        agent: who takes the turn; while it is limited no turn of it starts.
        start: given the number of the try and the leaf before.

    Raises:
        StageFailed: the attempts are used up, or another try would mend nothing; that is recorded.
        Parked: the run is being parked.
    """
    tries = _Tries(run, retry or Retry(), key, agent)

    async def begin(after: str) -> Started:
        await hold(run, key, agent)
        return await start(tries.number, after)

    async def act(sequence: int, begun: Started) -> TurnResult:
        made = await perform(sequence, begun)
        run.waits.answered(agent)
        run.breaker.answered()
        return made

    while True:
        try:
            return await run.leaf(lane, key, begin, act, TurnResult, seconds=seconds, is_final=tries.is_final)
        except StageFailed:
            if tries.over:
                raise


def attempts_of(retry: Retry) -> int:
    """Tries in all, at least one."""
    return max(1, retry.attempts or DEFAULT_ATTEMPTS)


def wait_before(retry: Retry, number: int, chance: float) -> float:
    """Seconds between try ``number`` - 1 and this one; ``chance`` is from 0 to 1, and 0.5 gives the nominal wait."""
    try:
        nominal = min(LONGEST_WAIT_SECONDS, retry.wait_seconds * retry.factor ** (number - 2))
    except OverflowError:
        nominal = LONGEST_WAIT_SECONDS if retry.wait_seconds else 0.0
    return nominal * (1 - retry.jitter + 2 * retry.jitter * chance)


def is_transient(error: Operational) -> bool:
    """Whether another try may come out differently."""
    return bool(error.data.get("transient", error.cause in _TRANSIENT))


class _Tries:
    """The tries of one leaf: which one comes next, and whether a failure was the last one."""

    def __init__(self, run: Run, retry: Retry, key: str, agent: str) -> None:
        self._run, self._retry, self._key, self._agent = run, retry, key, agent
        self.number = min(run.history.tried(key, agent) + 1, attempts_of(retry))
        self.over = False
        self._limited = 0

    def is_final(self, error: Operational) -> bool:
        """Take a failure in: True when it is the leaf's end, else the wait for the next try is set."""
        if self._goes_on(error):
            return False
        self.over = True
        self._run.breaker.failed(self._run, self._key, error.cause, error.message)
        return True

    def _goes_on(self, error: Operational) -> bool:
        waits, now = self._run.waits, self._run.ports.clock.now()
        if error.cause == "rate_limit" and is_transient(error):
            self._limited += 1
            waits.limited(self._agent, error.data.get("retry_after"), now)
            return self._limited <= MOST_RATE_LIMITS
        self._limited = 0
        if not is_transient(error) or self.number >= attempts_of(self._retry):
            return False
        self.number += 1
        wait = wait_before(self._retry, self.number, self._run.ports.chance())
        waits.again(self._key, self._agent, error.cause, wait, now)
        return True
