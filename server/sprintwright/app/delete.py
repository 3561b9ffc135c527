"""The verb `run.delete`, and the limit of how many finished runs a folder keeps.

A run's folder is renamed first; from then on it is no run. Its snapshots and what the user's state knows of it go
next, and its files last: as long as some are there, the next deletion or start does all of it again.
"""

from __future__ import annotations

import asyncio
import logging
from pathlib import Path

from sprintwright.app import owners
from sprintwright.app.live import LiveRun, World
from sprintwright.app.look import head_of, is_own, see
from sprintwright.app.places import Places
from sprintwright.app.runs import end_leftovers, require_unowned
from sprintwright.app.user_state import UserState
from sprintwright.errors import Refused, SprintwrightError, WorkspaceError
from sprintwright.journal.store import RunFolder, list_run_folders
from sprintwright.journal.trash import empty, throw_away, thrown_away
from sprintwright.threads import in_thread
from sprintwright.workspace.snapshots import Snapshots

log = logging.getLogger(__name__)
_MOST_AT_ONCE = 20
"""Old runs that one start throws away: nobody waits long for it; the next start takes the next ones."""
_MOST_LOOKED_AT = 200
_FINISHED = ("completed", "cancelled", "failed", "not_converged")


async def delete(place: RunFolder, world: World) -> list[str]:
    """Delete a run's own files; those of the folder stay. Nothing in the run is read or acted on.

    Returns:
        What could not be removed yet and why, in sentences; it is hidden, and tried again the next time.

    Raises:
        Refused: `run_owned` while somebody carries it on; `unknown_run`, `folder_read_only`. Nothing was deleted.
    """
    require_unowned(world.places, place)
    if is_own(world.places, place):
        await end_leftovers(world.places, place, world.leftovers)
    throw_away(place)
    return await empty_trash(world.places, place.folder, world.workspace)


async def empty_trash(places: Places, folder: Path, workspace: Snapshots) -> list[str]:
    """Finish every deletion in a folder, also those that were cut off. Says what could not be removed."""
    problems: list[str] = []
    for run_id in list(thrown_away(folder)):
        try:
            await workspace.drop(run_id)
        except WorkspaceError as error:
            problems.append(f"The snapshots of run {run_id} could not be let go: {error.message}")
        try:
            _forget(places, RunFolder(folder, run_id))
            await asyncio.to_thread(empty, folder, run_id)
        except (OSError, SprintwrightError) as error:
            problems.append(f"Files of run {run_id} could not be removed yet: {error}")
    return problems


async def tidy(live: LiveRun, runs: int | None, world: World) -> None:
    """What a start does about older runs: those beyond the limit go, and deletions that were cut off are finished.

    Args:
        runs: how many finished runs are kept; None keeps all.
    """
    folder = live.place.folder
    if runs is not None and (gone := await in_thread(throw_away_old, world.places, folder, runs)):
        what = "1 older run was" if len(gone) == 1 else f"{len(gone)} older runs were"
        live.note("history", f"{what} deleted: your configuration keeps {runs} (history: runs: {runs}).")
    if await in_thread(_anything_thrown_away, folder):
        live.beside(_emptied(world, folder))


def _anything_thrown_away(folder: Path) -> bool:
    return any(thrown_away(folder))


async def _emptied(world: World, folder: Path) -> None:
    for problem in await empty_trash(world.places, folder, world.workspace):
        log.warning("%s", problem)


def throw_away_old(places: Places, folder: Path, runs: int) -> list[str]:
    """Throw away the user's own finished runs of a folder, beyond the newest ones; their ids.

    Runs that somebody still has to act on, that are live, unreadable or made elsewhere stay and are not counted.

    Args:
        runs: how many finished runs are kept.
    """
    thrown: list[str] = []
    for place in _beyond(places, list(list_run_folders(folder)), runs):
        try:
            throw_away(place)
        except Refused as refused:
            log.warning("run %s is kept: %s", place.run_id, refused.message)
        else:
            thrown.append(place.run_id)
    return thrown


def _beyond(places: Places, newest_first: list[RunFolder], runs: int) -> list[RunFolder]:
    """The oldest finished runs behind so many newer ones; as few runs are looked at as can be."""
    kept = 0
    for number, place in enumerate(newest_first, start=1):
        if len(newest_first) - number + 1 <= runs - kept:
            return []  # all that are left may stay, finished or not
        kept += _is_finished(places, place)
        if kept == runs:
            rest = reversed(newest_first[number:][-_MOST_LOOKED_AT:])
            return [place for place in rest if _is_finished(places, place)][:_MOST_AT_ONCE]
    return []


def _is_finished(places: Places, place: RunFolder) -> bool:
    if not is_own(places, place) or owners.is_alive(places, place.run_id):
        return False
    if head_of(places, place).status not in _FINISHED:
        return False
    state = see(places, place).state  # whole: a damaged journal is nothing to throw away
    return state.status in _FINISHED and state.moments.cut_off is None


def _forget(places: Places, place: RunFolder) -> None:
    """What the user's state knows of a run, if it is about the run of this folder."""
    if not is_own(places, place):
        return
    Path(owners.socket_of(places, place.run_id)).unlink(missing_ok=True)
    UserState(places.state).forget(place.run_id)
