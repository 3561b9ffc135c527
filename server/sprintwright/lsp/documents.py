"""The texts that the client has open, kept exactly as it has them.

pygls splits lines where Python does (U+2028, form feeds, …), the protocol only at CR and LF: an edit behind such a
character would land elsewhere, and from then on both sides would have different texts.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Any
from urllib.parse import unquote

from lsprotocol import types
from pygls.workspace import TextDocument, Workspace

from sprintwright.definitions.source import Source
from sprintwright.lsp.positions import Positions

MOST_CHARACTERS = 8_000_000
"""Of a longer text nothing is kept: each edit of it would stop everything for a while."""

_LINE_END = re.compile(r"\r\n|\r|\n")


class ExactDocument(TextDocument):
    """A document whose edits are applied as the protocol says. Never read from the disk."""

    encoding: types.PositionEncodingKind | str = types.PositionEncodingKind.Utf16

    def __init__(self, uri: str, source: str | None = None, *arguments: Any, **options: Any) -> None:
        super().__init__(uri, source or "", *arguments, **options)
        self._starts: list[int] | None = None
        self.oversized = False
        """Whether the text was too large to be kept; it is empty then."""
        self._bound()

    def _bound(self) -> None:
        self._starts = None
        if len(self._source or "") > MOST_CHARACTERS:
            self._source, self.oversized = "", True

    def _apply_full_change(self, change: Any) -> None:
        self._source, self.oversized = change.text, False
        self._bound()

    def _apply_incremental_change(self, change: types.TextDocumentContentChangePartial) -> None:
        if self.oversized:
            return  # without the text before it an edit says nothing
        text = self._source or ""
        if self._starts is None:
            self._starts = Source(text).line_starts
        start = self._offset(change.range.start)
        end = max(start, self._offset(change.range.end))
        self._source = text[:start] + change.text + text[end:]
        self._starts = None if "\r" in self._source else _shifted(self._starts, start, end, change.text)
        if len(self._source) > MOST_CHARACTERS:
            self._bound()

    def _offset(self, position: types.Position) -> int:
        text, starts = self._source or "", self._starts or [0]
        if position.line >= len(starts):
            return len(text)
        start = starts[position.line]
        found = _LINE_END.search(text, start)
        line = text[start : found.start() if found else len(text)]
        _, column = Positions(line, self.encoding).from_position(types.Position(0, position.character))
        return start + column


def _shifted(starts: list[int], start: int, end: int, text: str) -> list[int]:
    """The starts of lines after a replacement, in a text whose lines end with LF."""
    before, behind = bisect_right(starts, start), bisect_right(starts, end)
    added = [start + match.end() for match in _LINE_END.finditer(text)]
    moved = len(text) - (end - start)
    return [*starts[:before], *added, *(one + moved for one in starts[behind:])]


def keep_exact(workspace: Workspace) -> None:
    """Have a workspace keep `ExactDocument`s from now on. To be called while `initialize` is answered."""

    def create(
        uri: str, source: str | None = None, version: int | None = None, language_id: str | None = None
    ) -> ExactDocument:
        kept = ExactDocument(
            uri,
            source,
            version=version,
            language_id=language_id,
            sync_kind=workspace._sync_kind,
            position_codec=workspace._position_codec,
        )
        kept.encoding = workspace.position_encoding or kept.encoding
        return kept

    workspace._create_text_document = create  # type: ignore[method-assign]


def open_document(workspace: Workspace, uri: str) -> TextDocument | None:
    """The document of a URI, if the client has it open."""
    return workspace.text_documents.get(unquote(uri))  # pygls's own way of comparing URIs
