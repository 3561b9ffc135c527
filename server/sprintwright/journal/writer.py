"""The owner's end of a journal: records are queued on the loop, written and synced by one thread.

What is appended becomes durable with the next `JsonlJournal.sync`, or a moment later by itself, so that a
``finished`` and the next ``started`` share one fsync and the loop never waits in a system call.
"""

from __future__ import annotations

import asyncio
import datetime
import os
import shutil
import threading
import time
from collections.abc import Callable
from pathlib import Path
from queue import SimpleQueue

from sprintwright.errors import JournalBroken
from sprintwright.journal.blobs import Blobs, inline
from sprintwright.journal.line import encode
from sprintwright.model.records import Finished, Payload, Record, Started
from sprintwright.model.value import Json
from sprintwright.stops import stop

OnDurable = Callable[[list[Record]], None]
_LINGER_SECONDS = 0.02


class _Batch:
    """What the thread writes with one write and one fsync."""

    def __init__(self) -> None:
        self.records: list[Record] = []
        self.lines: list[bytes] = []
        self.blobs: dict[str, bytes] = {}


class JsonlJournal:
    """Implements `sprintwright.engine.ports.Journal` on a file.

    Args:
        run_folder: the run's folder, already opened by its owner.
        descriptor: `journal.jsonl`, open for appending, positioned at its end; closed by `close`.
        size: its length in bytes.
        last: number of its last record, all of them durable.
        epoch: this owner's random word.
        on_durable: called on the loop with records that are on disk, in order.
    """

    def __init__(
        self, run_folder: Path, descriptor: int, *, size: int, last: int, epoch: str, on_durable: OnDurable
    ) -> None:
        self.last = last
        self.durable = last
        self.broken: JournalBroken | None = None
        self._epoch, self._on_durable = epoch, on_durable
        self._loop = asyncio.get_running_loop()
        self._file = _File(run_folder / "journal.jsonl", descriptor, size)
        self._blobs = Blobs(run_folder)
        self._batch = _Batch()
        self._queue: SimpleQueue[_Batch | None] = SimpleQueue()
        self._waiting: list[tuple[int, asyncio.Future[None]]] = []
        self._flush_timer: asyncio.TimerHandle | None = None
        self._writing = False
        self._thread = threading.Thread(target=self._work, name=f"journal {run_folder.name}", daemon=True)
        self._thread.start()

    def append(self, key: str, payload: Payload) -> int:
        """Queue a record; its number. Raises `JournalBroken` once nothing can be recorded any more."""
        if self.broken is not None:
            raise self.broken
        if isinstance(payload, Finished):
            stop("leaf.after_effect")
        elif isinstance(payload, Started):
            stop("leaf.before_started")
        self.last += 1
        at = datetime.datetime.now(datetime.UTC).isoformat(timespec="milliseconds")[:-6] + "Z"
        record = Record(self.last, at, key, payload, self.durable, self._epoch, time.monotonic())
        line, blobs = encode(record)
        self._batch.records.append(record)
        self._batch.lines.append(line)
        self._batch.blobs.update(blobs)
        if self._flush_timer is None:
            self._flush_timer = self._loop.call_later(_LINGER_SECONDS, self._flush)
        if isinstance(payload, Finished):
            stop("leaf.after_finished")
        return self.last

    async def sync(self) -> None:
        """Return when everything appended so far is on disk. Raises `JournalBroken`."""
        if self.broken is not None:
            raise self.broken
        if self.durable == self.last:
            return
        future: asyncio.Future[None] = self._loop.create_future()
        self._waiting.append((self.last, future))
        began_leaf = any(isinstance(record.payload, Started) for record in self._batch.records)
        if not self._writing:
            self._flush()  # else what gathers meanwhile goes together when the thread is back: one fsync for many
        await future
        if began_leaf:
            stop("leaf.after_started")

    def resolve(self, value: dict[str, Json]) -> dict[str, Json]:
        """A finished value with its blobs read in. Raises `RunUnreadable` for one that is gone."""
        return inline(value, self._blobs.read)

    async def close(self) -> None:
        """Write what is queued, end the thread and close the file. Does not raise for a broken journal."""
        self._flush()
        self._queue.put(None)
        await asyncio.to_thread(self._thread.join)
        await asyncio.sleep(0)  # reports of the thread that are on their way
        self._file.close()

    def discard(self) -> None:
        """Close without writing what is queued: the run was opened and is given back untouched."""
        if self._flush_timer is not None:
            self._flush_timer.cancel()
        self._batch = _Batch()
        self._queue.put(None)
        self._thread.join()
        self._file.close()

    def _flush(self) -> None:
        if self._flush_timer is not None:
            self._flush_timer.cancel()
            self._flush_timer = None
        if self._batch.records:
            self._queue.put(self._batch)
            self._batch = _Batch()
            self._writing = True

    def _work(self) -> None:
        while (batch := self._queue.get()) is not None:
            done = batch.records
            try:
                for name, data in batch.blobs.items():
                    self._blobs.write(name, data)
                self._file.write(b"".join(batch.lines))
            except (OSError, JournalBroken) as error:
                self._report(self._break, _in_words(error, self._file.path))
                return
            self._report(self._became_durable, done)

    def _report(self, function: Callable[..., None], argument: object) -> None:
        try:
            self._loop.call_soon_threadsafe(function, argument)
        except RuntimeError:
            pass  # the loop is gone, and with it everyone who could be told

    def _became_durable(self, records: list[Record]) -> None:
        self.durable = records[-1].seq
        self._writing = False
        if self._waiting and self._waiting[-1][0] > self.durable:
            self._flush()
        ready = [future for number, future in self._waiting if number <= self.durable]
        self._waiting = [(number, future) for number, future in self._waiting if number > self.durable]
        self._on_durable(records)
        for future in ready:
            if not future.done():
                future.set_result(None)

    def _break(self, error: JournalBroken) -> None:
        self.broken = error
        waiting, self._waiting = self._waiting, []
        for _, future in waiting:
            if not future.done():
                future.set_exception(error)


class _File:
    """The journal's file: appends whole batches, or none of them."""

    def __init__(self, path: Path, descriptor: int, size: int) -> None:
        self.path, self._descriptor, self._size = path, descriptor, size
        held = os.fstat(descriptor)
        self._name, self._identity = str(path), (held.st_dev, held.st_ino)

    def write(self, data: bytes) -> None:
        """Write and sync. After any failure the file must not be written again."""
        self._still_ours()
        stop("journal.before_write")
        try:
            written = 0
            while written < len(data):
                written += os.write(self._descriptor, data[written:])
        except OSError:
            os.ftruncate(self._descriptor, self._size)
            raise
        stop("journal.after_write")
        os.fsync(self._descriptor)  # never tried again on this descriptor: a second success would mean nothing
        stop("journal.after_fsync")
        self._size += len(data)

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._descriptor)

    def _still_ours(self) -> None:
        try:
            there = os.lstat(self._name)  # not Path.lstat: this is before every batch
        except FileNotFoundError:
            raise JournalBroken(f"{self._name!r} was removed while the run was going on.") from None
        if (there.st_dev, there.st_ino) != self._identity:
            raise JournalBroken(f"{self._name!r} was replaced by another program; nothing more is written.")
        if there.st_size != self._size:
            raise JournalBroken(
                f"Another program wrote to {self._name!r} ({self._size} bytes expected, {there.st_size} found); "
                "nothing more is written."
            )


def _in_words(error: OSError | JournalBroken, path: Path) -> JournalBroken:
    if isinstance(error, JournalBroken):
        return error
    try:
        free = f"{shutil.disk_usage(path.parent).free:,} bytes are free there"
    except OSError:
        free = "the folder can't be looked at"
    return JournalBroken(
        f"The run's journal {str(path)!r} can't be written: {error.strerror or error} ({free}). "
        "The run stopped; make room and resume it.",
        data={"path": str(path), "errno": error.errno or 0},
    )
