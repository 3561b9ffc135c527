"""One owner a run, by an operating-system lock. Readers never touch it."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout

from sprintwright.errors import Refused
from sprintwright.paths import refuse_links


class RunLock:
    """The lock of a run folder; held until `release` or until the process ends.

    Raises:
        Refused: `run_owned`, `folder_read_only`, or `unknown_run` for a run that was deleted: its folder stays gone.
    """

    def __init__(self, run_folder: Path) -> None:
        path = run_folder / "lock"
        refuse_links(path, run_folder.parent)
        before = _identity(run_folder)
        if before is None:
            raise _gone(run_folder)
        # The soft fall-back is a file that anybody can leave behind: where there is no real lock, we refuse.
        self._lock = FileLock(path, timeout=0, mode=0o600, thread_local=False, fallback_to_soft=False)
        try:
            self._lock.acquire()
        except Timeout:
            raise Refused(
                "run_owned",
                f"Run {run_folder.name!r} is being carried on by another program. Wait for it, or cancel it: "
                f"sprintwright cancel {run_folder.name}",
                runId=run_folder.name,
            ) from None
        except (OSError, NotImplementedError) as error:
            raise Refused(
                "folder_read_only",
                f"The lock of run {run_folder.name!r} can't be taken in {str(path)!r}: {error}. "
                "Runs need a folder on a local disk, with real locks.",
            ) from error

        if _identity(run_folder) != before:  # it was deleted just now, and filelock made it again
            self._lock.release()
            path.unlink(missing_ok=True)
            run_folder.rmdir()
            raise _gone(run_folder)

    def release(self) -> None:
        """Let another process own the run."""
        self._lock.release()


def _gone(run_folder: Path) -> Refused:
    return Refused("unknown_run", f"Run {run_folder.name!r} is not there any more.")


def _identity(folder: Path) -> tuple[int, int] | None:
    try:
        found = folder.stat()
    except FileNotFoundError:
        return None
    return found.st_dev, found.st_ino
