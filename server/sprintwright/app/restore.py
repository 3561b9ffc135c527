"""The verb `run.restore`: the files of the folder as they were at the start of a run, or before one of its leaves.

A restore is recorded as a leaf beside the walk, with its snapshots, before any file is touched: it can be undone, and
one that was cut off is known. It moves neither HEAD nor a branch, and no progress of the run.
"""

from __future__ import annotations

import asyncio
import contextlib
import shlex
from dataclasses import dataclass, field

from sprintwright.app import owners
from sprintwright.app.active import one_at_a_time
from sprintwright.app.cut_off import cut_off_words
from sprintwright.app.holding import holding
from sprintwright.app.live import World
from sprintwright.app.runs import end_leftovers, read_own, require_unowned
from sprintwright.errors import PathRefused, Refused, SprintwrightError, WorkspaceError
from sprintwright.journal.store import RunFolder, list_run_folders
from sprintwright.model.changes import Change, Snapshot
from sprintwright.model.records import Failed, Finished, Started
from sprintwright.model.results import Restored
from sprintwright.state.fold import RunState, fold
from sprintwright.state.moments import START, moment_words
from sprintwright.stops import stop
from sprintwright.text import did_you_mean
from sprintwright.threads import in_thread
from sprintwright.workspace.git import Git
from sprintwright.workspace.restore import Plan, Restorer

_MOST_NAMED = 10
_MOST_RECORDED = 1_000


@dataclass(frozen=True, slots=True)
class RestorePreview:
    """What a restore would do now."""

    to: str
    now: Snapshot
    plan: Plan

    @property
    def words(self) -> str:
        """Where to: ``the start of the run``, ``before sprints[1]``."""
        return moment_words(self.to)


@dataclass(frozen=True, slots=True)
class RestoreDone:
    """What a restore did; ``key`` is empty when the files were like that already, and nothing was recorded."""

    key: str
    preview: RestorePreview
    undo: str = ""
    """What to restore to, to undo it."""
    differing: tuple[Change, ...] = field(default=())
    """Files that are not as they were then: somebody else changed them meanwhile."""


async def preview_restore(place: RunFolder, to: str, world: World) -> RestorePreview:
    """What would change, file by file. Nothing is written but a snapshot.

    Args:
        to: ``start``, or what to be before: a leaf, a pass, a sprint, a restore.

    Raises:
        Refused: `unknown_leaf` with those that can be named; `not_own_run`, `run_unreadable`, `journal_shortened`.
        WorkspaceError: there is no git, or the snapshots are gone.
    """
    state = await in_thread(_state_of, place, world)
    return await _preview(place, state, to, world)


async def restore(place: RunFolder, to: str, world: World) -> RestoreDone:
    """Restore, relative to the files as they are now; what it answers is on disk.

    Begun, it goes on to its end even when the caller is cancelled.

    Raises:
        Refused: as `preview_restore`; `run_owned`, `already_active`, and `restore_conflict` with the names of what
            is in no snapshot and stands in the way. Nothing was changed then.
        WorkspaceError: it failed in the middle. It says what to type; the run is not gone on with until then.
    """
    first = await preview_restore(place, to, world)
    require_unowned(world.places, place)
    _refuse_conflicts(first.plan)
    async with one_at_a_time(world.places, place.folder):
        _refuse_live(world, place)
        await end_leftovers(world.places, place, world.leftovers)
        act = asyncio.create_task(_restore(place, to, world), name=f"restore {place.run_id}")
        while not act.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait([act])
        return act.result()


def _state_of(place: RunFolder, world: World) -> RunState:
    return fold(read_own(world.places, place).records)


async def _preview(place: RunFolder, state: RunState, to: str, world: World) -> RestorePreview:
    target = _target(state, to)
    now = await world.workspace.take()
    plan = await Restorer(place.folder, Git(place.folder, world.environment)).plan(now, target)
    return RestorePreview(to or START, now, plan)


def _target(state: RunState, to: str) -> str:
    known = state.moments.known()
    if not known:
        raise Refused(
            "unknown_leaf", "This run has no snapshots: no turn of it could change files, or git was missing then."
        )
    if tree := state.moments.find(to):
        return tree
    listed = "\n".join(f"  {shlex.quote(key)}" for key in known)
    hint = did_you_mean(to, known)
    raise Refused(
        "unknown_leaf", f"There is no snapshot from before {to!r}.{hint} Give one of these:\n{listed}", known=known
    )


def _recorded(changes: tuple[Change, ...]) -> tuple[Change, ...]:
    if (more := len(changes) - _MOST_RECORDED) <= 0:
        return changes
    return (*changes[:_MOST_RECORDED], Change(path=f"{more:,} more files", status="more"))


def _refuse_conflicts(plan: Plan) -> None:
    if names := plan.conflicts:
        more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
        raise Refused(
            "restore_conflict",
            f"Nothing was restored: {', '.join(names[:_MOST_NAMED])}{more} stands where a file has to be restored, and "
            "is in no snapshot (ignored, a repository of its own, or too large), so it could not be brought back. "
            "Move it away, and do this again.",
            conflicts=list(names),
        )


def _refuse_live(world: World, place: RunFolder) -> None:
    for other in list_run_folders(place.folder):
        if other.run_id != place.run_id and owners.is_alive(world.places, other.run_id):
            raise Refused(
                "already_active",
                f"Run {other.run_id} is live in this folder: its files would change under its agents. Wait for it, or "
                f"cancel it: sprintwright cancel {other.run_id}",
                runId=other.run_id,
            )


async def _restore(place: RunFolder, to: str, world: World) -> RestoreDone:
    async with holding(place, world) as (owned, state):
        preview = await _preview(place, state, to, world)
        _refuse_conflicts(preview.plan)
        if not preview.plan.steps and state.moments.cut_off is None:
            return RestoreDone("", preview)
        before, target = preview.now.tree, preview.plan.target
        for tree in (before, target):
            await world.workspace.keep(place.run_id, tree)
        key = f"restore[{len(state.moments.restores) + 1}]"
        owned.journal.append(key, Started(after="", what="restore", before=before, text=target, to=preview.to))
        await owned.journal.sync()
        stop("restore.begun")
        try:
            await Restorer(place.folder, Git(place.folder, world.environment)).apply(preview.plan)
            after = await world.workspace.take()
            await world.workspace.keep(place.run_id, after.tree)
        except (OSError, PathRefused, WorkspaceError) as error:
            why = error.message if isinstance(error, SprintwrightError) else f"{error.strerror}: {error.filename}"
            owned.journal.append(key, Failed(cause="restore", message=why))
            await owned.journal.sync()
            raise WorkspaceError(cut_off_words(place, state, state.moments.restores[key])) from error
        stop("restore.done")
        value = Restored(before=before, after=after.tree, files=_recorded(preview.plan.changes))
        owned.journal.append(key, Finished(after="", value=value.model_dump(mode="json", exclude_defaults=True)))
        await owned.journal.sync()
        rest = await world.workspace.changes(after.tree, target)
        differing = tuple(change for change in rest if change.path not in preview.plan.left)
        return RestoreDone(key, preview, state.moments.undo(key), differing)
