"""Lines that an agent writes to say one agreed thing, such as ``NO_QUESTIONS``."""

from __future__ import annotations

from sprintwright.reading.lines import LIST_MARK, Page, read_page
from sprintwright.text import fold

_LONGEST = 300
"""Characters by which a line may be longer than the marker that it is compared with."""


def after_marker(text: str, marker: str) -> str | None:
    """What follows the first line that is only the marker, trimmed (behaviours-milk.md 6.3).

    Case and blanks around are ignored; so are emphasis, backticks, a list or heading mark and a full stop, which
    models add. A marker within a sentence, a code fence, a block quote or a comment does not count. Only the
    last 1,000,000 characters of the text are looked at.

    Returns:
        The text behind the marker, which may be empty; None when no line is the marker.
    """
    page = read_page(text)
    end = _end_of_line(page, marker)
    return None if end is None else page.text[end:].strip()


def has_line(text: str, line: str) -> bool:
    """Whether some line of the text is only this one, read as `after_marker` reads its marker."""
    return _end_of_line(read_page(text), line) is not None


def _end_of_line(page: Page, marker: str) -> int | None:
    wanted = " ".join(fold(marker).split())
    if not wanted:
        return None
    longest = 4 * len(marker) + _LONGEST
    for line in page.lines:
        if line.kind not in ("plain", "indented") or len(line.text) > longest:
            continue
        if wanted in readings(line.text):
            return line.start + len(line.text)
    return None


def readings(line: str) -> tuple[str, ...]:
    """A line as it is and with less and less decoration, so that a marker made of such signs is found too."""
    plain = " ".join(fold(line).split())
    bare = plain.lstrip("#").lstrip() if plain.startswith("#") else plain
    bare = LIST_MARK.sub("", bare, count=1) if LIST_MARK.match(bare) else bare
    bare = bare.strip("*` ")
    unstopped = bare.rstrip(".!").strip("*` ")
    return plain, bare, unstopped, unstopped.strip("_")
