"""What git ignores, looked at by its stamps alone: it is much, and no snapshot holds it."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from sprintwright.model.changes import TOO_MANY
from sprintwright.workspace.changes import shown

_MOST_FILES = 50_000
"""Files that are looked at in all: about half a second of a thread's work."""


def stamps(folder: Path, names: Sequence[bytes]) -> dict[str, str]:
    """Each name with a hash over the stamps of what is there; `TOO_MANY` for those beyond what is looked at."""
    found: dict[str, str] = {}
    left = _MOST_FILES
    for name in sorted(names):
        known = hashlib.sha256()
        for entry in _entries(os.fsencode(folder) + b"/" + name):
            left -= 1
            if left < 0:
                break
            known.update(entry)
        found[shown(name)] = TOO_MANY if left < 0 else known.hexdigest()[:12]
    return found


def _entries(path: bytes) -> Iterator[bytes]:
    """A line for a file, or for each in a folder. Links are not followed; a folder counts by its name alone."""
    if line := _line(path):
        yield line
    for place, folders, files in os.walk(path):
        folders.sort()
        for name in sorted([*folders, *files]):
            yield _line(os.path.join(place, name))  # noqa: PTH118 - of bytes


def _line(path: bytes) -> bytes:
    try:
        status = os.lstat(path)
    except OSError:
        return b""
    if stat.S_ISDIR(status.st_mode):
        return path + b"/\0"
    return b"%s %d %d %d %d\0" % (path, status.st_mode, status.st_size, status.st_mtime_ns, status.st_ino)
