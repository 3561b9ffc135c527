"""The payloads of a journal's records, one class a kind. Unknown kinds are refused, never skipped (R20)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from sprintwright.model.limits import Limits
from sprintwright.model.results import ArtifactVersion, Changed, LeafKind
from sprintwright.model.usage import Usage
from sprintwright.model.value import Json, Value

SCHEMA_VERSION = 1

EndStatus = Literal["completed", "terminal_ready", "failed", "not_converged", "cancelled", "paused"]
QuestionKind = Literal["checkpoint", "questions", "exhausted", "turn", "pause", "ask", "permission", "programs"]


class Payload(Value):
    """What a record says. ``kind`` is its word in the journal."""

    kind: ClassVar[str]


class Outline(Value):
    """A stage as the tree shows it before anything has started."""

    id: str
    kind: str
    role: str = ""
    label: str = ""
    artifact: str = ""
    body: tuple[Outline, ...] = ()


class RunStarted(Payload):
    """The first record of a run: what was asked, and who plays what. Resolved once; a resume uses these names."""

    kind = "run_started"
    run_id: str
    workflow: str
    origin: str
    definition_hash: str
    task: str
    folder: str
    roles: dict[str, str]
    """Role to agent, the spelling of the configuration."""
    vars: dict[str, str] = {}
    """Variables that replace the definition's."""
    max_passes: int = 0
    """Limit for every bounded loop; 0 = what the plan and the definition say."""
    limits: Limits | None = None
    """What is in force: the definition's, lowered by the user's; None in runs of older versions."""
    pause_after: tuple[str, ...] = ()
    """Stages after which this run pauses, beside those that the definition names."""
    outline: tuple[Outline, ...] = ()
    version: str = ""
    fixes_run: str = ""
    """The run that has the finding which this one is to mend; empty: none."""
    fixes_finding: str = ""
    """Identity of that finding."""


class Opened(Payload):
    """A process became the owner."""

    kind = "opened"
    pid: int
    host: str
    program: str


class Released(Payload):
    """The owner left in order; covers the last group of records."""

    kind = "released"


class TailCut(Payload):
    """Bytes behind the last durable record could not be read and were put aside."""

    kind = "tail_cut"
    size: int
    file: str
    reason: str


class Started(Payload):
    """A leaf began. Durable before its effect begins."""

    kind = "started"
    after: str
    what: LeafKind
    role: str = ""
    agent: str = ""
    permissions: str = ""
    person: bool = False
    """A person has to act for this leaf to end."""
    text: str = ""
    """What a person is asked; of a restore the tree that the files are to be."""
    to: str = ""
    """Of a restore: the leaf, pass or sprint before which the files were so, or ``start``."""
    choices: tuple[str, ...] = ()
    question: QuestionKind | None = None
    inner: bool = False
    """A question within a turn: it falls with the turn and is never replayed."""
    said: tuple[str, ...] = ()
    """The user's words that were added to the prompt."""
    before: str = ""
    """Tree of the snapshot before the leaf."""
    head: str = ""
    """Where the user's repository stood then: branch and commit."""
    attempt: int = 1


class Finished(Payload):
    """A leaf came to a value. Reused while its key and ``after`` are what they were."""

    kind = "finished"
    after: str
    value: dict[str, Json]


class Failed(Payload):
    """A leaf, or a stage around leaves, could not be done. A resume performs it again."""

    kind = "failed"
    cause: str
    message: str
    final: bool = True
    """False: another attempt follows."""
    usage: Usage | None = None
    """What the turn had used by then, as far as that is known."""


class SetAside(Payload):
    """Results that no longer count, because something before them is performed anew."""

    kind = "set_aside"
    keys: tuple[str, ...]
    reason: Literal["changed", "rerun"] = "changed"


class ScopeEntry(Value):
    """One sprint or item of a loop or group, before it starts."""

    number: int
    title: str = ""
    depends_on: tuple[int, ...] = ()


class Entered(Payload):
    """A loop or group begins; its entries are known (a bounded loop has a limit instead)."""

    kind = "entered"
    label: str
    entries: tuple[ScopeEntry, ...] = ()
    limit: int = 0


Outcome = Literal["done", "broke", "exhausted", "verdict_skipped", "no_items", "error", "blocked"]


class Left(Payload):
    """A loop, a group or one item of a group came to its end."""

    kind = "left"
    outcome: Outcome
    passes: int = 0
    reason: str = ""


class Waiting(Payload):
    """The leaf of this key waits until a moment: the agent is limited, or another attempt follows."""

    kind = "waiting"
    agent: str
    cause: str
    seconds: float
    until: str
    """UTC; a later owner waits for what is left of it."""


class Said(Payload):
    """The user's words for the next prompt of a lane; the record's key is the lane, empty for any."""

    kind = "said"
    text: str


class Decided(Payload):
    """A decision of the user, or of the policy in the user's place, made before the walk.

    ``dismiss`` and ``fixed`` have the finding's identity in ``text``; ``answer`` the answer to the question of the
    record's key; ``mine`` (with the file's content in ``text``) and ``back`` are about the artifact of the leaf of
    that key.
    """

    kind = "decided"
    what: Literal[
        "redo",
        "keep",
        "limit",
        "max_passes",
        "limits",
        "roles",
        "definition",
        "answer",
        "mine",
        "back",
        "dismiss",
        "fixed",
    ]
    number: int = 0
    text: str = ""
    limits: Limits | None = None
    artifact: ArtifactVersion | None = None
    question: str = ""
    """What was asked, for an answer: it counts for these words only; empty for any."""
    gate: str = ""
    """Why the user's version is not approved; empty when it is."""
    left: Changed | None = None
    """For ``redo`` and ``keep``: what the leaf had changed since its first try; None where that is not known, or where
    files were restored since."""
    roles: dict[str, str] = {}
    definition_hash: str = ""
    outline: tuple[Outline, ...] = ()


class Noted(Payload):
    """Something that the user should know, without an effect on the run."""

    kind = "noted"
    code: str
    text: str


class Ended(Payload):
    """The walk came to an end; ``paused`` means that a person has to act."""

    kind = "ended"
    status: EndStatus
    code: str = ""
    reason: str = ""
    stage: str = ""
    missing: str = ""
    """The artifact that is missing or not approved."""


PAYLOADS: dict[str, type[Payload]] = {
    payload.kind: payload
    for payload in (
        RunStarted, Opened, Released, TailCut, Started, Finished, Failed, SetAside, Entered, Left, Waiting, Said,
        Decided, Noted, Ended,
    )
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Record:
    """One line of a journal, read.

    ``at`` is UTC for people; order comes from ``seq`` alone. ``synced`` is the highest number that was known
    durable when the record was written. ``clock`` is the owner's monotonic time in seconds, comparable within one
    ``epoch`` only.
    """

    seq: int
    at: str
    key: str
    payload: Payload
    synced: int = 0
    epoch: str = ""
    clock: float = 0.0

    def header(self) -> dict[str, Any]:
        """The fields beside the payload, for output."""
        return {"seq": self.seq, "at": self.at, "kind": self.payload.kind, "key": self.key}
