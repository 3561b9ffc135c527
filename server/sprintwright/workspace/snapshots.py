"""The files of a folder at one moment, kept in a git store of our own; the user's is never written."""

from __future__ import annotations

import asyncio
import hashlib
import os
import re
from collections.abc import Mapping
from pathlib import Path

from sprintwright.errors import WorkspaceError
from sprintwright.model.changes import Change, Snapshot
from sprintwright.stops import stop
from sprintwright.workspace.changes import changed_files, diff_text
from sprintwright.workspace.contents import read_file
from sprintwright.workspace.git import SECONDS, Git
from sprintwright.workspace.places import Places
from sprintwright.workspace.repository import RepositoryWatch, find_repository
from sprintwright.workspace.stamps import stamps
from sprintwright.workspace.store import OURS, STORE_NAME, Store
from sprintwright.workspace.tree import TreeWriter
from sprintwright.workspace.waiting import in_thread, together

_REFS = "refs/sprintwright/"
_RUN_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9_-]|\.(?!\.|lock$|$)){0,199}")
_UNREACHABLE_DAYS = 2
_IDENTITY = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Sprintwright"), ("EMAIL", "snapshots@sprintwright.invalid"))
}


class Snapshots:
    """The snapshots of one folder: the engine's `Workspace`.

    Args:
        folder: the workspace, absolute.
        git: the program, for this folder.
        seconds: that one snapshot may take.
    """

    def __init__(self, folder: Path, *, git: Git | None = None, seconds: float = SECONDS) -> None:
        self._folder = folder
        self._git = git or Git(folder)
        self._seconds = seconds
        self._lock = asyncio.Lock()
        self._begun = 0
        self._last: tuple[int, Snapshot] | None = None
        self._writer = TreeWriter(self._git, folder)
        self._places = Places(folder)
        self._watch: RepositoryWatch | None = None
        self._covered_index: tuple[int, ...] = ()
        self._path = folder / OURS / STORE_NAME

    async def take(self) -> Snapshot:
        """The files as they are now. Callers that wait while one is taken share the next one.

        Raises:
            WorkspaceError: git is missing or failed, the store can't be made, or it took too long.
        """
        begun_before = self._begun
        async with self._lock:
            if self._last is not None and self._last[0] > begun_before:
                return self._last[1]  # begun after this call: it shows what the caller wants to see
            self._begun += 1
            number = self._begun
            try:
                async with asyncio.timeout(self._seconds):
                    snapshot = await self._take()
            except TimeoutError:
                raise WorkspaceError(
                    f"The snapshot of {str(self._folder)!r} took longer than {self._seconds:g} seconds; "
                    f"what changes is not known. Ignore large folders of generated files.",
                    data={"reason": "timeout"},
                ) from None
            self._last = (number, snapshot)
            return snapshot

    async def _take(self) -> Snapshot:
        watch, refused = self._look()
        store = self._store(watch)
        async with store.owned() as lock:
            also = await self._tracked_though_ignored(watch)
            (tree, not_covered), repository = await together(
                self._writer.write(store, lock, also), _repository_state(watch, refused)
            )
        return Snapshot(tree=tree, not_covered=not_covered, beside=repository | await in_thread(self._places.look))

    async def ignored(self) -> Mapping[str, str]:
        """What git ignores, by the name that git lists it under (a folder ends in ``/``), with a hash of its stamps.

        Empty where there is no repository of the user's: then nothing is ignored. A folder with very many files has
        no hash: `TOO_MANY`.

        Raises:
            WorkspaceError: git is missing, or failed.
        """
        if self._look()[0] is None:
            return {}
        listed = await self._git.run(
            "ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory", "--", "."
        )
        names = [name for name in listed.stdout.split(b"\0") if name and not name.startswith(b".sprintwright/")]
        return await in_thread(stamps, self._folder, names)

    def _look(self) -> tuple[RepositoryWatch | None, str]:
        """The user's repository now (it may be made or removed while we run), or why it is not believed."""
        try:
            repository = find_repository(self._folder)
        except WorkspaceError as error:
            if error.data.get("reason") == "bare":
                raise
            return None, error.message
        if repository is None:
            return None, ""
        if self._watch is None or self._watch.repository != repository:
            self._watch = RepositoryWatch(self._git, repository)
        return self._watch, ""

    def _store(self, watch: RepositoryWatch | None) -> Store:
        return Store(self._folder, watch.repository if watch else None)

    async def _tracked_though_ignored(self, watch: RepositoryWatch | None) -> list[bytes]:
        # Once they are in our index they stay: it is worth asking only when the user's index moved.
        if watch is None or (now := watch.index_stamp()) == self._covered_index:
            return []
        try:
            names = await watch.tracked_though_ignored()
        except WorkspaceError:
            return []  # the fingerprint has git's refusal
        self._covered_index = now
        return names

    async def changes(self, before: str, after: str) -> tuple[Change, ...]:
        """What differs between two trees, by path; a long list is cut and ends with a `more`.

        Raises:
            WorkspaceError: a tree can't be read.
        """
        return await changed_files(self._git, self._path, before, after)

    async def diff(self, before: str, after: str, *, limit: int | None = None) -> str:
        """The difference as a unified diff, cut at ``limit`` characters and a line that says what is missing.

        Raises:
            WorkspaceError: a tree can't be read.
        """
        return await diff_text(self._git, self._path, before, after, limit)

    async def file(self, tree: str, name: str, *, limit: int) -> tuple[int | None, bytes]:
        """A file's size in a tree, None where there is none, and its bytes unless they are more than ``limit``.

        Raises:
            WorkspaceError: the tree can't be read.
        """
        return await read_file(self._git, self._path, tree, name, limit)

    async def keep(self, run_id: str, tree: str) -> None:
        """Keep a tree, beside those kept before, as long as the run is there. Keeping it again does nothing.

        Raises:
            WorkspaceError: the run id can't be a ref, or git failed.
        """
        ref = _ref(run_id)
        async with self._lock, self._store(self._look()[0]).owned() as lock:
            told = await self._store_git("for-each-ref", "--format=%(objectname) %(tree)", ref, lock=lock)
            commit, kept = [*told.split(), "", ""][:2]
            if kept == tree:
                return
            parent = ("-p", commit) if commit else ()
            made = await self._store_git("commit-tree", tree, *parent, "-m", run_id, lock=lock)
            await self._store_git("update-ref", "--end-of-options", ref, made.strip(), commit, lock=lock)
            stop("snapshot.ref_written")

    async def drop(self, run_id: str) -> None:
        """Let go of a run's trees. What nothing else holds, and is some days old, is removed from the store.

        Raises:
            WorkspaceError: the run id can't be a ref, or git failed.
        """
        ref = _ref(run_id)
        if not self._path.is_dir():
            return
        async with self._lock, self._store(self._look()[0]).owned() as lock:
            await self._store_git("update-ref", "-d", "--end-of-options", ref, lock=lock)
            # Not at once: another run may just have taken a tree and not kept it yet.
            await self._store_git("prune", f"--expire={_UNREACHABLE_DAYS}.days.ago", lock=lock)

    async def _store_git(self, *arguments: str, lock: int) -> str:
        finished = await self._git.run(*arguments, store=self._path, identity=_IDENTITY, pass_fds=(lock,))
        return finished.stdout.decode("ascii", "replace")

    async def has_history(self) -> bool:
        """Whether the user's repository has a commit.

        Raises:
            WorkspaceError: git is missing, or the repository is not believed.
        """
        if find_repository(self._folder) is None:
            return False
        told = await self._git.run("rev-parse", "--verify", "--quiet", "HEAD^{commit}", also=(1,))
        return told.returncode == 0

    async def is_empty(self) -> bool:
        """Whether the folder has no files of the user's."""
        return await in_thread(_has_no_files, self._folder)


async def _repository_state(watch: RepositoryWatch | None, refused: str) -> dict[str, str]:
    if watch is not None:
        try:
            return await watch.state()
        except WorkspaceError as error:
            if error.data.get("reason") != "failed":
                raise
            refused = error.message
    return {"repository": hashlib.sha256(refused.encode()).hexdigest()[:12]} if refused else {}


def _ref(run_id: str) -> str:
    if not _RUN_ID.fullmatch(run_id):
        raise WorkspaceError(f"{run_id[:80]!r} is no run id.")
    return _REFS + run_id


def _has_no_files(folder: Path) -> bool:
    for _, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in (OURS, ".git")]
        if any(name != ".git" for name in files):
            return False
    return True
