"""One owner a run, by an operating-system lock. Readers never touch it."""

from __future__ import annotations

from pathlib import Path

from filelock import FileLock, Timeout

from sprintwright.errors import Refused
from sprintwright.paths import refuse_links


class RunLock:
    """The lock of a run folder; held until `release` or until the process ends."""

    def __init__(self, run_folder: Path) -> None:
        path = run_folder / "lock"
        refuse_links(path, run_folder.parent)
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

    def release(self) -> None:
        """Let another process own the run."""
        self._lock.release()
