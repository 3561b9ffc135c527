"""What a user's leave to change a file covers: the change that was shown, once, and nothing else (faults.md X57)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from acp import schema

from sprintwright.errors import PathRefused
from sprintwright.paths import relative_inside, resolve_inside

MOST_PATHS = 100
"""Of one request; nobody reads a longer list."""


class Edit(NamedTuple):
    """One replacement as an agent showed it; without ``old`` the whole file."""

    old: str | None
    new: str


class Leave:
    """The changes that were allowed in a turn and not made yet, by file."""

    def __init__(self) -> None:
        self._allowed: dict[str, list[tuple[Edit, ...]]] = {}

    def give(self, edits: dict[str, tuple[Edit, ...]]) -> None:
        """Allow these changes of files, by their names as `real_name` gives them."""
        for name, shown in edits.items():
            self._allowed.setdefault(name, []).append(shown)

    def take(self, name: str, before: str, after: str) -> bool:
        """Whether a change was allowed; it is used up by this."""
        for shown in self._allowed.get(name, []):
            if after in _outcomes(shown, before):
                self._allowed[name].remove(shown)
                return True
        return False


def _outcomes(edits: tuple[Edit, ...], before: str) -> set[str]:
    """What a file can be after edits: a shown text may be the whole file, or the part that is replaced."""
    found = {edit.new for edit in edits}
    one = every = before
    for old, new in edits:
        one = one.replace(old, new, 1) if old else new
        every = every.replace(old, new) if old else new
    return found | {one, every}


def shown_edits(content: Sequence[object]) -> dict[str, tuple[Edit, ...]]:
    """The changes that a request for permission shows, by the agent's own names of the files."""
    found: dict[str, tuple[Edit, ...]] = {}
    for block in content:
        if isinstance(block, schema.FileEditToolCallContent):
            found[block.path] = (*found.get(block.path, ()), Edit(block.old_text, block.new_text))
    return found


def real_name(folder: Path, path: str) -> str:
    """Where a path of an agent really is, relative to the folder; empty where it may not be. Looks at the disk."""
    try:
        return resolve_inside(folder, relative_inside(path, folder))
    except PathRefused:
        return ""


def with_real_paths(folder: Path, paths: tuple[str, ...]) -> tuple[str, ...]:
    """The paths as an agent wrote them, and where their links lead if that is elsewhere. Looks at the disk."""
    found: dict[str, None] = dict.fromkeys(paths)
    base = folder.resolve()
    for path in paths:
        written = folder / path
        try:
            real = written.resolve()
        except (OSError, RuntimeError, ValueError):
            continue
        if real != (base / written.relative_to(folder) if written.is_relative_to(folder) else written):
            found[real.relative_to(base).as_posix() if real.is_relative_to(base) else str(real)] = None
    return tuple(found)
