"""Ends agents whose engine was killed: a process of its own that waits for the end of its input (faults.md R77).

It is told of every program of a turn as that begins and ends, a line each: ``+<pid> <start time> <mark>`` and
``-<pid>``. When its input ends it ends those that are left, and itself. Run by its path, isolated: it is there for
as long as the engine, so it imports next to nothing.
"""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path

GRACE_SECONDS = 2.0
_POLL_SECONDS = 0.05
_PROCESSES = Path("/proc")


def main() -> None:
    """Read to the end of input, then end what is left."""
    os.chdir("/")
    left: dict[int, tuple[str, str]] = {}
    for line in sys.stdin:
        words = line.split()
        if line.startswith("+") and len(words) == 3:
            left[int(words[0][1:])] = (words[1], words[2])
        elif line.startswith("-"):
            left.pop(int(words[0][1:]), None)
    marks = {pid: mark for pid, (start, mark) in left.items() if _start_time(pid) == start}
    for pid in marks:
        _signal_group(pid, signal.SIGTERM)
    end = time.monotonic() + GRACE_SECONDS
    while time.monotonic() < end and any(_signal_group(pid, 0) for pid in marks):
        time.sleep(_POLL_SECONDS)
    for pid, mark in marks.items():
        _signal_group(pid, signal.SIGKILL)
        if mark != "-":
            _end_marked(mark.encode())


def _start_time(pid: int) -> str:
    """As the system writes it; empty where no process has that id."""
    try:
        return (_PROCESSES / str(pid) / "stat").read_bytes().rpartition(b")")[2].split()[19].decode()
    except (OSError, IndexError):
        return ""


def _signal_group(pid: int, number: int) -> bool:
    try:
        os.killpg(pid, number)
    except OSError:
        return False
    return True


def _end_marked(mark: bytes) -> None:
    """Those that left the group, by what their environment says."""
    for place in _PROCESSES.iterdir():
        try:
            if place.name.isdigit() and mark in (place / "environ").read_bytes():
                os.kill(int(place.name), signal.SIGKILL)
        except OSError:
            continue


if __name__ == "__main__":
    main()
