"""What an earlier owner left: the loaded records, folded to what the replay needs. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from sprintwright.engine.permits import Granted, answered
from sprintwright.model.activity import ActiveTime
from sprintwright.model.limits import Limits
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
    Said,
    SetAside,
    Started,
    Waiting,
)
from sprintwright.model.usage import Usage
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
    answers: dict[str, Decided] = field(default_factory=dict[str, Decided])
    """The user's answers to questions that are still open, by the question's key."""
    mine: dict[str, Decided] = field(default_factory=dict[str, Decided])
    """Artifacts of which the user's own version counts, by the leaf that was to write them."""
    said: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Lane and words of the user that no prompt has had yet."""
    given: dict[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Words that the prompt of a leaf had; done again, it has them again."""
    tries: dict[str, int] = field(default_factory=dict[str, int])
    """How often a leaf was started without coming to an end."""
    scopes: dict[tuple[str, str], Payload] = field(default_factory=dict[tuple[str, str], Payload])
    limits: dict[str, int] = field(default_factory=dict[str, int])
    max_passes: int = 0
    limits_raised: Limits = field(default_factory=Limits)
    """Limits that the user gave to this run since it began."""
    roles: dict[str, str] = field(default_factory=dict[str, str])
    turns: int = 0
    waits: dict[str, Waiting] = field(default_factory=dict[str, Waiting])
    """Waits that no start of their leaf followed."""
    active: ActiveTime = field(default_factory=ActiveTime)
    """How long earlier owners were at work."""
    head: str = ""
    """Where the user's repository stood when it was last looked at: branch and commit."""
    ended: Ended | None = None
    usage: Usage = field(default_factory=Usage)
    """What finished turns used, those done again since included: they were paid for."""
    granted: Granted = field(default_factory=Granted)
    """Answers of the user to requests for permission that hold for the whole run."""
    _outside: dict[str, Started] = field(default_factory=dict[str, Started])
    """Leaves at work that no lane replays: questions within a turn, restores."""
    _tried: dict[str, tuple[str, int]] = field(default_factory=dict[str, tuple[str, int]])
    """Agent and used-up tries of leaves that have tries left."""

    @classmethod
    def load(cls, records: Iterable[Record]) -> History:
        """Fold records in order."""
        history = cls()
        for record in records:
            history.apply(record.key, record.payload)
            history.active.take(record)
        return history

    def apply(self, key: str, payload: Payload) -> None:
        """Take one more record in."""
        match payload:
            case Started():
                self.head = payload.head or self.head
                self._start(key, payload)
            case Finished() if key in self._outside:
                self._answered(self._outside.pop(key), payload)
            case Finished():
                self.finished[key] = payload
                if isinstance(changes := payload.value.get("changes"), dict):
                    self.head = str(changes.get("head") or self.head)
                if (used := payload.value.get("usage")) is not None:
                    self.usage += Usage.model_validate(used)
                self._close(key)
                self.mine.pop(key, None)
            case Failed() if key in self._outside:
                del self._outside[key]
            case Failed():
                if payload.usage is not None:
                    self.usage += payload.usage
                begun = self.open.get(key)
                self._close(key)
                if begun is not None and not payload.final:
                    self._tried[key] = (begun.agent, begun.attempt - (payload.cause == "rate_limit"))
            case Waiting():
                self.waits[key] = payload
            case SetAside():
                for stale in payload.keys:
                    self.finished.pop(stale, None)
                    self._close(stale)
                    self.mine.pop(stale, None)
            case Entered() | Left():
                self.scopes[payload.kind, key] = payload
            case Decided():
                self._decide(key, payload)
            case Ended():
                self.ended = payload
            case Said():
                self.said.append((key, payload.text))
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

    def tried(self, key: str, agent: str) -> int:
        """How many tries of a leaf an earlier owner saw fail, if the agent is still the same and some are left."""
        by, number = self._tried.get(key, ("", 0))
        return number if by == agent else 0

    def answer_to(self, key: str, question: str) -> str | None:
        """The user's answer to a question, handed out once; none to other words that are asked at the same place."""
        given = self.answers.pop(key, None)
        return None if given is None or given.question not in ("", question) else given.text

    def _start(self, key: str, payload: Started) -> None:
        if payload.what == "restore":  # between walks: how the last one ended still stands
            self._outside[key] = payload
            return
        self.ended = None
        if payload.inner:
            self._outside[key] = payload
            return
        if payload.said:
            self.given[key] = payload.said
            left = list(payload.said)
            for entry in [entry for entry in self.said if hears(entry[0], key)]:
                if entry[1] in left:
                    left.remove(entry[1])
                    self.said.remove(entry)
        if key in self.open:
            self.tries[key] = self.tries.get(key, 0) + 1
        self.open[key] = payload
        self.kept.pop(key, None)
        self.waits.pop(key, None)
        if payload.what == "turn":
            self.turns += 1

    def _answered(self, begun: Started, payload: Finished) -> None:
        answer = payload.value.get("text")
        if begun.question == "permission" and begun.role and isinstance(answer, str):
            answered(self.granted, begun.role, begun.text, answer)

    def _close(self, key: str) -> None:
        self.open.pop(key, None)
        self.tries.pop(key, None)
        self._tried.pop(key, None)
        self.waits.pop(key, None)
        self.kept.pop(key, None)
        self.answers.pop(key, None)

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
            case "limits" if payload.limits is not None:
                self.limits_raised = self.limits_raised.model_copy(update=payload.limits.model_dump(exclude_none=True))
            case "answer":
                self.answers[key] = payload
            case "mine":
                self.mine[key] = payload
            case _:
                pass


def hears(lane: str, key: str) -> bool:
    """Whether words for a lane are for the prompt of this leaf; an empty lane is any."""
    return lane in ("", key) or key.startswith((f"{lane}/", f"{lane}["))
