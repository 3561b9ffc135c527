"""The verbs that only look: runs, one run, the changes of a leaf, agents. They run nothing of the folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sprintwright.app import owners
from sprintwright.app.places import Places
from sprintwright.app.user_state import UserState
from sprintwright.errors import Refused, WorkspaceError
from sprintwright.journal.reader import Loaded
from sprintwright.journal.store import RunFolder, list_run_folders
from sprintwright.model.changes import Change
from sprintwright.state.fold import RunState, fold
from sprintwright.state.tree import ancestors

if TYPE_CHECKING:
    from sprintwright.engine.ports import Workspace


@dataclass(frozen=True, slots=True)
class Seen:
    """A run as a reader sees it: what its journal folds to, and whether an owner lives."""

    place: RunFolder
    loaded: Loaded
    state: RunState
    own: bool


def see(places: Places, place: RunFolder) -> Seen:
    """Read one run. A run that was left at work by an owner that is gone is *interrupted*."""
    loaded = place.read()
    state = fold(loaded.records)
    own = UserState(places.state).own_run(place.run_id)
    if loaded.unreadable is not None:
        state.status, state.reason = "unreadable", loaded.unreadable.message
    elif state.started is None and not owners.is_alive(places, place.run_id):
        state.status, state.reason = "interrupted", "It ended before anything was recorded; start it again."
    elif state.status in ("running", "waiting") and not owners.is_alive(places, place.run_id):
        state.leave()
    return Seen(place, loaded, state, own is not None and Path(own.folder) == place.folder)


def list_runs(places: Places, folder: Path | None) -> Iterator[Seen]:
    """The runs of a folder, newest first; without a folder, all own runs that are still there."""
    if folder is not None:
        found: Iterator[RunFolder] = list_run_folders(folder)
    else:
        found = (RunFolder(Path(run.folder), run.run_id) for run in UserState(places.state).own_runs())
    for place in found:
        if place.path.is_dir():
            yield see(places, place)


def run_as_json(seen: Seen) -> dict[str, Any]:
    """A run with all its nodes and findings, for `show --json`."""
    state = seen.state
    return {
        **head_as_json(seen),
        "roles": state.roles,
        "nodes": [asdict(node) for node in state.nodes.values()],
        "findings": [
            {
                **one.finding.model_dump(exclude_defaults=True),
                "id": one.finding.identity,
                "status": one.status,
                "key": one.key,
            }
            for one in state.ledger
        ],
        "changedFiles": state.changed_files,
        "changesUnknown": state.changes_unknown,
        "notes": [text for _, text in state.notes],
    }


def head_as_json(seen: Seen) -> dict[str, Any]:
    """A run in one line, for `list --json`."""
    state = seen.state
    return {
        "runId": seen.place.run_id,
        "folder": str(seen.place.folder),
        "workflow": state.started.workflow if state.started else "",
        "task": state.started.task if state.started else "",
        "status": state.status,
        "reason": state.reason,
        "stage": state.stage,
        "began": state.began,
        "lastActivity": state.last_activity,
        "seconds": round(state.seconds, 3),
        "turns": state.turns,
        "openFindings": len(state.ledger.open()),
        "own": seen.own,
    }


async def changes_of(seen: Seen, leaf: str, workspace: Workspace) -> str:
    """The diff that a turn, a pass, a sprint, or (empty) the whole run made; to now, where a turn was cut off.

    Raises:
        Refused: `unknown_leaf`, with those that have snapshots.
    """
    trees = {key: pair for key, pair in seen.state.trees.items() if all(pair)}
    trees |= {key: (before, "") for key, before in seen.state.begun.items()}
    found = [pair for key, pair in trees.items() if not leaf or key == leaf or key.startswith((f"{leaf}/", f"{leaf}["))]
    if not found:
        known = sorted({*trees, *(around for key in trees for around in ancestors(key) if around.endswith("]"))})
        listed = "\n".join(f"  {key}" for key in known) or "  (none: no turn of this run could change files)"
        what = f"Nothing was recorded of {leaf!r}." if leaf else "No changes were recorded."
        raise Refused("unknown_leaf", f"{what} Give one of these, in quotes:\n{listed}", known=known)
    after = found[-1][1] or (await workspace.take()).tree
    return await workspace.diff(found[0][0], after)


async def cut_off(seen: Seen, workspace: Workspace) -> dict[str, tuple[Change, ...] | None]:
    """Turns that were cut off, each with what is different since it began; None where that is not known."""
    if seen.state.status in ("running", "waiting", "completed"):
        return {}
    found: dict[str, tuple[Change, ...] | None] = {}
    for key, before in seen.state.begun.items():
        try:
            found[key] = await workspace.changes(before, (await workspace.take()).tree)
        except WorkspaceError:
            found[key] = None
    return found
