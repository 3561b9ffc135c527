"""The runs that the client is shown: carried on here, or by others in the open folders, or ended lately.

Runs of this server are told of by their owner; the others are followed: once a second what was appended to their
journals is read, in a thread. Everything else is on the loop. Nothing here talks to the client.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Protocol

from sprintwright.app.follow import Follower
from sprintwright.app.live import LiveRun
from sprintwright.app.look import is_own
from sprintwright.app.places import Places
from sprintwright.journal.store import RunFolder, list_run_folders
from sprintwright.lsp.wire import Owner
from sprintwright.paths import is_folder
from sprintwright.state.fold import RunState
from sprintwright.state.tree import AT_WORK, Delta
from sprintwright.threads import in_thread

log = logging.getLogger(__name__)

NEWEST = 50
"""Runs of a folder that are shown and followed; older ones can be listed and read."""
_LOOK_SECONDS = 1.0


@dataclass(slots=True)
class Shown:
    """A run as it is shown. ``busy``: its state is being brought up to date in a thread; wait until it is not."""

    place: RunFolder
    state: RunState
    owner: Owner
    own: bool
    busy: bool = False


class Viewers(Protocol):
    """Whoever shows runs."""

    def changed(self, run: Shown, delta: Delta) -> None:
        """Records were taken into the state of a run, or its status or owner is another one."""
        ...

    def deleted(self, run_id: str) -> None:
        """A run is gone from the disk."""
        ...

    def ended(self, live: LiveRun) -> None:
        """A run of this server came to its end, or stands still."""
        ...


class Runs:
    """The table of runs. ``places``: the user's own; ``viewers``: told of every change."""

    def __init__(self, places: Places, viewers: Viewers) -> None:
        self._places, self._viewers = places, viewers
        self._shown: dict[str, Shown] = {}
        self._followers: dict[str, Follower] = {}
        self._live: dict[str, LiveRun] = {}
        self._staying: dict[str, asyncio.Task[None]] = {}
        self._folders: tuple[Path, ...] = ()
        self._looking = asyncio.Lock()

    # What is there

    @property
    def live(self) -> Mapping[str, LiveRun]:
        """The runs that this server carries on."""
        return self._live

    def find(self, run_id: str) -> Shown | None:
        """A run that is shown."""
        return self._shown.get(run_id)

    def owner_of(self, run_id: str) -> Owner:
        """Who carries a run on, as far as it is shown."""
        shown = self._shown.get(run_id)
        return shown.owner if shown is not None else "none"

    # Runs of this server

    def adopt(self, live: LiveRun) -> None:
        """Carry a run on, to its end. It was begun on this loop just now: none of its records was told yet."""
        run_id = live.place.run_id
        if (follower := self._followers.pop(run_id, None)) is not None and not self._shown[run_id].busy:
            follower.close()  # else whoever reads it does
        self._live[run_id] = live
        self._shown[run_id] = Shown(live.place, live.state, "here", own=True)
        self._staying[run_id] = asyncio.create_task(self._stay(live), name=f"stay with {run_id}")

    def told(self, run_id: str, delta: Delta) -> None:
        """A record of a run of this server is on disk."""
        if (shown := self._shown.get(run_id)) is not None:
            self._viewers.changed(shown, delta)

    async def _stay(self, live: LiveRun) -> None:
        run_id = live.place.run_id
        try:
            await live.wait()
        finally:
            if live.problem is not None:
                log.error("run %s: %s", run_id, live.problem.message)
            del self._live[run_id], self._staying[run_id]
            shown = self._shown[run_id]
            shown.owner = "none"
            if live.state.status in AT_WORK:
                live.state.leave()  # what could not be recorded is not going on
            if live.problem is not None:
                live.state.reason = live.state.reason or live.problem.message
            self._viewers.changed(shown, Delta())
            self._viewers.ended(live)

    async def close(self) -> None:
        """Leave every run as interrupted, its programs ended: the journal says all that a resume needs."""
        for live in self._live.values():
            live.leave()
        while self._staying:
            await asyncio.wait(set(self._staying.values()))

    # Runs of others, and runs that ended

    def look_in(self, folders: Iterable[Path]) -> None:
        """The open folders, from now on."""
        self._folders = tuple(folders)

    async def watch(self) -> None:
        """Follow what is in the open folders, until cancelled."""
        while True:
            try:
                await self.look()
            except Exception:
                log.exception("the runs of the open folders could not be looked at")
            await asyncio.sleep(_LOOK_SECONDS)

    async def look(self) -> None:
        """Take in what happened since the last look. One at a time: two that read one journal would read halves."""
        async with self._looking:
            await self._look()

    async def _look(self) -> None:
        for folder in self._folders:
            for place in await in_thread(_newest, folder):
                if place.run_id not in self._shown:
                    self._follow(place)
        for run_id, shown in list(self._shown.items()):
            if run_id in self._live:
                continue
            if run_id not in self._followers:
                self._followers[run_id] = Follower(self._places, shown.place)
            await self._poll(shown, self._followers[run_id])

    def _follow(self, place: RunFolder) -> None:
        follower = self._followers[place.run_id] = Follower(self._places, place)
        self._shown[place.run_id] = Shown(place, follower.state, "none", is_own(self._places, place))

    async def _poll(self, shown: Shown, follower: Follower) -> None:
        run_id, before = shown.place.run_id, (shown.state.revision, shown.state.status, shown.owner)
        shown.busy = True
        try:
            gone, delta = await in_thread(_polled, follower)
        finally:
            shown.busy = False
        if self._followers.get(run_id) is not follower:  # it was resumed here meanwhile
            follower.close()
            return
        if gone:
            self._forget(run_id)
            return
        shown.state, shown.own = follower.state, follower.own
        shown.owner = "elsewhere" if follower.state.status in AT_WORK else "none"
        if before != (shown.state.revision, shown.state.status, shown.owner):
            self._viewers.changed(shown, delta)

    def _forget(self, run_id: str) -> None:
        del self._shown[run_id]
        if (follower := self._followers.pop(run_id, None)) is not None:
            follower.close()
        self._viewers.deleted(run_id)


def _newest(folder: Path) -> list[RunFolder]:
    return list(islice(list_run_folders(folder), NEWEST))


def _polled(follower: Follower) -> tuple[bool, Delta]:
    """Whether the run is gone, and what changed."""
    whole = Delta()

    def take(_record: object, delta: Delta, _state: RunState) -> None:
        merge(whole, delta)

    before = set(follower.state.tree.at_work)
    follower.poll(take)
    if follower.state.status not in AT_WORK:  # its owner left: what was at work is not any more
        whole.changed.update(dict.fromkeys(before))
    return not is_folder(follower.place.path), whole  # looked at last: it may go while it is read


def merge(whole: Delta, later: Delta) -> None:
    """Add what a later record changed; a node that was made again is not removed."""
    for gone in later.removed:
        whole.changed.pop(gone, None)
    whole.changed |= later.changed
    whole.removed = (whole.removed | later.removed) - later.changed.keys()
