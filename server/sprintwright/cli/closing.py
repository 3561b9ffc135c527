"""What stands below the tree: how a run ended or why it waits, what is open, and what to type next."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from sprintwright.app.cut_off import cut_off_words
from sprintwright.cli.words import count, option_of, program, reached, sign, status_words, waits_until
from sprintwright.cli.wrapping import columns, fitted
from sprintwright.journal.store import RunFolder
from sprintwright.state.fold import RunState
from sprintwright.state.node import Gate
from sprintwright.state.numbers import numbered
from sprintwright.state.reports import duration
from sprintwright.state.spending import shown_usage
from sprintwright.state.tree import AT_WORK
from sprintwright.text import clean, one_line

_MOST_REASON = 15
_MOST_LISTED = 10
_MOST_NAMED = 5
_GATES = {"open": "open", "missing": "missing", "not_approved": "not approved", "skipped": "skipped"}


def closing_lines(state: RunState, place: RunFolder, *, own: bool = True, most_findings: int = 5) -> list[str]:
    """How a run stands, and what to type next.

    Args:
        state: the run's state.
        place: the run's folder.
        own: False for a run that was made elsewhere: nothing in it is acted on.
        most_findings: how many open findings are listed.
    """
    turns, files = count(state.turns, "turn"), count(len(state.changed_files), "file")
    used = f"{shown_usage(state.spending.total)}, " if state.spending.total else ""
    counts = f"{turns}, {duration(state.seconds)}, {used}{files} changed"
    if state.changes_unknown:
        counts += f" that are known of; not all could be looked at: {one_line(state.changes_unknown, 200)}"
    if state.status == "interrupted":
        counts += "; what was at work when it ended is not counted"
    lines = ["", f"{status_words(state)}: {counts}"]
    if state.reason and state.code != "question":
        lines += clean(state.reason, newlines=True).strip().splitlines()[-_MOST_REASON:]
    lines += [*_waits(state), *_questions(state), *_gates(state), *_failed_items(state)]
    lines += _findings(state, most_findings)
    steps = next_steps(state, place) if own else _elsewhere(state)
    prose = fitted(lines, columns())  # what has to be copied stands below, whole
    return [*prose, "", f"run folder: {clean(str(place.path), newlines=False)}", *steps]


def _waits(state: RunState) -> Iterator[str]:
    if until := waits_until(state):
        for key in sorted(state.tree.held):
            if (node := state.nodes.get(key)) is not None:
                yield f"{key}: {one_line(node.detail, 200) or f'goes on at {until[11:19]} UTC'}"


def _questions(state: RunState) -> Iterator[str]:
    for key, question in state.questions.items():
        if question.kind == "pause":
            continue
        yield f"{key} asks:"
        yield from (f"  {line}" for line in clean(question.text, newlines=True).strip().splitlines())
        if question.choices:
            yield f"  [{', '.join(one_line(choice, 60) for choice in question.choices)}]"


def _gates(state: RunState) -> Iterator[str]:
    """Artifacts: one by one those that are missing or not approved, together those that are there."""
    closed = [(stage, gate) for stage, gate in state.gates.items() if gate.status != "open"]
    opened = list(dict.fromkeys(one_line(gate.file, 60) for gate in state.gates.values() if gate.status == "open"))
    if not closed and not opened:
        return
    yield "artifacts:"
    yield from (f"  {_gate(stage, gate)}" for stage, gate in closed[:_MOST_LISTED])
    if more := len(closed) - len(closed[:_MOST_LISTED]):
        yield f"  and {more} more that are missing or not approved"
    if opened:
        more = len(opened) - _MOST_NAMED
        yield f"  there: {', '.join(opened[:_MOST_NAMED])}" + (f" and {more} more" if more > 0 else "")


def _gate(stage: str, gate: Gate) -> str:
    reason = f": {one_line(gate.reason, 200)}" if gate.reason else ""
    return f"{one_line(gate.file, 80)} ({stage}): {_GATES[gate.status]}{reason}"


def _failed_items(state: RunState) -> Iterator[str]:
    failed = [n for n in state.nodes.values() if n.kind == "entry" and n.status in ("failed", "blocked")]
    if failed and state.status in ("completed", "terminal_ready"):
        yield f"{count(len(failed), 'item')} did not end well; the run went on without:"
        yield from (f"  {sign(n)} {one_line(n.label, 60)} · {one_line(n.detail, 160)}" for n in failed[:_MOST_LISTED])


def _findings(state: RunState, most: int) -> Iterator[str]:
    opened = [(number, one) for number, one in enumerate(numbered(state), start=1) if one.status == "open"]
    if not opened:
        return
    yield f"{count(len(opened), 'open finding')}:"
    for number, one in opened[:most]:
        finding = one.finding
        words = f"{finding.severity} {one_line(finding.place, 80)}".rstrip()
        yield f"  {number:>2}. {words} {one_line(finding.message, 160)} [{finding.identity[:8]}]"
    if len(opened) > most:
        yield f"  and {len(opened) - most} more"


def next_steps(state: RunState, place: RunFolder) -> list[str]:
    """Commands that make sense now."""
    run, call = place.run_id, program()
    if state.status not in AT_WORK and (leaf := state.moments.cut_off) is not None:
        return cut_off_words(place, state, leaf).splitlines()
    match state.status:
        case "completed":
            steps = [f"what it changed: {call} show {run} --changes"]
        case "not_converged":
            limit = max((node.limit for node in state.nodes.values()), default=0)
            steps = [*_answers(state, run), f"more passes: {call} resume {run} --max-passes {limit + 2}"]
        case "running" | "waiting":
            steps = [*_answers(state, run), f"watch it: {call} show {run} --follow", f"end it: {call} cancel {run}"]
        case "paused":
            steps = list(_paused(state, place))
        case "terminal_ready":
            steps = [f"end it: {call} end {run}"]
        case "unreadable":
            steps = ["its files were left as they are; start a new run"]
        case "cancelled" if state.questions:
            steps = [*_answers(state, run), f"or go on and be asked again: {call} resume {run}"]
        case _ if state.started is None:
            steps = [f"remove it: {call} delete {run}"]
        case _:
            steps = [f"go on: {call} resume {run}"]
    if state.status in ("completed", "not_converged", "terminal_ready"):
        first = next((n for n, one in enumerate(numbered(state), start=1) if one.status == "open"), 0)
        steps += [f"mend a finding: {call} fix {run} {first}"] if first else []
    return steps


def _paused(state: RunState, place: RunFolder) -> Iterator[str]:
    run, call = place.run_id, program()
    file = clean(str(place.path / "artifacts" / state.missing), newlines=False)
    match state.code:
        case "question":
            yield from _answers(state, run)
            yield f"or be asked here: {call} resume {run}"
        case "blocked":
            yield f"mend {shlex.quote(file)}, then: {call} continue {run}"
            yield f"or have it written again: {call} rerun {run} {shlex.quote(state.stage)}"
        case "needs_artifacts":
            yield f"write {shlex.quote(file)}, then: {call} end {run}"
        case "limit":
            yield f"go on with a higher limit: {call} resume {run} {option_of(reached(state))} N"
        case "pause_after" | "paused":
            yield f"go on: {call} continue {run}"
        case _:
            yield f"go on: {call} resume {run}"


def _answers(state: RunState, run: str) -> Iterator[str]:
    """How each open question is answered from here."""
    keys = [key for key, question in state.questions.items() if question.kind != "pause"]
    for key in keys:
        which = f" --question {shlex.quote(key)}" if len(keys) > 1 else ""
        choices = state.questions[key].choices
        words = "|".join(choices) if choices and state.questions[key].kind != "checkpoint" else "'YOUR ANSWER'"
        yield f"answer: {program()} answer {run} {words}{which}"
    if any(question.kind == "pause" for question in state.questions.values()) and state.status == "waiting":
        yield f"go on: {program()} continue {run}"


def _elsewhere(state: RunState) -> list[str]:
    if state.started is None:
        return []
    workflow = shlex.quote(one_line(state.started.workflow, 60))
    return [f'a run of your own: {program()} run {workflow} "what is to be done"']
