"""Diagnostics of definition files: for the newest version only, in a thread, a moment after the last edit."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from lsprotocol import types

from sprintwright.language.diagnosis import diagnose
from sprintwright.language.document import Document
from sprintwright.lsp.definition_answers import diagnostics_of
from sprintwright.lsp.definition_documents import OpenDefinitions
from sprintwright.lsp.positions import Positions

_LOG = logging.getLogger(__name__)

WAIT_SECONDS = 0.1
"""How long after an edit the text is looked at: further edits within it cost nothing."""

Encoding = types.PositionEncodingKind | str
Publish = Callable[[str, "int | None", "list[types.Diagnostic]"], None]


class Diagnosing:
    """Looks at documents one after the other, the one that was edited last first."""

    def __init__(self, opened: OpenDefinitions, publish: Publish, encoding: Callable[[], Encoding]) -> None:
        self._opened, self._publish, self._encoding = opened, publish, encoding
        self._waiting: dict[str, None] = {}
        self._timer: asyncio.TimerHandle | None = None
        self._task: asyncio.Task[None] | None = None
        self._published: set[str] = set()
        self._thread = ThreadPoolExecutor(1, "definition-diagnostics")

    def look_at(self, uri: str) -> None:
        """Look at a document soon."""
        self._waiting.pop(uri, None)
        self._waiting[uri] = None
        self._schedule()

    def clear(self, uri: str) -> None:
        """Take back what is published for a document, and don't look at it."""
        self._waiting.pop(uri, None)
        if uri in self._published:
            self._published.discard(uri)
            self._publish(uri, None, [])

    async def close(self) -> None:
        """End: nothing is published from now on."""
        self._waiting.clear()
        if self._timer:
            self._timer.cancel()
        if self._task:
            self._task.cancel()
            await asyncio.gather(self._task, return_exceptions=True)
        self._thread.shutdown(wait=False, cancel_futures=True)

    def _schedule(self) -> None:
        if self._timer is None and self._task is None and self._waiting:
            self._timer = asyncio.get_running_loop().call_later(WAIT_SECONDS, self._start)

    def _start(self) -> None:
        self._timer = None
        self._task = asyncio.get_running_loop().create_task(self._look(), name="diagnose definitions")
        self._task.add_done_callback(self._looked)

    def _looked(self, task: asyncio.Task[None]) -> None:
        self._task = None
        if task.cancelled():
            return
        if error := task.exception():
            _LOG.error("Definition files could not be looked at.", exc_info=error)
        self._schedule()

    async def _look(self) -> None:
        while self._waiting:
            uri, _ = self._waiting.popitem()
            try:
                await self._look_once(uri)
            except Exception:
                _LOG.exception("A definition file could not be looked at.")

    async def _look_once(self, uri: str) -> None:
        opened = self._opened.find(uri)
        if opened is None:
            return
        version, document = opened.version, self._opened.read(uri, opened)
        loop = asyncio.get_running_loop()
        found = await loop.run_in_executor(self._thread, _diagnostics, document, self._encoding(), uri)
        # Closed and opened again it is another document, and its edits put it in the queue again.
        if self._opened.find(uri) is opened and opened.version == version and uri not in self._waiting:
            self._published.add(uri)
            self._publish(uri, version, found)


def _diagnostics(document: Document, encoding: Encoding, uri: str) -> list[types.Diagnostic]:
    return diagnostics_of(diagnose(document), Positions(document.text, encoding), uri)
