"""Output that is there and can hold any text: our own signs have plain ones where the encoding lacks them."""

from __future__ import annotations

import atexit
import codecs
import os
import select
import sys
from io import TextIOWrapper
from queue import SimpleQueue
from threading import Thread
from typing import TextIO

_HANDLER = "sprintwright.plain"
_PLAIN = str.maketrans("✓✗↻▸·…↷⊘■─│├└┌┐┘—–×→‘’“”", "+x~>-.>/#-||`...--x>''\"\"")
"""One for one, so that columns stay where they are."""


def prepare_streams() -> None:
    """Closed streams lead nowhere; what an encoding can't hold gets a plain sign, or a question mark."""
    codecs.register_error(_HANDLER, _plain)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for the process's life
            atexit.register(nowhere.close)
            setattr(sys, name, nowhere)
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)


def silence() -> None:
    """Nothing more can be written to standard output, and Python must not try at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


class Unhurried:
    """A standard stream behind a thread: a reader that stops, or is gone, never holds up a run (faults.md R58).

    Nothing is dropped: what waits is no more than the run has on disk.
    """

    def __init__(self, name: str = "stdout") -> None:
        self._name = name
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._thread = Thread(target=self._write_all, name=name, daemon=True)
        self._thread.start()

    def print(self, line: str) -> None:
        """Queue a line; returns at once and never fails."""
        self._lines.put(line)

    def close(self, seconds: float | None = None) -> None:
        """Return when every line is written, nobody takes them any more, or the time is over."""
        self._lines.put(None)
        self._thread.join(seconds)

    def _write_all(self) -> None:
        try:
            while (line := self._lines.get()) is not None:
                _write(getattr(sys, self._name), f"{line}\n")
        except (OSError, ValueError):  # whoever read it has enough
            return


def _write(stream: TextIO, text: str) -> None:
    """Past Python's buffer, whose lock a write that waits would hold at the end of the process, too."""
    descriptor = stream.fileno()
    rest = memoryview(text.encode(stream.encoding, stream.errors or "replace"))
    while rest:
        try:
            rest = rest[os.write(descriptor, rest) :]
        except BlockingIOError:
            select.select([], [descriptor], [])


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end].translate(_PLAIN)
    return "".join(sign if sign.isascii() else "?" for sign in signs), error.end
