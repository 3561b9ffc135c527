"""The snapshot store: a bare repository of ours beside the runs, made by hand so that no template gets in."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path

from sprintwright.errors import PathRefused, WorkspaceError
from sprintwright.paths import (
    make_private_dir,
    open_beneath,
    read_beneath,
    refuse_links,
    remove_leftovers,
    write_atomic,
)
from sprintwright.processes import boot_id
from sprintwright.workspace.ignore import rules_below
from sprintwright.workspace.repository import Repository
from sprintwright.workspace.waiting import in_thread

OURS = ".sprintwright"
STORE_NAME = "snapshots.git"
_RULES_BYTES = 1_000_000
_FILE_BYTES = 20 * _RULES_BYTES
_POLL_SECONDS = 0.02

_ATTRIBUTES = b"* -text -filter -ident -working-tree-encoding !diff -merge\n"
"""Bytes as they are on disk. `!diff`: with `-diff` every file would be binary; drivers are off by option."""

_CONFIG = """\
[core]
\trepositoryFormatVersion = 0
\tbare = true
\tfileMode = true
\tignoreCase = {ignore_case}
\tprecomposeUnicode = {precompose}
\ttrustCtime = true
\tcheckStat = default
\tlogAllRefUpdates = false
\tsparseCheckout = false
\tsplitIndex = false
\tuntrackedCache = false
\tprotectNTFS = false
\tprotectHFS = false
\tfsync = reference,pack,pack-metadata
[index]
\tversion = 4
"""
# Loose objects are not synced: that costs more than the snapshot. `_repair` looks after them when power was lost.


class Store:
    """The store of one folder.

    Args:
        folder: the workspace, absolute.
        repository: the user's, for the ignore rules that stand outside of the folder.
    """

    def __init__(self, folder: Path, repository: Repository | None) -> None:
        self._folder = folder
        self._repository = repository
        self.path = folder / OURS / STORE_NAME
        self.index = self.path / "index"

    @contextlib.asynccontextmanager
    async def owned(self) -> AsyncGenerator[int]:
        """Hold the store alone, among all processes, with everything in it as it should be.

        Yields:
            The lock's descriptor. Hand it to git: an orphan of a killed owner then still holds it.

        Raises:
            WorkspaceError: the store can't be made.
        """
        try:
            await in_thread(self._make)
            descriptor = open_beneath(self.path, "owner.lock", os.O_RDWR | os.O_CREAT)
        except (OSError, PathRefused) as error:
            raise WorkspaceError(f"Snapshots can't be kept in {str(self.path)!r}: {error}") from error
        try:
            await _lock(descriptor)
            try:
                await in_thread(self._settle)
            except (OSError, PathRefused) as error:
                raise WorkspaceError(f"Snapshots can't be kept in {str(self.path)!r}: {error}") from error
            yield descriptor
        finally:
            os.close(descriptor)

    def forget_index(self) -> None:
        """Remove the index. The folder has all that is in it; the next snapshot reads every file again."""
        self.index.unlink(missing_ok=True)

    def _make(self) -> None:
        ours = self._folder / OURS
        refuse_links(self.path, self._folder)
        if not ours.exists():
            ours.mkdir(0o700)
            write_atomic(ours, ".gitignore", b"*\n")
        make_private_dir(self.path)

    def _settle(self) -> None:
        """Bring back what a killed owner or anybody else left: stale locks, changed settings."""
        for pattern in ("*.lock", "refs/sprintwright/*.lock"):
            for stale in self.path.glob(pattern):
                if stale.name != "owner.lock":
                    stale.unlink(missing_ok=True)
        remove_leftovers(self.path)
        for name in ("objects", "refs", "info"):
            make_private_dir(self.path / name)
        self._keep_file("HEAD", b"ref: refs/heads/none\n")
        self._keep_file("config", self._config())
        self._keep_file("info/attributes", _ATTRIBUTES)
        self._keep_file("info/exclude", self._exclude())
        (self.path / "objects" / "info" / "alternates").unlink(missing_ok=True)
        self._keep_file("boot", boot_id().encode(), before=self._repair)

    def _keep_file(self, rel: str, content: bytes, before: Callable[[], None] = lambda: None) -> None:
        try:
            if read_beneath(self.path, rel, _FILE_BYTES) == content:
                return
        except FileNotFoundError:
            pass
        before()
        write_atomic(self.path, rel, content)

    def _repair(self) -> None:
        """After a boot: objects that a power cut left empty would be taken for written ones for ever."""
        self.forget_index()
        for kept in self.path.glob("objects/??/*"):
            if kept.lstat().st_size == 0:
                kept.unlink()

    def _config(self) -> bytes:
        ignores_case = (self.path / "head").exists() and (self.path / "HEAD").exists()
        text = _CONFIG.format(ignore_case=_word(ignores_case), precompose=_word(sys.platform == "darwin"))
        return text.encode()

    def _exclude(self) -> bytes:
        lines: list[str] = []
        if self._repository is not None:
            lines = _outer_rules(self._repository, self._folder)
        return "".join(f"{line}\n" for line in [*lines, f"/{OURS}/"]).encode("utf-8", "surrogateescape")


def _word(value: bool) -> str:
    return "true" if value else "false"


def _outer_rules(repository: Repository, folder: Path) -> list[str]:
    """`info/exclude`, and the `.gitignore` of every folder between the repository's top and this one."""
    way = folder.resolve().relative_to(repository.root).parts
    lines = rules_below(_rules(repository.common_dir / "info", "exclude"), "/".join(way))
    above = repository.root
    for depth, name in enumerate(way):
        lines += rules_below(_rules(above, ".gitignore"), "/".join(way[depth:]))
        above = above / name
    return lines


def _rules(folder: Path, name: str) -> list[str]:
    try:
        return read_beneath(folder, name, _RULES_BYTES).decode("utf-8", "surrogateescape").splitlines()
    except (OSError, PathRefused):
        return []


async def _lock(descriptor: int) -> None:
    import fcntl  # not on Windows

    while True:
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            await asyncio.sleep(_POLL_SECONDS)
        else:
            return
