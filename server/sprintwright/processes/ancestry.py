"""Which processes descend from an agent's turn: their word is not the user's (X27), and they end with it (R64)."""

from __future__ import annotations

import contextlib
import os
import secrets
import signal
from collections.abc import Iterator, Mapping
from pathlib import Path

from sprintwright.processes.liveness import stat_fields

MARK = "SPRINTWRIGHT_LEAF"
"""Variable that every agent's environment has."""
_CHILD = "SPRINTWRIGHT_CHILD"
"""Variable that tells one start of a program from all others."""
_MOST = 200
_ROUNDS = 50
"""A process that is found may have started another meanwhile: one looks again until there is none."""


def descends_from_turn(pid: int, turns: frozenset[int]) -> bool:
    """Whether the process, one it was started by, or the leader of one's session belongs to a turn.

    Args:
        pid: the process that asks.
        turns: ids of the live programs of turns; each leads a session of its own.

    A process that hides its ancestry and its environment is not found. Only Linux tells; elsewhere: False.
    """
    return any(one in turns or session in turns or _is_marked(one) for one, session in _line(pid))


def marked(environment: Mapping[str, str]) -> tuple[dict[str, str], str]:
    """The environment for one start of an agent's program, and the mark that it and what it starts have by it.

    Of any other program, which lacks `MARK`: as it was, and no mark. An agent's agent has the marks of both.
    """
    if MARK not in environment:
        return dict(environment), ""
    mark = secrets.token_hex(16)
    return {**environment, _CHILD: f"{environment.get(_CHILD, '')}:{mark}"}, mark


def mark_of(pid: int) -> str:
    """The mark of a process; empty: it has none, or is gone."""
    marks = _marks(pid)
    return marks[-1].decode("ascii", "replace") if marks else ""


def end_marked(mark: str) -> None:
    """Kill every process whose environment has that mark, in whatever group or session it is. Blocks.

    Only Linux shows environments; elsewhere nothing is found.
    """
    for _ in range(_ROUNDS):
        if not (found := marked_processes(mark)):
            return
        for pid in found:
            with contextlib.suppress(OSError):
                os.kill(pid, signal.SIGKILL)


def marked_processes(mark: str) -> set[int]:
    """The processes that have that mark. Blocks."""
    wanted = mark.encode()
    return {pid for pid in _processes() if wanted in _marks(pid)}


def _processes() -> Iterator[int]:
    with contextlib.suppress(OSError):
        yield from (
            int(one.name) for one in Path("/proc").iterdir() if one.name.isdigit() and int(one.name) != os.getpid()
        )


def _line(pid: int) -> Iterator[tuple[int, int]]:
    """The process and those it descends from, each with the leader of its session."""
    for _ in range(_MOST):
        fields = stat_fields(pid)
        if fields is None or pid <= 1:
            return
        yield pid, int(fields[3])
        pid = int(fields[1])


def _marks(pid: int) -> list[bytes]:
    begin = f"{_CHILD}=".encode()
    return [mark for entry in _environment(pid) if entry.startswith(begin) for mark in entry[len(begin) :].split(b":")]


def _is_marked(pid: int) -> bool:
    return any(entry.startswith(f"{MARK}=".encode()) for entry in _environment(pid))


def _environment(pid: int) -> list[bytes]:
    """What a process was started with; nothing of a zombie, or of another user's."""
    try:
        return Path(f"/proc/{pid}/environ").read_bytes().split(b"\0")
    except OSError:
        return []
