"""The part of a long text that a cursor's place depends on; the rest becomes blanks, so that offsets stay."""

from __future__ import annotations

import re

from sprintwright.definitions.source import Source

_LONG = 10_000
"""Characters of a text below which nothing is gained."""
_TOP = re.compile(r"(?:[\w\"'][^\n]*:(?:[ \t\r]|$)|[\w.-]+[ \t\r]*$|-(?:[ \t\r]|$)|#|---|\.\.\.)", re.MULTILINE)
"""How lines begin that stand at the left edge of a file in block notation."""
_CONTENT = re.compile(r"[ \t]*+")
_DASH = re.compile(r"-(?:[ \t\r\n]|\Z)")


def window(source: Source, offset: int) -> str:
    """The text, where of a long one only the lines at the left edge and the list item around ``offset`` are left.

    A text in another form than block notation at its left edge stays whole.
    """
    text, starts = source.text, source.line_starts
    if len(text) < _LONG:
        return text
    edge = [number for number, start in enumerate(starts) if text[start : start + 1] not in ("", " ", "\t", "\r", "\n")]
    mark = 1 if text.startswith("\ufeff") else 0
    if not all(_TOP.match(text, starts[number] or mark) for number in edge):
        return text
    line = source.position(offset)[0]
    first, last = _item(source, edge, line)
    kept = {line, *edge, *range(first, last)}
    pieces, position = list[str](), 0
    for number in sorted(kept):
        start = starts[number]
        if start > position:
            pieces.append(" " * (start - position - 1) + "\n")
        end = starts[number + 1] if number + 1 < len(starts) else len(text)
        pieces.append(text[start:end])
        position = end
    if position < len(text):
        pieces.append(" " * (len(text) - position))
    return "".join(pieces)


def _item(source: Source, edge: list[int], line: int) -> tuple[int, int]:
    """The lines of the outermost list item around a line, or of everything below its key at the left edge."""
    text, starts = source.text, source.line_starts
    keys = [number for number in edge if not text.startswith(("-", "#"), starts[number])]
    first = max((number for number in keys if number <= line), default=0)
    last = min((number for number in keys if number > line), default=len(starts))
    inside = [number for number in range(first + 1, last) if not _is_empty(source, number)]
    if not inside or not _is_dash(source, inside[0]):
        return first, last
    column = _column(source, inside[0])
    dashes = [number for number in inside if _column(source, number) == column and _is_dash(source, number)]
    first = max((number for number in dashes if number <= line), default=first)
    return first, min((number for number in dashes if number > line), default=last)


def _content(source: Source, number: int) -> int:
    start = source.line_starts[number]
    found = _CONTENT.match(source.text, start)
    return found.end() if found else start


def _column(source: Source, number: int) -> int:
    return _content(source, number) - source.line_starts[number]


def _is_empty(source: Source, number: int) -> bool:
    return source.text[_content(source, number) : _content(source, number) + 1] in ("", "\r", "\n", "#")


def _is_dash(source: Source, number: int) -> bool:
    return bool(_DASH.match(source.text, _content(source, number)))
