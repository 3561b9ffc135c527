"""A text with its lines, so that offsets can be told as places."""

from __future__ import annotations

import itertools
import operator
import re
from bisect import bisect_right
from functools import cached_property

from sprintwright.model.problem import Range

_LINE_END = re.compile(r"\r\n|\r|\n")


class Source:
    """A text; lines end as editors end them (LF, CRLF, CR), whatever YAML takes for one."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def line_starts(self) -> list[int]:
        """Offset of the first character of each line."""
        if "\r" in self.text:
            return [0, *(match.end() for match in _LINE_END.finditer(self.text))]
        lengths = map(len, self.text.split("\n"))
        starts = [0, *map(operator.add, itertools.accumulate(lengths), itertools.count(1))]
        starts.pop()  # behind the last line none begins
        return starts

    def position(self, offset: int) -> tuple[int, int]:
        """The 0-based line and column of an offset."""
        offset = max(0, min(offset, len(self.text)))
        line = bisect_right(self.line_starts, offset) - 1
        return line, offset - self.line_starts[line]

    def range(self, start: int, end: int) -> Range:
        """The range between two offsets."""
        (line, column), (end_line, end_column) = self.position(start), self.position(max(start, end))
        return Range(line=line, column=column, end_line=end_line, end_column=end_column)

    def line_at(self, offset: int) -> tuple[int, int]:
        """Start and end of the line around an offset, without its line end."""
        start = self.line_starts[self.position(offset)[0]]
        found = _LINE_END.search(self.text, start)
        return start, found.start() if found else len(self.text)
