"""Brackets, quotes and what stands in them, read tolerantly; JSON is this alone."""

from __future__ import annotations

import re

from sprintwright.definitions.nodes import MAX_DEPTH, MappingNode, Node, ScalarNode, SequenceNode
from sprintwright.definitions.source import Source

CURSOR = "\ue000"
"""Stands in a text where the cursor is: a letter for every pattern here, and none that anybody types."""

_SPACE = re.compile(r"(?:[\s]++|(?<![^\s,\[\]{}])#[^\r\n]*+)*+")
_DOUBLE = re.compile(r'"(?:[^"\\]|\\.)*+"', re.DOTALL)
_SINGLE = re.compile(r"'(?:[^']|'')*+'")
_PLAIN = re.compile(
    rf"(?:\{{\{{[^\r\n{{}}]*+(?:\}}\}})?|[^,\[\]{{}}\r\n:\#]|:(?![\s,\[\]{{}}{CURSOR}]|\Z)|(?<=\S)\#)++"
)
_LINE_END = re.compile(r"[\r\n]|\Z")
_ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|\r?\n[ \t]*|(.))", re.DOTALL)
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "0": "\0", "e": "\x1b", "a": "\a", "v": "\v"}
_BREAKS = re.compile(r"[ \t]*(\r\n|\r|\n)((?:[ \t]*(?:\r\n|\r|\n))*)[ \t]*")


def line_end(text: str, offset: int) -> int:
    """Where the line of an offset ends."""
    found = _LINE_END.search(text, offset)
    return found.start() if found else len(text)


def quoted_end(text: str, start: int, limit: int, *, one_line: bool) -> int:
    """Behind the quote that closes the one at ``start``; the end of the line when none does before ``limit``."""
    limit = min(limit, line_end(text, start)) if one_line else limit
    found = (_DOUBLE if text[start] == '"' else _SINGLE).match(text, start, limit)
    return found.end() if found else max(start + 1, start + len(text[start : line_end(text, start)].rstrip()))


def scalar_text(written: str) -> tuple[str, str]:
    """What a scalar on the page says, and its style."""
    style = written[:1] if written[:1] in ("'", '"') else ""
    if not style:
        return _folded(written), ""
    inner = written[1:-1] if len(written) > 1 and written.endswith(style) else written[1:]
    if style == "'":
        return _folded(inner.replace("''", "'")), style
    return _ESCAPE.sub(_unescaped, _folded(inner)), style


def _folded(text: str) -> str:
    return _BREAKS.sub(lambda found: "\n" * len(found[2].splitlines()) or " ", text) if "\n" in text else text


def _unescaped(found: re.Match[str]) -> str:
    if code := found[1] or found[2] or found[3]:
        number = int(code, 16)
        return chr(number) if number < 0x110000 and not 0xD800 <= number < 0xE000 else "\ufffd"
    return _ESCAPED.get(found[4], found[4]) if found[4] else ""


class FlowReader:
    """Reads one value in brackets, quotes or plain from an offset on; `at` is where it ended. Recursion is bounded."""

    def __init__(self, source: Source, at: int, limit: int, *, json: bool = False, depth: int = 0) -> None:
        self.at: int = at
        self._source, self._text, self._limit, self._json, self._depth = source, source.text, limit, json, depth

    def read(self) -> Node | None:
        """The next value; None when there is none before the limit."""
        character = self._peek()
        if not character:
            return None
        if character in "[{" and not self._braces() and self._depth < MAX_DEPTH:
            return self._collection(character)
        return self._scalar()

    def _braces(self) -> bool:
        return not self._json and self._text.startswith("{{", self.at)

    def _peek(self) -> str:
        found = _SPACE.match(self._text, self.at, self._limit)
        self.at = found.end() if found else self.at
        return self._text[self.at] if self.at < self._limit else ""

    def _collection(self, opener: str) -> Node:
        start, closer = self.at, "]" if opener == "[" else "}"
        self.at += 1
        self._depth += 1
        items, pairs = list[Node](), list[tuple[ScalarNode, Node]]()
        while (character := self._peek()) and character not in "]}":
            before = self.at
            if character == "," or (character == ":" and opener == "["):
                self.at += 1
            elif opener == "[":
                items.append(self.read() or self._nothing())
            else:
                pairs.append(self._pair())
            self.at = max(self.at, before + 1)
        self._depth -= 1
        if character == closer:
            self.at += 1
        elif character and not self._depth:
            self.at += 1  # the wrong bracket, and none around that it could close
        end = start + len(self._text[start : self.at].rstrip())
        if opener == "[":
            return SequenceNode(self._source, start, end, tuple(items))
        return MappingNode(self._source, start, end, tuple(pairs))

    def _pair(self) -> tuple[ScalarNode, Node]:
        key = self._scalar()
        if self._peek() != ":":
            return key, self._nothing(key.end)
        self.at += 1
        behind = self.at
        if self._peek() in ("", ",", "]", "}"):
            return key, self._nothing(behind)
        return key, self.read() or self._nothing(behind)

    def _nothing(self, at: int | None = None) -> ScalarNode:
        at = self.at if at is None else at
        return ScalarNode(self._source, at, at, "")

    def _scalar(self) -> ScalarNode:
        start = self.at
        if self._text[start] in "'\"":
            self.at = quoted_end(self._text, start, self._limit, one_line=self._json)
        else:
            found = _PLAIN.match(self._text, start, self._limit)
            self.at = found.end() if found else start + 1
            self.at = start + len(self._text[start : self.at].rstrip()) or start + 1
        text, style = scalar_text(self._text[start : self.at])
        return ScalarNode(self._source, start, self.at, text, style)
