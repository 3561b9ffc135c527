"""What leaves come to. The recorded value is the value: a replay hands out exactly these."""

from __future__ import annotations

from typing import Literal

from sprintwright.model.changes import Change
from sprintwright.model.finding import Finding
from sprintwright.model.usage import Usage
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
    head: str = ""
    """Where the user's repository stands afterwards: branch and commit."""
    files: tuple[Change, ...] = ()
    more: int = 0
    """How many further files changed."""
    together_with: tuple[str, ...] = ()
    """Keys of the leaves that ran in the folder at the same time: then it is not certain whose change it was."""
    not_covered: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    """What is different beside the files, in words: of the user's repository, of protected places, and of what git
    ignores where the role may only read."""
    programs: tuple[str, ...] = ()
    """Changed files and settings that can make programs run here and that nobody agreed to: the user is asked."""
    read_only: Literal["", "unchanged", "changed", "not verified"] = ""
    """The result for a role that may only read."""
    unsure: str = ""
    """Why that is not verified."""
    note: str = ""
    """Why there is no comparison, if there is none."""


class Session(Value):
    """A session of an agent, by the agent's own id."""

    agent: str
    id: str
    counted: Usage | None = None
    """What the agent counts for the whole of it, if it does: a later turn is the difference."""


class Report(Value):
    """What `finish_workflow` told: the outcome in words, and every pull request, issue or link."""

    summary: str
    links: tuple[str, ...] = ()


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
    gate: str = ""
    """Why the artifact is not approved; empty when it is, or when there is none."""
    changes: Changed | None = None
    warnings: tuple[str, ...] = ()
    seconds: float = 0
    version: str = ""
    """Which version of the agent it was, or which program; empty: not known."""
    session: Session | None = None
    """The session that the turn had, so that a later pass can continue it."""
    usage: Usage | None = None
    exits: bool = False
    """`exit_loop` was called: the innermost loop around this turn ends after it."""
    report: Report | None = None


class AnswerResult(Value):
    """A person's answer, or the policy's when nobody was asked."""

    text: str
    asked: bool = True


class ArtifactResult(Value):
    """The artifact of a loop, written when the loop came to a good end."""

    artifact: ArtifactVersion
    gate: str = ""
    text: str = ""
    """The user's own text, where it took the place of what was written."""


class SkipResult(Value):
    """A look at whether a stage is skipped, and why."""

    skipped: bool
    reason: str = ""


class Restored(Value):
    """What a restore did to the folder; its two trees are snapshots, so it can be undone."""

    before: str
    after: str
    files: tuple[Change, ...] = ()


LeafKind = Literal["turn", "check", "question", "skip", "artifact", "restore"]
