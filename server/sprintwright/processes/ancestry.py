"""Whether a process descends from an agent's turn: then it is the agent that speaks, and not the user (X27)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sprintwright.processes.liveness import stat_fields

MARK = "SPRINTWRIGHT_LEAF"
"""Variable that every agent's environment has."""
_MOST = 200


def descends_from_turn(pid: int, turns: frozenset[int]) -> bool:
    """Whether the process, one it was started by, or the leader of one's session belongs to a turn.

    Args:
        pid: the process that asks.
        turns: ids of the live programs of turns; each leads a session of its own.

    A process that hides its ancestry and its environment is not found. Only Linux tells; elsewhere: False.
    """
    return any(one in turns or session in turns or _is_marked(one) for one, session in _line(pid))


def _line(pid: int) -> Iterator[tuple[int, int]]:
    """The process and those it descends from, each with the leader of its session."""
    for _ in range(_MOST):
        fields = stat_fields(pid)
        if fields is None or pid <= 1:
            return
        yield pid, int(fields[3])
        pid = int(fields[1])


def _is_marked(pid: int) -> bool:
    try:
        environment = Path(f"/proc/{pid}/environ").read_bytes()
    except OSError:
        return False
    return any(entry.startswith(f"{MARK}=".encode()) for entry in environment.split(b"\0"))
