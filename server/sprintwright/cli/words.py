"""The words of the terminal: a node on one line, the end of a run, and what to type next."""

from __future__ import annotations

import datetime
import shutil
import sys
from collections.abc import Sequence
from pathlib import Path

from sprintwright.journal.store import RunFolder
from sprintwright.model.changes import Change
from sprintwright.state.fold import RunState
from sprintwright.state.node import Node, NodeStatus
from sprintwright.state.reports import STATUS_WORDS, duration
from sprintwright.text import clean, one_line

SIGNS: dict[NodeStatus, str] = {
    "not_started": "·", "running": "▸", "waiting": "?", "done": "✓", "skipped": "↷", "failed": "✗", "blocked": "⊘",
    "interrupted": "!", "cancelled": "■",
}  # fmt: skip
COLOURS: dict[NodeStatus, str] = {
    "not_started": "dim", "running": "cyan", "waiting": "magenta", "done": "green", "skipped": "dim", "failed": "red",
    "blocked": "yellow", "interrupted": "yellow", "cancelled": "yellow",
}  # fmt: skip
_MOST_REASON = 15
_STATUS: dict[NodeStatus, str] = {"not_started": "not started", "waiting": "waits for you"}


def program() -> str:
    """What the user has to type to call this program: its name where that is enough, else its path."""
    called = Path(sys.argv[0])
    if called.name != "sprintwright":
        return f"{Path(sys.executable).name} -P -m sprintwright" if called.name == "__main__.py" else "sprintwright"
    found = shutil.which("sprintwright")
    return "sprintwright" if found and Path(found).resolve() == called.resolve() else str(called.absolute())


def sign(node: Node) -> str:
    """The mark in front of a node; work that was judged and sent back is not a tick."""
    return "↻" if node.status == "done" and node.action == "retry" else SIGNS[node.status]


def node_words(node: Node) -> list[str]:
    """What there is to say about a node beside its label; state in words, for those who see no colours."""
    words: list[str] = []
    if node.status != "done" or not node.verdict:
        words.append(_STATUS.get(node.status, node.status))
    if node.agent:
        words.append(f"by {one_line(node.agent, 40)}")
    if node.limit:
        words.append(f"at most {node.limit} passes")
    if node.verdict:
        words.append(one_line(node.verdict, 40).replace("_", " "))
    if node.findings:
        words.append(_count(node.findings, "finding"))
    if node.seconds:
        words.append(duration(node.seconds))
    if node.status == "running" and node.since and (elapsed := _since(node.since)) >= 1:
        words.append(f"for {duration(elapsed)}")
    if node.detail:
        words.append(one_line(node.detail, 160))
    return words


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _since(moment: str) -> float:
    began = datetime.datetime.fromisoformat(moment)
    return max(0.0, (datetime.datetime.now(datetime.UTC) - began).total_seconds())


def node_line(node: Node, *, leaf: bool = False) -> str:
    """A node on one line; with ``leaf`` without its label, for lines that start with the key."""
    words = node_words(node)
    label = [] if leaf else [one_line(node.label, 60)]
    return f"{sign(node)} " + " · ".join([*label, *words])


def closing_lines(state: RunState, place: RunFolder) -> list[str]:
    """How a run stands, and what to type next."""
    opened = state.ledger.open()
    turns, files = _count(state.turns, "turn"), _count(len(state.changed_files), "file")
    counts = f"{turns}, {duration(state.seconds)}, {files} changed"
    if state.changes_unknown:
        counts += f" that are known of; not all could be looked at: {one_line(state.changes_unknown, 200)}"
    lines = ["", f"{STATUS_WORDS[state.status]}: {counts}"]
    if state.reason:
        lines += clean(state.reason, newlines=True).strip().splitlines()[-_MOST_REASON:]
    for key in sorted(state.tree.waiting):
        if state.nodes[key].kind == "question":
            lines += [f"{key} asks:", *clean(state.nodes[key].detail, newlines=True).splitlines()]
    failed = [n for n in state.nodes.values() if n.kind == "entry" and n.status in ("failed", "blocked")]
    if failed and state.status == "completed":
        lines.append(f"{_count(len(failed), 'item')} did not end well; the run went on without:")
        lines += [f"  {sign(n)} {one_line(n.label, 60)} · {one_line(n.detail, 160)}" for n in failed[:10]]
    if opened:
        lines.append(f"{_count(len(opened), 'open finding')}:")
        for one in opened[:5]:
            finding = one.finding
            lines.append(
                f"  {finding.severity} {one_line(finding.place, 80)} {one_line(finding.message, 160)}".rstrip()
            )
        if len(opened) > 5:
            lines.append(f"  and {len(opened) - 5} more")
    return [*lines, "", *next_steps(state, place)]


def changes_in_words(changes: Sequence[Change], most: int = 10) -> str:
    """Changed files on one line: ``modified a.py, added b.py and 3 more``."""
    named = ", ".join(f"{change.status} {one_line(change.path, 80)}" for change in changes[:most])
    return named + (f" and {len(changes) - most} more" if len(changes) > most else "")


def next_steps(state: RunState, place: RunFolder) -> list[str]:
    """Commands that make sense now."""
    run = place.run_id
    lines = [f"run folder: {place.path}"]
    match state.status:
        case "completed":
            lines.append(f"what it changed: {program()} show {run} --changes")
        case "not_converged":
            limit = max((node.limit for node in state.nodes.values()), default=0)
            lines.append(f"more passes: {program()} resume {run} --max-passes {limit + 2}")
        case "running" | "waiting":
            lines.append(f"end it: {program()} cancel {run}")
        case "unreadable":
            lines.append("its files were left as they are; start a new run")
        case _:
            lines.append(f"go on: {program()} resume {run}")
    return lines
