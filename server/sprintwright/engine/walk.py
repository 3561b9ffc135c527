"""From stages to leaves: one walker a kind of stage."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeAlias

from sprintwright.engine import check, gate, group, loop, question, turn
from sprintwright.engine.lane import Lane
from sprintwright.engine.run import Run
from sprintwright.engine.signals import NotConverged, Parked, StageFailed
from sprintwright.errors import JournalError
from sprintwright.model.definition import AgentTurn, BoardSeed, Check, Loop, ParallelGroup, Stage, UserCheckpoint
from sprintwright.model.records import Ended
from sprintwright.model.verdict import Action

Walk: TypeAlias = Callable[[Run, Sequence[Stage], Lane, str], Awaitable[Action | None]]


async def walk_run(run: Run) -> Ended:
    """Walk the whole definition and record how it ended.

    Every way to end is a record, except a broken journal, which can hold none: then `JournalBroken` is raised.
    A cancellation is recorded and raised again, so that whoever cancelled the task can go on.
    """
    own = {"task": run.started.task, "board": "", "previous": "", "artifacts": run.ports.artifacts.folder}
    lane = Lane(vars={**run.definition.vars, **run.started.vars, **own})
    try:
        await walk(run, run.definition.stages, lane, "")
        end = gate.close(run, lane)
    except asyncio.CancelledError:
        if run.leaving:
            raise
        end = Ended(status="cancelled", code="forced" if run.forced else "", reason=_forced(run))
        await _record(run, lane, end)
        raise
    except Parked as parked:
        end = Ended(
            status=parked.status, code=parked.code, reason=parked.reason, stage=parked.key, missing=parked.missing
        )
    except NotConverged as failed:
        end = Ended(status="not_converged", code=failed.cause, reason=failed.message, stage=failed.key)
    except StageFailed as failed:
        end = Ended(status="failed", code=failed.cause, reason=failed.message, stage=failed.key)
    except JournalError:
        raise
    except Exception as bug:  # R46: a fault of ours ends this run, in words, and no other
        logging.getLogger(__name__).exception("run %s", run.started.run_id)
        end = Ended(status="failed", code="internal_error", reason=f"Internal error: {type(bug).__name__}: {bug}")
    await _record(run, lane, end)
    return end


async def walk(run: Run, stages: Sequence[Stage], lane: Lane, path: str) -> Action | None:
    """Walk stages in order; the last verdict action among them, inner loops included."""
    action: Action | None = None
    for stage in stages:
        key = f"{path}/{stage.id}" if path else stage.id
        action = await _stage(run, stage, lane, key) or action
        if not lane.vars.get(f"{stage.id}_skipped"):
            await gate.pause_after(run, stage, lane, key)
    return action


async def _stage(run: Run, stage: Stage, lane: Lane, key: str) -> Action | None:
    match stage:
        case AgentTurn():
            return await turn.agent_turn(run, stage, lane, key)
        case Check():
            return await check.check(run, stage, lane, key)
        case Loop():
            return await loop.loop(run, stage, lane, key, walk)
        case ParallelGroup():
            return await group.parallel_group(run, stage, lane, key, walk)
        case UserCheckpoint():
            return await question.user_checkpoint(run, stage, lane, key)
        case BoardSeed():  # refused before the start, see app/supported.py
            raise StageFailed(key, "The board is not built yet.", "not_supported")


async def _record(run: Run, lane: Lane, end: Ended) -> None:
    if lane.live or end != run.history.ended:
        run.ports.journal.append("", end)
    await run.ports.journal.sync()


def _forced(run: Run) -> str:
    return f"Did not end in time and was left behind: {', '.join(run.forced)}." if run.forced else ""
