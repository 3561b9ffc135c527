"""Where a finding is in a text as it stands now, which may have been edited since. Pure; it refuses nothing (B147)."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Literal

from sprintwright.definitions.source import Source
from sprintwright.model.finding import Finding
from sprintwright.model.problem import Range

Found = Literal["exact", "moved", "clamped", "file"]

_LINE_END = re.compile(r"\r\n|\r|\n")
_WORD = re.compile(r"\w+")
_MOST_COMPARED = 400
"""Lines that are compared for one snippet: its rarest line may stand everywhere. The nearest places are tried first."""
_PART_LINES = 20
"""How far around its line a snippet that is only a part of a line is looked for."""
_SHORTEST_PART = 6
"""Fewer letters than this stand in too many lines to mean one."""
_LONG_LINE = 4_000
"""A longer line is compared as it is: no snippet is as long, and one call over megabytes would hold up all threads."""


@dataclass(frozen=True, slots=True)
class Place:
    """A range of a text (inside of it), and how it was found.

    ``exact``: where the finding says. ``moved``: its snippet stands on another line now. ``clamped``: the line that it
    means is not there any more, this is the nearest. ``file``: it names no line.
    """

    range: Range
    found: Found


def locate(finding: Finding, text: str) -> Place:
    """Where a finding is in a text. For several findings make one `Locator`."""
    return Locator(text).locate(finding)


class Locator:
    """A text whose lines are looked at once, however many findings are about it."""

    def __init__(self, text: str) -> None:
        self._source = Source(text)
        self._count = len(self._source.line_starts)

    def locate(self, finding: Finding) -> Place:
        """Where a finding is; never an exception, whatever lines, columns and snippet it has."""
        told = finding.line - 1
        snippet = _bare_lines(finding.snippet)
        if snippet:
            start = self._find(snippet, max(0, min(told, self._count - 1)))
            if start is not None:
                found: Found = "exact" if start == told or told < 0 else "moved"
                return Place(self._around(finding, start, start + len(snippet) - 1, finding.snippet), found)
        if told < 0:
            return Place(Range(line=0, column=0, end_line=0, end_column=0), "file")
        if snippet or told >= self._count:
            line = min(told, self._count - 1)
            return Place(self._whole(line, line), "clamped")
        return Place(self._around(finding, told, told, ""), "exact")

    def _line(self, number: int) -> str:
        """A line without its end."""
        starts = self._source.line_starts
        end = starts[number + 1] if number + 1 < self._count else len(self._source.text)
        return self._source.text[starts[number] : end].rstrip("\r\n")

    def _bare(self, number: int) -> str:
        """A line with its white space normalised."""
        line = self._line(number)
        return " ".join(line.split()) if len(line) <= _LONG_LINE else line

    @cached_property
    def _index(self) -> dict[str, list[int]]:
        """Where each line stands, in order; asked for when a snippet is not where it was."""
        index: dict[str, list[int]] = {}
        for number in range(self._count):
            index.setdefault(self._bare(number), []).append(number)
        return index

    def _find(self, snippet: list[str], told: int) -> int | None:
        """The line on which a snippet begins that is nearest to where it stood."""
        if self._stands(snippet, told) or self._is_part(snippet, told):
            return told
        offset = min(range(len(snippet)), key=lambda at: len(self._index.get(snippet[at], ())))
        numbers = _nearest_first(self._index.get(snippet[offset], []), told + offset)
        for number in islice(numbers, _MOST_COMPARED // len(snippet) + 1):
            if self._stands(snippet, number - offset):
                return number - offset
        near = range(max(0, told - _PART_LINES), min(self._count, told + _PART_LINES + 1))
        parts = (at for at in near if len(self._line(at)) <= _LONG_LINE and self._is_part(snippet, at))
        return min(parts, key=lambda at: abs(at - told), default=None)

    def _stands(self, snippet: list[str], at: int) -> bool:
        if not 0 <= at <= self._count - len(snippet):
            return False
        return all(self._bare(at + number) == line for number, line in enumerate(snippet))

    def _is_part(self, snippet: list[str], at: int) -> bool:
        """Whether a line holds the snippet and more: agents leave comments and long ends out."""
        part = snippet[0].removesuffix("…")
        return len(snippet) == 1 and len(part) >= _SHORTEST_PART and at < self._count and part in self._bare(at)

    def _around(self, finding: Finding, first: int, last: int, snippet: str) -> Range:
        """The finding's columns if there are such, else the text of its lines; ``first`` is where it is now."""
        told, end = finding.line - 1, finding.end_line - 1
        if told >= 0 and end > told:
            last = min(first + end - told, self._count - 1)
        line = self._line(first)
        shift = _indent(line) - _indent(snippet) if snippet[:1].isspace() and snippet[:1] not in "\r\n" else 0
        column = finding.column - 1 + shift
        if finding.column < 1 or not 0 <= column < len(line):
            return self._whole(first, last)
        return self._from_column(finding, first, last, column, shift)

    def _from_column(self, finding: Finding, first: int, last: int, column: int, shift: int) -> Range:
        end_column = finding.end_column - 1
        if end_column >= 0 and finding.end_line in (0, finding.line):
            end_line, end_column = first, end_column + shift
        else:
            end_line = last
        known = end_column >= 0 and 0 <= end_column <= len(self._line(end_line))
        if not known or (end_line, end_column) <= (first, column):
            end_line, end_column = self._end_of(first, last, column)
        return Range(line=first, column=column, end_line=end_line, end_column=end_column)

    def _end_of(self, first: int, last: int, column: int) -> tuple[int, int]:
        """Where something ends of which only the beginning is known: with its word, or its last line."""
        if last > first:
            return last, len(self._line(last).rstrip())
        word = _WORD.match(self._line(first), column)
        return first, word.end() if word else column + 1

    def _whole(self, first: int, last: int) -> Range:
        end = len(self._line(last).rstrip())
        column = min(_indent(self._line(first)), len(self._line(first).rstrip()))
        return Range(line=first, column=column, end_line=last, end_column=end)


def _bare_lines(snippet: str) -> list[str]:
    """A snippet's lines with their white space normalised, without blank ones around them."""
    lines = [" ".join(line.split()) for line in _LINE_END.split(snippet)]
    filled = [number for number, line in enumerate(lines) if line]
    return lines[filled[0] : filled[-1] + 1] if filled else []


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _nearest_first(numbers: list[int], near: int) -> Iterator[int]:
    """Sorted numbers, those nearest to one first; of two as near, the earlier."""
    above = bisect_left(numbers, near)
    below = above - 1
    while below >= 0 or above < len(numbers):
        if above >= len(numbers) or (below >= 0 and near - numbers[below] <= numbers[above] - near):
            yield numbers[below]
            below -= 1
        else:
            yield numbers[above]
            above += 1
