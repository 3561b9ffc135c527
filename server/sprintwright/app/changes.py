"""What a turn, a pass, a sprint or a whole run changed: the files, the difference, and each file as it was then."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from sprintwright.app.look import Seen
from sprintwright.errors import PathRefused, Refused
from sprintwright.paths import relative_inside
from sprintwright.state.tree import ancestors
from sprintwright.text import one_line

if TYPE_CHECKING:
    from sprintwright.engine.ports import Workspace
    from sprintwright.workspace.snapshots import Snapshots

MOST_BYTES = 1_000_000
"""Of a file that is shown; larger ones are named only."""


@dataclass(frozen=True, slots=True)
class Span:
    """Two moments of a run, as trees of its snapshots."""

    before: str
    after: str
    """Empty: the files as they are now, for a turn that is at work, or was cut off and nothing was restored since."""


def span_of(seen: Seen, leaf: str) -> Span:
    """When a turn, a pass, a sprint, a restore, or (empty) the whole run began and ended.

    A turn that was done again began with its first try, unless a restore came between. One that was cut off ended with
    what it had left, which is now if no restore came after it.

    Raises:
        Refused: `unknown_leaf`, with those that have snapshots.
    """
    trees = {key: pair for key, pair in seen.state.trees.items() if all(pair)}
    attempts = seen.state.attempts
    trees |= {key: (before, attempts.left_at.get(key, "")) for key, before in attempts.begun.items()}
    restores = {key: (restore.before, restore.after) for key, restore in seen.state.moments.restores.items()}
    found = [pair for key, pair in trees.items() if not leaf or key == leaf or key.startswith((f"{leaf}/", f"{leaf}["))]
    if leaf in restores:
        found = [restores[leaf]]
    if not found:
        around = (name for key in trees for name in ancestors(key) if name.endswith("]"))
        known = sorted({*trees, *restores, *around})
        listed = "\n".join(f"  {key}" for key in known) or "  (none: no turn of this run could change files)"
        what = f"Nothing was recorded of {leaf!r}." if leaf else "No changes were recorded."
        raise Refused("unknown_leaf", f"{what} Give one of these, in quotes:\n{listed}", known=known)
    return Span(found[0][0], found[-1][1])


async def end_of(span: Span, workspace: Workspace) -> str:
    """The tree that it ended with; one is taken where that is now. Raises `WorkspaceError`."""
    return span.after or (await workspace.take()).tree


async def difference(span: Span, workspace: Workspace) -> str:
    """As a diff. Raises `WorkspaceError` when the snapshots are gone."""
    return await workspace.diff(span.before, await end_of(span, workspace))


async def file_at(seen: Seen, tree: str, path: str, snapshots: Snapshots) -> str:
    """A file's text as it was at a moment of the run.

    Args:
        tree: one that the run's records name.
        path: in the folder.

    Raises:
        Refused: `bad_argument` for another tree, a path that leaves the folder, or no such file then;
            `not_supported` for one that is no text, or larger than `MOST_BYTES`.
        WorkspaceError: the snapshots are gone.
    """
    if tree not in _trees(seen):
        named = one_line(tree, 40)
        raise Refused("bad_argument", f"Run {seen.place.run_id} recorded no files {named!r}; see run.changes.")
    try:
        inside = relative_inside(path)
    except PathRefused as error:
        raise Refused("bad_argument", error.message) from error
    name = path if unicodedata.normalize("NFC", path) == inside else inside  # as the snapshot spells it
    size, data = await snapshots.file(tree, name, limit=MOST_BYTES)
    if size is None:
        raise Refused("bad_argument", f"There was no file {name!r} then.")
    if size > MOST_BYTES:
        raise Refused("not_supported", f"{name!r} had {size:,} bytes then; no more than {MOST_BYTES:,} are shown.")
    try:
        if b"\0" in data:
            raise ValueError
        return data.decode("utf-8")
    except ValueError:
        raise Refused("not_supported", f"{name!r} is no text: {size:,} bytes then.") from None


def _trees(seen: Seen) -> set[str]:
    """Every tree that a client can have been told of."""
    state = seen.state
    found = {tree for pair in state.trees.values() for tree in pair}
    found |= {*state.attempts.begun.values(), *state.attempts.left_at.values()}
    for restore in state.moments.restores.values():
        found |= {restore.before, restore.target, restore.after}
    return found - {""}
