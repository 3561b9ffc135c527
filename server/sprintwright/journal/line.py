"""One record as one line of JSON, with a checksum; and back.

A line: ``{"v":1,"seq":7,"at":"…Z","clock":12.5,"kind":"started","key":"…","data":{…},
"synced":5,"epoch":"…","sum":"…"}``.
The sum is CRC-32 over everything before ``,"sum"``: it finds accidents, it is no signature.
"""

from __future__ import annotations

import json
import math
import re
import zlib
from typing import Any, cast

from pydantic_core import PydanticSerializationError

from sprintwright.journal.blobs import inline, outline
from sprintwright.model.records import PAYLOADS, SCHEMA_VERSION, Finished, Record

MOST_LINE_BYTES = 16 * 1024 * 1024
MOST_INLINE_BYTES = 256 * 1024
_SUM = b',"sum":"%08x"}\n'
_HALF = re.compile(rb"\\u[dD][89a-fA-F]")
"""Perhaps half a character: we write characters themselves."""
_SUM_LENGTH = len(_SUM % 0)


class BadLine(ValueError):
    """A line that is not a whole record. ``newer`` when it is one, but not of this program's schema."""

    def __init__(self, reason: str, *, newer: bool = False) -> None:
        super().__init__(reason)
        self.reason, self.newer = reason, newer


def encode(record: Record) -> tuple[bytes, dict[str, bytes]]:
    """The line of a record, and the texts that must be on disk as blobs before it, by SHA-256."""
    try:
        data = record.payload.model_dump_json(exclude_defaults=True)
    except PydanticSerializationError:  # a lone surrogate: the record is written all the same (R22)
        data = json.dumps(_storable(record.payload.model_dump(exclude_defaults=True)), ensure_ascii=False)
    blobs: dict[str, bytes] = {}
    if len(data) > MOST_INLINE_BYTES // 4 and len(data.encode()) > MOST_INLINE_BYTES:
        data = json.dumps(outline(json.loads(data), blobs, MOST_INLINE_BYTES), ensure_ascii=False)
    key = json.dumps(record.key, ensure_ascii=False)
    head = (
        f'{{"v":{SCHEMA_VERSION},"seq":{record.seq},"at":"{record.at}","clock":{record.clock:.3f},'
        f'"kind":"{record.payload.kind}","key":{key},"data":{data},'
        f'"synced":{record.synced},"epoch":"{record.epoch}"'
    ).encode("utf-8", "replace")
    return head + _SUM % zlib.crc32(head), blobs


def _storable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    if isinstance(value, dict):
        return {_storable(key): _storable(item) for key, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list | tuple):
        return [_storable(item) for item in cast("list[Any]", value)]
    return value


def is_whole(line: bytes) -> bool:
    """Whether the checksum of a line is right."""
    return len(line) > _SUM_LENGTH and line[-_SUM_LENGTH:] == _SUM % zlib.crc32(line[:-_SUM_LENGTH])


def synced_of(line: bytes) -> int:
    """The ``synced`` number of a whole line, without reading its payload."""
    try:
        tail = line[line.rindex(b'"synced":') + 9 :]
        return int(tail[: tail.index(b",")])
    except ValueError:  # no record of ours, whatever its checksum says
        return 0


def decode(line: bytes, read_blob: Any = None) -> Record:
    """The record of a line. Texts of a finished leaf stay in their blobs until they are replayed.

    Raises:
        BadLine: checksum, JSON, kind or fields are not right.
    """
    if not is_whole(line):
        raise BadLine("its checksum is wrong")
    try:
        raw = cast("dict[str, Any]", json.loads(line))
        if _HALF.search(line):
            json.dumps(raw, ensure_ascii=False).encode()  # a lone surrogate can't be shown: a ValueError
        if raw["v"] > SCHEMA_VERSION:
            raise BadLine(
                f"it was written with journal schema {raw['v']}, this program reads up to {SCHEMA_VERSION}: "
                "update Sprintwright",
                newer=True,
            )
        payload_type = PAYLOADS.get(raw["kind"])
        if payload_type is None:
            raise BadLine(f"its kind {raw['kind']!r} is not known here: update Sprintwright", newer=True)
        data = raw["data"]
        if payload_type is not Finished and read_blob is not None:
            data = inline(data, read_blob)
        record = Record(
            raw["seq"],
            raw["at"],
            raw["key"],
            payload_type.model_validate(data),
            raw["synced"],
            raw["epoch"],
            raw["clock"],
        )
    except BadLine:
        raise
    except (KeyError, TypeError, ValueError, RecursionError) as error:
        raise BadLine(f"it is no record ({type(error).__name__})") from error
    if not _is_typed(record):
        raise BadLine("it is no record (a field has another type)")
    return record


def _is_typed(record: Record) -> bool:
    """Whether the fields around the payload are what we write: a checksum is easily made (X14)."""
    numbers = (record.seq, record.synced)
    texts = cast("tuple[object, ...]", (record.at, record.key, record.epoch))
    return (
        all(type(one) is int for one in numbers)
        and all(isinstance(one, str) for one in texts)
        and type(record.clock) in (int, float)
        and math.isfinite(record.clock)
    )
