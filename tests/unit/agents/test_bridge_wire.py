"""The lines between an agent, its pipe and our server of tools."""

from __future__ import annotations

import asyncio
import tracemalloc

import pytest

from sprintwright.agents.bridge import wire


async def test_r079_a_line_that_is_too_large_is_not_kept() -> None:
    reader = asyncio.StreamReader()
    reading = asyncio.create_task(anext(wire.lines(reader, 1 << 20)))
    tracemalloc.start()
    try:
        for _ in range(20):
            reader.feed_data(b"x" * (1 << 20))
            await asyncio.sleep(0)
            await asyncio.sleep(0)
        assert tracemalloc.get_traced_memory()[1] < 8 << 20
    finally:
        tracemalloc.stop()
    reader.feed_data(b"\n")
    assert isinstance(await reading, wire.TooLong)


@pytest.mark.parametrize(
    ("line", "wanted"),
    [
        ('{"jsonrpc":"2.0","id":3,"method":"x","params":{"id":9}}', 3),
        ('{"method":"x","params":{"id":9},"jsonrpc":"2.0","id":"a-1"}', "a-1"),
        ('{"params":{"id":9},"method":"x","id":4,"jsonrpc":"2.0"}', 4),
        ('{"method":"x","params":{"id":9}}', None),
        ('{"method":"x","params":{"a":1,"id":9}}', None),
        ("", None),
    ],
)
def test_the_id_of_a_call_that_is_not_kept_is_found_at_its_ends(line: str, wanted: object) -> None:
    assert wire.id_of(line.encode(), line.encode()) == wanted


@pytest.mark.parametrize("size", [1, 3, 7, 1000])
async def test_lines_are_the_same_however_they_arrive(size: int) -> None:
    reader = asyncio.StreamReader()
    found: list[bytes | str] = []

    async def read() -> None:
        async for line in wire.lines(reader, 20):
            found.append(line if isinstance(line, bytes) else "too long")

    data = b"a\n\nbb\n" + b"c" * 30 + b"\n" + b"d" * 20 + b"\nrest"
    reading = asyncio.create_task(read())
    for start in range(0, len(data), size):
        reader.feed_data(data[start : start + size])
        await asyncio.sleep(0)
        await asyncio.sleep(0)
    reader.feed_eof()
    await reading
    assert found == [b"a", b"", b"bb", "too long", b"d" * 20]
