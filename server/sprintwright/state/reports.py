"""Reports rendered from the run state: `findings.md` and `summary.md`. They are never read back."""

from __future__ import annotations

from collections.abc import Iterator

from sprintwright.state.fold import RunState
from sprintwright.state.ledger import Tracked
from sprintwright.state.node import Node
from sprintwright.state.spending import shown_usage
from sprintwright.text import clean, one_line

STATUS_WORDS = {
    "running": "running", "waiting": "waiting for you", "paused": "paused, needs you", "interrupted": "interrupted",
    "cancelled": "cancelled", "failed": "failed", "not_converged": "not converged: the passes are used up",
    "terminal_ready": "ready to be ended", "completed": "completed", "unreadable": "unreadable",
}  # fmt: skip
_MOST_FILES = 200


def duration(seconds: float) -> str:
    """Time for people: ``4.2 s``, ``3 min 5 s``, ``2 h 14 min``."""
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest} s" if minutes < 60 else f"{minutes // 60} h {minutes % 60} min"


def findings_report(state: RunState) -> str:
    """Every finding: the open ones first, then the fixed ones."""
    tracked = list(state.ledger)
    opened = [one for one in tracked if one.status == "open"]
    fixed = [one for one in tracked if one.status == "fixed"]
    dismissed = [one for one in tracked if one.status == "dismissed"]
    lines = ["# Findings", "", f"{len(opened)} open, {len(fixed)} fixed, {len(dismissed)} dismissed.", ""]
    for title, group in (("Open", opened), ("Fixed", fixed), ("Dismissed", dismissed)):
        if group:
            lines += [f"## {title}", "", *(_finding(one) for one in group), ""]
    return "\n".join(lines)


def _finding(tracked: Tracked) -> str:
    finding = tracked.finding
    place = f"`{_plain(finding.place)}` " if finding.place else ""
    suggestion = f" Suggestion: {_plain(finding.suggestion)}" if finding.suggestion else ""
    return f"- **{finding.severity}** {place}{_plain(finding.message)}{suggestion} ({_plain(tracked.key)})"


def _plain(text: str) -> str:
    """Agents' words as text, never as Markdown of ours: no line ends, no links, no raw HTML."""
    return one_line(text, 1000).translate({ord(c): f"\\{c}" for c in "`*_[]<>|"})


def summary_report(state: RunState) -> str:
    """What was asked, what came of it: stages, passes and verdicts, changed files, open findings, time."""
    return "\n".join(_summary(state)) + "\n"


def _summary(state: RunState) -> Iterator[str]:
    started = state.started
    if started is None:
        yield "# Run without a start"
        return
    yield f"# {_plain(started.workflow)}: {STATUS_WORDS[state.status]}"
    yield ""
    if state.reason:
        yield f"{_plain(state.reason)}\n"
    yield "## Asked\n"
    yield from (f"> {line}" for line in clean(started.task, newlines=True).splitlines()[:100])
    yield "\n## Roles\n"
    yield from (f"- {_plain(role)}: {_plain(agent)}" for role, agent in state.roles.items())
    if state.report is not None:
        yield "\n## Outcome\n"
        yield _plain(state.report.summary)
        yield from (f"- {_plain(link)}" for link in state.report.links)
    yield "\n## Course\n"
    yield from _course(state, "", 0)
    yield from _files(state)
    opened = state.ledger.open()
    yield f"\n## Open findings ({len(opened)})\n"
    yield from (_finding(one) for one in opened[:100])
    if state.notes:
        yield "\n## Notes\n"
        yield from (f"- {_plain(text)}" for _, text in state.notes)
    used = f", {shown_usage(state.spending.total)}" if state.spending.total else ""
    yield f"\n{state.turns} turn{'' if state.turns == 1 else 's'}, {duration(state.seconds)}{used}."
    yield from (f"- {_plain(role)}: {shown_usage(usage)}" for role, usage in state.spending.by_role.items())


def _course(state: RunState, parent: str, depth: int) -> Iterator[str]:
    for child in state.children.get(parent, ()):
        node = state.nodes[child]
        if state.tree.is_told_by_its_children(child):
            yield from _course(state, child, depth)
            continue
        yield f"{'  ' * depth}- {_node(node)}"
        yield from _course(state, child, depth + 1)


def _node(node: Node) -> str:
    parts = [_plain(node.label)]
    parts.append(node.status.replace("_", " "))
    if node.agent:
        parts.append(f"by {_plain(node.agent)}")
    if node.verdict:
        parts.append(_plain(node.verdict))
    if node.findings:
        parts.append(f"{node.findings} findings")
    if node.seconds:
        parts.append(duration(node.seconds))
    if node.changed:
        parts.append(_plain(node.changed))
    if node.detail:
        parts.append(_plain(node.detail))
    return " · ".join(parts)


def _files(state: RunState) -> Iterator[str]:
    files = sorted(state.changed_files.items())
    yield f"\n## Changed files ({len(files)})\n"
    yield from (f"- {status}: {_plain(path)}" for path, status in files[:_MOST_FILES])
    if len(files) > _MOST_FILES:
        yield f"- and {len(files) - _MOST_FILES} more"
