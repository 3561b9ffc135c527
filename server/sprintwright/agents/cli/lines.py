"""JSON events out of what a program prints, as it comes: in pieces of any size, between noise. Pure, and linear."""

from __future__ import annotations

import json
from typing import Any, cast

from sprintwright.errors import Operational
from sprintwright.text import one_line, without_escapes

MOST_BYTES = 64 * 1024 * 1024
"""Longest line; one of 5 MB (a file in a tool's result) is nothing unusual."""
_START = '{"'
_DECODER = json.JSONDecoder()


class EventLines:
    """Cuts text into lines and reads the JSON objects on them; everything else is noise, and only counted.

    An object is found behind a progress display or another object on the same line, but only if it reaches to the
    line's end: half of one is never an event.
    """

    def __init__(self, who: str = "It", most_bytes: int = MOST_BYTES) -> None:
        self._who, self._most = who, most_bytes
        self._pieces: list[str] = []
        self._size = 0
        self.noise = 0
        """Lines that were no events."""
        self.first_noise = ""
        """The first of them, made fit to be shown."""

    def feed(self, text: str) -> list[dict[str, Any]]:
        """The events that are complete with this text.

        Raises:
            Operational: a line is longer than is read; cause `protocol`.
        """
        *whole, rest = text.split("\n")
        if not whole:
            self._keep(rest)
            return []
        self._keep(whole[0])
        lines = ["".join(self._pieces), *whole[1:]]
        self._pieces, self._size = [], 0
        self._keep(rest)
        return [event for line in lines if line for event in self._events(line)]

    def finish(self) -> list[dict[str, Any]]:
        """The events of a last line without an end."""
        line = "".join(self._pieces)
        self._pieces, self._size = [], 0
        return self._events(line)

    def _keep(self, piece: str) -> None:
        if not piece:
            return
        self._size += len(piece) if piece.isascii() else len(piece.encode("utf-8", "replace"))
        if self._size > self._most:
            self._pieces.clear()
            raise Operational(
                "protocol", f"{self._who} printed a line of more than {self._most} bytes, which is not read."
            )
        self._pieces.append(piece)

    def _events(self, line: str) -> list[dict[str, Any]]:
        # JSON has no control characters of its own: what a terminal would take is noise around it.
        text = (without_escapes(line) if "\x1b" in line or "\x9b" in line else line).strip("\x00\ufeff \t\r\n")
        if not text:
            return []
        start = text.find(_START)
        events = _objects(text, start) if start >= 0 else []
        if not events or start > 0:
            self.noise += 1
            self.first_noise = self.first_noise or one_line(text[: start if events else 2000], 200)
        return events


def _objects(text: str, start: int) -> list[dict[str, Any]]:
    """The objects from this place to the end of the line; none when something else stands there, too."""
    found: list[dict[str, Any]] = []
    while start < len(text):
        try:
            value, start = _DECODER.raw_decode(text, start)
        except (ValueError, RecursionError):
            return []
        if not isinstance(value, dict):
            return []
        found.append(cast("dict[str, Any]", value))
        while start < len(text) and text[start] in " \t\r\n\x00":
            start += 1
    return found
