"""Loops, groups and their entries in the tree: which one is going on, what was judged, how each ended."""

from __future__ import annotations

from sprintwright.model.records import Entered, Left
from sprintwright.state.node import NodeStatus, parent_of
from sprintwright.state.tree import AT_WORK, NodeTree, ancestors


class Scopes:
    """What happens around leaves. It changes the tree, and remembers only which entry of a loop is the present one."""

    def __init__(self, tree: NodeTree) -> None:
        self._tree = tree
        self._current: dict[str, str] = {}

    def begin(self, around: list[str]) -> None:
        """Something begins inside of these, the nearest first."""
        for ancestor in around:
            if ancestor.endswith("]"):
                self._move_on(ancestor)
            self._tree.set(ancestor, "running")

    def _move_on(self, entry: str) -> None:
        """In a sequential loop the entry before is done when the next one begins."""
        loop = parent_of(entry)
        before = self._current.get(loop)
        if self._tree.nodes[loop].kind == "group":
            return
        if before in self._tree.nodes and before != entry and self._tree.nodes[before].status in AT_WORK:
            self._tree.set(before, "done")
        self._current[loop] = entry
        self._tree.fill(entry)

    def judged(self, key: str, verdict: str, action: str) -> None:
        """A verdict is shown at its turn and around it, up to the sprint or item."""
        self._tree.nodes[key].verdict, self._tree.nodes[key].action = verdict, action
        for ancestor in ancestors(key):
            self._tree.nodes[ancestor].verdict, self._tree.nodes[ancestor].action = verdict, action
            self._tree.delta.changed[ancestor] = None
            if self._tree.nodes[ancestor].kind == "entry":
                return

    def evaluator(self, key: str) -> str:
        """The same for each pass of one evaluator: the number of the innermost bounded loop is left out."""
        for ancestor in ancestors(key):
            if ancestor.endswith("]") and parent_of(ancestor) in self._tree.bounded:
                return parent_of(ancestor) + key[len(ancestor) :]
        return key

    def entered(self, key: str, payload: Entered) -> None:
        """A loop or group begins: its entries are known, or its limit."""
        node = self._tree.node(key, "loop")
        node.limit = payload.limit
        if payload.limit:
            self._tree.bounded.add(key)
            return
        wanted = {f"{key}[{entry.number}]": entry for entry in payload.entries}
        for gone in [child for child in self._tree.children.get(key, []) if child not in wanted]:
            self._tree.remove(gone)
        for entry_id, entry in wanted.items():
            made = self._tree.node(entry_id, "entry")
            made.label = f"{payload.label} {entry.number}" + (f": {entry.title}" if entry.title else "")

    def left(self, key: str, payload: Left) -> None:
        """A loop, a group or one item came to its end."""
        self._tree.node(key, "loop")
        status: NodeStatus = "done"
        if payload.outcome in ("exhausted", "error"):
            status = "failed"
        elif payload.outcome in ("blocked", "no_items"):
            status = "blocked" if payload.outcome == "blocked" else "skipped"
        detail = payload.reason or {"exhausted": "the passes are used up"}.get(payload.outcome, "")
        if (last := self._current.pop(key, None)) is not None and last in self._tree.at_work:
            self._tree.set(last, "done")
        self._tree.set(key, status, detail or ("" if status == "done" else self._tree.nodes[key].detail))
