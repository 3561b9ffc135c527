"""Which run a user means, and what stands in it when it can be gone on with."""

from __future__ import annotations

import hashlib
from pathlib import Path

from sprintwright.app import owners
from sprintwright.app.places import Places
from sprintwright.app.supported import refuse_unsupported
from sprintwright.app.user_state import UserState
from sprintwright.definitions.load import load_definition
from sprintwright.errors import Refused
from sprintwright.journal.lock import RunLock
from sprintwright.journal.reader import Loaded
from sprintwright.journal.store import RunFolder, list_run_folders
from sprintwright.model.definition import Definition
from sprintwright.model.records import Decided, Record, RunStarted
from sprintwright.paths import is_folder, read_beneath
from sprintwright.processes import Leftovers

_MOST_BYTES = 2 * 1024 * 1024


def find_run(places: Places, folder: Path | None, name: str) -> RunFolder:
    """The run that a user means: ``last``, an id or part of one in this folder; of another folder a whole id only.

    Raises:
        Refused: `folder_missing`, or `unknown_run` with the newest ones.
    """
    if folder is not None and not is_folder(folder):
        raise Refused("folder_missing", f"There is no folder {str(folder)!r}.", folder=str(folder))
    here = list(list_run_folders(folder)) if folder is not None else []
    if name in ("", "last"):
        found = here[:1]
    elif (own := UserState(places.state).own_run(name)) is not None:
        found = [RunFolder(Path(own.folder), own.run_id)]
    else:
        runs = {place.run_id: place for place in here}
        found = [runs[name]] if name in runs else [place for run_id, place in runs.items() if name in run_id]
    if len(found) == 1 and is_folder(found[0].path):
        return found[0]
    if len(found) > 1:
        ids = ", ".join(place.run_id for place in found[:5])
        more = f" and {len(found) - 5} more" if len(found) > 5 else ""
        raise Refused("unknown_run", f"{name!r} could be any of these runs: {ids}{more}. Give more of its id.")
    newest = ", ".join(place.run_id for place in here[:5])
    hint = f"The newest here: {newest}." if newest else "There are no runs here; see `sprintwright list --all`."
    raise Refused("unknown_run", f"There is no run {name!r}. {hint}" if name not in ("", "last") else hint)


def require_own(places: Places, place: RunFolder) -> None:
    """Raise `Refused` (`not_own_run`) for a run that was made elsewhere: nothing in it is acted on."""
    own = UserState(places.state).own_run(place.run_id)
    if own is None or Path(own.folder) != place.folder:
        raise Refused(
            "not_own_run",
            f"Run {place.run_id!r} was not started by you on this machine in {str(place.folder)!r}, so nothing in it "
            "is acted on. Look at it with `show`, and start a run of your own.",
        )


def require_unowned(places: Places, place: RunFolder) -> None:
    """Raise `Refused` (`run_owned`, with the owner) for a run that some program carries on."""
    if owners.is_alive(places, place.run_id):
        raise owners.owned(place)


def read_own(places: Places, place: RunFolder, *, accept_shorter: bool = False) -> Loaded:
    """What an own run recorded. Raises `Refused`: unreadable, made elsewhere, or shorter than it was seen."""
    loaded = place.read()
    if loaded.unreadable is not None:
        raise Refused(
            "run_unreadable",
            f"Run {place.run_id!r} can't be read: {loaded.unreadable.message}. Its files were left as they are.",
            **loaded.unreadable.data,
        )
    require_own(places, place)
    own = UserState(places.state).own_run(place.run_id)
    if own is not None and loaded.last < own.last_seq and not accept_shorter:
        raise Refused(
            "journal_shortened",
            f"The journal of run {place.run_id!r} ends at record {loaded.last}, but {own.last_seq} were seen before: "
            "it was replaced by an older copy. To go on from there all the same: --accept-shorter",
            last=loaded.last,
            seen=own.last_seq,
        )
    return loaded


async def end_leftovers(places: Places, place: RunFolder, leftovers: Leftovers) -> int:
    """End what a killed owner left at work; how many programs. Never those of an owner that lives.

    Raises:
        Refused: `run_owned`, with the owner: the lock says so, whatever its socket does.
    """
    if not leftovers.live_pids(place.run_id):
        return await leftovers.reap(place.run_id)  # only forgets what is gone
    try:
        lock = RunLock(place.path)
    except Refused as refused:
        raise (owners.owned(place) if refused.code == "run_owned" else refused) from refused
    try:
        return await leftovers.reap(place.run_id)
    finally:
        lock.release()


def definition_file(definition_hash: str) -> str:
    """Name of a definition that the user took later than at the start."""
    return f"definition-{definition_hash[:12]}.yaml"


def definition_of(place: RunFolder, records: list[Record]) -> Definition:
    """The definition that a run goes by: its frozen copy, or the edited one that the user took since.

    Raises:
        Refused: there is none, it was changed by hand, or this version can't run it.
    """
    first, name, expected = "", "definition.yaml", ""
    for record in records:
        match record.payload:
            case RunStarted(definition_hash=first):
                expected = first
            case Decided(what="definition", definition_hash=later):
                expected, name = later, "definition.yaml" if later == first else definition_file(later)
            case _:
                pass
    if not first:
        raise Refused("unknown_run", f"Run {place.run_id!r} ended before anything was recorded; start it again.")
    try:
        data = read_beneath(place.path, name, _MOST_BYTES)
    except OSError as error:
        raise Refused("run_unreadable", f"The run's {name} can't be read: {error.strerror}.") from error
    if hashlib.sha256(data).hexdigest() != expected:
        raise Refused("run_unreadable", f"The run's {name} was changed since the run began; it is not used.")
    loaded = load_definition(data.decode())
    if loaded.value is None:
        raise Refused("definition_invalid", f"The run's {name} is not valid for this version of Sprintwright.")
    refuse_unsupported(loaded.value)
    return loaded.value
