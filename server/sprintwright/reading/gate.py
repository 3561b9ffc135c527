"""Whether the text of an artifact is good: by its marker, by what it must hold, by its size. Pure."""

from __future__ import annotations

from sprintwright.model.definition import ArtifactSpec
from sprintwright.reading.lines import read_page
from sprintwright.reading.marker import has_line, readings
from sprintwright.text import fold, one_line


def not_approved(spec: ArtifactSpec, text: str) -> str:
    """Why the text does not pass; empty when it does.

    A marker ``NAME: word`` stands on a line of its own outside quotes and code; case, blanks round the colon and
    emphasis do not matter; the last line with that name counts (behaviours-selesai.md 3 and 8, F1).
    """
    if not text.strip():
        return "it is empty."
    if spec.marker and (wrong := _without_marker(text, spec.marker)):
        return wrong
    if spec.contains and spec.contains not in text:
        return f"it does not hold {spec.contains!r}."
    if spec.min_bytes and (size := len(text.encode())) < spec.min_bytes:
        return f"it has {size} bytes, and must have at least {spec.min_bytes}."
    return ""


def _without_marker(text: str, marker: str) -> str:
    """What is wrong with the marker of a text; empty when it is there."""
    name, colon, word = (part.strip() for part in marker.partition(":"))
    missing = f"there is no line {marker!r} in it, alone on its line."
    if not colon:
        return "" if has_line(text, marker) else missing
    last: str | None = None
    for line in read_page(text).lines:
        if line.kind in ("plain", "indented") and (said := _said(line.text, fold(name))) is not None:
            last = said
    if last is None:
        return missing
    wanted = " ".join(fold(word).split())
    return "" if last == wanted else f"its last line {name!r} says {one_line(last, 80)!r}, and must be {marker!r}."


def _said(line: str, name: str) -> str | None:
    """What a line says behind ``name:``; None when it is no such line."""
    if ":" not in line:
        return None
    for reading in readings(line):
        before, _, behind = reading.partition(":")
        if before.strip(" *`_") == name.strip("_"):
            return behind.strip(" *`_.!")
    return None
