"""Our values → what goes over the wire. Pure."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from sprintwright.app.look import Head, Seen
from sprintwright.lsp import wire
from sprintwright.model.changes import Change
from sprintwright.model.effects import Outcome
from sprintwright.model.usage import Usage
from sprintwright.state.fold import RunState
from sprintwright.state.node import Node, OpenQuestion
from sprintwright.state.numbers import numbered

_ASKS = {"permission": "permission"}


def outcome(value: Outcome) -> wire.OutcomeResult:
    """An effect."""
    return wire.OutcomeResult.model_validate(value.model_dump())


def node(one: Node, state: RunState) -> wire.NodeResult:
    """A node, with what it waits for."""
    fields = asdict(one)
    del fields["revision"]
    fields["usage"] = usage(one.usage)
    return wire.NodeResult.model_construct(**fields, waiting_for=_waits_for(one, state))


def usage(used: Usage | None) -> wire.UsageResult | None:
    """What was used, if that is known."""
    return None if used is None else wire.UsageResult.model_construct(tokens=used.tokens, **used.model_dump())


def _waits_for(one: Node, state: RunState) -> str:
    if one.status != "waiting":
        return ""
    if one.until:
        return "limit"
    asked = state.questions.get(one.id)
    return _ASKS.get(asked.kind, "answer") if asked is not None else "answer"


def questions(state: RunState) -> tuple[wire.QuestionResult, ...]:
    """The open questions."""
    return tuple(question(key, asked) for key, asked in state.questions.items())


def question(key: str, asked: OpenQuestion) -> wire.QuestionResult:
    """An open question."""
    return wire.QuestionResult(key=key, kind=asked.kind, text=asked.text, choices=asked.choices)


def head(one: Head, owner: wire.Owner) -> wire.RunHeadResult:
    """A run in a list."""
    return wire.RunHeadResult(
        run_id=one.place.run_id,
        folder=str(one.place.folder),
        workflow=one.started.workflow if one.started else "",
        task=one.started.task if one.started else "",
        status=one.status,
        reason=one.reason,
        stage=one.stage,
        began=one.began,
        last_activity=one.last_activity,
        own=one.own,
        owner=owner,
    )


def run(seen: Seen, owner: wire.Owner) -> wire.RunResult:
    """A run with everything."""
    state = seen.state
    return wire.RunResult.model_construct(
        **head_of_state(seen, owner),
        revision=state.revision,
        code=state.code,
        missing=state.missing,
        seconds=round(state.seconds, 3),
        turns=state.turns,
        roles=state.roles,
        nodes=tuple(node(one, state) for one in state.nodes.values()),
        gates={stage: asdict(gate) for stage, gate in state.gates.items()},
        questions=questions(state),
        findings=tuple(_findings(state)),
        changed_files=state.changed_files,
        changes_unknown=state.changes_unknown,
        notes=tuple(text for _, text in state.notes),
        usage=usage(state.spending.total),
        usage_by_role={role: usage(used) for role, used in state.spending.by_role.items()},
        report=None if state.report is None else wire.ReportResult.model_construct(**state.report.model_dump()),
    )


def files(changes: Iterable[Change]) -> tuple[wire.FileChange, ...]:
    """What happens to files."""
    return tuple(wire.FileChange(path=one.path, status=one.status) for one in changes)


def head_of_state(seen: Seen, owner: wire.Owner) -> dict[str, Any]:
    """What a list shows of a run, from its whole state."""
    state = seen.state
    short = Head(
        seen.place, state.started, state.status, state.reason, state.stage, state.began, state.last_activity, seen.own
    )
    return head(short, owner).model_dump()


def _findings(state: RunState) -> Iterable[wire.FindingResult]:
    numbers = {one.finding.identity: number for number, one in enumerate(numbered(state), start=1)}
    for one in state.ledger:
        found = one.finding
        yield wire.FindingResult.model_construct(
            **found.model_dump(exclude={"snippet"}),
            id=found.identity,
            number=numbers[found.identity],
            status=one.status,
            key=one.key,
        )
