"""The words of the terminal: a node on one line, how a run stands, and how this program is called."""

from __future__ import annotations

import datetime
import sys
from collections.abc import Sequence
from pathlib import Path

from sprintwright.model.changes import Change
from sprintwright.state.fold import RunState
from sprintwright.state.node import Node, NodeStatus
from sprintwright.state.reports import STATUS_WORDS, duration
from sprintwright.state.spending import shown_usage
from sprintwright.text import one_line

SIGNS: dict[NodeStatus, str] = {
    "not_started": "·", "running": "▸", "waiting": "?", "done": "✓", "skipped": "↷", "failed": "✗", "blocked": "⊘",
    "interrupted": "!", "cancelled": "■",
}  # fmt: skip
COLOURS: dict[NodeStatus, str] = {
    "not_started": "dim", "running": "cyan", "waiting": "magenta", "done": "green", "skipped": "dim", "failed": "red",
    "blocked": "yellow", "interrupted": "yellow", "cancelled": "yellow",
}  # fmt: skip
_STATUS: dict[NodeStatus, str] = {"not_started": "not started", "waiting": "waits for you"}
_PAUSED = {
    "question": "paused: a question waits for you", "pause_after": "paused for you to look", "paused": "paused by you",
    "blocked": "paused: {file} is not approved", "needs_artifacts": "paused: {file} is needed to end it",
    "limit": "paused: a limit is reached",
}  # fmt: skip


def program() -> str:
    """What the user has to type to call this program: its name where that is enough, else its path."""
    called = Path(sys.argv[0])
    if called.name != "sprintwright":
        return f"{Path(sys.executable).name} -P -m sprintwright" if called.name == "__main__.py" else "sprintwright"
    import shutil  # costs as much as the rest of a list

    found = shutil.which("sprintwright")
    return "sprintwright" if found and Path(found).resolve() == called.resolve() else str(called.absolute())


def status_words(state: RunState) -> str:
    """How a run stands, with what it waits for."""
    if state.started is None and state.status == "interrupted":
        return "never started"
    if state.status == "paused" and state.code in _PAUSED:
        return _PAUSED[state.code].format(file=one_line(state.missing, 60) or "a file")
    if state.status == "waiting" and not state.questions and (until := waits_until(state)):
        return f"waiting until {until[11:16]} UTC"
    return STATUS_WORDS[state.status]


def waits_until(state: RunState) -> str:
    """The moment (UTC) at which a run that waits for no person goes on by itself; empty when there is none."""
    moments = [state.nodes[key].until for key in state.tree.held if key in state.nodes]
    return min((moment for moment in moments if moment), default="")


def sign(node: Node) -> str:
    """The mark in front of a node; work that was judged and sent back is not a tick."""
    if node.status == "waiting" and node.until:
        return "…"
    return "↻" if node.status == "done" and node.action == "retry" else SIGNS[node.status]


def node_words(node: Node, findings: int | None = None) -> list[str]:
    """What there is to say about a node beside its label; state in words, for those who see no colours.

    Args:
        node: the node.
        findings: how many findings to name, if not the node's own.
    """
    words: list[str] = []
    is_told = bool(node.verdict or (node.kind == "question" and node.detail))
    if node.status != "done" or not is_told:
        words.append("waits" if node.until else _STATUS.get(node.status, node.status))
    if node.agent:
        words.append(f"by {one_line(node.agent, 40)}")
    if node.limit:
        words.append(f"at most {count(node.limit, 'pass')}")
    if node.verdict:
        words.append(_verdict(node))
    if number := node.findings if findings is None else findings:
        words.append(count(number, "finding"))
    if node.seconds:
        words.append(duration(node.seconds))
    if node.usage is not None:
        words.append(shown_usage(node.usage))
    if node.changed:
        words.append(one_line(node.changed, 120))
    if node.status == "running" and node.since and (elapsed := _since(node.since)) >= 1:
        words.append(f"for {duration(elapsed)}")
    if node.detail:
        words.append(one_line(node.detail, 160))
    return words


def _verdict(node: Node) -> str:
    return one_line(node.verdict, 40).replace("_", " ")


def findings_of(state: RunState, node: Node) -> int:
    """The findings of a node, or of the leaves of a pass."""
    if node.kind != "pass":
        return node.findings
    return sum(state.nodes[child].findings for child in state.children.get(node.id, ()))


def history(state: RunState, node: Node) -> str:
    """The verdicts of a sprint in order: ``pass 1 ↻ needs refinement (3 findings), pass 2 ✓ good to go``."""
    told: list[str] = []
    for loop in state.children.get(node.id, ()):
        for child in state.children.get(loop, ()):
            one = state.nodes[child]
            if one.kind != "pass" or one.status == "not_started":
                continue
            number = findings_of(state, one)
            counted = f" ({count(number, 'finding')})" if number else ""
            words = _verdict(one) or _STATUS.get(one.status, one.status)
            told.append(f"{one.label.lower()} {sign(one)} {words}{counted}")
    return ", ".join(told)


def count(number: int, what: str) -> str:
    """``1 pass``, ``2 passes``."""
    plural = "es" if what.endswith("s") else "s"
    return f"{number} {what}{'' if number == 1 else plural}"


def _since(moment: str) -> float:
    began = datetime.datetime.fromisoformat(moment)
    return max(0.0, (datetime.datetime.now(datetime.UTC) - began).total_seconds())


def node_line(node: Node, *, leaf: bool = False) -> str:
    """A node on one line; with ``leaf`` without its label, for lines that start with the key."""
    words = node_words(node)
    label = [] if leaf else [one_line(node.label, 60)]
    return f"{sign(node)} " + " · ".join([*label, *words])


def changes_in_words(changes: Sequence[Change], most: int = 10) -> str:
    """Changed files on one line: ``modified a.py, added b.py and 3 more``."""
    named = ", ".join(f"{change.status} {one_line(change.path, 80)}" for change in changes[:most])
    return named + (f" and {len(changes) - most} more" if len(changes) > most else "")


LIMITS = ("turns", "wall_seconds", "tokens", "cost", "items")
"""Limits of a run that a user can raise."""


def reached(state: RunState) -> str:
    """Which limit a run has reached; runs of older versions say it in their reason alone."""
    named = (name for name in LIMITS if name == state.missing or option_of(name) in state.reason)
    return next(named, LIMITS[0])


def option_of(limit: str) -> str:
    """The option that raises a limit."""
    return "--" + limit.replace("_", "-")
