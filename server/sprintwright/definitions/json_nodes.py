"""JSON -> nodes. A reader of our own, because YAML takes neither tabs nor surrogate pairs as JSON does."""

from __future__ import annotations

import json.decoder
import re
from collections.abc import Callable
from typing import cast

from sprintwright.definitions.building import Builder, StopReading
from sprintwright.definitions.nodes import Parsed
from sprintwright.definitions.source import Source

_SPACE = re.compile(r"[ \t\r\n]*+")
_PLAIN = re.compile(r"-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![\w.])|(?:true|false|null)\b")
_WORD = re.compile(r"[\w.+-]++")
_SURROGATE = re.compile("[\ud800-\udfff]")
_scan_string = cast("Callable[[str, int, bool], tuple[str, int]]", vars(json.decoder)["scanstring"])


def parse_json(source: Source) -> Parsed:
    """Read one JSON value. Never raises."""
    reader = _Reader(source)
    complete = True
    try:
        reader.read()
    except StopReading:
        complete = False
    return Parsed(source, reader.builder.root(), tuple(reader.builder.problems), complete)


class _Reader:
    """``_closers`` are the brackets that open lists and objects wait for; ``_fresh``: the last one is empty so far."""

    def __init__(self, source: Source) -> None:
        self.builder = Builder(source)
        self._text = source.text
        self._position: int = 1 if source.text.startswith("\ufeff") else 0
        self._closers: list[str] = []
        self._fresh = False

    def read(self) -> None:
        if not self._peek():
            return
        self._value()
        while self._closers:
            self._member()
        if self._peek():
            raise self._stop("Something stands behind the end of the JSON value; remove it.")

    def _peek(self) -> str:
        found = _SPACE.match(self._text, self._position)
        self._position = found.end() if found else self._position
        return self._text[self._position : self._position + 1]

    def _member(self) -> None:
        """One item or one key with its value, with the comma before it; or the closing bracket."""
        closer = self._closers[-1]
        character = self._peek()
        if character == closer:
            self._position += 1
            self._closers.pop()
            self._fresh = False
            self.builder.close(self._position)
            return
        if not self._fresh:
            if character != ",":
                raise self._stop(f"A ',' or {closer!r} is missing here.")
            self._position += 1
            if self._peek() == closer:
                raise self._stop(f"There is nothing behind this comma: remove it before {closer!r}.")
        self._fresh = False
        if closer == "}":
            if self._peek() != '"':
                raise self._stop("A key in double quotes is missing here.")
            self._string()
            if self._peek() != ":":
                raise self._stop("A ':' is missing behind the key.")
            self._position += 1
        self._value()

    def _value(self) -> None:
        character = self._peek()
        start = self._position
        if character in ("{", "["):
            self.builder.open(start, mapping=character == "{")
            self._closers.append("}" if character == "{" else "]")
            self._fresh = True
            self._position += 1
        elif character == '"':
            self._string()
        elif found := _PLAIN.match(self._text, start):
            self._position = found.end()
            self.builder.scalar(start, found.end(), found[0], "")
        else:
            word = _WORD.match(self._text, start)
            shown = word[0][:30] if word else character
            raise self._stop(
                f"{shown!r} is no JSON value; put text in double quotes." if shown else "A value is missing at the end."
            )

    def _string(self) -> None:
        start = self._position
        try:
            text, self._position = _scan_string(self._text, start + 1, True)
        except json.JSONDecodeError as error:
            self._position = min(error.pos, len(self._text))
            if "Unterminated" in error.msg:
                self._position = start
                raise self._stop("The quote that opens here is never closed; close it.") from None
            if "control character" in error.msg:
                raise self._stop("A line end or tab can't stand in a JSON text; write \\n or \\t.") from None
            raise self._stop("This escape can't be read; write \\\\ for a backslash.") from None
        # Half of a pair is no character: it could be neither shown nor stored.
        self.builder.scalar(start, self._position, _SURROGATE.sub("\ufffd", text), '"')

    def _stop(self, message: str) -> StopReading:
        return self.builder.stop("json_syntax", message, self._position, min(self._position + 1, len(self._text)))
