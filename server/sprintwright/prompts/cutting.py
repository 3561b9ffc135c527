"""Cutting the middle out of a text, never inside a character as readers see it."""

from __future__ import annotations

import re
from collections.abc import Callable

_WINDOW = 512
_PLAIN = re.compile(r"[\n\x20-\x7e]{2}")
_FLAG_FIRST, _FLAG_LAST = "\U0001f1e6", "\U0001f1ff"


def cut_middle(text: str, head: int, tail: int, line: Callable[[int], str]) -> tuple[str, int]:
    """The first ``head`` and last ``tail`` characters with ``line(missing)`` between; and how many are missing.

    Either end is shorter where the cut would go through a grapheme. Work is done around the cuts only.
    """
    left = _boundary(text, head, before=True)
    right = max(left, _boundary(text, len(text) - tail, before=False))
    missing = right - left
    return text[:left] + line(missing) + text[right:], missing


def _boundary(text: str, place: int, *, before: bool) -> int:
    """The grapheme boundary nearest to a place, at it or on the given side of it."""
    if place <= 0:
        return 0
    if place >= len(text):
        return len(text)
    if _PLAIN.fullmatch(text, place - 1, place + 1):
        return place
    if (flags := _flags_before(text, place)) and _is_flag(text[place]):
        return place if flags % 2 == 0 else place - 1 if before else place + 1
    return _search(text, place, before=before)


def _is_flag(character: str) -> bool:
    return _FLAG_FIRST <= character <= _FLAG_LAST


def _flags_before(text: str, place: int) -> int:
    """How many halves of flags stand right before a place: they pair up from the left, however many there are."""
    start = place
    while start and _is_flag(text[start - 1]):
        start -= 1
    return place - start


def _search(text: str, place: int, *, before: bool) -> int:
    """Segment a stretch around the place; a wider one as long as a single grapheme fills it."""
    import regex  # heavy, and most texts are cut where plain letters stand

    grapheme = regex.compile(r"\X")
    window = _WINDOW
    while True:
        start, end = max(0, place - window), min(len(text), place + window)
        stretch = text[start:end]
        for found in grapheme.finditer(stretch):
            if start + found.end() >= place:
                break
        else:
            return place
        low, high = start + found.start(), start + found.end()
        if high == place and high < end:
            return place
        # The first and the last grapheme of the stretch may be parts of longer ones.
        if (found.start() or not start) and (found.end() < len(stretch) or end == len(text)):
            return low if before else high
        window *= 4
