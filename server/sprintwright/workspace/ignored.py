"""Which files another tree's ignore rules leave out: a snapshot of that time would not have held them."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from sprintwright.workspace.git import Git
from sprintwright.workspace.obstacles import GONE, LINK, Step
from sprintwright.workspace.putting import put_file

_RULES = b".gitignore"
_MOST_BYTES = 1_000_000


async def ignored_in(git: Git, store: Path, tree: str, steps: Iterable[Step]) -> set[bytes]:
    """Names that would be removed although the tree says nothing about them, because its rules ignore them.

    Args:
        git: for the folder.
        store: the snapshot store.
        tree: the one to restore.
        steps: what leads from the present tree to it.

    Raises:
        WorkspaceError: git failed.
    """
    steps = list(steps)
    removed = [step.name for step in steps if step.mode == GONE]
    if not removed or not any(_is_rules(step.name) for step in steps):
        return set()  # the same rules as now: what they ignore is in neither tree
    with tempfile.TemporaryDirectory(prefix="sprintwright-") as made:
        folder = Path(made)
        listed = await git.run("ls-tree", "-r", "-z", "--full-tree", tree, store=store)
        for entry in filter(None, listed.stdout.split(b"\0")):
            meta, _, name = entry.partition(b"\t")
            mode, _, blob = meta.decode("ascii").split()
            if _is_rules(name) and mode != LINK and b".." not in name.split(b"/"):
                read = await git.run("cat-file", "blob", blob, store=store, limit=_MOST_BYTES)
                put_file(folder, name, read.stdout, executable=False)
        asked = b"".join(name + b"\0" for name in removed)
        told = await git.run(
            "-C", folder, f"--work-tree={folder}", "check-ignore", "-z", "--stdin", "--no-index",
            store=store, stdin=asked, also=(1,),
        )  # fmt: skip
    return set(filter(None, told.stdout.split(b"\0")))


def _is_rules(name: bytes) -> bool:
    return name == _RULES or name.endswith(b"/" + _RULES)
