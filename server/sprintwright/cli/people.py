"""Whoever can be asked from a terminal: the user, nobody, or a policy that answers in their place."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import termios
from collections.abc import Callable
from contextlib import AbstractContextManager

from sprintwright.app.policy import answer_for
from sprintwright.app.questions import one_of
from sprintwright.cli.wrapping import columns, fitted, ruled
from sprintwright.engine.permits import FOR_THIS_RUN, NEVER, ONCE
from sprintwright.engine.ports import Answer, Question
from sprintwright.reading.typed import as_key
from sprintwright.text import clean


class Absent:
    """No terminal, or nobody who wants to be asked: the policy answers, or the run parks."""

    def __init__(self, *, agreed: bool = False) -> None:
        self._agreed = agreed

    async def ask(self, question: Question) -> Answer | None:
        """The policy's answer; None parks the run."""
        return answer_for(question, agreed=self._agreed)


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
                    _forget_typed()  # what was typed before the question stood there is no answer to it
                    return await self._ask(question)
            except asyncio.CancelledError:
                _forget_typed()
                print("\n(no answer is needed any more)")
                raise
            except OSError:  # the terminal is gone
                return None

    async def _ask(self, question: Question) -> Answer | None:
        print(f"\n{ruled(clean(_title(question), newlines=False), columns())}")
        print("\n".join(fitted(clean(question.text, newlines=True).splitlines(), columns())))
        if question.choices and question.kind != "checkpoint":
            return await self._choose(question)
        if question.choices:
            print(f"── say {' or '.join(question.choices)}, or in your own words what should be different ──")
        mark, words = (".", "a line of only a dot") if question.kind == "turn" else ("", "an empty line")
        print(f"── your answer: end it with {words} ──")
        lines: list[str] = []
        while (line := await _read_line()) not in (mark, "."):
            if line is None:  # Ctrl-D, or the terminal is gone: half an answer is none
                print("\n(the input ended before the end mark: nothing was answered)")
                return None
            lines.append(line)
        text = "\n".join(lines)
        return Answer(text=one_of(question.choices, text, free=True) if question.choices else text)

    async def _choose(self, question: Question) -> Answer | None:
        if question.kind == "permission":
            print("\n".join(fitted([_legend(question.choices)], columns())))
        while True:
            default = question.choices[0] if question.kind == "pause" else ""
            hint = f" (Enter: {default})" if default else ""
            print(f"[{', '.join(question.choices)}]{hint} ", end="", flush=True)
            line = await _read_line()
            if line is None:
                return None
            word = line.strip().lower() or default
            word = _SHORT.get(word, word) if question.kind == "permission" else as_key(word, question.choices)
            found = [choice for choice in question.choices if word and choice.startswith(word)]
            if len(found) == 1:
                return Answer(text=found[0])
            print(f"Please say one of: {', '.join(question.choices)}.")


_SHORT = {"y": ONCE, "yes": ONCE, "n": NEVER, "no": NEVER}
"""What people type at a question for permission."""


_MEANINGS = {ONCE: "now", FOR_THIS_RUN: "the very same again, too", NEVER: "not now and not later in this run"}


def _legend(choices: tuple[str, ...]) -> str:
    """What the choices of a question for permission mean, those that are offered."""
    return f"── {'; '.join(f'{one}: {_MEANINGS[one]}' for one in choices if one in _MEANINGS)} ──"


def _title(question: Question) -> str:
    match question.kind:
        case "turn" if not question.choices:
            return f"{question.key} is yours; an agent would be told this"
        case "permission":
            return f"{question.by} asks for permission, in {question.key.rpartition('/')[0]}"
        case _:
            return f"{question.key} asks"


def _forget_typed() -> None:
    """What was typed for a question that is over is no answer to the next one."""
    _pending.clear()
    with contextlib.suppress(OSError, termios.error, ValueError):
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


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
