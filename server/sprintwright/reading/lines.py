"""The lines of a reply and what kind each one is: the one place that knows Markdown's fences, quotes and comments."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, NamedTuple

LIMIT = 1_000_000
"""Characters of a text that are looked at, from its end (faults.md X69)."""

Kind = Literal["plain", "fence", "indented", "quote", "comment"]
"""``plain`` is what the author says; the others are shown, quoted or hidden. Marks of a fence belong to it."""

LIST_MARK = re.compile(r"(?:[-*+•‣◦–—]|[0-9]{1,9}[.)])[ \t]+")
_FENCE = re.compile(r"(?P<mark>`{3,}+|~{3,}+)[ \t]*+(?P<info>.*)")
_TURNS_STATE = re.compile(r"```|~~~|<!--|-->")


class Line(NamedTuple):
    """A line without its end; ``start`` is its offset in the page's text, ``info`` the language of its fence."""

    start: int
    text: str
    kind: Kind
    info: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A text as its readers see it: line ends are ``\\n``, at most `LIMIT` characters, whole lines."""

    text: str
    lines: tuple[Line, ...]
    cut: bool


def read_page(text: str) -> Page:
    """Cut a text from its end and tell its lines apart.

    A fence that began before the cut is still a fence behind it: what was code never becomes speech. A first
    line that the cut left in part is dropped, for its missing half may have said *not*.
    """
    text = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    scanner = _Scanner()
    start = _first_whole_line(text)
    _pass_over(scanner, text, start)
    kept = text[start:]
    lines: list[Line] = []
    offset = 0
    for line in kept.split("\n"):
        kind, info = scanner.feed(line)
        lines.append(Line(offset, line, kind, info))
        offset += len(line) + 1
    return Page(kept, tuple(lines), cut=start > 0)


def _first_whole_line(text: str) -> int:
    start = len(text) - LIMIT
    if start <= 0:
        return 0
    return text.find("\n", start - 1) + 1 or len(text)


def _pass_over(scanner: _Scanner, text: str, end: int) -> None:
    """Bring the scanner to the state at ``end``; only lines that can change it are fed."""
    position = 0
    while match := _TURNS_STATE.search(text, position, end):
        start = text.rfind("\n", position, match.start()) + 1 or position
        stop = text.find("\n", match.end(), end)
        stop = end if stop < 0 else stop
        scanner.feed(text[start:stop])
        position = stop + 1


@dataclass(slots=True)
class _Open:
    """A fence that is open: its mark, its indentation and its language."""

    mark: str
    indent: int
    info: str


class _Scanner:
    """Takes lines one by one and says what kind each is.

    By CommonMark but for one point: a fence of the same mark *with a language* inside an open one opens a
    nested one. Models nest fences so, and by the letter what stands behind the inner end would be speech.
    """

    def __init__(self) -> None:
        self._fences: list[_Open] = []
        self._comment = False
        self._list = False
        self._after_blank = True
        self._after_indented = False

    def feed(self, line: str) -> tuple[Kind, str]:
        """Kind of the line, and for code the language that the outermost fence names."""
        stripped = line.lstrip(" \t")
        indent = _width(line[: len(line) - len(stripped)])
        if self._fences:
            info = self._fences[0].info
            self._in_fence(stripped, indent)
            return "fence", info
        if self._comment:
            self._comment = "-->" not in line
            return "comment", ""
        if not stripped:
            self._after_blank = True
            return "plain", ""
        kind, info = self._opened(stripped, indent)
        self._after_blank, self._after_indented = False, kind == "indented"
        return kind, info

    def _opened(self, stripped: str, indent: int) -> tuple[Kind, str]:
        if indent >= 4 and not self._list and (self._after_blank or self._after_indented):
            return "indented", ""
        rest = stripped
        while mark := LIST_MARK.match(rest):
            self._list = True
            rest = rest[mark.end() :]
            if len(stripped) - len(rest) > 40:
                break
        if rest is stripped and indent == 0 and self._after_blank:
            self._list = False
        if rest.startswith(">"):
            return "quote", ""
        if rest.startswith("<!--"):
            self._comment = "-->" not in rest[4:]
            return "comment", ""
        return self._fence_or_plain(rest, indent + len(stripped) - len(rest))

    def _fence_or_plain(self, rest: str, indent: int) -> tuple[Kind, str]:
        match = _FENCE.match(rest)
        if match is None or (rest[0] == "`" and "`" in match["info"]):
            return "plain", ""
        info = match["info"].strip().lower()
        self._fences.append(_Open(match["mark"], indent, info))
        return "fence", info

    def _in_fence(self, stripped: str, indent: int) -> None:
        match = _FENCE.match(stripped)
        inner = self._fences[-1]
        if match is None or not match["mark"].startswith(inner.mark):
            return
        if match["info"].strip():
            if "`" not in match["info"] and len(self._fences) < 20:
                self._fences.append(_Open(match["mark"], indent, match["info"]))
        elif indent <= inner.indent + 3:
            self._fences.pop()


def _width(blanks: str) -> int:
    return len(blanks.expandtabs(4))
