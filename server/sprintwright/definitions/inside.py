"""From a place in a scalar's text to the place in the file, whichever way the scalar is written."""

from __future__ import annotations

import re
from functools import cached_property

from sprintwright.definitions.nodes import ScalarNode
from sprintwright.model.problem import Range

_SPACE = frozenset(" \t\n\r\x85\u2028\u2029")
_DOUBLE = re.compile(
    r"\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}"
    r"|\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|\r\n|.)|.",
    re.DOTALL,
)
_SINGLE = re.compile(r"''|.", re.DOTALL)
_BLANK_ESCAPES = frozenset("ntrNLP \t\n\r")


class Inside:
    """The places of one scalar's characters.

    Folding and indentation change white space only. So the n-th character that is not white space is the same one in
    the text and in the file, and everything else follows from counting.
    """

    def __init__(self, node: ScalarNode) -> None:
        self._node = node

    @cached_property
    def _places(self) -> dict[int, tuple[int, int]]:
        shown = [index for index, character in enumerate(self._node.text) if character not in _SPACE]
        units = _units(self._node)
        return dict(zip(shown, units, strict=True)) if len(shown) == len(units) else {}

    @property
    def exact(self) -> bool:
        """Whether places can be told at all."""
        return bool(self._places)

    def range(self, start: int, end: int) -> Range:
        """The range of the characters from ``start`` to ``end`` of the text; the whole scalar's if it can't be told."""
        first, last = self._places.get(start), self._places.get(end - 1)
        if first is None or last is None:
            return self._node.range
        return self._node.source.range(first[0], last[1])


def _units(node: ScalarNode) -> list[tuple[int, int]]:
    """Start and end, in the file, of everything that stands for a character other than white space."""
    text, start, end = node.source.text, node.start, node.end
    if node.style in ("|", ">"):
        line_end = text.find("\n", start, end)
        start = end if line_end < 0 else line_end
    elif node.style:
        start, end = start + 1, end - 1
    pattern = {"'": _SINGLE, '"': _DOUBLE}.get(node.style)
    if pattern is None:
        return [(index, index + 1) for index in range(start, end) if text[index] not in _SPACE]
    return [match.span() for match in pattern.finditer(text, start, end) if not _blank(match[0])]


def _blank(unit: str) -> bool:
    if not unit.startswith("\\") or len(unit) == 1:
        return unit in _SPACE
    if unit[1] in "xuU" and len(unit) <= 10 and unit.count("\\") == 1 and len(unit) > 2:
        return chr(int(unit[2:], 16)) in _SPACE
    return unit[1] in _BLANK_ESCAPES
