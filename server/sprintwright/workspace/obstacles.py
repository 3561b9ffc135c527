"""What stands where a file has to be restored, and is in no snapshot: it could not be brought back."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from sprintwright.workspace.changes import shown
from sprintwright.workspace.selection import LARGEST

GONE, LINK, _EXECUTABLE = "000000", "120000", "100755"


@dataclass(frozen=True, slots=True)
class Step:
    """One file: its mode and content in the folder's snapshot now, and those that it is to have."""

    name: bytes
    before: str
    mode: str
    blob_before: str
    blob: str


def without_obstacles(folder: Path, steps: Iterable[Step], not_covered: frozenset[str]) -> tuple[list[Step], list[str]]:
    """The steps that are left to do, and the names of what stands in their way. Only looks.

    Args:
        not_covered: names that the present snapshot does not hold, as `shown` has them.
    """
    steps = list(steps)
    gone = {step.name for step in steps if step.mode == GONE}
    todo: list[Step] = []
    conflicts: set[str] = set()
    for step in steps:
        if step.mode == GONE or (step.before != GONE and shown(step.name) not in not_covered):
            todo.append(step)
            continue
        obstacle = _obstacle(os.fsencode(folder), step.name, gone)
        if not obstacle:
            todo.append(step)
        elif obstacle != step.name or not _is_already(folder, step):
            conflicts.add(shown(obstacle))
    return todo, sorted(conflicts)


def _obstacle(folder: bytes, name: bytes, gone: set[bytes]) -> bytes:
    """The name in the way; empty when there is none."""
    parts = name.split(b"/")
    for depth in range(1, len(parts)):
        above = b"/".join(parts[:depth])
        path = os.path.join(folder, above)  # noqa: PTH118 - bytes: names need not be UTF-8
        try:
            mode = os.lstat(path).st_mode
        except FileNotFoundError:
            return b""
        if not stat.S_ISDIR(mode):
            return b"" if above in gone else above
        if os.path.lexists(os.path.join(path, b".git")):  # noqa: PTH118
            return above + b"/"
    path = os.path.join(folder, name)  # noqa: PTH118
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        return b""
    return _inside(folder, name, gone) if stat.S_ISDIR(mode) else name


def _inside(folder: bytes, name: bytes, gone: set[bytes]) -> bytes:
    """The first file beneath a folder that will not be gone."""
    for entry in sorted(os.scandir(os.path.join(folder, name)), key=lambda entry: entry.name):  # noqa: PTH118
        below = name + b"/" + entry.name
        if entry.is_dir(follow_symlinks=False):
            if found := _inside(folder, below, gone):
                return found
        elif below not in gone:
            return below
    return b""


def _is_already(folder: Path, step: Step) -> bool:
    """Whether a file that no snapshot holds is what it is to be: an earlier restore that was cut off wrote it."""
    path = os.path.join(os.fsencode(folder), step.name)  # noqa: PTH118
    try:
        status = os.lstat(path)
        if step.mode == LINK:
            content = os.readlink(path) if stat.S_ISLNK(status.st_mode) else None  # noqa: PTH115 - bytes
        elif stat.S_ISREG(status.st_mode) and status.st_size <= LARGEST:
            right = bool(status.st_mode & 0o100) == (step.mode == _EXECUTABLE)
            content = _bytes(path) if right else None
        else:
            content = None
    except OSError:
        return False
    if content is None:
        return False
    return hashlib.sha1(b"blob %d\0%s" % (len(content), content), usedforsecurity=False).hexdigest() == step.blob


def _bytes(path: bytes) -> bytes:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    with os.fdopen(descriptor, "rb") as file:
        return file.read(LARGEST + 1)
