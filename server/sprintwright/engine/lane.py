"""One sequential path of a run: the run itself, or one item of a group."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TypeAlias

Variable: TypeAlias = "str | int | tuple[Mapping[str, str | int], ...]"


@dataclass(slots=True)
class Lane:
    """The variables of a path and where its replay stands.

    ``live`` becomes true at the first leaf that the lane performs anew; from then on nothing is replayed. ``last``
    is the key of the leaf before. ``groups`` holds, for each group around the lane, the prefix of all its items and
    of the lane's own one, so that an item's fresh start leaves its siblings' results alone.
    """

    vars: dict[str, Variable]
    live: bool = False
    last: str = ""
    groups: tuple[tuple[str, str], ...] = ()
    saved: str = ""
    """The text that the lane saved last: an item's output."""

    def fork(self, group: str, number: int, **own: Variable) -> Lane:
        """The lane of one item: a private copy of the variables; values are immutable, so none is shared."""
        prefix = f"{group}[{number}]/"
        return Lane(
            vars={**self.vars, **own}, live=self.live, last=prefix, groups=(*self.groups, (f"{group}[", prefix))
        )

    def is_siblings(self, key: str) -> bool:
        """Whether the key belongs to another item of a group that this lane is an item of."""
        return any(key.startswith(group) and not key.startswith(own) for group, own in self.groups)

    def save(self, name: str, text: str) -> None:
        """Keep a stage's output: under its name if it has one, and as ``previous`` in any case."""
        self.vars["previous"] = text
        if name:
            self.vars[name] = text
            self.saved = text


def entry(number: int, label: str, status: str, output: str, error: str) -> Mapping[str, str | int]:
    """One item of a group's aggregate, with the field names of the older dialect; read-only."""
    return MappingProxyType({"Index": number, "Label": label, "Status": status, "Output": output, "Err": error})
