"""The verb `workflow.resume`: load, append the user's decisions, start. There is no second code path."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sprintwright.app import owners
from sprintwright.app.consent import agent_items, require_consent
from sprintwright.app.live import LiveRun, World
from sprintwright.app.places import Places
from sprintwright.app.supported import refuse_unsupported
from sprintwright.app.user_state import UserState
from sprintwright.definitions.load import load_definition
from sprintwright.engine.history import History
from sprintwright.engine.ports import Workspace
from sprintwright.errors import Refused, WorkspaceError
from sprintwright.journal.reader import Loaded
from sprintwright.journal.store import RunFolder, list_run_folders
from sprintwright.model.changes import Change
from sprintwright.model.definition import AgentTurn, Definition, walk_stages
from sprintwright.model.records import Decided, Started
from sprintwright.paths import read_beneath
from sprintwright.state.fold import fold

Choice = Literal["redo", "keep", "stop"]
_MOST_BYTES = 2 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Interrupted:
    """A leaf that was started and not finished, and what is different in the folder since it began."""

    key: str
    started: Started
    changes: tuple[Change, ...]
    compared: bool
    """Whether the changes are known at all."""
    can_keep: bool

    @property
    def needs_choice(self) -> bool:
        """A check that changed nothing is simply done again (R35)."""
        return self.started.what == "turn" or bool(self.changes) or not self.compared


def find_run(places: Places, folder: Path | None, name: str) -> RunFolder:
    """The run that a user means: ``last``, an id or part of one in this folder; of another folder a whole id only.

    Raises:
        Refused: `folder_missing`, or `unknown_run` with the newest ones.
    """
    if folder is not None and not folder.is_dir():
        raise Refused("folder_missing", f"There is no folder {str(folder)!r}.", folder=str(folder))
    here = list(list_run_folders(folder)) if folder is not None else []
    if name in ("", "last"):
        found = here[:1]
    elif (own := UserState(places.state).own_run(name)) is not None:
        found = [RunFolder(Path(own.folder), own.run_id)]
    else:
        runs = {place.run_id: place for place in here}
        found = (
            [runs[name]]
            if name in runs
            else [place for run_id, place in runs.items() if run_id.startswith(name) or run_id.endswith(name)]
        )
    if len(found) == 1 and found[0].path.is_dir():
        return found[0]
    if len(found) > 1:
        ids = ", ".join(place.run_id for place in found[:5])
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        raise Refused("unknown_run", f"{name!r} could be any of these runs: {ids}{more}. Give more of its id.")
    newest = ", ".join(place.run_id for place in here[:5])
    hint = f"The newest here: {newest}." if newest else "There are no runs here; see `sprintwright list --all`."
    raise Refused("unknown_run", f"There is no run {name!r}. {hint}" if name not in ("", "last") else hint)


def read_resumable(places: Places, place: RunFolder, *, accept_shorter: bool = False) -> tuple[Loaded, Definition]:
    """What the run recorded and the definition that it goes by. Raises `Refused` when it can't go on."""
    loaded = place.read()
    if loaded.unreadable is not None:
        raise Refused(
            "run_unreadable",
            f"Run {place.run_id!r} can't be read: {loaded.unreadable.message}. Its files were left as they are.",
            **loaded.unreadable.data,
        )
    own = UserState(places.state).own_run(place.run_id)
    if own is None or Path(own.folder) != place.folder:
        raise Refused(
            "not_own_run",
            f"Run {place.run_id!r} was not started by you on this machine in {str(place.folder)!r}, so nothing in it "
            "is acted on. Look at it with `show`, and start a run of your own.",
        )
    if owners.is_alive(places, place.run_id):
        raise Refused(
            "run_owned",
            f"Run {place.run_id!r} is being carried on by another program. Wait for it, or cancel it: "
            f"sprintwright cancel {place.run_id}",
        )
    if loaded.last < own.last_seq and not accept_shorter:
        raise Refused(
            "journal_shortened",
            f"The journal of run {place.run_id!r} ends at record {loaded.last}, but {own.last_seq} were seen before: "
            "it was replaced by an older copy. To go on from there all the same: --accept-shorter",
            last=loaded.last,
            seen=own.last_seq,
        )
    state = fold(loaded.records)
    if state.started is None:
        raise Refused("unknown_run", f"Run {place.run_id!r} ended before anything was recorded; start it again.")
    if state.status == "completed":
        raise Refused("already_done", f"Run {place.run_id!r} is completed; there is nothing to resume.")
    return loaded, _frozen_definition(place, state.started.definition_hash)


def _frozen_definition(place: RunFolder, expected: str) -> Definition:
    try:
        data = read_beneath(place.path, "definition.yaml", _MOST_BYTES)
    except OSError as error:
        raise Refused("run_unreadable", f"The run's definition.yaml can't be read: {error.strerror}.") from error
    if hashlib.sha256(data).hexdigest() != expected:
        raise Refused("run_unreadable", "The run's definition.yaml was changed since the run began; it is not used.")
    loaded = load_definition(data.decode())
    if loaded.value is None:
        raise Refused("definition_invalid", "The run's definition.yaml is not valid for this version of Sprintwright.")
    refuse_unsupported(loaded.value)
    return loaded.value


async def interrupted_leaves(loaded: Loaded, definition: Definition, workspace: Workspace) -> list[Interrupted]:
    """The turns and checks that were cut off, each with what changed in the folder since it began."""
    history = History.load(loaded.records)
    found: list[Interrupted] = []
    for key, started in history.open.items():
        if started.what in ("turn", "check") and not started.person:
            compared, changes = await _since(workspace, started.before)
            found.append(Interrupted(key, started, changes, compared, _can_keep(definition, key)))
    return found


async def _since(workspace: Workspace, before: str) -> tuple[bool, tuple[Change, ...]]:
    if not before:
        return False, ()
    try:
        now = await workspace.take()
        return True, await workspace.changes(before, now.tree)
    except WorkspaceError:
        return False, ()


def _can_keep(definition: Definition, key: str) -> bool:
    """Only a turn without verdict and artifact can be kept: nothing of it is missing then but its words."""
    path = "/".join(part.partition("[")[0] for part in key.split("/"))
    for at, stage in walk_stages(definition.stages):
        if at == path and isinstance(stage, AgentTurn):
            return not (stage.verdict or stage.artifact or stage.skip_user_checkpoint_marker)
    return False


def policy(leaves: list[Interrupted]) -> Choice:
    """What is done with nobody to ask: redo, but stop where a turn could do everything."""
    return "stop" if any(leaf.started.permissions == "full" for leaf in leaves) else "redo"


def resume(
    place: RunFolder,
    definition: Definition,
    leaves: list[Interrupted],
    choice: Choice,
    world: World,
    *,
    seen: int,
    max_passes: int = 0,
    consent: str | None = None,
) -> LiveRun:
    """Append the decisions and walk on; returns at once.

    Args:
        leaves: what was interrupted; from `interrupted_leaves`.
        choice: what is done with them. `keep` needs every one of them to be keepable.
        seen: number of the last record that the choice was made on.
        max_passes: a new limit for bounded loops; 0 leaves it.
        consent: the hash that the user agrees to, where the folder's own agents play.

    Raises:
        Refused: the run is owned by another process or went on meanwhile, the choice can't be carried out, or the
            folder's own files ask for consent.
    """
    if choice == "stop" and leaves:
        raise Refused("stopped", "The run stays as it is: interrupted.", keys=[leaf.key for leaf in leaves])
    if choice == "keep" and (cannot := [leaf.key for leaf in leaves if not leaf.can_keep]):
        raise Refused(
            "bad_argument",
            f"{', '.join(cannot)} gives a verdict, an artifact or a plan, so it can't be kept half done. "
            "Use redo or stop.",
        )
    live = LiveRun(place, definition, world)
    try:
        _check_still(live, seen, world, consent)
    except BaseException:
        live.abandon()
        raise
    for leaf in leaves:
        live.record(leaf.key, Decided(what="keep" if choice == "keep" else "redo"))
    if max_passes:
        live.record("", Decided(what="max_passes", number=max_passes))
    live.begin()
    return live


def _check_still(live: LiveRun, seen: int, world: World, consent: str | None) -> None:
    """With the lock in hand: nobody went on with the run meanwhile, and the agents are those agreed to."""
    if live.loaded_last != seen:
        raise Refused(
            "run_owned",
            f"Run {live.place.run_id!r} was gone on with meanwhile, by another program. Look at it, and resume "
            "it again if there is something left to do.",
        )
    folder = live.place.folder
    items = agent_items((world.registry.get(name) for name in live.state.roles.values()), folder)
    require_consent(items, str(folder), consent, UserState(world.places.state))
