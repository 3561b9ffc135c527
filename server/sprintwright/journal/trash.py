"""Run folders on their way out: renamed first, at once and durably, then removed; what is left is removed later."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

from sprintwright.errors import PathRefused, Refused
from sprintwright.journal.lock import RunLock
from sprintwright.journal.store import RUN_ID, RunFolder
from sprintwright.paths import refuse_links, sync_folder
from sprintwright.stops import stop

_PREFIX = ".trash-"
_TRIES = 5


def throw_away(place: RunFolder) -> None:
    """Rename a run's folder so that it is no run any more. Its files are removed by `empty`.

    Raises:
        Refused: `run_owned` while some process owns it, `folder_read_only`, or `unknown_run` when it is gone already.
    """
    runs = place.path.parent
    try:
        refuse_links(place.path, place.folder)
        if not place.path.is_dir():
            raise Refused("unknown_run", f"Run {place.run_id!r} is not there any more.")
        lock = RunLock(place.path)
    except PathRefused as error:
        raise Refused("run_unreadable", f"Run {place.run_id!r} is not deleted: {error.message}") from error
    try:
        place.path.rename(runs / f"{_PREFIX}{place.run_id}")
        sync_folder(runs)
    except OSError as error:
        raise Refused(
            "folder_read_only", f"Run {place.run_id!r} can't be deleted from {str(runs)!r}: {error.strerror}."
        ) from error
    finally:
        lock.release()
    stop("delete.renamed")


def thrown_away(folder: Path) -> Iterator[str]:
    """Ids of runs that were thrown away and are not removed yet."""
    try:
        refuse_links(folder / ".sprintwright" / "runs", folder)
        names = [path.name for path in (folder / ".sprintwright" / "runs").iterdir()]
    except (OSError, PathRefused):
        return
    for name in sorted(names):
        if name.startswith(_PREFIX) and RUN_ID.fullmatch(run_id := name.removeprefix(_PREFIX)):
            yield run_id


def empty(folder: Path, run_id: str) -> None:
    """Remove the files of a run that was thrown away; links in it are removed, never followed.

    Raises:
        OSError: some could not be removed; the rest is tried again the next time.
    """
    trash = folder / ".sprintwright" / "runs" / f"{_PREFIX}{run_id}"
    for left in reversed(range(_TRIES)):
        try:
            if trash.is_symlink() or trash.is_file():
                trash.unlink()
            else:
                shutil.rmtree(trash)
        except FileNotFoundError:  # another program empties it too
            if not os.path.lexists(trash):
                return
            if not left:
                raise
        else:
            return
