"""Our end of the warden: the process that ends agents whose engine was killed."""

from __future__ import annotations

import contextlib
import os
import sys
from pathlib import Path

from sprintwright.processes.ancestry import mark_of
from sprintwright.processes.liveness import process_start_time

_PROGRAM = Path(__file__).with_name("warden.py")


class Warden:
    """Tells a process of ours which programs are at work; it is started with the first of them.

    Where it can't be started, or is gone, a killed engine's agents are ended by the next start, as ever.
    """

    def __init__(self) -> None:
        self._pipe = -1

    def began(self, pid: int) -> None:
        """A program of a turn is at work."""
        if (start := process_start_time(pid)) is not None:
            self._tell(f"+{pid} {start} {mark_of(pid) or '-'}\n")

    def ended(self, pid: int) -> None:
        """It is no more."""
        self._tell(f"-{pid}\n")

    def _tell(self, line: str) -> None:
        with contextlib.suppress(OSError, NotImplementedError):
            if self._pipe == -1:
                self._pipe = _start()
            os.write(self._pipe, line.encode())


def _start() -> int:
    """Start it; the end of the pipe at which it listens. It is isolated, and in a session of its own: no signal of a
    terminal ends it. Nothing of Python's keeps the books on it, for it outlives us."""
    theirs, ours = os.pipe()
    try:
        os.posix_spawn(
            sys.executable,
            [sys.executable, "-I", "-S", str(_PROGRAM)],
            {},
            file_actions=[
                (os.POSIX_SPAWN_DUP2, theirs, 0),
                (os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0),
                (os.POSIX_SPAWN_OPEN, 2, os.devnull, os.O_WRONLY, 0),
            ],
            setsid=True,
        )
    except BaseException:
        os.close(ours)
        raise
    finally:
        os.close(theirs)
    return ours


WARDEN = Warden()
"""Of this process: it is the process whose end is waited for."""
