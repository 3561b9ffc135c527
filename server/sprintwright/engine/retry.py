"""Tries after an operational failure. The loop is around the leaf: attempts are not leaves and use up no pass."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from sprintwright.engine.lane import Lane
from sprintwright.engine.run import Run
from sprintwright.engine.signals import StageFailed
from sprintwright.model.definition import Retry
from sprintwright.model.records import Started
from sprintwright.model.results import TurnResult


async def with_retry(
    run: Run,
    retry: Retry | None,
    lane: Lane,
    key: str,
    start: Callable[[int, str], Awaitable[Started]],
    perform: Callable[[int, Started], Awaitable[TurnResult]],
    seconds: float | None,
) -> TurnResult:
    """The leaf's value, tried as often as the stage allows."""
    retry = retry or Retry()
    for attempt in range(1, retry.attempts + 1):
        last = attempt == retry.attempts
        try:
            return await run.leaf(
                lane, key, partial(start, attempt), perform, TurnResult, seconds=seconds, last_attempt=last
            )
        except StageFailed:
            if last:
                raise
            await run.ports.clock.sleep(retry.wait_seconds)
    raise AssertionError("unreachable: attempts is at least 1")
