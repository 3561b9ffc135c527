"""A single file of a tree of the snapshot store, by its name."""

from __future__ import annotations

import re
from pathlib import Path

from sprintwright.errors import WorkspaceError
from sprintwright.workspace.changes import GONE, MISSING
from sprintwright.workspace.git import Git

_HEADER_BYTES = 100


async def read_file(git: Git, store: Path, tree: str, name: str, limit: int) -> tuple[int | None, bytes]:
    """Its size, None where it is no file of the tree, and its bytes; of a link they are the name that it points to.

    Args:
        name: relative, with `/`, and no line end in it.
        limit: of a larger file only the size is given.

    Raises:
        WorkspaceError: ``tree`` is no tree of the store, or the store is gone.
    """
    if not re.fullmatch(r"[0-9a-f]{40}", tree) or "\n" in name:
        raise WorkspaceError(f"{tree[:80]!r} has no file {name[:80]!r}.")
    told = await _asked(git, store, "--batch", f"{tree}:{name}", limit + _HEADER_BYTES)
    header, _, data = told.partition(b"\n")
    found = re.fullmatch(rb"[0-9a-f]{40} blob (\d+)", header)
    if found is None:
        if not (await _asked(git, store, "--batch-check", tree)).startswith(f"{tree} tree ".encode()):
            raise WorkspaceError(GONE, data={"reason": "gone"})
        return None, b""
    size = int(found[1])
    return size, data[:size] if size <= limit else b""


async def _asked(git: Git, store: Path, how: str, what: str, limit: int | None = None) -> bytes:
    try:
        return (await git.run("cat-file", how, store=store, stdin=f"{what}\n".encode(), limit=limit)).stdout
    except WorkspaceError as error:
        if MISSING.search(error.message):
            raise WorkspaceError(GONE, data={"reason": "gone"}) from error
        raise
