"""What an earlier owner left: the loaded records, folded to what the replay needs. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sprintwright.model.records import (
    Decided,
    Ended,
    Entered,
    Failed,
    Finished,
    Left,
    Payload,
    Record,
    RunStarted,
    SetAside,
    Started,
)
from sprintwright.model.value import Json


@dataclass(slots=True)
class History:
    """Loaded results and decisions. A fresh run has an empty one and holds no old results in memory."""

    started: RunStarted | None = None
    finished: dict[str, Finished] = field(default_factory=dict[str, Finished])
    open: dict[str, Started] = field(default_factory=dict[str, Started])
    """Started and neither finished nor failed: interrupted."""
    kept: dict[str, Started] = field(default_factory=dict[str, Started])
    """Interrupted leaves whose changes the user keeps."""
    tries: dict[str, int] = field(default_factory=dict[str, int])
    """How often a leaf was started without coming to an end."""
    scopes: dict[tuple[str, str], Payload] = field(default_factory=dict[tuple[str, str], Payload])
    limits: dict[str, int] = field(default_factory=dict[str, int])
    max_passes: int = 0
    roles: dict[str, str] = field(default_factory=dict[str, str])
    turns: int = 0
    ended: Ended | None = None

    @classmethod
    def load(cls, records: Iterable[Record]) -> History:
        """Fold records in order."""
        history = cls()
        for record in records:
            history.apply(record.key, record.payload)
        return history

    def apply(self, key: str, payload: Payload) -> None:
        """Take one more record in."""
        match payload:
            case Started():
                self._start(key, payload)
            case Finished():
                self.finished[key] = payload
                self._close(key)
            case Failed():
                self._close(key)
            case SetAside():
                for stale in payload.keys:
                    self.finished.pop(stale, None)
                    self._close(stale)
            case Entered() | Left():
                self.scopes[payload.kind, key] = payload
            case Decided():
                self._decide(key, payload)
            case Ended():
                self.ended = payload
            case RunStarted():
                self.started, self.roles, self.max_passes = payload, dict(payload.roles), payload.max_passes
            case _:
                pass

    def take(self, key: str, after: str) -> dict[str, Json] | None:
        """The recorded value of a leaf, if it was performed behind the same leaf; it is handed out once."""
        found = self.finished.get(key)
        if found is None or found.after != after:
            return None
        del self.finished[key]
        return found.value

    def _start(self, key: str, payload: Started) -> None:
        self.ended = None
        if key in self.open:
            self.tries[key] = self.tries.get(key, 0) + 1
        self.open[key] = payload
        self.kept.pop(key, None)
        if payload.what == "turn":
            self.turns += 1

    def _close(self, key: str) -> None:
        self.open.pop(key, None)
        self.tries.pop(key, None)
        self.kept.pop(key, None)

    def _decide(self, key: str, payload: Decided) -> None:
        match payload.what:
            case "keep":
                if key in self.open:
                    self.kept[key] = self.open[key]
            case "redo":
                self.kept.pop(key, None)
            case "limit":
                self.limits[key] = payload.number
            case "max_passes":
                self.max_passes = payload.number
            case "roles":
                self.roles.update(payload.roles)
            case "definition":
                pass
