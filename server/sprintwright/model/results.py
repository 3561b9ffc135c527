"""What leaves come to. The recorded value is the value: a replay hands out exactly these."""

from __future__ import annotations

from typing import Literal, TypeAlias

from sprintwright.model.changes import Change
from sprintwright.model.finding import Finding
from sprintwright.model.value import Value
from sprintwright.model.verdict import Verdict


class ArtifactVersion(Value):
    """One version of a file in the run's `artifacts/`."""

    name: str
    sha256: str
    size: int
    """Bytes of the UTF-8 text."""


class Changed(Value):
    """What happened to the folder while a leaf ran."""

    before: str = ""
    """Tree of the snapshot before; empty when there is none."""
    after: str = ""
    files: tuple[Change, ...] = ()
    more: int = 0
    """How many further files changed."""
    together_with: tuple[str, ...] = ()
    """Keys of the leaves that ran in the folder at the same time: then it is not certain whose change it was."""
    not_covered: tuple[str, ...] = ()
    note: str = ""
    """Why there is no comparison, if there is none."""


class TurnResult(Value):
    """One turn of an agent, or one check: they differ in who acted, not in what comes out."""

    text: str
    passed: bool | None = None
    """Exit status of real commands; None for everything that gives its verdict in words."""
    questions: bool = False
    """The text is a list of questions to the user: the marker was absent."""
    verdict: Verdict | None = None
    findings: tuple[Finding, ...] = ()
    artifact: ArtifactVersion | None = None
    changes: Changed | None = None
    warnings: tuple[str, ...] = ()
    seconds: float = 0


class AnswerResult(Value):
    """A person's answer, or the policy's when nobody was asked."""

    text: str
    asked: bool = True


class SkipResult(Value):
    """A look at whether a stage is skipped, and why."""

    skipped: bool
    reason: str = ""


LeafResult: TypeAlias = TurnResult | AnswerResult | SkipResult
LeafKind = Literal["turn", "check", "question", "skip"]
