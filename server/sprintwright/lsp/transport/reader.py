"""The way in: a thread that reads frames, decodes them and hands them to the loop as fast as that keeps up."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import threading
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from sprintwright.lsp.transport.frames import BrokenStream, FrameParser
from sprintwright.lsp.transport.outbox import Outbox
from sprintwright.lsp.transport.wire import decode_body

_LOG = logging.getLogger(__name__)

_PIECE = 256 * 1024
_MOST_PENDING_BYTES = 4 * 1024 * 1024
"""What may wait for the loop before the thread reads on."""
_LOOK_SECONDS = 0.5
"""How often a thread that may not read looks whether the client is still there."""


class Reader:
    """Reads until the input ends. Values reach ``deliver`` in their order, several at a time.

    Args:
        descriptor: where to read. Blocking or not.
        outbox: while it is full, nothing is read (R80).
        deliver: called, from the thread, with the decoded values of one read and what to call when they are worked off.
        ended: called once, from the thread: None at the end of the input, else why the stream can't be followed.
    """

    def __init__(
        self,
        descriptor: int,
        outbox: Outbox,
        *,
        deliver: Callable[[Sequence[Any], Callable[[], None]], None],
        ended: Callable[[str | None], None],
    ) -> None:
        self._descriptor = descriptor
        self._outbox = outbox
        self._deliver, self._ended = deliver, ended
        self._pending = 0
        self._worked_off = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="lsp reader", daemon=True)

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def _done(self, size: int) -> None:
        with self._worked_off:
            self._pending -= size
            self._worked_off.notify_all()

    def _run(self) -> None:
        reason: str | None = None
        try:
            self._read_all()
        except BrokenStream as error:
            reason = str(error)
        except OSError as error:
            reason = f"The input can't be read: {error}."
        except RuntimeError:  # the loop is closed: the server ends
            return
        with contextlib.suppress(RuntimeError):
            self._ended(reason)

    def _read_all(self) -> None:
        parser = FrameParser()
        while self._may_read():
            try:
                data = os.read(self._descriptor, _PIECE)
            except BlockingIOError:
                select.select([self._descriptor], [], [])
                continue
            if not data:
                if not parser.is_between_frames:
                    _LOG.warning("The input ended within a message.")
                return
            broken: BrokenStream | None = None
            values: list[Any] = []
            size = 0
            try:
                for body in parser.feed(data):
                    values.append(decode_body(body))
                    size += len(body)
            except BrokenStream as error:
                broken = error
            if values:
                with self._worked_off:
                    self._pending += size
                self._deliver(values, partial(self._done, size))
            if broken is not None:
                raise broken

    def _may_read(self) -> bool:
        """Wait until the loop and the client keep up; False when the client has left meanwhile."""
        with self._worked_off:
            self._worked_off.wait_for(lambda: self._pending <= _MOST_PENDING_BYTES)
        has_left = False
        while not self._outbox.wait_until_not_full(_LOOK_SECONDS):
            if has_left:
                return False
            has_left = self._has_hung_up()
        return True

    def _has_hung_up(self) -> bool:
        """Whether nobody can write to us any more; what they wrote before may still be unread."""
        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        poll.register(self._descriptor, 0)
        return any(event & (select.POLLHUP | select.POLLERR) for _, event in poll.poll(0))
