"""Whoever can be asked from a terminal: the user, nobody, or a policy that answers in their place."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager

from sprintwright.engine.ports import Answer, Question
from sprintwright.text import clean

_DEFAULTS = "Use your defaults."


class Nobody:
    """No terminal: every question parks the run."""

    async def ask(self, question: Question) -> Answer | None:
        """None."""
        return None


class Defaults:
    """`--yes`: empty answers and defaults, recorded as not asked; a used-up loop is never waved through."""

    async def ask(self, question: Question) -> Answer | None:
        """The policy's answer."""
        words = {"questions": _DEFAULTS, "exhausted": "stop"}
        return Answer(text=words.get(question.kind, ""), asked=False)


class Terminal:
    """The user at this terminal, one question at a time.

    Args:
        paused: makes the live display stand still while somebody types.
    """

    def __init__(self, paused: Callable[[], AbstractContextManager[None]]) -> None:
        self._paused = paused
        self._lock = asyncio.Lock()

    async def ask(self, question: Question) -> Answer | None:
        """Show the question whole and read the answer; None when the terminal or its input ends before that."""
        async with self._lock:
            try:
                with self._paused():
                    return await self._ask(question)
            except OSError:  # the terminal is gone
                return None

    async def _ask(self, question: Question) -> Answer | None:
        print(f"\n── {question.key} asks " + "─" * 20)
        print(clean(question.text, newlines=True))
        if question.choices:
            return await self._choose(question)
        mark, words = (".", "a line of only a dot") if question.kind == "turn" else ("", "an empty line")
        print(f"── your answer: end it with {words} ──")
        lines: list[str] = []
        while (line := await _read_line()) != mark:
            if line is None:  # Ctrl-D, or the terminal is gone: half an answer is none
                print("\n(the input ended before the end mark: nothing was answered)")
                return None
            lines.append(line)
        return Answer(text="\n".join(lines))

    async def _choose(self, question: Question) -> Answer | None:
        while True:
            print(f"[{', '.join(question.choices)}] ", end="", flush=True)
            line = await _read_line()
            if line is None:
                return None
            found = [choice for choice in question.choices if line.strip() and choice.startswith(line.strip().lower())]
            if len(found) == 1:
                return Answer(text=found[0])


async def ask_line(prompt: str) -> str:
    """One line of the user's; empty at the end of input."""
    print(prompt, end="", flush=True)
    return await _read_line() or ""


_pending = bytearray()


async def _read_line() -> str | None:
    """A line from standard input, without holding the loop or a thread, so that a cancellation ends it."""
    loop = asyncio.get_running_loop()
    descriptor = sys.stdin.fileno()
    while b"\n" not in _pending:
        ready: asyncio.Future[None] = loop.create_future()
        loop.add_reader(descriptor, _resolve, ready)
        try:
            await ready
        finally:
            loop.remove_reader(descriptor)
        try:
            data = os.read(descriptor, 65536)
        except OSError:  # the terminal hung up
            data = b""
        if not data:
            _pending.clear()
            return None
        _pending.extend(data)
    line, _, rest = bytes(_pending).partition(b"\n")
    _pending[:] = rest
    return line.decode("utf-8", "replace").rstrip("\r")


def _resolve(future: asyncio.Future[None]) -> None:
    if not future.done():
        future.set_result(None)
