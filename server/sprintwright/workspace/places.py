"""Protected places of a folder, with what git ignores among them: what they hold now, by name."""

from __future__ import annotations

import hashlib
import os
import stat
from collections.abc import Iterator
from pathlib import Path

from sprintwright.errors import PathRefused
from sprintwright.paths import PROTECTED_PLACES, read_beneath

_MOST_FILES = 200
"""Of one place; agents keep whole work trees in theirs."""
_MOST_BYTES = 1024 * 1024


class Places:
    """Looks at the protected places of one folder; a file that was not written since is not read again."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._read: dict[str, tuple[tuple[int, ...], str]] = {}

    def look(self) -> dict[str, str]:
        """Each file in them with a short hash of its content; of a place with very many files, the first ones."""
        found: dict[str, str] = {}
        for place in PROTECTED_PLACES:
            for number, name in enumerate(_files(self._folder, place)):
                if number == _MOST_FILES:
                    break
                found[name] = self._state(name)
        self._read = {name: read for name, read in self._read.items() if name in found}
        return found

    def _state(self, name: str) -> str:
        status = (self._folder / name).lstat()
        stamp = (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino, status.st_mode)
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            return hashlib.sha256(repr(stamp).encode()).hexdigest()[:12]
        if self._read.get(name, ((), ""))[0] != stamp:
            try:
                content = hashlib.sha256(read_beneath(self._folder, name, _MOST_BYTES)).hexdigest()[:12]
            except (OSError, PathRefused):
                content = "unreadable"
            self._read[name] = (stamp, content)
        return self._read[name][1]


def _files(folder: Path, place: str) -> Iterator[str]:
    """Names relative to the folder, in order; links are named and not followed."""
    top = folder / place
    if top.is_symlink() or not top.is_dir():
        if os.path.lexists(top):
            yield place
        return
    for path, folders, files in os.walk(top):
        folders[:] = sorted(name for name in folders if name != "node_modules")
        links = [name for name in folders if (Path(path) / name).is_symlink()]
        for name in sorted([*files, *links]):
            yield (Path(path) / name).relative_to(folder).as_posix()
