"""The moments whose files a run can be put back to, and the restores that were done. Pure."""

from __future__ import annotations

from dataclasses import dataclass

from sprintwright.model.records import Failed, Finished, Record, SetAside, Started
from sprintwright.state.tree import ancestors

START = "start"


@dataclass(slots=True)
class RestoreLeaf:
    """One restore. Not ``done``: it was cut off, or failed with ``problem``, and some files may be restored."""

    key: str
    to: str
    before: str
    target: str
    after: str = ""
    """The files as they were when it was done."""
    done: bool = False
    problem: str = ""

    @property
    def words(self) -> str:
        """Where to, for people."""
        return moment_words(self.to)


def moment_words(to: str) -> str:
    """A moment for people: ``the start of the run``, ``before sprints[1]``."""
    return "the start of the run" if to == START else f"before {to}"


class Moments:
    """Snapshots by the leaf that they were taken before; the cost of a record does not depend on how many there are."""

    def __init__(self) -> None:
        self.restores: dict[str, RestoreLeaf] = {}
        self.start = ""
        """The first snapshot of the run."""
        self._before: dict[str, str] = {}
        self._over: set[str] = set()
        """Leaves that came to an end: done once more, they begin anew."""

    @property
    def cut_off(self) -> RestoreLeaf | None:
        """A restore that did not come to its end, if none came to its end after it."""
        last = next(reversed(self.restores.values()), None)
        return last if last is not None and not last.done else None

    def take(self, record: Record) -> RestoreLeaf | None:
        """Take a record in; the restore that it belongs to, if it does."""
        key, payload = record.key, record.payload
        match payload:
            case Started(what="restore"):
                self.restores[key] = RestoreLeaf(key, payload.to, payload.before, payload.text)
                return self.restores[key]
            case Started() if payload.before:
                self.start = self.start or payload.before
                if key in self._over or key not in self._before:  # tried again, it began when it was tried first
                    self._before.pop(key, None)
                    self._before[key] = payload.before
                    self._over.discard(key)
            case Finished() | Failed() if key in self.restores:
                leaf = self.restores[key]
                if isinstance(payload, Finished):
                    leaf.done, leaf.after = True, str(payload.value.get("after", ""))
                else:
                    leaf.problem = payload.message
                return leaf
            case Finished():
                self._over.add(key)
            case SetAside():
                self._over.update(payload.keys)
            case _:
                pass
        return None

    def find(self, to: str) -> str:
        """The tree of a moment: ``start``, or before a leaf, a pass, a sprint, a restore. Empty for an unknown one."""
        if to in ("", START):
            return self.start
        if to in self.restores:
            return self.restores[to].before
        inside = (tree for key, tree in self._before.items() if key == to or key.startswith((f"{to}/", f"{to}[")))
        return next(inside, "")

    def known(self) -> list[str]:
        """Every moment that `find` knows, in the order of their names."""
        around = {name for key in self._before for name in ancestors(key) if name.endswith("]")}
        return [START, *sorted({*self._before, *around}), *self.restores] if self.start else []

    def undo(self, key: str) -> str:
        """What to restore to, to undo a restore: from before the first one that was cut off on the way to it."""
        order = list(self.restores.values())
        at = next(number for number, leaf in enumerate(order) if leaf.key == key)
        while at and not order[at - 1].done and order[at - 1].target == order[at].target:
            at -= 1
        return order[at].key
