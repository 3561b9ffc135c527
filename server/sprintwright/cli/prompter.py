"""Questions to the user before anything runs: one line at a time, and ways to say that nothing should happen."""

from __future__ import annotations

import select
import sys
from typing import Protocol

from sprintwright.cli.wrapping import columns, fitted


class GivenUp(Exception):
    """The user wants nothing to happen: Esc, or the end of the input."""


class Prompter(Protocol):
    """Whoever answers the questions."""

    def say(self, text: str) -> None:
        """Tell something."""
        ...

    def line(self, prompt: str) -> str:
        """Ask for a line. Raises `GivenUp`, or `KeyboardInterrupt` for Ctrl-C."""
        ...

    def more(self) -> bool:
        """Whether a further line is there already, as after pasting several."""
        ...


class TerminalPrompter:
    """The user at this terminal."""

    def say(self, text: str) -> None:
        """Print it."""
        print("\n".join(fitted(text.splitlines() or [""], columns())), flush=True)

    def line(self, prompt: str) -> str:
        """Ask for a line. In a terminal a read gives one line, so nothing is taken that others should read later."""
        print(prompt, end="", flush=True)
        data = sys.stdin.buffer.readline()
        if not data.endswith(b"\n"):  # Ctrl-D, or the terminal is gone: half a line is none
            raise GivenUp
        line = data.decode(sys.stdin.encoding or "utf-8", "replace").rstrip("\r\n")
        if "\x1b" in line and not line.strip("\x1b \t"):
            raise GivenUp
        return line

    def more(self) -> bool:
        """Look, without waiting."""
        return bool(select.select([sys.stdin], [], [], 0)[0])
