"""Whether a run is live in a folder already: two would each get the other's changes."""

from __future__ import annotations

import hashlib
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from filelock import FileLock, Timeout

from sprintwright.app import owners
from sprintwright.app.places import Places
from sprintwright.app.runs import definition_of
from sprintwright.app.user_state import UserState
from sprintwright.errors import Refused
from sprintwright.journal.store import RunFolder, list_run_folders
from sprintwright.model.definition import Check, Definition, walk_stages
from sprintwright.model.effects import Outcome
from sprintwright.paths import make_private_dir
from sprintwright.state.fold import fold
from sprintwright.threads import in_thread

if TYPE_CHECKING:
    from sprintwright.app.start import StartRequest

_NEWEST = 50
"""Runs of a folder that are asked whether they are live."""
_WAIT_SECONDS = 10.0


@asynccontextmanager
async def one_at_a_time(places: Places, folder: Path) -> AsyncGenerator[None]:
    """Hold the folder while a run is being started in it. Raises `Refused` when another start takes too long."""
    lock = await in_thread(_taken, places, folder, undo=FileLock.release)
    try:
        yield
    finally:
        lock.release()


def _taken(places: Places, folder: Path) -> FileLock:
    name = hashlib.sha256(str(folder).encode()).hexdigest()[:24]
    try:
        places.state.parent.mkdir(parents=True, exist_ok=True)
        make_private_dir(places.state)
        make_private_dir(places.state / "locks")
    except OSError as error:
        raise Refused(
            "folder_read_only", f"Your state folder {str(places.state)!r} can't be written: {error.strerror}."
        ) from error
    path = places.state / "locks" / name
    lock = FileLock(path, timeout=_WAIT_SECONDS, mode=0o600, thread_local=False, fallback_to_soft=False)
    try:
        lock.acquire()
    except Timeout:
        raise Refused(
            "already_active", "Another run is just being started, or files restored, in this folder; try again."
        ) from None
    return lock


def already_active(request: StartRequest, places: Places, folder: Path, definition: Definition) -> Outcome | None:
    """The run that stands in the way of a start, or that the same token started before; None when there is none."""
    if request.token and (run_id := UserState(places.state).run_of_token(request.token)):
        own = UserState(places.state).own_run(run_id)
        place = RunFolder(Path(own.folder) if own else folder, run_id)
        return _outcome(place, f"This start was made before: it is run {run_id}.")
    if request.concurrent or not writes(definition):
        return None
    if (place := live_beside(places, folder)) is not None:
        return _outcome(place, _in_words(place, "start all the same"))
    return None


def refuse_beside_another(places: Places, own: RunFolder, definition: Definition) -> None:
    """Raise `Refused` (`already_active`) when a run would go on beside another one that writes in its folder."""
    if writes(definition) and (place := live_beside(places, own.folder, own.run_id)) is not None:
        raise Refused("already_active", _in_words(place, "go on all the same"), runId=place.run_id)


def live_beside(places: Places, folder: Path, own: str = "") -> RunFolder | None:
    """A live run of the folder that may write there, other than one's own."""
    for place in islice(list_run_folders(folder), _NEWEST):
        if place.run_id != own and owners.is_alive(places, place.run_id) and _writes_here(place):
            return place
    return None


def _in_words(place: RunFolder, otherwise: str) -> str:
    return (
        f"Run {place.run_id} is live in this folder, and each would get the other's changes. Wait for it, "
        f"cancel it (sprintwright cancel {place.run_id}), or {otherwise} with --concurrent."
    )


def _outcome(place: RunFolder, text: str) -> Outcome:
    state = fold(place.read().records)
    stages = state.children[""]
    begun = [one for one in stages if state.nodes[one].status != "not_started"]
    phase = begun[-1] if begun else ""
    step = stages.index(phase) + 1 if phase else 0
    what = f" It is {state.started.workflow!r}, at {phase or 'its start'}." if state.started else ""
    return Outcome(
        effect="alreadyActive", run_id=place.run_id, phase=phase, step=step, total=len(stages), message=text + what
    )


def writes(definition: Definition) -> bool:
    """Whether a run of this definition may change files."""
    if any(isinstance(stage, Check) for _, stage in walk_stages(definition.stages)):
        return True
    return any(role.permissions != "read_only" for role in definition.roles.values())


def _writes_here(place: RunFolder) -> bool:
    try:
        return writes(definition_of(place, place.read().records))
    except Refused:
        return True
