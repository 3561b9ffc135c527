"""Serves over standard input and output until the client, the user or the system ends it (R80-R84, R92, R94).

Imported before pygls: the caller's factory imports it, once the descriptors are safe.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
import threading
import time
from collections.abc import Awaitable, Callable, Sequence
from typing import TYPE_CHECKING, Any

from sprintwright.lsp.transport.descriptors import Pipes, take_pipes
from sprintwright.lsp.transport.logs import Log
from sprintwright.lsp.transport.outbox import Outbox
from sprintwright.lsp.transport.reader import Reader
from sprintwright.processes.liveness import stat_fields

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

    from sprintwright.lsp.protocol import HardenedProtocol
    from sprintwright.lsp.transport.messages import MessageId

    Closing = Callable[[LanguageServer], Awaitable[None]]
    Early = Callable[[object], tuple[MessageId, bytes] | None]

_LOG = logging.getLogger(__name__)

_LOST = 1
_SIGNALS = {"SIGTERM": 143, "SIGHUP": 129, "SIGINT": 130}
_LOOK_SECONDS = 0.5
"""How often the client's process is looked for."""
_FLUSH_SECONDS = 0.5
_STUCK_SECONDS = 8.0
_LEAVE_SECONDS = 0.5
"""What threads may still take at the end; then the process leaves without them."""


def serve(
    make_server: Callable[[], LanguageServer], *, closing: Closing, answer_early: Early = lambda _message: None
) -> int:
    """Serve one client.

    Args:
        make_server: makes the server, whose protocol class is `HardenedProtocol`, on the running loop. It is the place
            to import pygls: when it is called, nothing that is printed can reach the client any more.
        closing: ends runs and their programs, within some four seconds. Awaited exactly once: before `shutdown` is
            answered, or at the end. Not awaited when the server could not be made.
        answer_early: takes the client's first message before the server is made: its id and the frame that answers it,
            or None, when the server itself is to answer.

    Returns:
        0 when `shutdown` came before the end, 1 when it did not or the stream was broken, 128 + n for a signal. The
        process must leave with it: threads that still work are cut off a moment later.
    """
    try:
        pipes = take_pipes()
    except OSError as error:
        print(f"sprintwright: the language server needs standard input and output: {error}.", file=sys.stderr)
        return _LOST
    log = Log()
    try:
        return asyncio.run(_Session(pipes, log, closing).run(make_server, answer_early))
    except Exception:
        _LOG.exception("The server failed.")
        return _LOST
    finally:
        log.flush(_FLUSH_SECONDS)


class _Session:
    """One client, from the first byte to the last."""

    def __init__(self, pipes: Pipes, log: Log, closing: Closing) -> None:
        self._pipes = pipes
        self._log = log
        self._closing = closing
        self._end: asyncio.Future[int] | None = None
        self._is_broken = False
        self._protocol: HardenedProtocol | None = None
        self._first: asyncio.Future[None] | None = None
        self._early: list[tuple[Sequence[Any], Callable[[], None]]] = []
        """What came before the server was made."""

    async def run(self, make_server: Callable[[], LanguageServer], answer_early: Early) -> int:
        """Serve to the end."""
        loop = asyncio.get_running_loop()
        self._end, self._first = end, first = loop.create_future(), loop.create_future()
        for name, code in _SIGNALS.items():
            with contextlib.suppress(NotImplementedError, AttributeError):
                loop.add_signal_handler(getattr(signal, name), self._end_with, code, f"{name} came")
        outbox = Outbox(
            self._pipes.outgoing,
            on_room=lambda: _call(loop, self._room_again),
            on_broken=lambda: _call(loop, self._end_with, _LOST, "the client closed its pipe"),
        )
        reader = Reader(
            self._pipes.incoming,
            outbox,
            deliver=lambda values, done: _call(loop, self._deliver, values, done),
            ended=self._input_ends,
        )
        outbox.start()
        reader.start()
        answered = await self._answer_first(end, first, outbox, answer_early)
        if end.done() and not self._early:
            self._leave_in(_LEAVE_SECONDS, end.result())
            return end.result()
        server = make_server()
        self._log.take_handlers()
        protocol = _hardened(server)
        protocol.connect(outbox, end_work=lambda: self._closing(server), on_exit=lambda: self._end_with(_LOST, "exit"))
        if answered is not None:
            protocol.answered_already(answered)
        self._protocol = protocol
        early, self._early = self._early, []
        for values, done in early:
            self._deliver(values, done)
        watch = asyncio.create_task(self._watch_client(server, outbox), name="watch the client")
        code = _LOST
        try:
            code = await end
            await protocol.close()
            if protocol.was_shut_down and not self._is_broken:
                code = 0
            await _flushed(outbox)
        finally:
            watch.cancel()
            self._leave_in(_LEAVE_SECONDS, code)
        return code

    async def _answer_first(
        self, end: asyncio.Future[int], first: asyncio.Future[None], outbox: Outbox, answer_early: Early
    ) -> MessageId | None:
        """Wait for the first message, or the end; the message's id if it could be answered at once."""
        await asyncio.wait({first, end}, return_when=asyncio.FIRST_COMPLETED)
        answer = answer_early(self._early[0][0][0]) if self._early and self._early[0][0] else None
        if answer is None:
            return None
        outbox.put(answer[1])
        return answer[0]

    def _room_again(self) -> None:
        if self._protocol is not None:
            self._protocol.room_again()

    def _end_with(self, code: int, why: str) -> None:
        """The first reason to end counts."""
        assert self._end is not None
        if self._end.done():
            return
        if why != "exit":
            _LOG.warning("The server ends: %s.", why)
        self._end.set_result(code)

    def _input_ends(self, reason: str | None) -> None:
        """In the reading thread: a loop that does not turn any more must not outlive its client."""
        self._leave_in(_STUCK_SECONDS, _LOST)
        assert self._end is not None
        _call(self._end.get_loop(), self._input_ended, reason)

    def _leave_in(self, seconds: float, code: int) -> None:
        """Cut off what hangs: a thread in a system call must not keep the server, and its client, from ending."""

        def leave() -> None:
            time.sleep(seconds)
            self._log.flush(_FLUSH_SECONDS)
            os._exit(code)

        threading.Thread(target=leave, name="leave", daemon=True).start()

    def _input_ended(self, reason: str | None) -> None:
        assert self._end is not None
        if reason is None:
            self._end_with(_LOST, "the input ended")
        elif not self._end.done():
            _LOG.error("The server ends: the client's messages can't be followed. %s", reason)
            self._is_broken = True
            self._end.set_result(_LOST)

    def _deliver(self, values: Sequence[Any], done: Callable[[], None]) -> None:
        if self._protocol is None:
            self._early.append((values, done))
            if self._first is not None and not self._first.done():
                self._first.set_result(None)
            return
        try:
            for value in values:
                try:
                    self._protocol.receive(value)
                except Exception:
                    _LOG.exception("A message could not be worked off.")
        finally:
            done()

    async def _watch_client(self, server: LanguageServer, outbox: Outbox) -> None:
        """End when the process that `initialize` named is gone, also while somebody else holds the pipe (R82)."""
        started: str | None = None
        while True:
            await asyncio.sleep(_LOOK_SECONDS)
            if outbox.has_lost_its_reader():
                self._end_with(_LOST, "the client closed its pipe")
            pid = server.process_id
            if pid is None or sys.platform == "win32":
                continue
            fields = stat_fields(pid)
            started = started or (fields[19] if fields else None)
            if not _lives(pid) or (fields is not None and (fields[0] in "ZX" or fields[19] != started)):
                self._end_with(_LOST, f"the client's process {pid} is gone")
                return


def _hardened(server: LanguageServer) -> HardenedProtocol:
    from sprintwright.lsp.protocol import HardenedProtocol

    assert isinstance(server.protocol, HardenedProtocol)
    return server.protocol


def _call(loop: asyncio.AbstractEventLoop, function: Callable[..., None], *arguments: Any) -> None:
    """Call on the loop, from a thread.

    Raises:
        RuntimeError: the loop is closed.
    """
    loop.call_soon_threadsafe(function, *arguments)


def _lives(pid: int) -> bool:
    if pid <= 0:
        return True  # names no process
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True


async def _flushed(outbox: Outbox) -> None:
    """Wait for what is queued for the client; not in a thread, for those may all be busy."""
    with contextlib.suppress(TimeoutError):
        async with asyncio.timeout(_FLUSH_SECONDS):
            while outbox.waiting:  # noqa: ASYNC110 - a thread empties it
                await asyncio.sleep(0.005)
