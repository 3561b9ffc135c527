"""The findings of runs as diagnostics: which are shown, and when a file's are worked out again.

Everything here is on the loop and short; judging what is shown and locating it in the texts is done in threads.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from lsprotocol import types

from sprintwright.lsp.diagnostics import DiagnosticsHub
from sprintwright.lsp.finding_diagnostics import FileJob, Shown, diagnostics_of
from sprintwright.lsp.run_findings import RunFindings, judged
from sprintwright.lsp.uris import path_key, to_path, to_uri
from sprintwright.model.problem import Range

__all__ = ["FINDINGS", "FindingBoard", "RunFindings"]

_LOG = logging.getLogger(__name__)

FINDINGS = "findings"
"""The source in the hub."""
_AT_ONCE = 2
"""Files that are worked out at the same time: one on a disk that does not answer must not hold up all others."""
_IN_ONE_STEP = 100
"""Files that are taken over before the loop does something else."""

Range.model_rebuild()  # here, not in the first two threads that make one


@dataclass(frozen=True, slots=True)
class _File:
    """A file of a folder that has open findings."""

    path: Path
    parts: Mapping[Path, tuple[str, tuple[Shown, ...]]]
    """By folder: the path in it, and the findings. More than one when a folder is inside of another."""


class FindingBoard:
    """Shows the open findings of all runs that it was told of.

    A remark is shown once in a folder: of the runs that know its identity the newest decides whether it is open. What
    was found without a path, or with one that leaves the folder, has no diagnostic; the run's view counts it.

    A file's diagnostics are published under the URI that the client uses for it, else under ours.
    """

    def __init__(
        self,
        hub: DiagnosticsHub,
        open_text: Callable[[str], tuple[str, int | None] | None],
        encoding: Callable[[], types.PositionEncodingKind | str],
        spawn: Callable[[Coroutine[Any, Any, None]], object],
        *,
        related: Callable[[], bool] = lambda: True,
    ) -> None:
        """Args:
        open_text: text and version of the document that the client has open under exactly this URI.
        encoding: the negotiated one.
        spawn: owns a task until its end, and cancels it when the server ends.
        related: whether the client takes related information.
        """
        self._hub = hub
        self._open_text = open_text
        self._encoding = encoding
        self._spawn = spawn
        self._related = related
        self._runs: dict[str, RunFindings] = {}
        self._removed: set[Path] = set()
        self._judged: dict[Path, dict[str, tuple[Shown, ...]]] = {}
        self._to_judge: dict[Path, None] = {}
        self._judging = False
        self._files: dict[str, _File] = {}
        self._to_show: dict[str, None] = {}
        self._at_work: set[str] = set()
        self._again: set[str] = set()
        self._spelled: dict[str, str] = {}
        """How the client writes the URI of a file, by the file's key."""
        self._published: dict[str, str] = {}

    def set_run(self, view: RunFindings | None, run_id: str) -> None:
        """A run's findings as they are now; None when it was deleted."""
        before = self._runs.pop(run_id, None)
        if view is not None:
            self._runs[run_id] = view
        for one in (before, view):
            if one is not None:
                self._judge(one.folder)

    def remove_folder(self, folder: Path) -> None:
        """A folder is no longer in the workspace: what is shown of it is cleared, and its runs are remembered."""
        self._removed.add(folder)
        self._judge(folder)

    def add_folder(self, folder: Path) -> None:
        """A folder is in the workspace, again or for the first time."""
        self._removed.discard(folder)
        self._judge(folder)

    def refresh(self, uri: str) -> None:
        """A document was opened, edited, saved or closed, or a file or folder was made, changed or deleted on disk."""
        path = to_path(uri)
        if path is None:
            return
        key = path_key(path)
        if self._open_text(uri) is not None:
            self._spelled[key] = uri
        elif key not in self._files:
            self._spelled.pop(key, None)
            for inside in [one for one in self._files if one.startswith(f"{key}/")]:
                self._show(inside)
        if key in self._files:
            self._show(key)

    def folder_of(self, run_id: str) -> Path | None:
        """The folder of a run that the board was told of."""
        view = self._runs.get(run_id)
        return view.folder if view is not None else None

    # Which findings are shown

    def _judge(self, folder: Path) -> None:
        self._to_judge[folder] = None
        if not self._judging:
            self._judging = True
            self._spawn(self._judge_all())

    async def _judge_all(self) -> None:
        try:
            while self._to_judge:
                folder = next(iter(self._to_judge))
                del self._to_judge[folder]
                try:
                    await self._judge_one(folder)
                except Exception:
                    _LOG.exception("The findings of a folder could not be judged.")
        finally:
            self._judging = False

    async def _judge_one(self, folder: Path) -> None:
        views = [one for one in self._runs.values() if one.folder == folder and folder not in self._removed]
        after, changed = await asyncio.to_thread(judged, views, self._judged.get(folder, {}))
        if folder in self._to_judge:
            return  # what is known is newer already
        self._judged[folder] = after
        for number in range(0, len(changed), _IN_ONE_STEP):
            self._take_over(folder, after, changed[number : number + _IN_ONE_STEP])
            await asyncio.sleep(0)

    def _take_over(self, folder: Path, after: dict[str, tuple[Shown, ...]], changed: Iterable[str]) -> None:
        for path in changed:
            whole = folder / path
            key = path_key(whole)
            parts = dict(self._files[key].parts) if key in self._files else {}
            parts.pop(folder, None)
            if path in after:
                parts[folder] = (path, after[path])
            if parts:
                self._files[key] = _File(whole, parts)
            else:
                self._files.pop(key, None)
            self._show(key)

    # Showing them

    def _show(self, key: str) -> None:
        """Work a file out soon. While it is being worked out, once more afterwards: the newest wins (B145)."""
        if key in self._at_work:
            self._again.add(key)
            return
        self._to_show[key] = None
        if len(self._at_work) < _AT_ONCE and len(self._to_show) <= _AT_ONCE:
            self._spawn(self._show_all())

    async def _show_all(self) -> None:
        while self._to_show and len(self._at_work) < _AT_ONCE:
            key = next(iter(self._to_show))
            del self._to_show[key]
            self._at_work.add(key)
            try:
                await self._show_one(key)
            except Exception:
                _LOG.exception("The findings of a file could not be shown.")
            finally:
                self._at_work.discard(key)
                if key in self._again:
                    self._again.discard(key)
                    self._to_show[key] = None

    async def _show_one(self, key: str) -> None:
        file = self._files.get(key)
        if file is None:
            self._take_back(key)
            if (spelled := self._spelled.get(key)) is not None and self._open_text(spelled) is None:
                del self._spelled[key]
            await asyncio.sleep(0)  # many may go at once
            return
        uri = self._spelled.get(key) or to_uri(file.path)
        text, version = self._open_text(uri) or (None, None)
        places = tuple((folder, path, findings) for folder, (path, findings) in file.parts.items())
        job = FileJob(uri, places, text, self._encoding(), self._related())
        found = await asyncio.to_thread(diagnostics_of, job)
        _, now = self._open_text(uri) or (None, None)
        if now != version:
            self._again.add(key)
        if key not in self._again:
            self._publish(key, uri, found, version)

    def _publish(self, key: str, uri: str, found: list[types.Diagnostic], version: int | None) -> None:
        if self._published.get(key) != uri:
            self._take_back(key)  # first: a client may know both as one file
        if found:
            self._published[key] = uri
        self._hub.set(FINDINGS, uri, found, version)

    def _take_back(self, key: str) -> None:
        if (uri := self._published.pop(key, None)) is not None:
            self._hub.set(FINDINGS, uri, [])
