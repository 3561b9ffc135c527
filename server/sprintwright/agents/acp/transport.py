"""Lines of a program → messages of the protocol, in order; noise never reaches the SDK.

The SDK gives each notification a task of its own, so that updates arrive shuffled where a handler awaits, and it ends
a connection for good at a line that is JSON but no message (agents.md section 1). Here updates are handed over as they
are read, in one place and in order; the SDK gets the rest, and of requests no more at once than can be answered.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, TypeAlias, cast

from sprintwright.agents.editor_models import CANCEL
from sprintwright.processes import Child
from sprintwright.text import without_escapes

Message: TypeAlias = "dict[str, Any]"
OnUpdate: TypeAlias = Callable[[Message], None]

LONGEST_LINE = 64 * 1024 * 1024
MOST_AT_WORK = 16
"""Requests of the agent that are answered at the same time; the others wait."""
_MOST_WAITING = 1024 * 1024
"""Bytes of messages that wait; with more, what the agent writes is left in the pipe."""
_UPDATE, _PROMPT, _TAKEN_BACK = "session/update", "session/prompt", f"_{CANCEL}"


class LineTooLong(Exception):
    """A line over `LONGEST_LINE` bytes: whatever it is, it is no message that is worth its memory."""


class ChildTransport:
    """Implements `acp.Transport` over a `Child`.

    Args:
        on_update: gets the parameters of each ``session/update``, in order; it must not raise.
        on_noise: told of each line that is no message.
        on_taken_back: gets the parameters when our own agent needs an answer of a model no more; it must not raise.
        on_answered: told when the answer to our prompt is read, in order with the updates: what follows is late.
    """

    def __init__(
        self,
        on_update: OnUpdate,
        on_noise: Callable[[], None],
        on_answered: Callable[[], None] = lambda: None,
        on_taken_back: OnUpdate = lambda _params: None,
    ) -> None:
        self._on_taken_back = on_taken_back
        self._on_update, self._on_noise, self._on_answered = on_update, on_noise, on_answered
        self._prompt: int | None = None
        self._pieces: list[bytes] = []
        self._length = 0
        self._inbox: asyncio.Queue[tuple[Message, int] | None] = asyncio.Queue()
        self._waiting = 0
        self._paused = False
        self._at_work = asyncio.Semaphore(MOST_AT_WORK)
        self._closed = self._deaf = False
        self.child: Child | None = None

    def feed(self, data: bytes) -> None:
        """Take in what the program wrote. Raises `LineTooLong`, once; what follows is not looked at."""
        if self._deaf:
            return
        lines = data.split(b"\n")
        if len(lines) > 1:
            self._line(b"".join((*self._pieces, lines[0])))
            self._pieces.clear()
            self._length = 0
            for line in lines[1:-1]:
                if line:
                    self._line(line)
        if lines[-1]:
            self._pieces.append(lines[-1])
            self._length += len(lines[-1])
        if self._length > LONGEST_LINE:
            self.deafen()
            self._inbox.put_nowait(None)
            raise LineTooLong

    def deafen(self) -> None:
        """Drop what the program writes from now on, and what it began to write."""
        self._deaf = True
        self._pieces.clear()

    def ended(self) -> None:
        """The program will write nothing more; a last line without its end counts, too."""
        if self._pieces:
            self._line(b"".join(self._pieces))
            self._pieces.clear()
        self._inbox.put_nowait(None)

    async def send(self, message: Message) -> None:
        """Queue a message for the program. An answer waits until the program has read most of those before it.

        Raises:
            ConnectionError: the session is over, and the message is no answer: an answer is dropped.
        """
        answers = "method" not in message
        if message.get("method") == _PROMPT:
            self._prompt = message["id"]
        try:
            if self._closed or self.child is None or self.child.over.done():
                if answers:
                    return
                raise ConnectionError("Connection closed")
            text = json.dumps(message, ensure_ascii=False, separators=(",", ":"), default=str)
            self.child.write(text.encode("utf-8", "replace") + b"\n")
            if answers:
                await self.child.writable()
        finally:
            if answers:
                self._at_work.release()

    async def receive(self) -> Message | None:
        """The next message for the SDK; None at the end. A request is handed over when there is room for it."""
        entry = await self._inbox.get()
        if entry is None:
            return None
        message, size = entry
        if "method" in message:
            await self._at_work.acquire()
        self._waiting -= size
        if self._paused and self._waiting < _MOST_WAITING // 2 and self.child is not None:
            self._paused = False
            self.child.resume()
        return message

    async def close(self) -> None:
        """Send nothing more; the program is ended by whoever started it."""
        self._closed = True
        self.deafen()

    def _line(self, line: bytes) -> None:
        for message in messages(line):
            if message is None or not _is_sound(message):
                self._on_noise()
            elif "method" in message and "id" not in message:
                params = message.get("params")
                fields = cast("Message", params) if isinstance(params, dict) else {}
                if message["method"] == _UPDATE:
                    self._on_update(fields)
                elif message["method"] == _TAKEN_BACK:  # we know of no other notification
                    self._on_taken_back(fields)
            else:
                self._put(message, len(line))

    def _put(self, message: Message, size: int) -> None:
        if "method" in message and isinstance(params := message.get("params"), dict):
            cast("Message", params).pop("_meta", None)  # the SDK lets it overwrite the parameters
        if "method" not in message and message["id"] == self._prompt:
            self._prompt = None
            self._on_answered()
        self._inbox.put_nowait((message, size))
        self._waiting += size
        if self._waiting > _MOST_WAITING and not self._paused and self.child is not None:
            self._paused = True
            self.child.pause()


def _no_constant(name: str) -> None:
    raise ValueError(f"{name} is no JSON")


_decoder = json.JSONDecoder(parse_constant=_no_constant)
_BLANK = " \t\r\0\ufeff"
_BLANK_BYTES = _BLANK.encode()
_LONGEST_MENDED = 1024 * 1024


def messages(line: bytes) -> list[Message | None]:
    """The objects of a line: one, or several that were written without an end between them; None: noise (R65)."""
    if b"{" not in line:
        return [None] if line.strip(_BLANK_BYTES) else []
    text = line.decode("utf-8", "replace")
    found = _objects(text)
    if not any(found) and len(text) < _LONGEST_MENDED:  # escapes in the midst of a message
        found = _objects(without_escapes(text))
    return found


def _objects(text: str) -> list[Message | None]:
    start = text.find("{")
    # Before a message may stand progress marks, and what hides the cursor; in it such characters are a text's own.
    found: list[Message | None] = [None] if without_escapes(text[: max(0, start)]).strip(_BLANK + "\n") else []
    while 0 <= start < len(text):
        try:
            value, end = _decoder.raw_decode(text, start)
        except (ValueError, RecursionError):
            return [*found, None]
        found.append(cast("Message", value))
        start = end
        while start < len(text) and text[start] in _BLANK:
            start += 1
        if start < len(text) and text[start] != "{":
            return [*found, None]
    return found


def _is_sound(message: Message) -> bool:
    """Whether the SDK can take it: a request, or an answer of the form that it expects (R73)."""
    number = message.get("id")
    if isinstance(message.get("method"), str):
        return "id" not in message or number is None or _is_id(number) or isinstance(number, str)
    if "method" in message or not _is_id(number):
        return False
    error = message.get("error")
    if isinstance(error, dict):
        message.pop("result", None)  # with both, the worse one counts
        fields = cast("Message", error)
        fields["code"] = fields.get("code") if _is_id(fields.get("code")) else -32603
        fields["message"] = str(fields.get("message", "Error"))
        return True
    return "result" in message


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)
