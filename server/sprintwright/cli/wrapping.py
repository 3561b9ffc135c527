"""Prose fitted to a terminal at word boundaries. Commands are no prose: they stay whole, so that they can be copied."""

from __future__ import annotations

import re
import shutil
import sys
import textwrap
from collections.abc import Iterable, Iterator

_MARK = re.compile(r"\s*(?:(?:[-*•]|[0-9]{1,3}[.)]|[a-z]\)|Q[0-9]+[:.]?)\s+)?")
_NARROWEST = 20


def columns() -> int:
    """How wide the terminal is; 0 where the output goes elsewhere: then lines stay as they are."""
    return shutil.get_terminal_size().columns if sys.stdout.isatty() else 0


def fitted(lines: Iterable[str], width: int) -> Iterator[str]:
    """The lines, the long ones on several: broken between words, below their own text where they have a list mark.

    Args:
        width: columns of the terminal; 0 changes nothing.
    """
    for line in lines:
        if width <= 0 or len(line) <= width:
            yield line
            continue
        mark = _MARK.match(line)
        hanging = " " * min(len(mark[0]) if mark else 0, width // 2)
        yield from textwrap.wrap(
            line, max(width, _NARROWEST), subsequent_indent=hanging, break_long_words=False, break_on_hyphens=False,
            replace_whitespace=False, drop_whitespace=True,
        ) or [line]  # fmt: skip


def ruled(title: str, width: int) -> str:
    """A heading with a line behind it, as wide as the terminal at most."""
    return f"── {title} ".ljust(min(width or 60, 60), "─")
