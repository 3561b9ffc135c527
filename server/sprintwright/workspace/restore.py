"""Brings a folder's files back to a tree of its snapshot store.

Bytes go from the store to the disk as they are: no filter, hook or checkout of git's is part of it, and the user's
repository is not looked at. What snapshots do not hold is left alone; where that stands in the way of a file, nothing
at all is done.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from sprintwright.errors import WorkspaceError
from sprintwright.model.changes import Change, ChangeStatus, Snapshot
from sprintwright.stops import stop
from sprintwright.workspace.changes import diff_tree, shown
from sprintwright.workspace.git import Git
from sprintwright.workspace.ignored import ignored_in
from sprintwright.workspace.obstacles import GONE, LINK, Step, without_obstacles
from sprintwright.workspace.putting import put_file, put_link, remove
from sprintwright.workspace.store import OURS, STORE_NAME
from sprintwright.workspace.waiting import in_thread

_PORTION_BYTES, _PORTION_FILES = 32 * 1024 * 1024, 1_000
_MODES = (GONE, "100644", "100755", LINK)


@dataclass(frozen=True, slots=True)
class Plan:
    """What has to be done for the files to be those of a tree."""

    target: str
    steps: tuple[Step, ...]
    left: tuple[str, ...]
    """Files that the tree does not have and that stay: it ignores them, or snapshots can't hold them."""
    conflicts: tuple[str, ...]
    """What stands in the way of a file and is in no snapshot; with any of these, nothing is done."""

    @property
    def changes(self) -> tuple[Change, ...]:
        """The files that would differ afterwards, by path."""
        return tuple(Change(path=shown(step.name), status=_status(step)) for step in self.steps)


def _status(step: Step) -> ChangeStatus:
    if step.mode == GONE:
        return "deleted"
    if step.before == GONE:
        return "added"
    return "mode" if step.blob == step.blob_before else "modified"


class Restorer:
    """Restores one folder.

    Args:
        folder: the workspace, absolute.
        git: the program, for this folder.
    """

    def __init__(self, folder: Path, git: Git) -> None:
        self._folder, self._git = folder, git
        self._store = folder / OURS / STORE_NAME

    async def plan(self, now: Snapshot, target: str) -> Plan:
        """What differs, and what stands in the way. Nothing is changed.

        Raises:
            WorkspaceError: a tree or a file of it is not in the store, or holds names that no snapshot has.
        """
        if now.tree == target:
            return Plan(target, (), (), ())
        raw = (await diff_tree(self._git, self._store, ("--raw", "-z", "--no-abbrev"), now.tree, target)).stdout
        steps = list(_steps(raw.split(b"\0")))
        await self._see_that_all_is_there(steps)
        stay = await ignored_in(self._git, self._store, target, steps)
        stay |= {step.name for step in steps if step.mode == GONE and shown(step.name) in now.not_covered}
        steps = [step for step in steps if step.name not in stay]
        steps, conflicts = await in_thread(without_obstacles, self._folder, steps, frozenset(now.not_covered))
        return Plan(target, tuple(steps), tuple(sorted(map(shown, stay))), tuple(conflicts))

    async def apply(self, plan: Plan) -> None:
        """Do it: first what goes, then what comes, each file at once. Durable when it returns.

        Raises:
            WorkspaceError: a file can't be read from the store; some files may be restored already.
            PathRefused: a folder became a link meanwhile.
            OSError: what the system says.
        """
        assert not plan.conflicts, "nothing is restored around conflicts"
        await in_thread(self._remove, [step.name for step in plan.steps if step.mode == GONE])
        for portion in await self._portions([step for step in plan.steps if step.mode != GONE]):
            blobs = await self._read({step.blob for step in portion})
            await in_thread(self._put, portion, blobs)
        await in_thread(os.sync)  # once: a sync for each file would take longer than all the rest

    async def _see_that_all_is_there(self, steps: Iterable[Step]) -> None:
        await self._sizes({step.blob for step in steps if step.mode != GONE})

    async def _sizes(self, blobs: set[str]) -> dict[str, int]:
        asked = "".join(f"{blob}\n" for blob in sorted(blobs)).encode()
        told = await self._git.run("cat-file", "--batch-check", "--buffer", store=self._store, stdin=asked)
        sizes: dict[str, int] = {}
        for line in told.stdout.decode("ascii", "replace").splitlines():
            blob, kind, size = [*line.split(), "", ""][:3]
            if kind != "blob":
                raise _missing(blob)
            sizes[blob] = int(size)
        return sizes

    async def _portions(self, steps: list[Step]) -> list[list[Step]]:
        """The steps in groups whose content fits into memory."""
        sizes = await self._sizes({step.blob for step in steps})
        portions: list[list[Step]] = [[]]
        room = _PORTION_BYTES
        for step in steps:
            if portions[-1] and (sizes[step.blob] > room or len(portions[-1]) >= _PORTION_FILES):
                portions.append([])
                room = _PORTION_BYTES
            portions[-1].append(step)
            room -= sizes[step.blob]
        return portions

    async def _read(self, blobs: set[str]) -> dict[str, bytes]:
        if not blobs:
            return {}
        asked = "".join(f"{blob}\n" for blob in sorted(blobs)).encode()
        told = (await self._git.run("cat-file", "--batch", "--buffer", store=self._store, stdin=asked)).stdout
        found: dict[str, bytes] = {}
        at = 0
        while at < len(told):
            end = told.index(b"\n", at)
            blob, kind, size = [*told[at:end].decode("ascii", "replace").split(), "", ""][:3]
            if kind != "blob":
                raise _missing(blob)
            found[blob] = told[end + 1 : end + 1 + int(size)]
            at = end + 1 + int(size) + 1
            if hashlib.sha1(b"blob %s\0%s" % (size.encode(), found[blob]), usedforsecurity=False).hexdigest() != blob:
                raise WorkspaceError(f"The snapshot store is damaged: {blob} is not what its name says.")
        return found

    def _remove(self, names: list[bytes]) -> None:
        for name in names:
            remove(self._folder, name)
            stop("restore.file_written")

    def _put(self, steps: list[Step], blobs: dict[str, bytes]) -> None:
        for step in steps:
            if step.mode == LINK:
                put_link(self._folder, step.name, blobs[step.blob])
            else:
                put_file(self._folder, step.name, blobs[step.blob], executable=step.mode == "100755")
            stop("restore.file_written")


def _steps(raw: list[bytes]) -> Iterator[Step]:
    for meta, name in zip(raw[0::2], raw[1::2], strict=False):
        before, mode, blob_before, blob, _ = meta.decode("ascii").lstrip(":").split()
        parts = name.lower().split(b"/")
        bad_name = bool({b"", b".", b"..", b".git"} & set(parts)) or parts[0] == OURS.encode()
        if bad_name or mode not in _MODES or before not in _MODES:
            raise WorkspaceError(f"The snapshot has {shown(name)!r}, which no snapshot of ours holds; it is not used.")
        yield Step(name, before, mode, blob_before, blob)


def _missing(blob: str) -> WorkspaceError:
    return WorkspaceError(
        f"The snapshots of that time are not whole: {blob[:40]} is missing from .sprintwright/snapshots.git. "
        "Nothing was restored from it.",
        data={"reason": "gone"},
    )
