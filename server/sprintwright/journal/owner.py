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


class TakenRun:
    """A run whose lock this process holds, with what earlier owners recorded and its file open for appending.

    It reads, writes and syncs, and nothing of it belongs to a loop: make it in a thread where a loop must not wait.

    Raises:
        Refused: `run_owned`, `run_unreadable`, `folder_read_only`.
        RunUnreadable: the journal can't be believed.
    """

    def __init__(self, place: RunFolder) -> None:
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
            self.cut = ""
            """Name of the file that took what stood behind the last whole record."""
            self.descriptor = self._open()
        except OSError as error:
            self._lock.release()
            raise Refused("folder_read_only", f"Run {place.run_id!r} can't be written: {error.strerror}.") from error
        except BaseException:
            self._lock.release()
            raise

    def unlock(self) -> None:
        """Let others own the run; the file is closed by whoever appends to it."""
        self._lock.release()

    def give_back(self) -> None:
        """Let go of a run to which nobody came to append."""
        os.close(self.descriptor)
        self._lock.release()

    def _open(self) -> int:
        path, loaded = self.place.path / "journal.jsonl", self.loaded
        if loaded.tail_size:
            self.cut = self._put_tail_aside(path)
        if loaded.size and not loaded.closed:
            # An fsync may have failed without anybody being told: only a copy is known to be on disk (R8).
            write_atomic(self.place.path, "journal.jsonl", _head(path, loaded.size))
        flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(path, flags, 0o600)
        if not loaded.size:
            os.ftruncate(descriptor, 0)
            sync_folder(self.place.path)
        return descriptor

    def _put_tail_aside(self, path: Path) -> str:
        name = f"journal.cut-{self.loaded.last}"
        with path.open("rb") as file:
            file.seek(self.loaded.size)
            write_atomic(self.place.path, name, file.read())
        return name


class OwnedRun:
    """A run that this process owns: what was recorded, and the journal to append to. Belongs to the running loop.

    Args:
        place: the run's folder.
        on_durable: called with every record that is on disk, the loaded ones not included.
        taken: the run, if it was taken before.
    """

    def __init__(self, place: RunFolder, on_durable: OnDurable, taken: TakenRun | None = None) -> None:
        self.place = place
        self._taken = taken or TakenRun(place)
        self.loaded = self._taken.loaded
        self.journal = JsonlJournal(
            place.path,
            self._taken.descriptor,
            size=self.loaded.size,
            last=self.loaded.last,
            epoch=secrets.token_hex(4),
            on_durable=on_durable,
        )
        program = f"sprintwright {__version__}"
        self.journal.append("", Opened(pid=os.getpid(), host=socket.gethostname(), program=program))
        if self._taken.cut:
            lost = TailCut(size=self.loaded.tail_size, file=self._taken.cut, reason=self.loaded.tail_reason)
            self.journal.append("", lost)

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
            self._taken.unlock()

    def abandon(self) -> None:
        """Free the lock again without having recorded anything."""
        try:
            self.journal.discard()
        finally:
            self._taken.unlock()


def _head(path: Path, size: int) -> bytes:
    with path.open("rb") as file:
        return file.read(size)
