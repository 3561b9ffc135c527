"""What differs between two trees of the snapshot store, as values and as text."""

from __future__ import annotations

import re
from pathlib import Path

from sprintwright.errors import WorkspaceError
from sprintwright.model.changes import Change, ChangeStatus
from sprintwright.processes import FinishedBytes
from sprintwright.workspace.git import Git

MOST_CHANGES = 1_000
_MOST_TEXT = 20_000_000
_BYTES_PER_CHARACTER = 4
MISSING = re.compile(
    r"bad object|bad tree|not a tree|unable to read|is corrupt|missing|could not read|is empty|not a git repository"
)
GONE = "The snapshots of that time are gone: their store (.sprintwright/snapshots.git) was removed or cleaned."
_STATUS: dict[str, ChangeStatus] = {"A": "added", "D": "deleted"}


async def changed_files(git: Git, store: Path, before: str, after: str) -> tuple[Change, ...]:
    """The files that differ, by path; after `MOST_CHANGES` one `more` says how many are left out.

    Raises:
        WorkspaceError: a tree can't be read.
    """
    if before == after:
        return ()
    raw = (await diff_tree(git, store, ("--raw", "-z"), before, after)).stdout.split(b"\0")
    pairs = list(zip(raw[0::2], raw[1::2], strict=False))
    changes = [_change(meta.decode("ascii"), name) for meta, name in pairs[:MOST_CHANGES]]
    if (more := len(pairs) - MOST_CHANGES) > 0:
        changes.append(Change(path=f"{more:,} more files", status="more"))
    return tuple(changes)


def _change(meta: str, name: bytes) -> Change:
    _, _, old, new, letter = meta.split()
    status = _STATUS.get(letter, "mode" if old == new else "modified")
    return Change(path=shown(name), status=status)


def shown(name: bytes) -> str:
    """A file's name as text: what is no UTF-8 stands as `\\xff`."""
    return name.decode("utf-8", "backslashreplace")


async def diff_text(git: Git, store: Path, before: str, after: str, limit: int | None) -> str:
    """A unified diff; binary files are named only. Beyond ``limit`` characters a line says what is missing.

    Raises:
        WorkspaceError: a tree can't be read.
    """
    if before == after:
        return ""
    most = _MOST_TEXT if limit is None else min(limit, _MOST_TEXT)
    options = ("--patch", "--no-color", "--src-prefix=a/", "--dst-prefix=b/", "--submodule=short")
    finished = await diff_tree(git, store, options, before, after, most * _BYTES_PER_CHARACTER)
    text = finished.stdout.decode("utf-8", "replace")
    if len(text) <= most and finished.size == len(finished.stdout):
        return text
    kept = text[: text.rfind("\n", 0, most) + 1]
    missing = finished.size - len(kept.encode())
    return f"{kept}… {max(missing, 1):,} more bytes of this diff are not shown.\n"


async def diff_tree(
    git: Git, store: Path, options: tuple[str, ...], before: str, after: str, limit: int | None = None
) -> FinishedBytes:
    """What git says of the difference between two trees. Raises `WorkspaceError` when one can't be read."""
    for tree in (before, after):
        if not re.fullmatch(r"[0-9a-f]{40}", tree):
            raise WorkspaceError(f"{tree[:80]!r} is no snapshot; its run may be from another program.")
    safe = ("--no-ext-diff", "--no-textconv", "--no-renames")
    try:
        return await git.run(
            "diff-tree", "-r", *safe, *options, "--end-of-options", before, after, store=store, limit=limit
        )
    except WorkspaceError as error:
        if MISSING.search(error.message):
            raise WorkspaceError(
                f"Cannot compare: object missing. {GONE} {error.message}", data={"reason": "gone"}
            ) from error
        raise
