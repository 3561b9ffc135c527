"""The findings of runs, and which of a folder's runs decides about each of them. Pure; for many runs in a thread."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from sprintwright.errors import PathRefused
from sprintwright.journal.store import RunFolder
from sprintwright.lsp.finding_diagnostics import Shown
from sprintwright.paths import relative_inside
from sprintwright.state.fold import RunState
from sprintwright.state.ledger import Tracked


@dataclass(frozen=True)
class RunFindings:
    """The findings of a run at one moment. Never changed: ``tracked`` are copies."""

    run_id: str
    folder: Path
    workflow: str
    began: str
    tracked: tuple[Tracked, ...]

    @classmethod
    def of(cls, place: RunFolder, state: RunState) -> RunFindings:
        """As a run's state has them now."""
        copies = tuple(Tracked(one.finding, one.key, one.status) for one in state.ledger)
        workflow = state.started.workflow if state.started else ""
        return cls(place.run_id, place.folder, workflow, state.began, copies)

    @cached_property
    def known(self) -> Mapping[str, Shown | None]:
        """By identity what this run says: open, or None for fixed and dismissed. Said by two, it is open while one
        of them finds it. Takes a while for many: first asked for in a thread."""
        found: dict[str, Shown | None] = {}
        for one in self.tracked:
            try:
                identity = one.finding.identity
            except UnicodeEncodeError:
                continue  # half characters: nothing can name it
            said = found.setdefault(identity, None)
            if one.status == "open":
                keys = (*said.keys, one.key) if said is not None else (one.key,)
                found[identity] = Shown(one.finding, identity, self.run_id, self.workflow, keys)
        return found


def judged(
    views: Iterable[RunFindings], before: Mapping[str, tuple[Shown, ...]]
) -> tuple[dict[str, tuple[Shown, ...]], list[str]]:
    """A folder's open findings by path, and the paths for which they are not what they were."""
    decided: dict[str, Shown | None] = {}
    for view in sorted(views, key=lambda view: view.run_id):
        decided.update(view.known)
    paths: dict[str, str] = {}
    grouped: dict[str, list[Shown]] = {}
    for one in decided.values():
        if one is None:
            continue
        named = one.finding.path
        if named not in paths:
            paths[named] = _confined(named)
        if path := paths[named]:
            grouped.setdefault(path, []).append(one)
    after = {path: tuple(found) for path, found in grouped.items()}
    changed = [path for path, found in after.items() if before.get(path) != found]
    return after, changed + [path for path in before if path not in after]


def _confined(path: str) -> str:
    try:
        return relative_inside(path)
    except PathRefused:
        return ""
