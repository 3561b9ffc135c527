"""Keeps the snapshots of a run reachable for as long as the run is there, without holding anything up."""

from __future__ import annotations

import asyncio
import logging
from collections import deque

from sprintwright.errors import WorkspaceError
from sprintwright.workspace.snapshots import Snapshots

log = logging.getLogger(__name__)


class Keeper:
    """One run's trees, kept one after the other in the background."""

    def __init__(self, snapshots: Snapshots, run_id: str) -> None:
        self._snapshots, self._run_id = snapshots, run_id
        self._waiting: deque[str] = deque()
        self._task: asyncio.Task[None] | None = None

    def keep(self, tree: str) -> None:
        """Keep a tree soon."""
        self._waiting.append(tree)
        if self._task is None or self._task.done():
            self._task = asyncio.create_task(self._work(), name=f"snapshots of {self._run_id}")

    async def close(self) -> None:
        """Return when everything is kept."""
        if self._task is not None:
            await self._task

    async def _work(self) -> None:
        while self._waiting:
            tree = self._waiting.popleft()
            try:
                await self._snapshots.keep(self._run_id, tree)
            except WorkspaceError as error:
                log.warning("snapshot %s is not kept: %s", tree, error.message)
