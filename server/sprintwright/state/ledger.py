"""Findings over the passes of a run: open, or fixed: the evaluator's next pass, or a run of its own, says so."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from sprintwright.model.finding import Finding


@dataclass(slots=True)
class Tracked:
    """A finding and what became of it."""

    finding: Finding
    key: str
    """The leaf that gave it last."""
    status: Literal["open", "fixed", "dismissed"] = "open"


class Ledger:
    """All findings of a run, by evaluator and identity."""

    def __init__(self) -> None:
        self._by_evaluator: dict[str, dict[str, Tracked]] = {}
        self._dismissed: set[str] = set()
        self.revision = 0
        """Grows with every change."""

    def judge(self, evaluator: str, key: str, findings: Iterable[Finding]) -> None:
        """Take in one judgement: what it does not name any more is fixed."""
        self.revision += 1
        known = self._by_evaluator.setdefault(evaluator, {})
        for tracked in known.values():
            tracked.status = "fixed"
        for finding in findings:
            status = "dismissed" if finding.identity in self._dismissed else "open"
            known[finding.identity] = Tracked(finding, key, status)

    def dismiss(self, identity: str) -> None:
        """By the user's decision a finding is none; it stays so when it is found again."""
        self.revision += 1
        self._dismissed.add(identity)
        for tracked in self:
            if tracked.finding.identity == identity:
                tracked.status = "dismissed"

    def fix(self, identity: str) -> None:
        """A run of its own has mended it; a judgement that finds it again says otherwise."""
        self.revision += 1
        for tracked in self:
            if tracked.finding.identity == identity and tracked.status == "open":
                tracked.status = "fixed"

    def knows(self, evaluator: str) -> bool:
        """Whether this evaluator has judged before."""
        return evaluator in self._by_evaluator

    def forget(self, key: str, evaluator: str) -> None:
        """A judgement that was set aside says nothing any more."""
        known = self._by_evaluator.get(evaluator, {})
        for identity in [i for i, tracked in known.items() if tracked.key == key]:
            self.revision += 1
            del known[identity]

    def __iter__(self) -> Iterator[Tracked]:
        for known in self._by_evaluator.values():
            yield from known.values()

    def open(self) -> list[Tracked]:
        """What is still to be mended, in the order in which it was found; said by two evaluators it is one remark."""
        found = {tracked.finding.identity: tracked for tracked in self if tracked.status == "open"}
        return list(found.values())
