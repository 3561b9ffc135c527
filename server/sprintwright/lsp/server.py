"""The language server put together: one place that registers methods and fans out to the parts."""

from __future__ import annotations

import gc
import os
import sys
from collections.abc import Generator
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import lsp_method

from sprintwright import __version__
from sprintwright.lsp import definition_files
from sprintwright.lsp.commands import handlers
from sprintwright.lsp.diagnostics import DiagnosticsHub
from sprintwright.lsp.documents import keep_exact, open_document
from sprintwright.lsp.early import experimental
from sprintwright.lsp.finding_actions import code_actions
from sprintwright.lsp.findings import FindingBoard
from sprintwright.lsp.protocol import HardenedProtocol
from sprintwright.lsp.session import Session

_DEFINITIONS = "definitions"
"""The source of definition problems in the hub."""
_SWITCH_SECONDS = 0.001
"""How long a thread may keep the interpreter from the loop: Python's 5 ms would be felt when several work."""
_OWN = (
    types.INITIALIZE, types.TEXT_DOCUMENT_DID_OPEN, types.TEXT_DOCUMENT_DID_CHANGE, types.TEXT_DOCUMENT_DID_SAVE,
    types.TEXT_DOCUMENT_DID_CLOSE, types.TEXT_DOCUMENT_CODE_ACTION,
)  # fmt: skip
"""Methods for which both findings and definition files have something to do."""


class _Protocol(HardenedProtocol):
    """Ours, with what our own clients look for in the answer to `initialize` (R88)."""

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: types.InitializeParams) -> Generator[Any, Any, types.InitializeResult]:
        """As pygls answers it, with the number of our protocol."""
        result = yield from super().lsp_initialize(params)
        result.capabilities.experimental = experimental()
        return result


class SprintwrightServer(LanguageServer):
    """pygls's server with our protocol, and the session of its one client."""

    session: Session

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Faults are logged, not shown: there is nothing that the user could do about one."""


def make_server() -> SprintwrightServer:
    """A server with everything registered; `sprintwright.lsp.serving.serve` runs it."""
    server = SprintwrightServer("sprintwright", __version__, protocol_cls=_Protocol)
    protocol = server.protocol
    assert isinstance(protocol, HardenedProtocol)
    session = server.session = Session(server, os.environ)
    for name, handler in handlers(session).items():
        protocol.command(name, handler)

    def publish(uri: str, version: int | None, diagnostics: list[types.Diagnostic]) -> None:
        params = types.PublishDiagnosticsParams(uri=uri, version=version, diagnostics=diagnostics)
        protocol.notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, params)

    hub = DiagnosticsHub(publish, room=lambda: protocol.room, when_room=protocol.when_room)
    files = definition_files.register(
        server,
        known=lambda _uri: session.known,
        publish=lambda uri, version, found: hub.set(_DEFINITIONS, uri, found, version),
        user_folder=str(session.places.workflows),
        without=_OWN,
    )
    session.files = files
    session.board = FindingBoard(
        hub,
        open_text=lambda uri: _open_text(server, uri),
        encoding=lambda: server.workspace.position_encoding or types.PositionEncodingKind.Utf16,
        spawn=session.spawn,
        related=lambda: _takes_related(server),
    )
    _register_life(server, session)
    _register_documents(server, session, session.board, files)
    return server


async def closing(server: LanguageServer) -> None:
    """End what the server does, for `serve`."""
    assert isinstance(server, SprintwrightServer)
    await server.session.close()


def _register_life(server: SprintwrightServer, session: Session) -> None:
    @server.feature(types.INITIALIZE)
    def initialize(params: types.InitializeParams) -> None:
        keep_exact(server.workspace)
        session.initialize(params)

    @server.feature(types.INITIALIZED)
    async def initialized(_params: types.InitializedParams) -> None:
        sys.setswitchinterval(_SWITCH_SECONDS)
        gc.collect()
        gc.freeze()  # what is loaded by now stays: a full collection of it would hold the loop for 100 ms
        await session.begin()

    @server.feature(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    async def folders(params: types.DidChangeWorkspaceFoldersParams) -> None:
        session.change_folders(params.event.added, params.event.removed)
        await session.learn_names()

    @server.feature(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    async def configuration(_params: types.DidChangeConfigurationParams) -> None:
        await session.fetch_settings()
        await session.learn_names()

    @server.feature(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def cancel(params: types.WorkDoneProgressCancelParams) -> None:
        session.progress.cancelled(params.token)

    @server.feature(types.PROGRESS)
    def progress(params: types.ProgressParams) -> None:
        session.models.progressed(params.token, params.value)


def _register_documents(
    server: SprintwrightServer, session: Session, board: FindingBoard, files: definition_files.DefinitionFiles
) -> None:
    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        files.changed(params.text_document.uri)
        board.refresh(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        files.changed(params.text_document.uri)
        board.refresh(params.text_document.uri)

    @server.feature(types.TEXT_DOCUMENT_DID_SAVE)
    async def saved(params: types.DidSaveTextDocumentParams) -> None:
        files.changed(params.text_document.uri)
        board.refresh(params.text_document.uri)
        await session.learn_names()

    @server.feature(types.TEXT_DOCUMENT_DID_CLOSE)
    def closed(params: types.DidCloseTextDocumentParams) -> None:
        files.closed(params.text_document.uri)
        board.refresh(params.text_document.uri)

    @server.feature(types.WORKSPACE_DID_CHANGE_WATCHED_FILES)
    def watched(params: types.DidChangeWatchedFilesParams) -> None:
        for change in params.changes:
            if change.type == types.FileChangeType.Deleted:
                files.deleted(change.uri)
            board.refresh(change.uri)

    kinds = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])

    @server.feature(types.TEXT_DOCUMENT_CODE_ACTION, kinds)
    async def actions(params: types.CodeActionParams) -> list[types.CodeAction] | None:
        own = code_actions(params.context.diagnostics, board.folder_of) if session.trusted else []
        return [*(await files.code_actions(params) or []), *own] or None


def _open_text(server: LanguageServer, uri: str) -> tuple[str, int | None] | None:
    document = open_document(server.workspace, uri)
    return (document.source, document.version) if document is not None else None


def _takes_related(server: LanguageServer) -> bool:
    text = server.client_capabilities.text_document
    published = text.publish_diagnostics if text else None
    return bool(published and published.related_information)
