"""What is wrong with a definition file (or another text a person wrote), with the place where it is wrong."""

from __future__ import annotations

from typing import Literal

from sprintwright.model.value import Value

Severity = Literal["error", "warning", "hint"]


class Range(Value):
    """A stretch of text: 0-based lines, 0-based columns counted in code points, end exclusive."""

    line: int
    column: int
    end_line: int
    end_column: int


class Edit(Value):
    """One replacement of text."""

    range: Range
    text: str


class Fix(Value):
    """A quick fix: a title for a menu and the edits that it makes."""

    title: str
    edits: tuple[Edit, ...]


class Problem(Value):
    """One thing that is wrong. ``message`` is a sentence that says what to do; ``code`` is stable."""

    code: str
    message: str
    range: Range
    severity: Severity = "error"
    related: tuple[tuple[str, Range], ...] = ()
    """Further places with a word each, such as the first of two equal keys."""
    fix: Fix | None = None
