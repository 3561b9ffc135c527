"""What a snapshot is, and what differs between two: values that runs record."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from typing import Literal, TypeAlias

from sprintwright.model.value import Value

_TEST_FOLDERS = frozenset({"test", "tests", "__tests__", "spec", "specs"})
_TEST_NAME = re.compile(r"^test[_-]|[_.-](test|tests|spec)\.")
TOO_MANY = "too many"
"""State of an ignored folder that has more files than are looked at."""
ChangeStatus: TypeAlias = Literal["added", "modified", "deleted", "mode", "more"]


class Snapshot(Value):
    """The files of a folder at one moment."""

    tree: str
    """Id of the git tree in the snapshot store: equal trees, equal files."""
    not_covered: tuple[str, ...] = ()
    """Paths that the tree does not hold (nested repositories end in `/`): their changes are not known."""
    beside: dict[str, str] = {}
    """What the tree does not hold, name to state, equal for equal content: where the user's repository stands
    (``HEAD``, ``branch``, ``index``, ``branches``, ``tags``, ``remotes``, ``stash``), its ``.git/config`` and
    ``.git/hooks/…``, and each file in a protected place."""

    @property
    def head(self) -> str:
        """Branch and commit of the user's repository; empty where there is none."""
        return f"{self.beside['branch']} {self.beside.get('HEAD', '(no commit)')}" if "branch" in self.beside else ""


def moved(before: Mapping[str, str], after: Mapping[str, str], *, without: Collection[str] = ()) -> tuple[str, ...]:
    """What differs between two snapshots beside their trees, in words: ``HEAD: 1a2b3c4d -> 5e6f7a8b``."""
    names = (name for name in differing(before, after) if name not in without)
    return tuple(_moved(name, before.get(name), after.get(name)) for name in names)


def differing(before: Mapping[str, str], after: Mapping[str, str]) -> list[str]:
    """The names whose states differ, in order; ``.git`` alone for a repository that is none any more."""
    gone = before.keys() - after.keys() if "branch" in before and "branch" not in after else set[str]()
    changed = {name for name in {*before, *after} - gone if before.get(name) != after.get(name)}
    return sorted(changed | ({".git"} if gone else set()))


def _moved(name: str, before: str | None, after: str | None) -> str:
    if name in ("HEAD", "branch"):
        return f"{name}: {before or 'none'} -> {after or 'none'}"
    if name == ".git":
        return ".git: no repository any more"
    return f"{name} {'added' if before is None else 'deleted' if after is None else 'changed'}"


def is_test(path: str) -> bool:
    """Whether a file is a test, by its name or a folder's."""
    *folders, name = path.casefold().split("/")
    return any(folder in _TEST_FOLDERS for folder in folders) or bool(_TEST_NAME.search(name))


class Change(Value):
    """One file that differs between two snapshots."""

    path: str
    """Relative to the folder, with `/`; bytes that are no UTF-8 stand as `\\xff`."""
    status: ChangeStatus
    """`mode`: only the permission bits differ. `more`: the list is cut here; ``path`` says by how much."""
