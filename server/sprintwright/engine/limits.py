"""Bounds of a run: which are in force, and whether another turn may start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sprintwright.engine.history import History
from sprintwright.model.definition import Definition
from sprintwright.model.limits import Limits
from sprintwright.model.records import Noted, RunStarted

if TYPE_CHECKING:
    from sprintwright.engine.run import Run

_NEAR = 0.8
"""Part of a limit from which the user is warned."""


def limits_in_force(definition: Definition, started: RunStarted, history: History) -> Limits:
    """The limits that this walk holds: those of the run's start, and above them what the user gave it since.

    A run that did not record its limits has those of the definition.
    """
    at_start = started.limits if started.limits is not None else definition.limits
    return at_start.model_copy(update=history.limits_raised.model_dump(exclude_none=True))


def check_limits(run: Run, key: str) -> None:
    """Park the run where another turn would go beyond a limit of it; the reason has the numbers and what to do.

    Raises:
        Parked: with code ``limit``.
    """
    limits, resume = run.limits, f"sprintwright resume {run.started.run_id}"
    for name, used, limit, shown in (
        ("tokens", run.usage.tokens, limits.tokens, f"{run.usage.tokens:,} tokens"),
        ("cost", run.usage.cost or 0, limits.cost, f"{run.usage.cost or 0:.2f} US dollars"),
    ):
        if limit is not None and used >= limit:
            reason = f"The run has used {shown}; its limit is {limit:,}. To go on: {resume} --{name} N"
            raise run.park(key, reason, "limit")
        if limit is not None and used >= _NEAR * limit and name not in run.warned:
            run.warned.add(name)
            run.ports.journal.append(key, Noted(code="limit_near", text=f"The run has used {shown} of {limit:,}."))
    if limits.turns is not None and run.turns >= limits.turns:
        reason = f"The run has taken {run.turns} turns; its limit is {limits.turns}. To go on: {resume} --turns N"
        raise run.park(key, reason, "limit")
    seconds = run.active_seconds()
    if limits.wall_seconds is not None and seconds >= limits.wall_seconds:
        reason = (
            f"The run has been at work for {seconds:.0f} seconds; its limit is {limits.wall_seconds:g}. "
            f"To go on: {resume} --wall-seconds N"
        )
        raise run.park(key, reason, "limit")
