"""What commands give, and what is pushed: camelCase, apart from the engine's own values.

What commands take is in `arguments.py`. `docs/protocol.md` and the golden files in `tests/golden/protocol/` are held to
both by a test.
"""

from __future__ import annotations

from typing import Literal

from pydantic import BaseModel, ConfigDict
from pydantic.alias_generators import to_camel

from sprintwright.model.effects import Effect
from sprintwright.model.records import QuestionKind
from sprintwright.state.node import NodeKind, NodeStatus, RunStatus

Owner = Literal["here", "elsewhere", "none"]


class Wire(BaseModel):
    """The base: names in camelCase; an unknown field of an argument is an error that names it."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)


class OutcomeResult(Wire):
    """What a verb did; see `sprintwright.model.effects.Outcome`."""

    effect: Effect
    run_id: str
    phase: str = ""
    """Top-level stage that the run is at."""
    step: int = 0
    """Its place among `total`, from 1; 0: not known."""
    total: int = 0
    missing: str = ""
    """A file that is missing; at `endBlocked` before the last stage: that stage."""
    reason: str = ""
    """Why a file that is there is not approved."""
    skipped: str = ""
    """Stage that was jumped on the way here."""
    message: str = ""
    """The same in a sentence for people: what happened, and what to do next."""


class StatusResult(Wire):
    """How a run stands after a verb that has no effect of its own."""

    run_id: str
    status: RunStatus


class PreviewResult(Wire):
    """What a resume or a rerun would do again: finished leaves, by key."""

    run_id: str
    again: tuple[str, ...]
    """Keys of leaves."""


class ReconfigureResult(StatusResult):
    """Who plays what now."""

    roles: dict[str, str]


class FileChange(Wire):
    """A file and what happens to it."""

    path: str
    status: str
    """What happens, or happened, to it: `added`, `modified`, `mode`, `deleted`; `more`: `path` says how many more."""


class RestoreResult(StatusResult):
    """A preview, or with `applied` what was done."""

    applied: bool
    to: str
    changes: tuple[FileChange, ...]
    left: tuple[str, ...]
    """Stays although it was not there then."""
    conflicts: tuple[str, ...]
    """In no snapshot and in the way: nothing is restored until it is moved."""
    undo: str = ""
    """What to restore to, to undo it."""


class ChangesResult(Wire):
    """Which files, between which snapshots, and their diff in git's format, as plain text."""

    run_id: str
    leaf: str
    before: str
    """Tree that `run.fileAt` takes."""
    after: str
    """The same; empty: the files as they are now, for a turn that is at work or was cut off."""
    files: tuple[FileChange, ...]
    diff: str


class FileAtResult(Wire):
    """A file's text as it was."""

    run_id: str
    tree: str
    path: str
    text: str


class DeleteResult(Wire):
    """What could not be removed yet, in sentences."""

    run_id: str
    problems: tuple[str, ...]


class ProblemResult(Wire):
    """Something wrong in a definition; line and column 0-based, columns in code points."""

    code: str
    message: str
    severity: str
    """`error`, `warning` or `hint`."""
    line: int
    column: int


class RoleResult(Wire):
    """A role of a workflow."""

    name: str
    description: str
    permissions: str
    """`read_only` or `workspace_write`."""


class WorkflowResult(Wire):
    """A definition that can be seen from a folder; it can be started when no problem is an error."""

    name: str
    title: str
    description: str
    origin: Literal["builtin", "user", "workspace"]
    replaces: str
    """Origin of the definition of the same name that this one takes the place of; or empty."""
    uri: str
    folder: str
    """The folder it is seen from; empty for what all folders share."""
    roles: tuple[RoleResult, ...]
    vars: dict[str, str]
    """Variables and their values when nothing is given."""
    review_after: str
    """Stage after which there is a plan to read; empty where there is none, or the workflow pauses there anyway."""
    problems: tuple[ProblemResult, ...]


class WorkflowsResult(Wire):
    """All of them."""

    workflows: tuple[WorkflowResult, ...]


class WorkflowFileResult(Wire):
    """A file that was written."""

    uri: str


class AgentResult(Wire):
    """A configured agent; `problem` is empty when nothing is known against it."""

    name: str
    kind: str
    """`cli`, `check`, `human`, …"""
    origin: str
    """Where it is configured: `builtin`, `user`, `workspace` or `editor`."""
    description: str
    plays: tuple[str, ...]
    """Aliases and roles that name it."""
    version: str = ""
    problem: str


class AgentsResult(Wire):
    """All agents, and sentences about what is odd in the configuration."""

    agents: tuple[AgentResult, ...]
    problems: tuple[str, ...]


class RunHeadResult(Wire):
    """A run in a list."""

    run_id: str
    folder: str
    workflow: str
    task: str
    status: RunStatus
    reason: str
    """Why it stands still, in words; empty while it does not."""
    stage: str
    """Key of where it is."""
    began: str
    """UTC, ISO 8601."""
    last_activity: str
    own: bool
    """Whether this user started it on this machine; nothing is acted on in another one."""
    owner: Owner
    """Who carries it on: this server, another program, or nobody."""


class RunsResult(Wire):
    """Newest first; `more` when older ones were left out."""

    runs: tuple[RunHeadResult, ...]
    more: bool


class UsageResult(Wire):
    """What models were used for, as far as agents say."""

    tokens: int
    """Input and output together."""
    input_tokens: int
    output_tokens: int
    cached_tokens: int
    """Of the input, what came from a cache."""
    cost: float | None
    """US dollars; null: not known."""
    precision: Literal["exact", "lower_bound"]


class NodeResult(Wire):
    """A node of a run's tree; flat. Its id stays the same for as long as the run is."""

    id: str
    """Key in the run's journal, as `sprints[1]/passes[2]/evaluator`."""
    parent: str
    """Id of the node around it; empty for the stages of the run itself."""
    kind: NodeKind
    label: str
    """What to show; plain text."""
    status: NodeStatus
    role: str
    agent: str
    verdict: str
    """One of the keys that the workflow declares; empty: none (yet)."""
    action: str
    """What the verdict did to the loop around it: `break` or `retry`."""
    findings: int
    """How many findings it reported."""
    since: str
    """UTC: when it began."""
    last_activity: str
    waiting_for: str
    """`answer`, `permission`, `limit`, or empty."""
    until: str
    """UTC: a waiting node goes on by itself then; empty where a person has to act."""
    seconds: float
    """How long it took."""
    limit: int
    """Most passes of a loop; 0: not known."""
    detail: str
    """One line for people: a title, a reason, an error."""
    changed: str = ""
    """What a turn or check changed, in words; of a role that only reads `unchanged`, `changed …`, `not verified: …`."""
    usage: UsageResult | None = None
    """Of the turn, or of all turns below; null: no agent said."""


class QuestionResult(Wire):
    """An open question."""

    key: str
    """What `run.answer` takes as `question`."""
    kind: QuestionKind
    text: str
    choices: tuple[str, ...]
    """What can be chosen; empty: free words."""


class FindingResult(Wire):
    """A finding with its place as evaluators write it: 1-based, 0 for what is not known."""

    id: str
    """Its identity: the same finding has the same one in every pass."""
    number: int
    """Its number in the terminal's `show`."""
    status: Literal["open", "fixed", "dismissed"]
    key: str
    """The leaf that said it last."""
    severity: str
    message: str
    path: str
    """In the folder; empty when the finding names no file."""
    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    suggestion: str


class ReportResult(Wire):
    """What the last turn told of the outcome."""

    summary: str
    links: tuple[str, ...]


class RunResult(RunHeadResult):
    """A run with all that is known of it."""

    revision: int
    """Number of the last record that is counted in."""
    code: str
    """Why it failed, for programs."""
    missing: str
    """File that it stopped for; with the code `limit`: that limit."""
    seconds: float
    turns: int
    """Turns taken so far."""
    roles: dict[str, str]
    nodes: tuple[NodeResult, ...]
    gates: dict[str, dict[str, str]]
    """Stage to its artifact: `file`, `status` (`missing`, `open`, `not_approved`, `skipped`), `reason`."""
    questions: tuple[QuestionResult, ...]
    findings: tuple[FindingResult, ...]
    changed_files: dict[str, str]
    """Path to what happened to it in the whole run."""
    changes_unknown: str
    """Why changed files are not known; empty when they are."""
    notes: tuple[str, ...]
    usage: UsageResult | None = None
    """Of all turns, those that were done again included."""
    usage_by_role: dict[str, UsageResult] = {}
    report: ReportResult | None = None


class DidChange(Wire):
    """Pushed when a run changed: only the nodes that did. A client that is not at `base` asks `run.get`."""

    run_id: str
    folder: str
    revision: int
    """What the client is at when it has taken this in."""
    base: int
    """What the client must be at before it; 0: it need know nothing of the run."""
    status: RunStatus
    reason: str
    owner: Owner
    turns: int
    open_findings: int
    questions: tuple[QuestionResult, ...]
    """All that are open now."""
    nodes: tuple[NodeResult, ...]
    """New and changed ones, parents first."""
    removed: tuple[str, ...]
    """Ids of nodes that are gone."""


class DidDelete(Wire):
    """Pushed when a run is gone."""

    run_id: str


class OutputPiece(Wire):
    """Live output of one leaf."""

    key: str
    stream: Literal["prompt", "text", "error", "note"]
    text: str


class DidOutput(Wire):
    """Pushed live output, in order; `dropped` characters were left out before it. The transcript has everything."""

    run_id: str
    pieces: tuple[OutputPiece, ...]
    dropped: int
    """Characters that were left out before these pieces."""
