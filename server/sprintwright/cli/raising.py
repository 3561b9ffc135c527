"""A run that has reached a limit, with somebody there: more, or leave it."""

from __future__ import annotations

from sprintwright.app.live import LiveRun, World
from sprintwright.app.resume import go_on, prepare, to_resume
from sprintwright.cli.people import ask_line
from sprintwright.cli.words import reached
from sprintwright.model.limits import Limits
from sprintwright.state.fold import RunState

_UNITS = {
    "turns": "turns",
    "wall_seconds": "seconds",
    "tokens": "tokens",
    "cost": "cost in US dollars",
    "items": "items",
}


def is_limited(state: RunState) -> bool:
    """Whether the run pauses because it has reached one of its limits."""
    return state.status == "paused" and state.code == "limit"


async def ask_for_more(state: RunState) -> Limits | None:
    """The new limit that the user gives; None to leave the run as it is."""
    limit = reached(state)
    while answer := (await ask_line(f"New limit of {_UNITS[limit]}, or Enter to leave it: ")).strip():
        try:
            return Limits.model_validate({limit: answer})
        except ValueError:
            print("Please give a number above 0, or only press Enter.")
    return None


async def go_on_with(live: LiveRun, world: World, limits: Limits) -> LiveRun:
    """Resume the run with the new limit. Raises `Refused`."""
    prepared = await prepare(live.place, world)
    return await go_on(prepared, to_resume(prepared, "redo", limits=limits), world)
