"""A run that another program carries on, watched: only what was appended is read, however long the history."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from typing import BinaryIO

from sprintwright.app.look import is_own, settle
from sprintwright.app.places import Places
from sprintwright.errors import PathRefused, RunUnreadable
from sprintwright.journal.blobs import Blobs
from sprintwright.journal.line import MOST_LINE_BYTES, BadLine, decode
from sprintwright.journal.reader import Loaded
from sprintwright.journal.store import RunFolder
from sprintwright.model.records import Record
from sprintwright.paths import open_beneath, refuse_links
from sprintwright.state.fold import RunState
from sprintwright.state.tree import AT_WORK, Delta

OnRecord = Callable[[Record, Delta, RunState], None]


class Follower:
    """The state of a run, brought up to date by `poll`. Use as a context: it holds the journal open.

    A new owner may put a copy in the journal's place; then the run is read anew, once.
    """

    def __init__(self, places: Places, place: RunFolder) -> None:
        self.place = place
        self.state = RunState()
        self.own = is_own(places, place)
        self._places = places
        self._file: BinaryIO | None = None
        self._rest = b""
        self._told = 0
        self._unreadable: RunUnreadable | None = None

    def __enter__(self) -> Follower:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def poll(self, on_record: OnRecord = lambda _record, _delta, _state: None) -> None:
        """Take in what was recorded since the last call, then settle the status.

        Args:
            on_record: told of each new record when the state has just taken it in.
        """
        if self._unreadable is None and (self._file is None or self._replaced()):
            self._open()
        if self._file is not None:
            for record, delta in self._read(self._file):
                if record.seq > self._told:  # not those of a copy that are known already
                    self._told = record.seq
                    on_record(record, delta, self.state)
        settle(self._places, self.place, self.state, Loaded(unreadable=self._unreadable))

    @property
    def ended(self) -> bool:
        """Whether nobody carries the run on any more."""
        return self.state.status not in AT_WORK

    def _open(self) -> None:
        self.close()
        self.state, self._rest = RunState(), b""
        try:
            refuse_links(self.place.path / "journal.jsonl", self.place.folder)
            self._file = os.fdopen(open_beneath(self.place.path, "journal.jsonl"), "rb")
        except FileNotFoundError:
            pass  # its owner has not recorded anything yet
        except (OSError, PathRefused) as error:
            self._unreadable = RunUnreadable(str(error))

    def close(self) -> None:
        """Let go of the journal; the next poll reads it anew."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def _replaced(self) -> bool:
        """Whether the name stands for another file now, or the file lost what was read of it."""
        assert self._file is not None
        held = os.fstat(self._file.fileno())
        try:
            named = os.stat(self.place.path / "journal.jsonl", follow_symlinks=False)  # noqa: PTH116 - beside fstat
        except OSError:
            return True
        return not os.path.samestat(held, named) or held.st_size < self._file.tell()

    def _read(self, file: BinaryIO) -> Iterator[tuple[Record, Delta]]:
        blobs = Blobs(self.place.path)
        while line := file.readline(MOST_LINE_BYTES):
            self._rest += line
            if not line.endswith(b"\n"):
                if len(self._rest) > MOST_LINE_BYTES:
                    self._broken("a line is too long")
                return  # it is being written
            line, self._rest = self._rest, b""
            try:
                record = decode(line, blobs.read)
                delta = self._taken(record)
            except (BadLine, RunUnreadable) as error:
                self._broken(str(error))
                return
            yield record, delta

    def _taken(self, record: Record) -> Delta:
        if record.seq != self.state.revision + 1:
            raise BadLine(f"record {record.seq} stands behind record {self.state.revision}")
        return self.state.apply(record)

    def _broken(self, reason: str) -> None:
        self._unreadable = RunUnreadable(reason)
        self.close()
