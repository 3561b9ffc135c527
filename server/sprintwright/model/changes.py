"""What a snapshot is, and what differs between two: values that runs record."""

from __future__ import annotations

from typing import Literal, TypeAlias

from sprintwright.model.value import Value

ChangeStatus: TypeAlias = Literal["added", "modified", "deleted", "mode", "more"]


class Snapshot(Value):
    """The files of a folder at one moment."""

    tree: str
    """Id of the git tree in the snapshot store: equal trees, equal files."""
    not_covered: tuple[str, ...] = ()
    """Paths that the tree does not hold (nested repositories end in `/`): their changes are not known."""
    head: str = ""
    """Fingerprint of the user's repository as `part:hash` words (head, branch, index, refs, config, hooks);
    empty outside of one. `sprintwright.workspace.repository.moved_parts` names what differs."""


class Change(Value):
    """One file that differs between two snapshots."""

    path: str
    """Relative to the folder, with `/`; bytes that are no UTF-8 stand as `\\xff`."""
    status: ChangeStatus
    """`mode`: only the permission bits differ. `more`: the list is cut here; ``path`` says by how much."""
