"""The queue on the way out: in order, without loss, and never waited for (R80)."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field

import pytest

from sprintwright.lsp.transport.outbox import FULL_BYTES, NO_ROOM_BYTES, ROOM_BYTES, Outbox

SECONDS = 10
PIPE_BYTES = 65536


@dataclass
class Ends:
    """An outbox, the end that the client reads, and what the outbox said."""

    outbox: Outbox
    client: int
    room: list[int] = field(default_factory=list[int])
    has_room: threading.Event = field(default_factory=threading.Event)
    broken: threading.Event = field(default_factory=threading.Event)
    times_broken: int = 0

    def read(self, count: int) -> bytes:
        """Exactly so many bytes."""
        data = b""
        while len(data) < count:
            data += os.read(self.client, count - len(data))
        return data

    def was_broken(self) -> None:
        self.times_broken += 1
        self.broken.set()

    def room_again(self) -> None:
        self.room.append(self.outbox.waiting)
        self.has_room.set()


@pytest.fixture(params=["blocking", "not blocking"])
def ends(request: pytest.FixtureRequest) -> Iterator[Ends]:
    client, descriptor = os.pipe()
    os.set_blocking(descriptor, request.param == "blocking")
    found: list[Ends] = []
    outbox = Outbox(descriptor, on_room=lambda: found[0].room_again(), on_broken=lambda: found[0].was_broken())
    found.append(Ends(outbox, client))
    outbox.start()
    yield found[0]
    if not found[0].broken.is_set():
        os.close(client)
        outbox.put(b"x")
        assert found[0].broken.wait(SECONDS)
    os.close(descriptor)


def test_r080_bytes_go_out_in_their_order_and_none_is_lost(ends: Ends) -> None:
    frames = [b"%d " % number * (number % 70) for number in range(3000)]
    for frame in frames:
        ends.outbox.put(frame)
    whole = b"".join(frames)
    assert ends.read(len(whole)) == whole


def test_r080_there_is_no_room_above_256_kb_and_again_when_64_kb_wait(ends: Ends) -> None:
    assert ends.outbox.room
    ends.outbox.put(bytes(NO_ROOM_BYTES - PIPE_BYTES))
    assert ends.outbox.room
    ends.outbox.put(bytes(3 * PIPE_BYTES))
    assert not ends.outbox.room
    total = NO_ROOM_BYTES + 2 * PIPE_BYTES
    ends.read(PIPE_BYTES)
    assert not ends.outbox.room
    ends.read(total - PIPE_BYTES)
    assert ends.has_room.wait(SECONDS)
    assert ends.outbox.room
    assert len(ends.room) == 1
    assert ends.room[0] <= ROOM_BYTES


def test_r080_it_is_full_above_16_mb_until_half_of_that_is_taken(ends: Ends) -> None:
    ends.outbox.put(bytes(FULL_BYTES - PIPE_BYTES))
    assert not ends.outbox.is_full
    ends.outbox.put(bytes(3 * PIPE_BYTES))
    assert ends.outbox.is_full
    assert not ends.outbox.wait_until_not_full(0)
    ends.read(FULL_BYTES // 2 - 3 * PIPE_BYTES)
    assert ends.outbox.is_full
    ends.read(6 * PIPE_BYTES)
    assert ends.outbox.wait_until_not_full(SECONDS)
    ends.read(FULL_BYTES + 2 * PIPE_BYTES - FULL_BYTES // 2 - 3 * PIPE_BYTES)


def test_b137_a_reader_that_leaves_is_noticed_once_and_frees_who_waits(ends: Ends) -> None:
    ends.outbox.put(bytes(FULL_BYTES + PIPE_BYTES))
    assert not ends.outbox.has_lost_its_reader()
    os.close(ends.client)
    assert ends.broken.wait(SECONDS)
    assert ends.outbox.has_lost_its_reader()
    assert ends.outbox.wait_until_not_full(SECONDS)
    ends.outbox.put(b"more")
    assert ends.outbox.waiting == 0
    assert ends.times_broken == 1
