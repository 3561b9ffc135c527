"""A run that this process owns: lock, loaded records, and the journal to append to."""

from __future__ import annotations

import os
import secrets
import socket
from pathlib import Path

from sprintwright import __version__
from sprintwright.errors import PathRefused, Refused
from sprintwright.journal.lock import RunLock
from sprintwright.journal.store import RunFolder
from sprintwright.journal.writer import JsonlJournal, OnDurable
from sprintwright.model.records import Opened, Record, Released, TailCut
from sprintwright.paths import refuse_links, remove_leftovers, sync_folder, write_atomic
from sprintwright.stops import stop


class OwnedRun:
    """A run that this process owns: lock, loaded records, and the journal to append to.

    Args:
        place: the run's folder.
        on_durable: called with every record that is on disk, the loaded ones not included.
    """

    def __init__(self, place: RunFolder, on_durable: OnDurable) -> None:
        self.place = place
        try:
            refuse_links(place.path / "journal.jsonl", place.folder)
            self._lock = RunLock(place.path)
        except PathRefused as error:
            raise Refused("run_unreadable", error.message) from error
        stop("lock.taken")
        try:
            self.loaded = place.read()
            if self.loaded.unreadable is not None:
                raise self.loaded.unreadable
            remove_leftovers(place.path)
            self.journal = self._open(on_durable)
        except OSError as error:
            self._lock.release()
            raise Refused("folder_read_only", f"Run {place.run_id!r} can't be written: {error.strerror}.") from error
        except BaseException:
            self._lock.release()
            raise

    @property
    def records(self) -> list[Record]:
        """What earlier owners recorded."""
        return self.loaded.records

    async def release(self) -> None:
        """Close the journal with a last record, so that the next owner can trust every byte, and free the lock."""
        try:
            if self.journal.broken is None:
                self.journal.append("", Released())
            await self.journal.close()
        finally:
            self._lock.release()

    def abandon(self) -> None:
        """Free the lock again without having recorded anything."""
        try:
            self.journal.discard()
        finally:
            self._lock.release()

    def _open(self, on_durable: OnDurable) -> JsonlJournal:
        path, loaded = self.place.path / "journal.jsonl", self.loaded
        cut = self._put_tail_aside(path) if loaded.tail_size else ""
        if loaded.size and not loaded.closed:
            # An fsync may have failed without anybody being told: only a copy is known to be on disk (R8).
            write_atomic(self.place.path, "journal.jsonl", _head(path, loaded.size))
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path, flags, 0o600)
        if not loaded.size:
            os.ftruncate(descriptor, 0)
            sync_folder(self.place.path)
        epoch = secrets.token_hex(4)
        journal = JsonlJournal(
            self.place.path, descriptor, size=loaded.size, last=loaded.last, epoch=epoch, on_durable=on_durable
        )
        journal.append("", Opened(pid=os.getpid(), host=socket.gethostname(), program=f"sprintwright {__version__}"))
        if cut:
            journal.append("", TailCut(size=loaded.tail_size, file=cut, reason=loaded.tail_reason))
        return journal

    def _put_tail_aside(self, path: Path) -> str:
        name = f"journal.cut-{self.loaded.last}"
        with path.open("rb") as file:
            file.seek(self.loaded.size)
            write_atomic(self.place.path, name, file.read())
        return name


def _head(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(size)
