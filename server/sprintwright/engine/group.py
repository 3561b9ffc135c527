"""The `parallel_group` stage: items are lanes under one task group, in waves by what they depend on."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sprintwright.engine.lane import Lane, entry
from sprintwright.engine.limits import check_items
from sprintwright.engine.loop import refuse, source_text
from sprintwright.engine.run import Run
from sprintwright.engine.signals import NotConverged, Parked, StageFailed
from sprintwright.engine.skip import skip
from sprintwright.model.definition import ParallelGroup
from sprintwright.model.records import Entered, Left, ScopeEntry
from sprintwright.model.verdict import Action
from sprintwright.reading.collection import Item, read_collection, waves

if TYPE_CHECKING:
    from sprintwright.engine.walk import Walk


async def parallel_group(run: Run, stage: ParallelGroup, lane: Lane, key: str, walk: Walk) -> Action | None:
    """Walk a group; its aggregate becomes ``save_as`` and ``previous``. A failing item is a value."""
    collection = read_collection(source_text(lane, stage.source), stage.over)
    if problems := (*collection.problems, *collection.dependency_problems):
        raise refuse(run, key, problems)
    if not collection.items:
        reason = f"There is no '## {stage.over} …' heading in {stage.source!r}: nothing to do."
        run.leave(lane, key, Left(outcome="no_items", reason=reason))
        await skip(run, lane, key, reason)
        return None
    check_items(run, key, stage, len(collection.items))
    entries = tuple(ScopeEntry(number=i.number, title=i.title, depends_on=i.depends_on) for i in collection.items)
    run.enter(lane, key, Entered(label=stage.over, entries=entries))
    results = await _Group(run, stage, lane, key, walk).run_all(collection.items)
    lane.last = key
    aggregate = tuple(results[item.number] for item in collection.items)
    lane.vars["previous"] = aggregate
    if stage.save_as:
        lane.vars[stage.save_as] = aggregate
    run.leave(lane, key, Left(outcome="done", passes=len(aggregate)))
    return None


class _Group:
    """One walk over the items of a group."""

    def __init__(self, run: Run, stage: ParallelGroup, lane: Lane, key: str, walk: Walk) -> None:
        self.run, self.stage, self.lane, self.key, self.walk = run, stage, lane, key, walk
        self.slots = asyncio.Semaphore(max(1, stage.max_concurrency))
        self.results: dict[int, Mapping[str, str | int]] = {}
        self.failed: set[int] = set()
        self.parked: Parked | None = None

    async def run_all(self, items: tuple[Item, ...]) -> dict[int, Mapping[str, str | int]]:
        """The items' aggregate entries by number. Raises `Parked`, `JournalBroken`, or a bug, unwrapped."""
        by_number = {item.number: item for item in items}
        for wave in waves(items):
            try:
                async with asyncio.TaskGroup() as tasks:
                    for number in wave:
                        if not self._blocked(by_number[number]):
                            tasks.create_task(self._item(by_number[number]), name=f"{self.key}[{number}]")
            except BaseExceptionGroup as group:
                raise _first(group) from None
            if self.run.parking is not None and self.run.parking.status == "failed":
                raise self.run.parking  # also where no item is left that would have noticed
            if self.parked is not None:
                raise self.parked
        return self.results

    def _blocked(self, item: Item) -> bool:
        if not (causes := [n for n in item.depends_on if n in self.failed]):
            return False
        reason = f"Blocked by {self.stage.over} {', '.join(map(str, causes))}, which did not end well."
        self._settle(item.number, "blocked", "", reason)
        self.run.leave(self.lane, self._path(item.number), Left(outcome="blocked", reason=reason))
        return True

    def _path(self, number: int) -> str:
        return f"{self.key}[{number}]"

    def _settle(self, number: int, status: str, output: str, error: str) -> None:
        self.results[number] = entry(number, self.stage.over, status, output, error)
        if error:
            self.failed.add(number)

    async def _item(self, item: Item) -> None:
        label = self.stage.over.lower()
        own = {label: item.number, f"{label}_section": item.section}
        lane = self.lane.fork(self.key, item.number, **own)
        path = self._path(item.number)
        async with self.slots:
            try:
                action = await self.walk(self.run, self.stage.body, lane, path)
            except Parked as parked:
                self.parked = parked
            except StageFailed as failed:
                self._settle(item.number, "error", lane.saved, failed.message)
                outcome = "exhausted" if isinstance(failed, NotConverged) else "error"
                self.run.leave(lane, path, Left(outcome=outcome, reason=failed.message))
            else:
                self._settle(item.number, action or "", lane.saved, "")
                self.run.leave(lane, path, Left(outcome="done"))


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    """The one exception to raise for a group: exception groups are unwrapped here and nowhere else."""
    first = group.exceptions[0]
    return _first(first) if isinstance(first, BaseExceptionGroup) else first  # pyright: ignore[reportUnknownArgumentType]
