"""All diagnostics of a file, from several sources: what is published for a URI replaces everything of it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from lsprotocol import types

Publish = Callable[[str, int | None, list[types.Diagnostic]], None]


@dataclass(frozen=True, slots=True)
class _Part:
    """What one source says about a file, and the version of the text that it is about."""

    diagnostics: tuple[types.Diagnostic, ...]
    version: int | None


class DiagnosticsHub:
    """What each source says about each URI; publishes the whole of a URI when something of it changed.

    Loop only. URIs are compared as they are written: sources must agree about them (`sprintwright.lsp.uris`). While
    the client does not read, only which URIs changed is remembered, and later their newest state is published (R80).
    """

    def __init__(
        self,
        publish: Publish,
        *,
        room: Callable[[], bool] = lambda: True,
        when_room: Callable[[Callable[[], None]], None] = lambda callback: None,
    ) -> None:
        """Args:
        publish: sends one URI's diagnostics.
        room, when_room: as `HardenedProtocol` has them.
        """
        self._publish = publish
        self._room = room
        self._when_room = when_room
        self._parts: dict[str, dict[str, _Part]] = {}
        self._published: dict[str, _Part] = {}
        self._dirty: dict[str, None] = {}
        self._waits = False

    def set(self, source: str, uri: str, diagnostics: Iterable[types.Diagnostic], version: int | None = None) -> None:
        """What a source says about a URI from now on; nothing clears it. ``version``: of the open document."""
        part = _Part(tuple(diagnostics), version)
        parts = self._parts.setdefault(uri, {})
        if part.diagnostics:
            parts[source] = part
        else:
            parts.pop(source, None)
        self._changed(uri)

    def clear(self, source: str) -> None:
        """A source says nothing any more, about no URI."""
        for uri in [uri for uri, parts in self._parts.items() if source in parts]:
            del self._parts[uri][source]
            self._changed(uri)

    def clear_uri(self, uri: str) -> None:
        """No source says anything about a URI any more: the file is gone."""
        if self._parts.pop(uri, None):
            self._changed(uri)

    def _changed(self, uri: str) -> None:
        if not self._parts.get(uri):
            self._parts.pop(uri, None)
        self._dirty[uri] = None
        self._send()

    def _send(self) -> None:
        while self._dirty and self._room():
            uri = next(iter(self._dirty))
            del self._dirty[uri]
            self._send_one(uri)
        if self._dirty and not self._waits:
            self._waits = True
            self._when_room(self._room_again)

    def _room_again(self) -> None:
        self._waits = False
        self._send()

    def _send_one(self, uri: str) -> None:
        whole = self._whole(uri)
        if whole == self._published.get(uri, _NOTHING):
            return
        if whole.diagnostics:
            self._published[uri] = whole
        else:
            del self._published[uri]
        self._publish(uri, whole.version, list(whole.diagnostics))

    def _whole(self, uri: str) -> _Part:
        """All sources together, for the newest version that one of them is about.

        A clearing names no version: some clients drop what names another than theirs, and it is not sent again.
        """
        parts = [part for _, part in sorted(self._parts.get(uri, {}).items())]
        versions = [part.version for part in parts if part.version is not None]
        return _Part(
            tuple(diagnostic for part in parts for diagnostic in part.diagnostics), max(versions, default=None)
        )


_NOTHING = _Part((), None)
