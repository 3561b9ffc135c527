"""What a program may take of the machine: files, core dumps, and how many processes an agent may start (X76).

Only Linux lets one process bound another that runs already, and shows which processes an agent started.
"""

from __future__ import annotations

import asyncio
import contextlib
import itertools
import sys
from collections.abc import Callable
from pathlib import Path

from sprintwright.processes.ancestry import marked_processes
from sprintwright.threads import in_thread

MOST_FILES = 8192
"""Open at once, by each process of an agent."""
LARGEST_FILE = 10 * 1024**3
"""Bytes of one file that an agent writes."""
MOST_PROCESSES = 500
"""Alive at once, of one agent."""
_LOOK_SECONDS = 0.5
_ROUNDS = 20
_LOOKS = 20
"""After so many one counts in any case: others may have ended as many as the agent began."""


def bound(pid: int, *, agent: bool) -> None:
    """Set a program's limits, which what it starts inherits: no core dump, for that holds keys and prompts, and an
    agent's files. After its start: a `preexec_fn` is not safe beside threads."""
    if sys.platform != "linux":
        return
    import resource

    bounds = [(resource.RLIMIT_CORE, 0)]
    if agent:
        bounds += [(resource.RLIMIT_NOFILE, MOST_FILES), (resource.RLIMIT_FSIZE, LARGEST_FILE)]
    for kind, most in bounds:
        with contextlib.suppress(OSError, ValueError):
            soft, hard = (_lower(one, most) for one in resource.prlimit(pid, kind))
            resource.prlimit(pid, kind, (soft, hard))


async def watch_count(mark: str, too_many: Callable[[], None]) -> None:
    """Look again and again how many processes an agent has, by the mark that they inherit; ends when it has too many.

    Args:
        too_many: called once then.
    """
    at_start = _tasks()
    await in_thread(_bound_all, mark)
    for look in itertools.count(1):
        await asyncio.sleep(_LOOK_SECONDS)
        # All of the machine's are counted cheaply: they tell when it is time to count those of the agent.
        due = look % _LOOKS == 0 or _tasks() - at_start > MOST_PROCESSES
        if due and len(await in_thread(marked_processes, mark)) > MOST_PROCESSES:
            too_many()
            return


def _bound_all(mark: str) -> None:
    """What the agent started before it was bound itself; of those, what they start inherits the limits."""
    bounded: set[int] = set()
    for _ in range(_ROUNDS):
        if not (new := marked_processes(mark) - bounded):
            return
        for pid in new:
            bound(pid, agent=True)
        bounded |= new


def _lower(now: int, most: int) -> int:
    return most if now < 0 else min(now, most)


def _tasks() -> int:
    """Threads of the machine; 0 where that is not told."""
    try:
        return int(Path("/proc/loadavg").read_text().split()[3].partition("/")[2])
    except (OSError, ValueError, IndexError):
        return 0
