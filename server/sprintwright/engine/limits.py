"""Bounds of a run: which are in force, and whether another turn may start."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sprintwright.engine.history import History
from sprintwright.engine.signals import Parked
from sprintwright.model.definition import AgentTurn, Definition, Loop, ParallelGroup, walk_stages
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
        Parked: with code ``limit``, and the limit's name as what is missing.
    """
    limits = run.limits
    for name, used, limit, shown in (
        ("tokens", run.usage.tokens, limits.tokens, f"{run.usage.tokens:,} tokens"),
        ("cost", run.usage.cost or 0, limits.cost, f"{run.usage.cost or 0:.2f} US dollars"),
    ):
        if limit is not None and used >= limit:
            raise _parked(run, key, name, f"The run has used {shown}; its limit is {limit:,}.")
        if limit is not None and used >= _NEAR * limit and name not in run.warned:
            run.warned.add(name)
            run.ports.journal.append(key, Noted(code="limit_near", text=f"The run has used {shown} of {limit:,}."))
    if limits.turns is not None and run.turns >= limits.turns:
        raise _parked(run, key, "turns", f"The run has taken {run.turns} turns; its limit is {limits.turns}.")
    seconds = run.active_seconds()
    if limits.wall_seconds is not None and seconds >= limits.wall_seconds:
        text = f"The run has been at work for {seconds:.0f} seconds; its limit is {limits.wall_seconds:g}."
        raise _parked(run, key, "wall_seconds", text)


def check_items(run: Run, key: str, stage: Loop | ParallelGroup, count: int) -> None:
    """Park the run before it goes over more items than its limit lets it without the user's word; the reason has an
    estimate of what they take.

    Raises:
        Parked: as `check_limits`.
    """
    limit = run.limits.items
    if limit is None or count <= limit:
        return
    turns = sum(isinstance(inner, AgentTurn) for _, inner in walk_stages(stage.body))
    takes = f", with {count * turns} turns or more," if turns else ""
    text = f"{key} would go over {count} items{takes} and the run has taken {run.turns}; its limit is {limit} items."
    raise _parked(run, key, "items", text)


def _parked(run: Run, key: str, name: str, text: str) -> Parked:
    option = name.replace("_", "-")
    reason = f"{text} To go on: sprintwright resume {run.started.run_id} --{option} N"
    return run.park(key, reason, "limit", missing=name)
