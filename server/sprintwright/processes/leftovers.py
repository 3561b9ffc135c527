"""Which programs of a run are alive, kept in the user's state folder, so that what a crash left behind can be ended."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

from sprintwright.paths import make_private_dir
from sprintwright.processes.ancestry import end_marked, mark_of
from sprintwright.processes.child import end_group
from sprintwright.processes.liveness import boot_id, process_start_time
from sprintwright.processes.ward import Warden
from sprintwright.threads import in_thread

_GRACE_SECONDS = 2.0


class Leftovers:
    """One small file for each live program: run, process id, start time and boot, so that no stranger is ended.

    Args:
        warden: ends them at once when this process is killed; None: the next start of their run does.
    """

    def __init__(self, folder: Path, warden: Warden | None = None) -> None:
        self._folder, self._warden = folder, warden

    @property
    def folder(self) -> Path:
        """Where they are remembered."""
        return self._folder

    @contextmanager
    def watch(self, run_id: str, pid: int) -> Generator[None]:
        """Remember a program for as long as the context lasts. Where that fails, it is only not remembered."""
        file = self._folder / f"{run_id}.{pid}.{process_start_time(pid) or 0}.{boot_id()}"
        with suppress(OSError):
            make_private_dir(self._folder.parent)
            make_private_dir(self._folder)
            file.touch(mode=0o600)
        if self._warden is not None:
            self._warden.began(pid)
        try:
            yield
        finally:
            if self._warden is not None:
                self._warden.ended(pid)
            with suppress(OSError):
                file.unlink()

    def live_pids(self, run_id: str = "*") -> frozenset[int]:
        """Programs of one run, or of any, that are remembered and alive."""
        found: set[int] = set()
        for file in self._folder.glob(f"{run_id}.*") if self._folder.is_dir() else ():
            _, pid, start, boot = file.name.split(".", 3)
            if boot == boot_id() and process_start_time(int(pid)) == int(start):
                found.add(int(pid))
        return frozenset(found)

    async def reap(self, run_id: str) -> int:
        """End the programs that a killed owner of the run left, their groups included; how many there were."""
        ended = 0
        for file in list(self._folder.glob(f"{run_id}.*")) if self._folder.is_dir() else []:
            _, pid, start, boot = file.name.split(".", 3)
            alive = boot == boot_id() and start != "0" and process_start_time(int(pid)) == int(start)
            if alive and int(pid) != os.getpid():
                mark = mark_of(int(pid))
                await end_group(int(pid), _GRACE_SECONDS)
                if mark:
                    await in_thread(end_marked, mark)
                ended += 1
            file.unlink(missing_ok=True)
        return ended
