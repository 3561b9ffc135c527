"""Lines of a program → messages of the protocol, in order; noise never reaches the SDK.

The SDK gives each notification a task of its own, so that updates arrive shuffled where a handler awaits, and it ends
a connection for good at a line that is JSON but no message (agents.md section 1). Here updates are handed over as they
are read, in one place and in order; the SDK gets the rest.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, TypeAlias, cast

from sprintwright.processes import Child
from sprintwright.text import without_escapes

Message: TypeAlias = "dict[str, Any]"
OnUpdate: TypeAlias = Callable[[Message], None]

LONGEST_LINE = 64 * 1024 * 1024
_UPDATE = "session/update"


class LineTooLong(Exception):
    """A line over `LONGEST_LINE` bytes: whatever it is, it is no message that is worth its memory."""


class ChildTransport:
    """Implements `acp.Transport` over a `Child`.

    Args:
        on_update: gets the parameters of each ``session/update``, in order; it must not raise.
        on_noise: told of each line that is no message.
    """

    def __init__(self, on_update: OnUpdate, on_noise: Callable[[], None]) -> None:
        self._on_update, self._on_noise = on_update, on_noise
        self._pieces: list[bytes] = []
        self._length = 0
        self._inbox: asyncio.Queue[Message | None] = asyncio.Queue()
        self._closed = False
        self.child: Child | None = None

    def feed(self, data: bytes) -> None:
        """Take in what the program wrote. Raises `LineTooLong`."""
        lines = data.split(b"\n")
        for end in lines[:-1]:
            self._line(b"".join((*self._pieces, end)))
            self._pieces.clear()
            self._length = 0
        if lines[-1]:
            self._pieces.append(lines[-1])
            self._length += len(lines[-1])
        if self._length > LONGEST_LINE:
            raise LineTooLong

    def ended(self) -> None:
        """The program will write nothing more; a last line without its end counts, too."""
        if self._pieces:
            self._line(b"".join(self._pieces))
            self._pieces.clear()
        self._inbox.put_nowait(None)

    async def send(self, message: Message) -> None:
        """Queue a message for the program. Raises `ConnectionError` when the session is over."""
        if self._closed or self.child is None or self.child.over.done():
            raise ConnectionError("Connection closed")
        self.child.write(
            json.dumps(message, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "replace") + b"\n"
        )

    async def receive(self) -> Message | None:
        """The next message for the SDK; None at the end."""
        return await self._inbox.get()

    async def close(self) -> None:
        """Send nothing more; the program is ended by whoever started it."""
        self._closed = True

    def _line(self, line: bytes) -> None:
        for message in _messages(line):
            if message is None:
                self._on_noise()
            elif message.get("method") == _UPDATE and "id" not in message:
                params = message.get("params")
                self._on_update(cast("Message", params) if isinstance(params, dict) else {})
            elif _is_sound(message):
                self._inbox.put_nowait(message)
            else:
                self._on_noise()


_decoder = json.JSONDecoder()


def _messages(line: bytes) -> list[Message | None]:
    """The objects of a line: one, or several that were written without an end between them; None: noise (R65)."""
    text = without_escapes(line.decode("utf-8", "replace")).strip(" \t\r\0\ufeff")
    if not text:
        return []
    start = text.find("{")
    found: list[Message | None] = [None] if start else []  # progress marks before a message, or no message at all
    while 0 <= start < len(text):
        try:
            value, end = _decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            return [*found, None]
        found.append(cast("Message", value))
        rest = text[end:]
        start = end + len(rest) - len(rest.lstrip())
        if start < len(text) and text[start] != "{":
            return [*found, None]
    return found


def _is_sound(message: Message) -> bool:
    """Whether the SDK can take it: a request, or an answer of the form that it expects (R73)."""
    number = message.get("id")
    if isinstance(message.get("method"), str):
        return "id" not in message or isinstance(number, str | int) or number is None
    if not isinstance(number, int):
        return False
    if "result" in message:
        return True
    error = message.get("error")
    if not isinstance(error, dict):
        return False
    fields = cast("Message", error)
    fields["code"] = fields.get("code") if isinstance(fields.get("code"), int) else -32603
    fields["message"] = str(fields.get("message", "Error"))
    return True
