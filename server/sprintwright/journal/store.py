"""Run folders: named, made, listed and read. Their owner is in `sprintwright.journal.owner`."""

from __future__ import annotations

import datetime
import re
import secrets
import threading
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from sprintwright.errors import PathRefused, Refused, RunUnreadable
from sprintwright.journal.blobs import Blobs
from sprintwright.journal.reader import Loaded, read_journal
from sprintwright.paths import make_private_dir, refuse_links, sync_folder, write_atomic
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
    """The runs of a folder, newest first; anything else that lies there is passed over, and links are not followed."""
    try:
        refuse_links(folder / ".sprintwright" / "runs", folder)
        names = [path.name for path in (folder / ".sprintwright" / "runs").iterdir()]
    except (OSError, PathRefused):
        return
    for name in sorted(names, reverse=True):
        if RUN_ID.fullmatch(name):
            yield RunFolder(folder, name)
