"""Findings as a user names them, and the verb `finding.fix`: a run that mends one, and what its end means."""

from __future__ import annotations

import logging
from collections.abc import Mapping

from sprintwright.app.acting import mark_fixed
from sprintwright.app.live import LiveRun, World
from sprintwright.app.look import Seen
from sprintwright.app.start import StartRequest
from sprintwright.errors import Refused, SprintwrightError
from sprintwright.journal.store import RunFolder
from sprintwright.model.finding import Finding
from sprintwright.state.ledger import Tracked
from sprintwright.state.numbers import numbered
from sprintwright.text import clean

log = logging.getLogger(__name__)

_WORKFLOW = "fix"
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


def fix_request(place: RunFolder, finding: Finding, roles: Mapping[str, str]) -> StartRequest:
    """The run that is to mend a finding of a run."""
    return StartRequest(
        workflow=_WORKFLOW,
        task=fix_task(finding),
        folder=place.folder,
        roles=roles,
        fixes_run=place.run_id,
        fixes_finding=finding.identity,
    )


def mended_run(live: LiveRun) -> RunFolder | None:
    """The run whose finding a run has mended that was made for it and is completed; None for any other."""
    started = live.state.started
    if started is None or not started.fixes_run or live.state.status != "completed":
        return None
    return RunFolder(live.place.folder, started.fixes_run)


async def settle_fix(live: LiveRun, world: World) -> None:
    """At the end of a run, by whoever carried it on: a finding that it has mended is fixed where it was found.

    What can't be recorded is logged: the mending is done all the same.

    Args:
        world: that of `mended_run`.
    """
    place, started = mended_run(live), live.state.started
    if place is None or started is None:
        return
    try:
        await mark_fixed(place, world, started.fixes_finding)
    except SprintwrightError as error:
        log.warning("a finding of run %s is mended, and can't be marked so: %s", place.run_id, error)


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
