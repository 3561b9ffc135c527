"""Lines of JSON from an agent: one that is too large is never held, and one that is not clear is not believed."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import AsyncGenerator
from dataclasses import dataclass

MOST_LINE = 8 * 1024 * 1024
"""A text of a million characters fits, whatever way it is escaped."""
_CHUNK = 1 << 16
_EDGE = 4096
_MOST_MENDED = 1024 * 1024
_ID = rb'"id"\s*:\s*(?:(\d{1,15})|"([\w.:-]{1,100})")'
_ID_FIRST = re.compile(rb'\s*\{\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID)
_ID_LAST = re.compile(
    rb',\s*(?:"jsonrpc"\s*:\s*"2\.0"\s*,\s*)?' + _ID + rb'\s*(?:,\s*"jsonrpc"\s*:\s*"2\.0"\s*)?\}\s*$'
)


@dataclass(frozen=True, slots=True)
class TooLong:
    """A line that was not kept; only its beginning and its end."""

    head: bytes
    tail: bytes


async def lines(reader: asyncio.StreamReader, most: int = MOST_LINE) -> AsyncGenerator[bytes | TooLong]:
    """The lines of a stream until its end; what stands behind the last line end is dropped. Linear, and flat."""
    kept = bytearray()
    head, tail = b"", b""
    while chunk := await reader.read(_CHUNK):
        start = 0
        while (end := chunk.find(b"\n", start)) >= 0:
            piece = chunk[start:end]
            if head:
                yield TooLong(head, (tail + piece)[-_EDGE:])
            elif len(kept) + len(piece) > most:
                whole = bytes(kept) + piece
                yield TooLong(whole[:_EDGE], whole[-_EDGE:])
            else:
                yield bytes(kept) + piece
            kept, head, tail = bytearray(), b"", b""
            start = end + 1
        rest = chunk[start:]
        if head:
            tail = (tail + rest)[-_EDGE:]
        else:
            kept += rest
            if len(kept) > most:
                head, tail, kept = bytes(kept[:_EDGE]), bytes(kept[-_EDGE:]), bytearray()


def id_of(head: bytes, tail: bytes) -> int | str | None:
    """The id of a request that can't be read whole, where it stands at one of its ends; None when it does not."""
    found = _ID_FIRST.match(head) or _ID_LAST.search(tail)
    if found is None:
        return None
    return int(found[1]) if found[1] is not None else found[2].decode("utf-8", "replace")


def mended(line: bytes) -> bytes | None:
    """A line without the halves of characters that some programs write (X68); None when that is not what is wrong."""
    if len(line) > _MOST_MENDED:
        return None
    try:
        text = json.dumps(json.loads(line.decode("utf-8", "replace")), ensure_ascii=False)
    except (ValueError, RecursionError):
        return None
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode()


def says_twice(line: bytes) -> bool:
    """Whether an object in a line has a key twice: two readers would see different values (X68)."""

    def once(pairs: list[tuple[str, object]]) -> None:
        if len({name for name, _ in pairs}) != len(pairs):
            raise ValueError("a key twice")

    try:
        json.loads(line, object_pairs_hook=once)
    except (ValueError, RecursionError):
        return True
    return False
