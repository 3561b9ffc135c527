"""A journal, read from its start: whole records, or the reason why it can't be believed."""

from __future__ import annotations

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from sprintwright.errors import PathRefused, RunUnreadable
from sprintwright.journal.line import MOST_LINE_BYTES, BadLine, decode, is_whole, synced_of
from sprintwright.model.records import Opened, Record, Released
from sprintwright.paths import open_beneath

_BOM = b"\xef\xbb\xbf"


@dataclass(slots=True)
class Loaded:
    """What stands in a journal.

    ``size`` is where the last whole record ends; what is behind it is the soft tail of a crash, ``tail_size`` bytes
    of it. ``unreadable`` says why records at or below a durable number can't be read: then ``records`` is what
    stands before.
    """

    records: list[Record] = field(default_factory=list[Record])
    size: int = 0
    tail_size: int = 0
    tail_reason: str = ""
    unreadable: RunUnreadable | None = None

    @property
    def closed(self) -> bool:
        """Whether the last owner left in order, so that every byte is known to be on disk."""
        return bool(self.records) and isinstance(self.records[-1].payload, Released) and not self.tail_size

    @property
    def last(self) -> int:
        """Number of the last record."""
        return self.records[-1].seq if self.records else 0


def read_journal(run_folder: Path, read_blob: Callable[[str], str] | None = None) -> Loaded:
    """Read a run's journal; nothing is written. Never raises for what is in the file or how it can be read."""
    loaded = Loaded()
    try:
        with os.fdopen(open_beneath(run_folder, "journal.jsonl"), "rb") as file:
            _read(file, loaded, read_blob)
    except FileNotFoundError:
        pass  # the owner died before its first record
    except OSError as error:
        loaded.unreadable = RunUnreadable(f"journal.jsonl can't be read: {error.strerror or error}")
    except PathRefused as error:
        loaded.unreadable = RunUnreadable(error.message)
    except RunUnreadable as error:
        loaded.unreadable = error
    return loaded


def _read(file: BinaryIO, loaded: Loaded, read_blob: Callable[[str], str] | None) -> None:
    epochs: set[str] = set()
    while line := file.readline(MOST_LINE_BYTES + 1):
        number = len(loaded.records) + 1
        try:
            record = decode(line, read_blob)
        except BadLine as bad:
            _judge(file, line, loaded, bad)
            return
        if record.seq != number:
            raise RunUnreadable(
                f"record {record.seq} stands where record {number} belongs (line {number - 1} has record "
                f"{number - 1}): a line was removed, doubled or moved",
                line=number,
                offset=loaded.size,
            )
        _check_epoch(record, loaded, epochs)
        loaded.records.append(record)
        loaded.size += len(line)


def _check_epoch(record: Record, loaded: Loaded, epochs: set[str]) -> None:
    last = loaded.records[-1].epoch if loaded.records else ""
    if record.epoch == last:
        return
    if record.epoch in epochs or not isinstance(record.payload, Opened):
        raise RunUnreadable(
            "two programs wrote to this journal at the same time (the lock was lost, or the file was restored)",
            line=record.seq,
            offset=loaded.size,
        )
    epochs.add(record.epoch)


def _judge(file: BinaryIO, line: bytes, loaded: Loaded, bad: BadLine) -> None:
    """A bad line is the soft tail of a crash, unless some record says that it was durable."""
    number = len(loaded.records) + 1
    where = {"line": number, "offset": loaded.size}
    if bad.newer:
        raise RunUnreadable(bad.reason, **where)
    if len(line) > MOST_LINE_BYTES:
        raise RunUnreadable(f"it is longer than {MOST_LINE_BYTES} bytes", **where)
    edited = _is_edited(line)
    size = len(line)
    while more := file.readline(MOST_LINE_BYTES + 1):
        size += len(more)
        plain = more.replace(b"\r\n", b"\n")
        if is_whole(plain) and synced_of(plain) >= number:
            hint = "; it was probably edited" if edited or plain != more else ""
            raise RunUnreadable(f"{bad.reason}, and a later record says that it was on disk{hint}", **where)
    if edited:
        raise RunUnreadable("it was edited (line ends or a byte order mark were changed)", **where)
    loaded.tail_size, loaded.tail_reason = size, bad.reason


def _is_edited(line: bytes) -> bool:
    return is_whole(line.removeprefix(_BOM).replace(b"\r\n", b"\n"))
