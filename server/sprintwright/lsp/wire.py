"""What commands take and give, and what is pushed: camelCase, apart from the engine's own values.

`docs/protocol.md` and the golden files in `tests/golden/protocol/` are held to these classes by a test.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt
from pydantic.alias_generators import to_camel

from sprintwright.model.effects import Effect
from sprintwright.model.limits import Limits
from sprintwright.model.records import QuestionKind
from sprintwright.state.node import NodeKind, NodeStatus, RunStatus

_MOST_TEXT = 4 * 1024 * 1024
Text = Annotated[str, Field(max_length=_MOST_TEXT)]
Name = Annotated[str, Field(min_length=1, max_length=4096)]
ArtifactsField = Literal["mine", "back"] | None
Owner = Literal["here", "elsewhere", "none"]


class Wire(BaseModel):
    """The base: names in camelCase; an unknown field of an argument is an error that names it."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid", frozen=True)


class NoArguments(Wire):
    """Nothing has to be said."""

    folder: Name | None = None
    """One of the open folders; without it all of them."""


class RunArguments(Wire):
    """A run."""

    run_id: Name


class LimitsArgument(Wire):
    """Limits of a run; they can lower what is configured, never raise it."""

    turn_seconds: float | None = Field(default=None, gt=0)
    idle_seconds: float | None = Field(default=None, gt=0)
    turns: StrictInt | None = Field(default=None, gt=0)
    tokens: StrictInt | None = Field(default=None, gt=0)
    cost: float | None = Field(default=None, gt=0)
    wall_seconds: float | None = Field(default=None, gt=0)

    def limits(self) -> Limits:
        """The same as the engine takes it."""
        return Limits.model_validate(self.model_dump(exclude_none=True))


class StartArguments(Wire):
    """A workflow and a task."""

    workflow: Name
    task: Text
    roles: dict[str, str] = {}
    """Role to agent; `primary` stands for the roles that are not named."""
    folder: Name | None = None
    """One of the open folders; may be left out when there is only one."""
    vars: dict[str, str] = {}
    limits: LimitsArgument | None = None
    max_passes: StrictInt = Field(default=0, ge=0)
    """Most passes of bounded loops; 0: what the workflow says."""
    pause_after: tuple[str, ...] = ()
    """Stages after which the run pauses."""
    start_token: str = ""
    """Made by the client: the same one again is the same run."""
    concurrent: StrictBool = False
    """Start although a run that may write is live in the folder."""
    consent: str | None = None
    """The hash that a `consent_needed` named, once the user has agreed."""


class GoOnArguments(RunArguments):
    """A run that is gone on with."""

    artifacts: ArtifactsField = None
    """What counts where files are not as the run left them."""
    consent: str | None = None
    concurrent: StrictBool = False


class ResumeArguments(GoOnArguments):
    """How to resume."""

    definition: Literal["frozen", "current"] = "frozen"
    interrupted: Literal["redo", "keep", "stop"] | None = None
    """What is done with turns that were cut off; without it `needs_choice` says which."""
    limits: LimitsArgument | None = None
    max_passes: StrictInt = Field(default=0, ge=0)
    accept_shorter: StrictBool = False
    preview: StrictBool = False
    """Only say what would be done again."""


class RerunArguments(GoOnArguments):
    """From which leaf, pass or sprint."""

    leaf: Name
    interrupted: Literal["redo", "keep", "stop"] | None = None
    preview: StrictBool = False


class EndArguments(RunArguments):
    """The run that is to be closed."""

    artifacts: ArtifactsField = None


class AnswerArguments(GoOnArguments):
    """The user's answer."""

    text: Text
    question: str = ""
    """Key of the question; may be left out when only one is open."""


class SayArguments(RunArguments):
    """Words for the next prompt."""

    text: Text
    lane: str = ""


class ReconfigureArguments(RunArguments):
    """Role to agent, from the next turn on."""

    roles: dict[str, str]


class RestoreArguments(RunArguments):
    """`start`, or what to be before."""

    to: Name = "start"
    apply: StrictBool = False


class ChangesArguments(RunArguments):
    """The diff of a leaf, a pass or a sprint; of the whole run without one."""

    leaf: str = ""


class FindingArguments(RunArguments):
    """A finding: its identity, its beginning, or its number."""

    finding: Name


class FixArguments(FindingArguments):
    """How the fixing run is started."""

    roles: dict[str, str] = {}
    consent: str | None = None
    concurrent: StrictBool = False
    start_token: str = ""


class OutcomeResult(Wire):
    """What a verb did; see `sprintwright.model.effects.Outcome`."""

    effect: Effect
    run_id: str
    phase: str = ""
    step: int = 0
    total: int = 0
    missing: str = ""
    reason: str = ""
    skipped: str = ""
    message: str = ""


class StatusResult(Wire):
    """How a run stands after a verb that has no effect of its own."""

    run_id: str
    status: RunStatus


class PreviewResult(Wire):
    """What a resume or a rerun would do again: finished leaves, by key."""

    run_id: str
    again: tuple[str, ...]


class ReconfigureResult(StatusResult):
    """Who plays what now."""

    roles: dict[str, str]


class FileChange(Wire):
    """A file and what happens to it."""

    path: str
    status: str


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
    """A diff in git's format, as plain text."""

    run_id: str
    leaf: str
    diff: str


class DeleteResult(Wire):
    """What could not be removed yet, in sentences."""

    run_id: str
    problems: tuple[str, ...]


class ProblemResult(Wire):
    """Something wrong in a definition; line and column 0-based, columns in code points."""

    code: str
    message: str
    severity: str
    line: int
    column: int


class RoleResult(Wire):
    """A role of a workflow."""

    name: str
    description: str
    permissions: str


class WorkflowResult(Wire):
    """A definition that can be seen from a folder; it can be started when no problem is an error."""

    name: str
    title: str
    description: str
    origin: Literal["builtin", "user", "workspace"]
    replaces: str
    uri: str
    folder: str
    """The folder it is seen from; empty for what all folders share."""
    roles: tuple[RoleResult, ...]
    vars: dict[str, str]
    problems: tuple[ProblemResult, ...]


class WorkflowsResult(Wire):
    """All of them."""

    workflows: tuple[WorkflowResult, ...]


class AgentResult(Wire):
    """A configured agent; `problem` is empty when nothing is known against it."""

    name: str
    kind: str
    origin: str
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
    stage: str
    began: str
    last_activity: str
    own: bool
    """Whether this user started it on this machine; nothing is acted on in another one."""
    owner: Owner
    """Who carries it on: this server, another program, or nobody."""


class RunsResult(Wire):
    """Newest first; `more` when older ones were left out."""

    runs: tuple[RunHeadResult, ...]
    more: bool


class NodeResult(Wire):
    """A node of a run's tree; flat. Its id stays the same for as long as the run is."""

    id: str
    parent: str
    kind: NodeKind
    label: str
    status: NodeStatus
    role: str
    agent: str
    verdict: str
    action: str
    findings: int
    since: str
    last_activity: str
    waiting_for: str
    """`answer`, `permission`, `limit`, or empty."""
    until: str
    seconds: float
    limit: int
    detail: str
    usage: dict[str, Any] | None = None


class QuestionResult(Wire):
    """An open question."""

    key: str
    kind: QuestionKind
    text: str
    choices: tuple[str, ...]


class FindingResult(Wire):
    """A finding with its place as evaluators write it: 1-based, 0 for what is not known."""

    id: str
    number: int
    status: Literal["open", "fixed", "dismissed"]
    key: str
    severity: str
    message: str
    path: str
    line: int
    column: int
    end_line: int
    end_column: int
    code: str
    suggestion: str


class RunResult(RunHeadResult):
    """A run with all that is known of it."""

    revision: int
    code: str
    missing: str
    seconds: float
    turns: int
    roles: dict[str, str]
    nodes: tuple[NodeResult, ...]
    gates: dict[str, dict[str, str]]
    questions: tuple[QuestionResult, ...]
    findings: tuple[FindingResult, ...]
    changed_files: dict[str, str]
    changes_unknown: str
    notes: tuple[str, ...]


class DidChange(Wire):
    """Pushed when a run changed: only the nodes that did. A client that is not at `base` asks `run.get`."""

    run_id: str
    folder: str
    revision: int
    base: int
    status: RunStatus
    reason: str
    owner: Owner
    turns: int
    open_findings: int
    questions: tuple[QuestionResult, ...]
    nodes: tuple[NodeResult, ...]
    removed: tuple[str, ...]


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


class AskParams(Wire):
    """Asked of the client: a question, or a permission."""

    run_id: str
    workflow: str
    folder: str
    key: str
    kind: QuestionKind
    text: str
    choices: tuple[str, ...]


class AskResult(BaseModel):
    """The client's answer; no `text`: not now, and the question stays open."""

    model_config = ConfigDict(extra="ignore")
    text: str | None = None
