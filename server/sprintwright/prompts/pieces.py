"""A template's tree with values -> pieces of text that still know where they came from."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, cast

from sprintwright.prompts.expression import Name, evaluate
from sprintwright.prompts.parser import Block, If, Range


class Piece(NamedTuple):
    """A stretch of a prompt.

    ``name`` says which value was inserted (``plan``, ``results[2].Output``); it is empty for the template's own text.
    ``group`` is above 0 for everything that a list brought in, the template's text between its entries included: equal
    numbers are one list inserted at one place, ``listed`` is its name.
    """

    text: str
    name: str = ""
    group: int = 0
    listed: str = ""


def pieces_of(body: Block, values: Mapping[str, object]) -> list[Piece]:
    """The pieces in order. As long as the template and what is inserted together."""
    renderer = _Renderer(values)
    renderer.block(body)
    return renderer.pieces


class _Renderer:
    def __init__(self, values: Mapping[str, object]) -> None:
        self._values = values
        self._entry: Mapping[str, object] | None = None
        self._place = ""
        self._group = 0
        self._listed = ""
        self._groups = 0
        self.pieces: list[Piece] = []

    def block(self, body: Block) -> None:
        for part in body:
            match part:
                case str():
                    self._add(part)
                case Name():
                    self._insert(part.name)
                case If():
                    self._branch(part)
                case Range():
                    self._range(part)

    def _lookup(self, name: str) -> object:
        if self._entry is not None and name in self._entry:
            return self._entry[name]
        return self._values.get(name)

    def _branch(self, part: If) -> None:
        for condition, body in part.branches:
            if condition is None or evaluate(condition, self._lookup):
                self.block(body)
                return

    def _range(self, part: Range) -> None:
        entries = _entries(self._lookup(part.name))
        if not entries:
            self.block(part.otherwise)
            return
        outer = self._group
        self._start_group(part.name)
        for self._place, entry in _places(part.name, entries):
            self._entry = entry
            self.block(part.body)
        self._entry, self._group, self._place = None, outer, ""

    def _insert(self, name: str) -> None:
        value = self._lookup(name)
        field = self._entry is not None and name in self._entry
        if isinstance(value, str | int | float):
            self._add(str(value), f"{self._place}.{name}" if field else name)
        elif not self._group and (entries := _entries(value)):
            self._start_group(name)
            for number, (self._place, entry) in enumerate(_places(name, entries)):
                self._readable(entry, first=number == 0)
            self._group, self._place = 0, ""

    def _readable(self, entry: Mapping[str, object], *, first: bool) -> None:
        """One entry of a list that was inserted as a whole."""
        head = f"{entry.get('Label') or 'Item'} {entry.get('Index', '')}".rstrip()
        status = f" ({entry['Status']})" if entry.get("Status") else ""
        self._add(("" if first else "\n\n") + f"[{head}{status}]")
        for field in ("Err", "Output"):
            if text := str(entry.get(field) or ""):
                self._add("\n" + ("Error: " if field == "Err" else ""))
                self._add(text, f"{self._place}.{field}")

    def _start_group(self, name: str) -> None:
        self._groups += 1
        self._group, self._listed = self._groups, name

    def _add(self, text: str, name: str = "") -> None:
        self.pieces.append(Piece(text, name, self._group, self._listed if self._group else ""))


def _places(name: str, entries: Sequence[Mapping[str, object]]) -> list[tuple[str, Mapping[str, object]]]:
    """The entries, each with a name of its own: by its number, unless two have the same one."""
    numbers = [entry.get("Index") for entry in entries]
    if None in numbers or len({str(number) for number in numbers}) < len(entries):
        numbers = list(range(1, len(entries) + 1))
    return [(f"{name}[{number}]", entry) for number, entry in zip(numbers, entries, strict=True)]


def _entries(value: object) -> Sequence[Mapping[str, object]]:
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ()
    return [cast("Mapping[str, object]", item) for item in cast("Sequence[object]", value) if isinstance(item, Mapping)]
