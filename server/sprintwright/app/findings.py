"""Findings as a user names them, and the verb `finding.fix`."""

from __future__ import annotations

from sprintwright.app.look import Seen
from sprintwright.errors import Refused
from sprintwright.model.finding import Finding
from sprintwright.state.ledger import Tracked
from sprintwright.state.numbers import numbered
from sprintwright.text import clean

WORKFLOW = "fix"
"""The built-in workflow that mends one finding."""
_MOST_LISTED = 10


def find_finding(seen: Seen, name: str) -> Tracked:
    """The finding that a user means: its number in `show`, its id, or the beginning of the id.

    Raises:
        Refused: `unknown_finding`, with those that there are.
    """
    findings, word = numbered(seen.state), name.strip().lower()
    if word.isdecimal() and 0 < int(word) <= len(findings):
        return _open(findings[int(word) - 1], name)
    found = [one for one in findings if word and one.finding.identity.startswith(word)]
    if len(found) == 1:
        return _open(found[0], name)
    what = f"{name!r} could be any of {len(found)} findings" if found else f"There is no finding {name!r}"
    raise Refused(
        "unknown_finding",
        f"{what} in run {seen.place.run_id}. {_listed(findings)}",
        known=[one.finding.identity for one in findings],
    )


def _open(tracked: Tracked, name: str) -> Tracked:
    if tracked.status != "open":
        raise Refused("unknown_finding", f"Finding {name!r} is {tracked.status} already; there is nothing to do.")
    return tracked


def _listed(findings: list[Tracked]) -> str:
    if not findings:
        return "It has none."
    lines = [
        clean(f"  {number}  {one.finding.identity[:8]}  {one.status}  {one.finding.place}".rstrip(), newlines=False)
        for number, one in enumerate(findings[:_MOST_LISTED], start=1)
    ]
    more = [f"  and {len(findings) - _MOST_LISTED} more"] if len(findings) > _MOST_LISTED else []
    return "\n".join(["Its findings:", *lines, *more])


def fix_task(finding: Finding) -> str:
    """What the agents of the `fix` workflow are told: place, remark, suggestion and the line that is meant."""
    lines = ["Mend this one finding, and nothing else.", ""]
    if finding.place:
        lines.append(f"Place: {finding.place}")
    code = f" [{finding.code}]" if finding.code else ""
    lines.append(f"Finding ({finding.severity}){code}: {finding.message}")
    if finding.suggestion:
        lines.append(f"Suggestion: {finding.suggestion}")
    if finding.snippet:
        lines += ["The line that is meant:", *(f"    {line}" for line in finding.snippet.splitlines())]
    return clean("\n".join(lines), newlines=True)
