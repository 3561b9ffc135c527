"""The beginning and the end of a journal, for lists: what it costs does not depend on what stands between them."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import BinaryIO

from sprintwright.errors import PathRefused, RunUnreadable
from sprintwright.journal.blobs import Blobs
from sprintwright.journal.line import MOST_LINE_BYTES, BadLine, decode, is_whole
from sprintwright.journal.store import RunFolder
from sprintwright.model.records import Ended, Record, Released, RunStarted
from sprintwright.paths import open_beneath, refuse_links

_HEAD_RECORDS = 3
"""The start stands behind the first owner's record."""
_TAIL_BYTES = 16 * 1024
_WHOLE_BYTES = 1024 * 1024
"""Up to this size the checksum of every line is looked at, so that a list says of a damaged run that it is one."""


@dataclass(frozen=True, slots=True)
class Ends:
    """The start of a run, and how it ended as far as its last two lines say so; what is None has to be read whole."""

    started: Record | None
    ended: Record | None
    is_empty: bool = False


def read_ends(place: RunFolder) -> Ends:
    """Read them. Never raises: what can't be read here is found out when the journal is read whole."""
    try:
        refuse_links(place.path / "journal.jsonl", place.folder)
        with os.fdopen(open_beneath(place.path, "journal.jsonl"), "rb") as file:
            return _read(file, Blobs(place.path).read)
    except FileNotFoundError:
        return Ends(None, None, is_empty=True)
    except (OSError, PathRefused):
        return Ends(None, None)


def _read(file: BinaryIO, read_blob: Callable[[str], str]) -> Ends:
    size = file.seek(0, os.SEEK_END)
    file.seek(0)
    sound = size > _WHOLE_BYTES or all(is_whole(line) for line in file)
    file.seek(0)
    started = None
    for _ in range(_HEAD_RECORDS):
        record = _record(file.readline(MOST_LINE_BYTES + 1), read_blob)
        if record is not None and isinstance(record.payload, RunStarted):
            started = record
            break
    file.seek(max(0, size - _TAIL_BYTES))
    last = [_record(line, read_blob) for line in file.read().splitlines(keepends=True)[-2:]]
    match last:
        case [Record(payload=Ended()) as ended, Record(payload=Released())] if sound:
            return Ends(started, ended, is_empty=not size)
        case _:
            return Ends(started, None, is_empty=not size)


def _record(line: bytes, read_blob: Callable[[str], str]) -> Record | None:
    try:
        return decode(line, read_blob)
    except (BadLine, ValueError, RunUnreadable, PathRefused):
        return None
