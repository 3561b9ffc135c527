"""Run folders: made, listed, and opened by their one owner."""

from __future__ import annotations

import datetime
import os
import re
import secrets
import socket
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sprintwright import __version__
from sprintwright.errors import PathRefused, Refused, RunUnreadable
from sprintwright.journal.blobs import Blobs
from sprintwright.journal.lock import RunLock
from sprintwright.journal.reader import Loaded, read_journal
from sprintwright.journal.writer import JsonlJournal, OnDurable
from sprintwright.model.records import Opened, Record, Released, TailCut
from sprintwright.paths import make_private_dir, refuse_links, remove_leftovers, sync_folder, write_atomic
from sprintwright.stops import stop

RUN_ID = re.compile(r"[0-9]{8}-[0-9]{9}-[0-9a-z]{4}")
_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
_last_instant = 0
_instant_lock = threading.Lock()


@dataclass(frozen=True, slots=True)
class RunFolder:
    """One run's place on disk: ``<folder>/.sprintwright/runs/<run-id>``."""

    folder: Path
    run_id: str

    @property
    def path(self) -> Path:
        """The run's own folder."""
        return self.folder / ".sprintwright" / "runs" / self.run_id

    def read(self) -> Loaded:
        """The journal as it is; for anyone, without the lock."""
        try:
            refuse_links(self.path / "journal.jsonl", self.folder)
        except PathRefused as error:
            return Loaded(unreadable=RunUnreadable(f"{error.message} It is outside the folder and was not opened."))
        return read_journal(self.path, Blobs(self.path).read)


def new_run_id(now: datetime.datetime | None = None) -> str:
    """An id that sorts by time: to the millisecond, and in order of the calls within one process (R23)."""
    global _last_instant
    moment = now or datetime.datetime.now(datetime.UTC)
    with _instant_lock:
        _last_instant = max(_last_instant + 1, int(moment.timestamp() * 1000))
        instant = datetime.datetime.fromtimestamp(_last_instant / 1000, datetime.UTC)
    word = "".join(secrets.choice(_ALPHABET) for _ in range(4))
    return f"{instant:%Y%m%d-%H%M%S}{instant.microsecond // 1000:03}-{word}"


def make_run_folder(folder: Path) -> RunFolder:
    """Make a fresh run folder, its name durable. Raises `Refused` when the folder can't be written."""
    base = folder / ".sprintwright"
    try:
        refuse_links(base / "runs", folder)
        for part in (base, base / "runs"):
            make_private_dir(part)
        if not (base / ".gitignore").exists():
            write_atomic(base, ".gitignore", b"*\n")
        while True:
            made = RunFolder(folder, new_run_id())
            try:
                made.path.mkdir(mode=0o700)
                break
            except FileExistsError:
                continue
        for part in ("artifacts", "blobs", "transcripts"):
            (made.path / part).mkdir(mode=0o700)
        sync_folder(made.path)
        sync_folder(made.path.parent)
    except OSError as error:
        raise Refused(
            "folder_read_only",
            f"The folder {str(folder)!r} can't be written, so no run can be kept there: {error.strerror}.",
            folder=str(folder),
        ) from error
    stop("run.folder_made")
    return made


def list_run_folders(folder: Path) -> Iterator[RunFolder]:
    """The runs of a folder, newest first; anything else that lies there is passed over."""
    try:
        names = [path.name for path in (folder / ".sprintwright" / "runs").iterdir()]
    except OSError:
        return
    for name in sorted(names, reverse=True):
        if RUN_ID.fullmatch(name):
            yield RunFolder(folder, name)


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
