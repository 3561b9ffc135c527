"""The numbers of findings: what people type instead of an id."""

from __future__ import annotations

from sprintwright.state.fold import RunState
from sprintwright.state.ledger import Tracked


def numbered(state: RunState) -> list[Tracked]:
    """The findings of a run, each once, in a lasting order: the n-th has the number n, open or not.

    Said by two evaluators it is one; it is open as long as one of them finds it.
    """
    found: dict[str, Tracked] = {}
    for tracked in state.ledger:
        known = found.get(tracked.finding.identity)
        if known is None or (known.status != "open" and tracked.status == "open"):
            found[tracked.finding.identity] = tracked
    return list(found.values())
