"""The folder's files as a tree of the store: two readers side by side, then only what changed is read."""

from __future__ import annotations

import os
import re
from pathlib import Path

from sprintwright.errors import WorkspaceError
from sprintwright.stops import stop
from sprintwright.workspace.changes import shown
from sprintwright.workspace.git import Git
from sprintwright.workspace.repository import stamp
from sprintwright.workspace.selection import select
from sprintwright.workspace.store import OURS, Store
from sprintwright.workspace.waiting import in_thread, together

_MOST_REFUSED = 100
_MANY = 500
_REFUSED_PATH = re.compile(r"Unable to process path (.+)$", re.MULTILINE)


class TreeWriter:
    """Writes trees of one folder into its store.

    Args:
        git: for the folder.
        folder: the workspace.
    """

    def __init__(self, git: Git, folder: Path) -> None:
        self._git = git
        self._folder = folder
        self._known: tuple[tuple[int, ...], str] = ((), "")

    async def write(self, store: Store, lock: int, also: list[bytes]) -> tuple[str, tuple[str, ...]]:
        """Write the folder's tree. Content decides, not the user's index, and ignored files stay out.

        Args:
            store: owned.
            lock: the descriptor of its lock.
            also: names to cover although ignored.

        Returns:
            The tree, and the names of what it does not hold.

        Raises:
            WorkspaceError: git failed, also with a new index.
        """
        try:
            return await self._write(store, lock, also)
        except WorkspaceError as error:
            if error.data.get("reason") != "failed":
                raise
            # A damaged index, after a power cut for instance: the folder has all that was in it.
            store.forget_index()
            return await self._write(store, lock, also)

    async def _write(self, store: Store, lock: int, also: list[bytes]) -> tuple[str, tuple[str, ...]]:
        names = {*await self._candidates(store, lock), *also}
        ours, folder = OURS.encode(), os.fsencode(self._folder)
        selection = await in_thread(select, folder, names, ours)
        not_covered = {shown(name) for name in selection.not_covered}
        if selection.remove:
            await self._update(store, lock, ("--force-remove",), selection.remove)
        if selection.update:
            not_covered |= await self._update(store, lock, ("--add", "--remove", "--replace"), selection.update)
        return await self._tree(store, lock), tuple(sorted(not_covered))

    async def _candidates(self, store: Store, lock: int) -> list[bytes]:
        """What may differ from the index: unknown files (nested repositories end in `/`), changed, lost."""
        # The slower one first: it should not wait for the start of the other. Ours is left out here so that it is
        # not even walked; whatever rules the folder has, `select` drops it.
        changed, unknown = await together(
            self._git.run("diff-files", "-z", "--name-only", store=store.path, pass_fds=(lock,)),
            self._git.run(
                "ls-files", "-z", "--others", f"--exclude=/{OURS}/", "--exclude-standard",
                store=store.path, pass_fds=(lock,),
            ),
        )  # fmt: skip
        return [name for name in (changed.stdout + unknown.stdout).split(b"\0") if name]

    async def _update(self, store: Store, lock: int, how: tuple[str, ...], names: list[bytes]) -> set[str]:
        """Bring names into the index; returns those that git could not read (gone or locked meanwhile)."""
        refused: set[str] = set()
        # Blobs above the threshold go into one pack: thousands of small files are written as one, and durable.
        settings = ("core.bigFileThreshold=1",) if len(names) > _MANY else ()
        while True:
            wanted = [name for name in names if name.decode("utf-8", "replace") not in refused]
            listed = b"".join(name + b"\0" for name in wanted)
            try:
                await self._git.run(
                    "update-index", *how, "-z", "--stdin",
                    store=store.path, stdin=listed, settings=settings, pass_fds=(lock,),
                )  # fmt: skip
            except WorkspaceError as error:
                found = set(_REFUSED_PATH.findall(error.message)) - refused
                if not found or len(refused) >= _MOST_REFUSED:
                    raise
                refused |= found
            else:
                return refused

    async def _tree(self, store: Store, lock: int) -> str:
        known, tree = self._known
        if not known or known != stamp(store.index):
            written = await self._git.run("write-tree", store=store.path, pass_fds=(lock,))
            tree = written.stdout.decode("ascii").strip()
            stop("snapshot.tree_written")
            self._known = (stamp(store.index), tree)
        return tree
