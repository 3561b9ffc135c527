"""The verbs that only look: runs, one run, what cut-off turns left. They run nothing of the folder."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sprintwright.app import owners
from sprintwright.app.places import Places
from sprintwright.app.user_state import UserState
from sprintwright.errors import RunUnreadable, WorkspaceError
from sprintwright.journal.ends import read_ends
from sprintwright.journal.reader import Loaded
from sprintwright.journal.store import RunFolder, list_run_folders
from sprintwright.model.changes import Change
from sprintwright.model.records import Ended, RunStarted
from sprintwright.model.usage import Usage
from sprintwright.paths import is_folder
from sprintwright.state.fold import RunState, fold
from sprintwright.state.node import RunStatus
from sprintwright.state.numbers import numbered
from sprintwright.state.tree import AT_WORK

if TYPE_CHECKING:
    from sprintwright.engine.ports import Workspace

NEVER_STARTED = "It ended before anything was recorded; start it again."


@dataclass(frozen=True, slots=True)
class Seen:
    """A run as a reader sees it: what its journal folds to, and whether an owner lives."""

    place: RunFolder
    loaded: Loaded
    state: RunState
    own: bool


@dataclass(frozen=True, slots=True)
class Head:
    """A run in a list: what the beginning and the end of its journal say."""

    place: RunFolder
    started: RunStarted | None
    """None: it was never started."""
    status: RunStatus
    reason: str
    stage: str
    began: str
    last_activity: str
    own: bool


def see(places: Places, place: RunFolder) -> Seen:
    """Read one run. A run that was left at work by an owner that is gone is *interrupted*."""
    loaded = place.read()
    try:
        state = fold(loaded.records)
    except RunUnreadable as error:
        state, loaded.unreadable = RunState(), error
    settle(places, place, state, loaded)
    return Seen(place, loaded, state, is_own(places, place))


def settle(places: Places, place: RunFolder, state: RunState, loaded: Loaded) -> None:
    """Give a state the status that no record tells: unreadable, never started, or left by its owner."""
    if loaded.unreadable is not None:
        state.status, state.reason = "unreadable", loaded.unreadable.message
    elif state.started is None and not owners.is_alive(places, place.run_id):
        state.status, state.reason = "interrupted", NEVER_STARTED
    elif state.status in AT_WORK and not owners.is_alive(places, place.run_id):
        state.leave()


def is_own(places: Places, place: RunFolder) -> bool:
    """Whether this user started the run on this machine, in this folder."""
    own = UserState(places.state).own_run(place.run_id)
    return own is not None and Path(own.folder) == place.folder


def list_runs(places: Places, folder: Path | None) -> Iterator[Head]:
    """The runs of a folder, newest first; without a folder, all own runs that are still there."""
    if folder is not None:
        found: Iterator[RunFolder] = list_run_folders(folder)
    else:
        found = (RunFolder(Path(run.folder), run.run_id) for run in UserState(places.state).own_runs())
    for place in found:
        if is_folder(place.path):
            yield head_of(places, place)


def head_of(places: Places, place: RunFolder) -> Head:
    """A run's first and last records; the whole journal only where the end does not say how it stands."""
    ends = read_ends(place)
    own = is_own(places, place)
    if ends.started is not None and ends.ended is not None:
        begun, end = ends.started.payload, ends.ended.payload
        assert isinstance(begun, RunStarted)
        assert isinstance(end, Ended)
        return Head(place, begun, end.status, end.reason, end.stage, ends.started.at, ends.ended.at, own)
    state = see(places, place).state
    return Head(place, state.started, state.status, state.reason, state.stage, state.began, state.last_activity, own)


def head_as_json(head: Head) -> dict[str, Any]:
    """A run in one line, for `list --json`."""
    return {
        "runId": head.place.run_id,
        "folder": str(head.place.folder),
        "workflow": head.started.workflow if head.started else "",
        "task": head.started.task if head.started else "",
        "status": head.status,
        "reason": head.reason,
        "stage": head.stage,
        "began": head.began,
        "lastActivity": head.last_activity,
        "own": head.own,
    }


def run_as_json(seen: Seen) -> dict[str, Any]:
    """A run with all its nodes and findings, for `show --json`."""
    state = seen.state
    head = Head(
        seen.place, state.started, state.status, state.reason, state.stage, state.began, state.last_activity, seen.own
    )
    return {
        **head_as_json(head),
        "code": state.code,
        "missing": state.missing,
        "seconds": round(state.seconds, 3),
        "turns": state.turns,
        "openFindings": len(state.ledger.open()),
        "roles": state.roles,
        "nodes": [{**asdict(node), "usage": usage_as_json(node.usage)} for node in state.nodes.values()],
        "gates": {stage: asdict(gate) for stage, gate in state.gates.items()},
        "questions": {key: asdict(question) for key, question in state.questions.items()},
        "findings": list(_findings(state)),
        "changedFiles": state.changed_files,
        "changesUnknown": state.changes_unknown,
        "notes": [text for _, text in state.notes],
        "usage": usage_as_json(state.spending.total),
        "usageByRole": {role: usage_as_json(used) for role, used in state.spending.by_role.items()},
        "report": None if state.report is None else state.report.model_dump(),
    }


def usage_as_json(used: Usage | None) -> dict[str, Any] | None:
    """What was used, if that is known."""
    return None if used is None else {"tokens": used.tokens, **used.model_dump()}


def _findings(state: RunState) -> Iterator[dict[str, Any]]:
    numbers = {one.finding.identity: number for number, one in enumerate(numbered(state), start=1)}
    for one in state.ledger:
        finding = one.finding
        about = {"id": finding.identity, "number": numbers[finding.identity], "status": one.status, "key": one.key}
        yield {**finding.model_dump(exclude_defaults=True), **about}


async def cut_off(seen: Seen, workspace: Workspace) -> dict[str, tuple[Change, ...] | None]:
    """Turns that were cut off, each with what is different since it first began; None where that is not known."""
    if seen.state.status in ("running", "waiting", "completed"):
        return {}
    found: dict[str, tuple[Change, ...] | None] = {}
    for key, before in seen.state.attempts.begun.items():
        try:
            found[key] = await workspace.changes(before, (await workspace.take()).tree)
        except WorkspaceError:
            found[key] = None
    return found
