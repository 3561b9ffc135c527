"""The `loop` stage in both forms: over the headings of a text, or until a verdict breaks it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from sprintwright.engine.gate import write_loop_artifact
from sprintwright.engine.lane import Lane
from sprintwright.engine.limits import check_items
from sprintwright.engine.question import ACCEPT, MORE, STOP, ask
from sprintwright.engine.run import Run
from sprintwright.engine.signals import NotConverged, StageFailed
from sprintwright.model.definition import AgentTurn, Check, Loop, Stage, UserCheckpoint
from sprintwright.model.records import Entered, Failed, Left, Outcome, ScopeEntry
from sprintwright.model.verdict import Action
from sprintwright.reading.collection import Item, read_collection, read_scalar

if TYPE_CHECKING:
    from sprintwright.engine.walk import Walk


_SHOWN = 2_000
"""Characters of a last pass that its question quotes, from the end."""


async def loop(run: Run, stage: Loop, lane: Lane, key: str, walk: Walk) -> Action | None:
    """Walk a loop; the last verdict action of its body."""
    if stage.over:
        return await _over(run, stage, lane, key, walk)
    return await _bounded(run, stage, lane, key, walk)


def source_text(lane: Lane, name: str) -> str:
    """The whole text of a variable; an unset one is empty."""
    return str(lane.vars.get(name, "")) if name else ""


def refuse(run: Run, key: str, problems: Iterable[str]) -> StageFailed:
    """Record that a collection can't be walked; the exception to raise."""
    message = " ".join(problems)
    run.ports.journal.append(key, Failed(cause="collection", message=message))
    return StageFailed(key, message, "collection")


async def _over(run: Run, stage: Loop, lane: Lane, key: str, walk: Walk) -> Action | None:
    collection = read_collection(source_text(lane, stage.source), stage.over)
    if collection.problems:
        raise refuse(run, key, collection.problems)
    check_items(run, key, stage, len(collection.items))
    items = collection.items or (Item(number=1, title="", depends_on=(), section="", line=0),)
    entries = tuple(ScopeEntry(number=item.number, title=item.title) for item in items)
    run.enter(lane, key, Entered(label=stage.over, entries=entries))
    label = stage.over.lower()
    action: Action | None = None
    for item in items:
        lane.vars[label] = item.number
        lane.vars[f"{label}_section"] = item.section
        action = await walk(run, stage.body, lane, f"{key}[{item.number}]") or action
    if stage.artifact:
        await write_loop_artifact(run, stage.artifact, lane, key)
    run.leave(lane, key, Left(outcome="done", passes=len(items)))
    return action


def _limit(run: Run, stage: Loop, lane: Lane, key: str) -> int:
    """The limit in force: the user's, else the plan's, else the definition's, else 1."""
    planned = (
        read_scalar(source_text(lane, stage.source), stage.max_iterations_from) if stage.max_iterations_from else 0
    )
    return run.history.limits.get(key, 0) or run.max_passes or planned or stage.max_iterations or 1


async def _bounded(run: Run, stage: Loop, lane: Lane, key: str, walk: Walk) -> Action | None:
    limit = _limit(run, stage, lane, key)
    run.enter(lane, key, Entered(label=stage.iteration_var or "pass", limit=limit))
    judged = has_verdict(stage.body)
    accepted = f"{stage.id}_accepted"
    lane.vars[accepted] = ""
    number = 0
    while True:
        number += 1
        if stage.max_iterations_from:
            lane.vars[stage.max_iterations_from.lower()] = limit
        if stage.iteration_var:
            lane.vars[stage.iteration_var] = number
        action = await walk(run, stage.body, lane, f"{key}[{number}]")
        outcome = _outcome(action, judged, number, limit)
        if outcome == "exhausted" and stage.on_exhausted == "ask":
            if await _ask_exhausted(run, stage, lane, key, limit) == MORE:
                limit += 1
                continue
            outcome = "done"
            lane.vars[accepted] = f"after {number} passes"
            run.note(lane, key, "accepted", f"{key} was accepted by you as it is, after {number} passes.")
        if outcome is None:
            continue
        if stage.artifact and outcome in ("broke", "done"):
            await write_loop_artifact(run, stage.artifact, lane, key)
        run.leave(lane, key, Left(outcome=outcome, passes=number))
        await run.ports.agents.leave(run.started.run_id, f"{key}/")
        if outcome == "exhausted" and stage.on_exhausted != "continue":
            raise NotConverged(key, f"{key!r} used up its limit of {limit} passes without a good verdict.", "exhausted")
        if outcome == "verdict_skipped":
            run.note(
                lane, key, "verdict_skipped", f"Loop {stage.id!r} ended after pass {number}: no verdict was given."
            )
        return action if judged else None  # without a judge it was `exit_loop`, which ends this loop alone (D8)


def _outcome(action: Action | None, judged: bool, number: int, limit: int) -> Outcome | None:
    """How the loop ends after this pass; None when it goes on."""
    if action == "break":
        return "broke"
    if action is None and judged:
        return "verdict_skipped"
    if number < limit:
        return None
    return "exhausted" if action == "retry" else "done"


def has_verdict(stages: Iterable[Stage]) -> bool:
    """Whether a stage on the sequential path of the body judges; items of a group judge only themselves."""
    return any(
        (isinstance(stage, AgentTurn | Check | UserCheckpoint) and bool(stage.verdict))
        or (isinstance(stage, Loop) and has_verdict(stage.body))
        for stage in stages
    )


async def _ask_exhausted(run: Run, stage: Loop, lane: Lane, key: str, limit: int) -> str:
    async def text() -> str:
        what = stage.goal or f"loop {stage.id!r}"
        previous = lane.vars["previous"]
        last = previous.strip() if isinstance(previous, str) else ""
        said = f"\n\nThe last pass ended with:\n{'…' * (len(last) > _SHOWN)}{last[-_SHOWN:]}\n" if last else ""
        return (
            f"{limit} passes of {what} are used up without a good verdict.{said}\n"
            f"Say {MORE!r} for one more pass, {ACCEPT!r} to take it as it is, or {STOP!r}."
        )

    try:
        return await ask(run, lane, f"{key}/exhausted-{limit}", "exhausted", text, (MORE, ACCEPT, STOP))
    except StageFailed as stopped:
        run.leave(lane, key, Left(outcome="exhausted", passes=limit))
        used = f"{key!r} used up its limit of {limit} passes without a good verdict. {stopped.message}"
        raise NotConverged(key, used, "exhausted") from stopped
