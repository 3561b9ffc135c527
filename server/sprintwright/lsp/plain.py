"""Text from outside, for places where an editor makes links and icons of plain text (X48)."""

from __future__ import annotations

from sprintwright.text import clean, one_line

_BREAK = "\u2060"
"""Word joiner: shows nothing, and parts what an editor would take for a link or an icon."""


def plain_line(text: str, limit: int) -> str:
    """One line for a notification or a progress title: neither a link nor an icon comes of it."""
    return _neutral(one_line(text, limit))


def plain_text(text: str, limit: int) -> str:
    """The same for more than one line."""
    shown = clean(text, newlines=True)
    return _neutral(shown if len(shown) <= limit else shown[: limit - 1] + "…")


def _neutral(text: str) -> str:
    return text.replace("](", f"]{_BREAK}(").replace("$(", f"${_BREAK}(")
