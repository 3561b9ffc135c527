"""One node of the tree that clients see: flat, with its parent's id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sprintwright.model.records import QuestionKind
from sprintwright.model.usage import Usage

RunStatus = Literal[
    "running", "waiting", "paused", "interrupted", "cancelled", "failed", "not_converged", "terminal_ready",
    "completed", "unreadable",
]  # fmt: skip
NodeStatus = Literal[
    "not_started", "running", "waiting", "done", "skipped", "failed", "blocked", "interrupted", "cancelled",
]  # fmt: skip
NodeKind = Literal["stage", "loop", "group", "entry", "pass", "turn", "check", "question"]


@dataclass(slots=True)
class Node:
    """A stage, a sprint or item (``entry``), a pass, or a leaf of a run.

    ``id`` is the key in the journal; ``parent`` is empty for the stages of the run itself. ``detail`` is one line
    for people: a title, a reason, an error. ``revision`` is the record that changed the node last.
    """

    id: str
    parent: str
    kind: NodeKind
    label: str
    status: NodeStatus = "not_started"
    role: str = ""
    agent: str = ""
    verdict: str = ""
    action: str = ""
    """What the verdict did to the loop around it: `break` or `retry`."""
    findings: int = 0
    since: str = ""
    until: str = ""
    """UTC: a waiting node goes on by itself then; empty where a person has to act."""
    seconds: float = 0.0
    limit: int = 0
    changed: str = ""
    """What a turn or check changed, in words; empty where that is not known, or nothing and nobody cares."""
    detail: str = ""
    last_activity: str = ""
    revision: int = 0
    usage: Usage | None = None
    """Of the turn, or of all turns below."""


@dataclass(frozen=True, slots=True)
class Gate:
    """The artifact of a stage: not there yet, approved (``open``), or written and not approved, with the reason."""

    file: str
    status: Literal["missing", "open", "not_approved", "skipped"] = "missing"
    reason: str = ""


@dataclass(frozen=True, slots=True)
class OpenQuestion:
    """What a person was asked and has not answered. ``inner``: within a turn, and void without its owner."""

    text: str
    choices: tuple[str, ...]
    kind: QuestionKind
    inner: bool = False


def parent_of(key: str) -> str:
    """Id of the node around a node: ``a[2]/b`` -> ``a[2]`` -> ``a`` -> ````."""
    if key.endswith("]"):
        return key[: key.rindex("[")]
    return key.rpartition("/")[0]
