"""Records to run state. One record touches its node, its ancestors, and at most one body's worth of children:
the cost does not depend on how many nodes there are."""

from __future__ import annotations

from typing import Any, cast

from sprintwright.errors import RunUnreadable
from sprintwright.model.activity import ActiveTime
from sprintwright.model.finding import Finding
from sprintwright.model.records import (
    Decided,
    Ended,
    Entered,
    Failed,
    Finished,
    Left,
    Noted,
    Opened,
    Outline,
    Payload,
    Record,
    Released,
    RunStarted,
    Said,
    SetAside,
    Started,
    TailCut,
    Waiting,
)
from sprintwright.model.results import Report
from sprintwright.state.attempts import Attempts
from sprintwright.state.changed import changed_words
from sprintwright.state.gates import Gates
from sprintwright.state.ledger import Ledger
from sprintwright.state.moments import Moments, RestoreLeaf
from sprintwright.state.node import Gate, Node, NodeKind, NodeStatus, OpenQuestion, RunStatus
from sprintwright.state.scopes import Scopes
from sprintwright.state.spending import Spending
from sprintwright.state.tree import AT_WORK, Delta, NodeTree, ancestors, on_one_line

_MOST_NOTES = 200


class RunState:
    """What the records of a run fold to: a status, and the nodes of its tree in order."""

    def __init__(self) -> None:
        self.started: RunStarted | None = None
        self.roles: dict[str, str] = {}
        self.status: RunStatus = "running"
        self.code = ""
        self.reason = ""
        self.stage = ""
        self.missing = ""
        """The artifact for which a paused run waits."""
        self.revision = 0
        self.began = ""
        self.last_activity = ""
        self.turns = 0
        self.tree = NodeTree()
        self.ledger = Ledger()
        self.changed_files: dict[str, str] = {}
        self.changes_unknown = ""
        """Why some turn's changes could not be looked at; empty when all could."""
        self.artifacts = Gates()
        self.questions: dict[str, OpenQuestion] = {}
        """What a person was asked and has not answered, by key."""
        self.notes: list[tuple[str, str]] = []
        self.trees: dict[str, tuple[str, str]] = {}
        """Leaf to its snapshots before its first try and after its last."""
        self.attempts = Attempts()
        self.scopes = Scopes(self.tree)
        self._active = ActiveTime()
        self.spending = Spending(self.tree)
        self.report: Report | None = None
        """What the last turn told of the outcome."""
        self.moments = Moments()
        """What the files can be put back to, and the restores that were done."""
        self._working: set[str] = set()
        """Leaves at work that wait for nothing."""
        self._stood: tuple[RunStatus, str, str, str, str] | None = None
        """How the run stood when its present owner came, until that one does something to it."""

    @property
    def seconds(self) -> float:
        """How long the run was at work, under all its owners."""
        return self._active.seconds

    @property
    def nodes(self) -> dict[str, Node]:
        """The nodes by id."""
        return self.tree.nodes

    @property
    def gates(self) -> dict[str, Gate]:
        """Stage to its artifact."""
        return self.artifacts.by_stage

    @property
    def children(self) -> dict[str, list[str]]:
        """The order of the nodes below each node; the run's own stages are below the empty id."""
        return self.tree.children

    def apply(self, record: Record) -> Delta:
        """Take one record in; the ids of the nodes that it changed. Raises `RunUnreadable` for what no run records."""
        try:
            return self._take(record)
        except (LookupError, TypeError, ValueError, AttributeError) as error:
            raise RunUnreadable(f"record {record.seq} is none of a run ({type(error).__name__})") from error

    def _take(self, record: Record) -> Delta:
        delta = self.tree.delta = Delta()
        self.revision, self.last_activity = record.seq, record.at
        self._active.take(record)
        key = record.key
        if (restore := self.moments.take(record)) is not None:
            self._restored(restore, record.payload)
            return delta
        if not _is_beside(record.payload):
            self._begin_again()
        match record.payload:
            case RunStarted() as payload:
                self._run_started(payload, record.at)
            case Opened():
                self._opened()
            case Started() as payload:
                self._leaf_started(key, payload, record.at)
            case Finished() as payload:
                self._leaf_finished(key, payload.value)
            case Failed() as payload:
                self._leaf_failed(key, payload)
            case Waiting() as payload:
                self._held(key, payload)
            case SetAside() as payload:
                for stale in payload.keys:
                    self._set_aside(stale)
            case Entered() as payload:
                self.scopes.entered(key, payload)
            case Left() as payload:
                self.scopes.left(key, payload)
            case Ended() as payload:
                self._ended(payload)
            case Decided() as payload:
                self._decided(key, payload)
            case Noted() as payload:
                self._note(payload.code, payload.text)
            case TailCut() as payload:
                text = f"{payload.size} bytes behind the last whole record were cut and kept in {payload.file}."
                self._note("tail_cut", text)
            case Released():
                if self.status in AT_WORK:
                    self.leave()
            case _:
                pass
        for node_id in delta.changed:
            self.nodes[node_id].revision, self.nodes[node_id].last_activity = record.seq, record.at
        return delta

    def _run_started(self, payload: RunStarted, at: str) -> None:
        self.started, self.began, self.roles = payload, at, dict(payload.roles)
        self._outline(payload.outline)

    def _outline(self, outlines: tuple[Outline, ...]) -> None:
        self.tree.take_outlines(outlines)
        self.artifacts.outline(outlines)

    def _leaf_started(self, key: str, payload: Started, at: str) -> None:
        self._go_on()
        if payload.what == "turn":
            self.turns += 1
        if payload.what in ("skip", "artifact", "restore"):
            return
        if payload.person:
            self.questions[key] = OpenQuestion(payload.text, payload.choices, payload.question or "turn", payload.inner)
        if payload.before:
            self._try_began(key, payload.before)
        kind: NodeKind = payload.what
        node = self.tree.node(key, kind)
        node.role, node.agent, node.since = payload.role or node.role, payload.agent, at
        node.verdict, node.action, node.findings, node.seconds = "", "", 0, 0.0
        node.changed = ""
        self.tree.set(key, "waiting" if payload.person else "running", payload.text if kind == "question" else "")
        if not payload.person:
            self._working.add(key)
        self.scopes.begin(ancestors(key)[1 if payload.question in ("pause", "programs") else 0 :])
        self._settle_status()

    def _try_began(self, key: str, before: str) -> None:
        listed = self.attempts.began(key, before)
        if not listed and not any(self.nodes[one].kind == "group" for one in ancestors(key) if one in self.nodes):
            # within a group it is what siblings did meanwhile, and that is in their lists
            self.changes_unknown = f"what came before {key} was tried again is in `show --changes` only"

    def _held(self, key: str, payload: Waiting) -> None:
        """A turn waits for its agent's limit, or before its next try; no person has to act."""
        self._go_on()
        node = self.tree.node(key, "turn")
        node.agent = payload.agent
        if payload.cause == "rate_limit":
            detail = f"rate limited; tries again at {payload.until[11:19]} UTC"
        else:
            why = node.detail.partition("after: ")[2] or payload.cause
            detail = f"tries again in {payload.seconds:.3g} s after: {why}"
        self.tree.hold(key, payload.until, detail)
        self.scopes.begin(ancestors(key))
        self._settle_status()

    def _leaf_finished(self, key: str, value: dict[str, Any]) -> None:
        if key.endswith("/skip"):
            if value.get("skipped"):
                self.tree.node(key.removesuffix("/skip"), "stage", key.split("/")[-2])
                self.tree.set(key.removesuffix("/skip"), "skipped", str(value.get("reason", "")))
                self.artifacts.skipped(key.removesuffix("/skip"), str(value.get("reason", "")))
            return
        if (stage := self.artifacts.finished(key, value)) in self.nodes:
            self.tree.delta.changed[stage] = None
        if key.endswith("/artifact"):
            return
        self._let_go(key)
        node = self.tree.node(key, "turn")
        verdict = cast("dict[str, Any] | None", value.get("verdict"))
        node.seconds = float(value.get("seconds", 0))
        if verdict is not None:
            self.scopes.judged(key, str(verdict.get("key", "unknown")), str(verdict.get("action", "")))
        findings = [Finding.model_validate(item) for item in value.get("findings", ())]
        node.findings = len(findings)
        judged = verdict is not None or findings or value.get("passed") is not None
        if judged or self.ledger.knows(self.scopes.evaluator(key)):
            self._findings(key, findings)
        for warning in value.get("warnings", ()):
            self._note("warning", f"{key}: {warning}")
        for warning in (verdict or {}).get("warnings", ()):
            self._note("verdict", f"{key}: {warning}")
        self._changes(node, self.attempts.ended(key, value.get("changes")))
        self.spending.take(node, value.get("usage"))
        if (report := value.get("report")) is not None:
            self.report = Report.model_validate(report)
        self.tree.set(key, "done", _answered(value) if node.kind == "question" else "")
        self._around_finished(key, node)
        self._settle_status()

    def _around_finished(self, key: str, node: Node) -> None:
        """The second turn and the reminder stand for the stage that they belong to."""
        around = self.nodes.get(node.parent)
        if around is None or around.kind != "turn" or key.endswith(("/pause", "/programs")):
            return
        self.tree.set(around.id, "running" if node.kind == "question" else "done")
        self.tree.delta.changed[around.id] = None

    def _findings(self, key: str, findings: list[Finding]) -> None:
        if not key.endswith("/reminder"):
            self.ledger.judge(self.scopes.evaluator(key), key, findings)

    def _changes(self, node: Node, changes: dict[str, Any] | None) -> None:
        node.changed = changed_words(changes, quiet=node.kind == "check") if changes else ""
        if not changes:
            return
        key = node.id
        if why := changes.get("note"):
            self.changes_unknown = str(why)
        self.trees[key] = (str(changes.get("before", "")), str(changes.get("after", "")))
        self._count(changes)

    def _count(self, changes: dict[str, Any]) -> None:
        for file in changes.get("files", ()):
            if file["status"] != "more":  # the mark of a list that was cut
                self.changed_files[str(file["path"])] = str(file["status"])

    def _leaf_failed(self, key: str, payload: Failed) -> None:
        self.spending.take(self.tree.node(key, "stage"), payload.usage)
        question = self.questions.get(key)
        self._let_go(key)
        if question is not None and payload.cause == "stopped":
            self.questions[key] = question  # stopped, not answered: it can still be
        if payload.final:
            self.tree.set(key, "failed", payload.message)
            for ancestor in ancestors(key):
                self.tree.set(ancestor, "failed")
                if self.nodes[ancestor].kind == "entry":
                    break
        else:
            self.tree.set(key, "running", f"Tried again after: {payload.message}")
        self._settle_status()

    def _set_aside(self, key: str) -> None:
        stage = key.removesuffix("/skip")
        self.ledger.forget(key, self.scopes.evaluator(key))
        self.trees.pop(key, None)
        self._count(self.attempts.ended(key, None) or {})
        self._let_go(key)
        self.artifacts.set_aside(key)
        for node_id in (stage, *ancestors(stage)):
            node = self.nodes.get(node_id)
            if node is not None and node.status != "not_started":
                node.verdict, node.action, node.findings = "", "", 0
                self.tree.set(node_id, "not_started", "set aside: it is done again" if node_id == stage else None)

    def _let_go(self, key: str) -> None:
        """A leaf is at work no longer."""
        self.attempts.stopped(key)
        self.questions.pop(key, None)
        self._working.discard(key)

    def _ended(self, payload: Ended) -> None:
        self.status, self.code, self.reason, self.stage = (payload.status, payload.code, payload.reason, payload.stage)
        self.missing = payload.missing
        after: dict[str, NodeStatus] = {
            "completed": "done", "terminal_ready": "done", "cancelled": "cancelled", "paused": "not_started",
        }  # fmt: skip
        if payload.status != "cancelled":
            for key in sorted(self.tree.held):
                self.tree.set(key, "not_started", "")
        self._working.clear()
        for key in sorted(self.tree.at_work):
            if payload.status == "paused" and self._waits_inside(key):
                continue
            beside = payload.stage and not on_one_line(key, payload.stage)
            self.tree.set(key, after.get(payload.status, "not_started" if beside else "failed"))
        if payload.status in ("failed", "not_converged") and payload.stage in self.nodes:
            for key in (payload.stage, *ancestors(payload.stage)):
                self.tree.set(key, "failed")
            self.nodes[payload.stage].detail = payload.reason

    def _waits_inside(self, key: str) -> bool:
        return any(other.startswith(key) for other in self.tree.waiting)

    def leave(self) -> None:
        """The owner is gone without a word: what was at work is interrupted; if it did nothing, nothing changed."""
        stood, self._stood = self._stood, None
        if stood is not None:
            self.status, self.code, self.reason, self.stage, self.missing = stood
            return
        self._interrupt()
        self.status = "interrupted"

    def _opened(self) -> None:
        if self._stood is None and self.status in AT_WORK:
            self._interrupt()
        elif self._stood is None:
            self._stood = (self.status, self.code, self.reason, self.stage, self.missing)
        self._go_on()

    def _begin_again(self) -> None:
        """The first thing that a new owner does to the run, and no longer beside it."""
        if self._stood is not None:
            self._stood = None
            self._interrupt()

    def _restored(self, restore: RestoreLeaf, payload: Payload) -> None:
        self.attempts.restored(restore, payload)
        if isinstance(payload, Finished):
            self._note("restored", f"The files were put back to {restore.words} ({restore.key}).")
        elif isinstance(payload, Failed):
            self._note("restored", f"{restore.key}, to {restore.words}, was not finished: {restore.problem}")

    def _go_on(self) -> None:
        self.status, self.code, self.reason, self.stage, self.missing = "running", "", "", "", ""

    def _interrupt(self) -> None:
        self.questions = {key: question for key, question in self.questions.items() if not question.inner}
        self._working.clear()
        for key in sorted(self.tree.at_work):
            waits = self.nodes[key].status == "waiting"
            self.tree.set(key, "not_started" if waits else "interrupted")

    def _decided(self, key: str, payload: Decided) -> None:
        if payload.what == "roles":
            self.roles.update(payload.roles)
        if payload.what in ("redo", "keep"):
            self.attempts.decided(key, payload.left)
            done = "done again" if payload.what == "redo" else "kept as it was left"
            self._note("interrupted", f"{key} was cut off and is {done}.")
        if payload.what == "definition":
            self._outline(payload.outline)
        if payload.what == "dismiss":
            self.ledger.dismiss(payload.text)
        if payload.what == "fixed":
            self.ledger.fix(payload.text)
        if payload.what == "answer":
            self.questions.pop(key, None)

    def _note(self, code: str, text: str) -> None:
        if len(self.notes) < _MOST_NOTES:
            self.notes.append((code, text))

    def _settle_status(self) -> None:
        if self.status in AT_WORK:
            asked = len(self.tree.waiting) > len(self.tree.held)
            held = self.tree.held and not self._working
            self.status = "waiting" if asked or held else "running"


def _is_beside(payload: Payload) -> bool:
    """Whether a record leaves the run as it stands: nothing of it goes on. A decision alone is not carried out yet."""
    return isinstance(payload, Opened | Released | Noted | TailCut | Said | Decided)


def _answered(value: dict[str, Any]) -> str:
    text = str(value.get("text", "")) or "(nothing)"
    return f"answered: {text}" if value.get("asked", True) else f"nobody was asked; taken instead: {text}"


def fold(records: list[Record]) -> RunState:
    """The state after all these records."""
    state = RunState()
    for record in records:
        state.apply(record)
    return state
