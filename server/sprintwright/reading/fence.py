"""An answer that is one fenced block: models wrap files so, however plainly they are asked not to."""

from __future__ import annotations

import re

from sprintwright.reading.lines import read_page

_OPENS = re.compile(r"(`{3,}|~{3,})[\w+.-]*")


def without_fence(text: str) -> str:
    """The content of a text that is one fenced block and nothing else; any other text as it is."""
    stripped = text.strip()
    lines = stripped.splitlines()
    if len(lines) < 3 or (mark := _OPENS.fullmatch(lines[0].strip())) is None or lines[-1].strip() != mark[1]:
        return text
    if any(line.kind != "fence" for line in read_page(stripped).lines):
        return text
    return "\n".join(lines[1:-1]) + "\n"
