"""Leaves that have not come to an end: where the first try of each began, and what tries that were cut off left."""

from __future__ import annotations

from typing import Any

from sprintwright.model.records import Finished, Payload, Started
from sprintwright.model.results import Changed
from sprintwright.state.moments import RestoreLeaf

_BOTH = {
    ("added", "modified"): "added", ("added", "mode"): "added", ("added", "deleted"): "",
    ("deleted", "added"): "modified",
}  # fmt: skip
"""What two changes of a file, one after the other, come to, where that is not the later one; empty: nothing."""


class Attempts:
    """What a leaf changed counts from its first try, unless files were put back meanwhile.

    A try that was cut off has no comparison of its own: the decision to do it again, or to keep it, holds one.
    """

    def __init__(self) -> None:
        self.begun: dict[str, str] = {}
        """Turns and checks that are at work or were cut off, with the snapshot before their first try."""
        self.left_at: dict[str, str] = {}
        """What a leaf that has no end had left, where a restore came after it: the snapshot before the restore."""
        self._first: dict[str, str] = {}
        self._listed_to: dict[str, str] = {}
        """Leaf to the snapshot until which all that is different is in a list, or was there before its first try."""
        self._left: dict[str, Changed] = {}

    def began(self, key: str, before: str) -> bool:
        """A try begins; False: something changed since the try before, and no list has it."""
        if key in self.left_at:
            self.forget(key)
        self.begun[key] = self._first.setdefault(key, before)
        listed_to, self._listed_to[key] = self._listed_to.get(key, before), before
        return listed_to == before

    def decided(self, key: str, left: Changed | None) -> None:
        """It was decided about a leaf that was cut off; None: what it left is not known, or was put back."""
        self._left.pop(key, None)
        if left is not None and key in self.begun:
            self._left[key], self._listed_to[key] = left, left.after

    def stopped(self, key: str) -> None:
        """A try is over without a result; another may follow."""
        self.begun.pop(key, None)

    def ended(self, key: str, changes: dict[str, Any] | None) -> dict[str, Any] | None:
        """A leaf has its result: what all its tries changed together, as a recorded `Changed`.

        Args:
            changes: what the last try changed, if that was looked at.
        """
        first, left = self._first.get(key, ""), self._left.get(key)
        self.forget(key)
        if changes is None:
            return None if left is None else left.model_dump(mode="json")
        if left is None:
            return {**changes, "before": first or changes.get("before", "")}
        return _together(left.model_dump(mode="json"), changes)

    def forget(self, key: str) -> None:
        """A leaf is over, or begins from nothing."""
        for known in (self.begun, self.left_at, self._first, self._listed_to, self._left):
            known.pop(key, None)

    def restored(self, restore: RestoreLeaf, payload: Payload) -> None:
        """What leaves without an end had left is put back, or, where a restore is undone, there again."""
        if isinstance(payload, Started):
            for key in self._first:
                self.left_at.setdefault(key, payload.before)
        elif isinstance(payload, Finished):
            self.left_at = {key: tree for key, tree in self.left_at.items() if tree != restore.target}


def _together(left: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """What a try left and the next one changed, as one."""
    files = {str(file["path"]): str(file["status"]) for file in left["files"]}
    for file in changes.get("files", ()):
        path, status = str(file["path"]), str(file["status"])
        files[path] = _BOTH.get((files.get(path, ""), status), status)
    return {
        **changes,
        "before": left["before"],
        "files": [{"path": path, "status": status} for path, status in files.items() if status],
        "more": max(int(left["more"]), int(changes.get("more", 0))),
        "together_with": [*dict.fromkeys([*left["together_with"], *changes.get("together_with", ())])],
    }
