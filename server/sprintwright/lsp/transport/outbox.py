"""The way out: a queue of bytes and a thread that writes them, so that the loop never waits for the client (R80)."""

from __future__ import annotations

import contextlib
import logging
import os
import select
import threading
from collections import deque
from collections.abc import Callable

_LOG = logging.getLogger(__name__)

NO_ROOM_BYTES = 256 * 1024
ROOM_BYTES = 64 * 1024
FULL_BYTES = 16 * 1024 * 1024
_PIECE = 64 * 1024


class Outbox:
    """Bytes that wait for the client, in their order. Nothing that was put in is dropped while the pipe stands.

    Args:
        descriptor: where to write. Blocking or not.
        on_room: called, from the writing thread, when there is room again.
        on_broken: called once, from the writing thread, when nobody can read any more.
    """

    def __init__(self, descriptor: int, *, on_room: Callable[[], None], on_broken: Callable[[], None]) -> None:
        self._descriptor = descriptor
        self._on_room, self._on_broken = on_room, on_broken
        self._frames: deque[bytes] = deque()
        self._changed = threading.Condition()
        self._waiting = 0
        self._room = True
        self._full = False
        self._broken = False
        self._thread = threading.Thread(target=self._write_all, name="lsp writer", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    @property
    def waiting(self) -> int:
        """Bytes that the client has not taken."""
        return self._waiting

    @property
    def room(self) -> bool:
        """Whether what can wait or be dropped should be sent now."""
        return self._room

    @property
    def is_full(self) -> bool:
        """Whether so much waits that no further request may be read."""
        return self._full

    def has_lost_its_reader(self) -> bool:
        """Whether nobody can read any more, also when nothing is to be written now."""
        if not hasattr(select, "poll"):
            return False
        poll = select.poll()
        poll.register(self._descriptor, 0)
        return any(event & (select.POLLERR | select.POLLHUP) for _, event in poll.poll(0))

    def put(self, frame: bytes) -> None:
        """Queue bytes; returns at once."""
        with self._changed:
            if self._broken:
                return
            self._frames.append(frame)
            self._waiting += len(frame)
            self._room = self._room and self._waiting <= NO_ROOM_BYTES
            self._full = self._full or self._waiting > FULL_BYTES
            self._changed.notify_all()

    def wait_until_not_full(self, seconds: float) -> bool:
        """Wait, in a thread, until less than half of the most waits. False when that took too long."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._full or self._broken, seconds)

    def _write_all(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._frames)
                piece = self._next_piece()
            try:
                self._write(piece)
            except OSError as error:
                _LOG.warning("The client does not read any more: %s.", error)
                self._break()
                return

    def _next_piece(self) -> bytes:
        """One frame, or several small ones together."""
        frames = [self._frames.popleft()]
        size = len(frames[0])
        while self._frames and size + len(self._frames[0]) <= _PIECE:
            frames.append(self._frames.popleft())
            size += len(frames[-1])
        return frames[0] if len(frames) == 1 else b"".join(frames)

    def _write(self, piece: bytes) -> None:
        rest = memoryview(piece)
        while rest:
            try:
                written = os.write(self._descriptor, rest[:_PIECE])
            except BlockingIOError:  # the client made its end non-blocking, and with it ours
                select.select([], [self._descriptor], [])
                continue
            rest = rest[written:]
            self._taken(written)

    def _taken(self, written: int) -> None:
        with self._changed:
            self._waiting -= written
            again = not self._room and self._waiting <= ROOM_BYTES
            self._room = self._room or again
            self._full = self._full and self._waiting > FULL_BYTES // 2
            self._changed.notify_all()
        if again:
            self._on_room()

    def _break(self) -> None:
        with self._changed:
            self._broken = True
            self._frames.clear()
            self._waiting = 0
            self._changed.notify_all()
        with contextlib.suppress(RuntimeError):  # the loop is closed already
            self._on_broken()
