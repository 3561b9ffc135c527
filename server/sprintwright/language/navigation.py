"""Definition and references of what a cursor is at."""

from __future__ import annotations

from collections.abc import Iterable

from sprintwright.language.document import Document
from sprintwright.language.occurrences import Occurrence, at_cursor, occurrences
from sprintwright.model.problem import Range


def definition(document: Document, line: int, column: int) -> tuple[Range, ...]:
    """Where what stands at a place is set; empty for what the run sets itself, and for unknown names."""
    found = _related(document, line, column)
    return _unique(one for one in found if one.sets)


def references(document: Document, line: int, column: int, *, declaration: bool = True) -> tuple[Range, ...]:
    """Everywhere that what stands at a place is named, in the order of the text."""
    found = _related(document, line, column)
    ranges = _unique(one for one in found if declaration or not one.sets)
    return tuple(sorted(ranges, key=lambda where: (where.line, where.column)))


def _related(document: Document, line: int, column: int) -> list[Occurrence]:
    here = at_cursor(document, line, column)
    inside = [one for one in here if one.node is None]
    wanted = {(one.kind, one.name) for one in (inside or here)}
    return [one for one in occurrences(document) if (one.kind, one.name) in wanted]


def _unique(found: Iterable[Occurrence]) -> tuple[Range, ...]:
    ranges: dict[tuple[int, int, int, int], Range] = {}
    for one in found:
        where = one.range
        ranges.setdefault((where.line, where.column, where.end_line, where.end_column), where)
    return tuple(ranges.values())
