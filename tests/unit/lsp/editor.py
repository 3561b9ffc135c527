"""An editor in memory: its open documents, and what it was told to show."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from pathlib import Path
from typing import Any

from lsprotocol import types

from sprintwright.lsp.diagnostics import DiagnosticsHub
from sprintwright.lsp.findings import FindingBoard, RunFindings
from sprintwright.lsp.uris import to_uri
from sprintwright.model.finding import Finding
from sprintwright.state.ledger import Tracked

OLD, NEW = "20260101-000000000-aaaa", "20260202-000000000-bbbb"
KEY = "sprints[2]/passes[1]/evaluator"
TEXT = "one\ntwo 😀 words\nthree\n"


class Editor:
    """A client: its open documents, and what it shows for each URI."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.documents: dict[str, tuple[str, int | None]] = {}
        self.sent: list[tuple[str, int | None, list[types.Diagnostic]]] = []
        self.shows: dict[str, list[types.Diagnostic]] = {}
        self.published: asyncio.Queue[str] = asyncio.Queue()
        self.encoding = "utf-16"
        self.tasks: list[asyncio.Task[None]] = []
        hub = DiagnosticsHub(self._publish)
        self.board = FindingBoard(hub, self.documents.get, lambda: self.encoding, self._spawn)

    def _publish(self, uri: str, version: int | None, diagnostics: list[types.Diagnostic]) -> None:
        self.sent.append((uri, version, diagnostics))
        self.shows[uri] = diagnostics
        self.published.put_nowait(uri)

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        self.tasks.append(asyncio.ensure_future(work))

    async def settled(self) -> None:
        while self.tasks:
            await self.tasks.pop()

    def uri(self, path: str) -> str:
        return to_uri(self.folder / path)

    def write(self, path: str, text: str | bytes = TEXT) -> Path:
        file = self.folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(text if isinstance(text, bytes) else text.encode())
        return file

    async def run(self, *tracked: Tracked, run_id: str = OLD, folder: Path | None = None) -> None:
        view = RunFindings(run_id, folder or self.folder, "dev", "2026-01-01T00:00:00Z", tracked)
        self.board.set_run(view, run_id)
        await self.settled()

    def open(self, uri: str, text: str = TEXT, version: int | None = 1) -> None:
        self.documents[uri] = (text, version)
        self.board.refresh(uri)

    def close(self, uri: str) -> None:
        del self.documents[uri]
        self.board.refresh(uri)

    def texts(self, path: str = "a.py") -> list[str]:
        return [one.message for one in self.shows.get(self.uri(path), [])]

    def only(self, path: str = "a.py") -> types.Diagnostic:
        (one,) = self.shows[self.uri(path)]
        return one

    @property
    def all(self) -> dict[str, list[types.Diagnostic]]:
        return {uri: found for uri, found in self.shows.items() if found}


def found(message: str = "wrong", status: str = "open", key: str = KEY, **named: Any) -> Tracked:
    return Tracked(Finding(message=message, **{"path": "a.py", "line": 2, **named}), key, status)  # type: ignore[arg-type]
