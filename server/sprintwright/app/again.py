"""The verbs `workflow.resume` and `run.rerun`: a plan, what it costs, and carrying it out."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from sprintwright.app import decisions as decided
from sprintwright.app.acting import edited_definition
from sprintwright.app.artifacts import ArtifactChoice
from sprintwright.app.decisions import Decision
from sprintwright.app.live import LiveRun, World
from sprintwright.app.resume import Choice, Interrupted, Prepared, go_on, policy, prepare, preview, to_resume
from sprintwright.errors import Refused
from sprintwright.journal.store import RunFolder
from sprintwright.model.definition import Definition
from sprintwright.model.limits import Limits

_MOST_CHANGES = 100


@dataclass(frozen=True, slots=True)
class Wish:
    """What the user says about going on; what is None was not said, and is asked for where it matters."""

    definition: Literal["frozen", "current"] = "frozen"
    interrupted: Choice | None = None
    artifacts: ArtifactChoice | None = None
    max_passes: int = 0
    limits: Limits | None = None
    consent: str | None = None
    concurrent: bool = False
    accept_shorter: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A run, and what would be decided about it."""

    prepared: Prepared
    decisions: list[Decision]
    definition: Definition | None
    """The edited one, where the user takes it."""


async def plan_resume(place: RunFolder, world: World, wish: Wish) -> Plan:
    """What a resume would do. Nothing is changed, but an edited definition is kept beside the run.

    Raises:
        Refused: `needs_choice` with ``interrupted``, where a turn was cut off and nothing was said about it; and
            whatever `prepare` and `to_resume` refuse.
    """
    prepared = await prepare(place, world, accept_shorter=wish.accept_shorter)
    _require_choice(prepared.interrupted, wish.interrupted)
    found = to_resume(
        prepared, wish.interrupted or "redo", artifacts=wish.artifacts, max_passes=wish.max_passes, limits=wish.limits
    )
    edited: Definition | None = None
    if wish.definition == "current":
        edited, more = edited_definition(prepared, world, wish.consent)
        found += more
    return Plan(prepared, found, edited)


async def plan_rerun(place: RunFolder, world: World, leaf: str, wish: Wish) -> Plan:
    """What a rerun from a leaf would do. Raises `Refused` (`unknown_leaf`, …)."""
    prepared = await prepare(place, world)
    found: list[Decision] = [decided.again(prepared.loaded.records, leaf)]
    if prepared.state.status != "completed":
        choice = wish.interrupted or policy(prepared.interrupted)
        about_it = to_resume(prepared, choice, artifacts=wish.artifacts)
        found = [*(one for one in about_it if one not in found), *found]
    return Plan(prepared, found, None)


async def done_again(plan: Plan, world: World) -> list[str]:
    """Finished leaves that carrying it out will do again: the walk, in memory. Nothing is changed."""
    return await preview(plan.prepared, plan.decisions, world, plan.definition)


async def carry_out(plan: Plan, world: World, wish: Wish) -> LiveRun:
    """Go on as planned. Raises `Refused`, also when the run was gone on with meanwhile."""
    return await go_on(
        plan.prepared,
        plan.decisions,
        world,
        definition=plan.definition,
        consent=wish.consent,
        concurrent=wish.concurrent,
    )


def interrupted_as_json(leaves: Iterable[Interrupted]) -> list[dict[str, Any]]:
    """Turns that were cut off, for whoever asks the user: what it was, what is different since, what can be chosen."""
    return [
        {
            "key": leaf.key,
            "agent": leaf.started.agent,
            "permissions": leaf.started.permissions,
            "compared": leaf.compared,
            "changes": [{"path": one.path, "status": one.status} for one in leaf.changes[:_MOST_CHANGES]],
            "choices": ["redo", "keep", "stop"] if leaf.can_keep else ["redo", "stop"],
        }
        for leaf in leaves
    ]


def _require_choice(leaves: list[Interrupted], choice: Choice | None) -> None:
    open_leaves = [leaf for leaf in leaves if leaf.needs_choice]
    if choice is None and open_leaves:
        names = ", ".join(leaf.key for leaf in open_leaves)
        raise Refused(
            "needs_choice",
            f"{names} was cut off. Say what is done with it: redo, keep (only without verdict and artifact), or stop.",
            interrupted=interrupted_as_json(open_leaves),
        )
