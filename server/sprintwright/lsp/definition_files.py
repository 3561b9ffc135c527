"""Language features for definition files: pygls's requests → the language service → answers.

Nothing is run and nothing is read but the open text, so all of it works in untrusted workspaces. The service works in
two threads of its own, one for diagnostics and one for what the user waits for; the loop only hands over.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any, TypeVar

from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from sprintwright.language.completion import complete
from sprintwright.language.document import Document
from sprintwright.language.fixes import fixes
from sprintwright.language.hover import hover
from sprintwright.language.navigation import definition, references
from sprintwright.language.renaming import prepare_rename, rename
from sprintwright.language.symbols import lenses, symbols
from sprintwright.language.values import Known
from sprintwright.lsp import definition_answers as answers
from sprintwright.lsp.definition_diagnostics import Diagnosing, Encoding, Publish
from sprintwright.lsp.definition_documents import OpenDefinitions
from sprintwright.lsp.documents import keep_exact
from sprintwright.lsp.positions import Positions

__all__ = ["DefinitionFiles", "register"]
_T = TypeVar("_T")

_TRIGGERS = [":", " ", "-", "{", "[", ".", '"', "'", "\n"]
_REQUEST_FAILED = types.LSPErrorCodes.RequestFailed.value


class DefinitionFiles:
    """What a server knows of the definition files that are open."""

    def __init__(
        self, server: LanguageServer, *, known: Callable[[str], Known], publish: Publish, user_folder: str = ""
    ) -> None:
        self._server, self._known = server, known
        self._opened = OpenDefinitions(server, user_folder)
        self._diagnosing = Diagnosing(self._opened, publish, lambda: self._encoding)
        self._answering = ThreadPoolExecutor(1, "definition-answers")

    # What the client tells

    def changed(self, uri: str) -> None:
        """A document was opened, edited or saved: look at it soon."""
        if self.owns(uri):
            self._diagnosing.look_at(uri)

    def closed(self, uri: str) -> None:
        """A document was closed: its problems go."""
        self._opened.forget(uri)
        self._diagnosing.clear(uri)

    def deleted(self, uri: str) -> None:
        """A file is gone: its problems go, until its text, which may still be open, is edited."""
        self._diagnosing.clear(uri)

    def owns(self, uri: str) -> bool:
        """Whether a URI is that of a definition file that is open."""
        return self._opened.find(uri) is not None

    async def close(self) -> None:
        """End: nothing is published from now on."""
        await self._diagnosing.close()
        self._answering.shutdown(wait=False, cancel_futures=True)

    # What the client asks

    async def completion(self, params: types.CompletionParams) -> types.CompletionList | None:
        """`textDocument/completion`"""
        known = self._known(params.text_document.uri)
        found = await self._at(params, lambda document, line, column: complete(document, line, column, known))
        if found is None:
            return None
        items = answers.completion_items(found[1], found[0], snippets=self._takes_snippets())
        return types.CompletionList(is_incomplete=False, items=items)

    async def hover(self, params: types.HoverParams) -> types.Hover | None:
        """`textDocument/hover`"""
        known = self._known(params.text_document.uri)
        found = await self._at(params, lambda document, line, column: hover(document, line, column, known))
        return answers.hover_of(found[1], found[0]) if found and found[1] else None

    async def definition(self, params: types.DefinitionParams) -> list[types.Location] | None:
        """`textDocument/definition`"""
        found = await self._at(params, definition)
        uri = params.text_document.uri
        return [types.Location(uri, found[0].to_range(where)) for where in found[1]] if found else None

    async def references(self, params: types.ReferenceParams) -> list[types.Location] | None:
        """`textDocument/references`"""
        declared = params.context.include_declaration
        found = await self._at(params, partial(_references, declared))
        uri = params.text_document.uri
        return [types.Location(uri, found[0].to_range(where)) for where in found[1]] if found else None

    async def symbols(self, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
        """`textDocument/documentSymbol`"""
        found = await self._on(params.text_document.uri, symbols)
        return [answers.document_symbol(one, found[0]) for one in found[1]] if found else None

    async def lenses(self, params: types.CodeLensParams) -> list[types.CodeLens] | None:
        """`textDocument/codeLens`"""
        found = await self._on(params.text_document.uri, lenses)
        return [answers.code_lens(one, found[0], params.text_document.uri) for one in found[1]] if found else None

    async def code_actions(self, params: types.CodeActionParams) -> list[types.CodeAction] | None:
        """`textDocument/codeAction`: quick fixes; None for a document that is none of ours."""
        uri = params.text_document.uri
        only = params.context.only
        if only and not any(types.CodeActionKind.QuickFix.value.startswith(_value(kind)) for kind in only):
            return [] if self.owns(uri) else None
        opened = self._opened.find(uri)
        version = opened.version if opened else None
        work = partial(_fixes, self._encoding, params.range, uri, version, self._takes_versions())
        found = await self._on(uri, work)
        return found[1] if found else None

    async def prepare_rename(self, params: types.PrepareRenameParams) -> types.PrepareRenamePlaceholder | None:
        """`textDocument/prepareRename`"""
        found = await self._at(params, prepare_rename)
        if found is None:
            return None
        if isinstance(found[1], str):
            raise JsonRpcException(found[1], _REQUEST_FAILED)
        where, name = found[1]
        return types.PrepareRenamePlaceholder(found[0].to_range(where), name)

    async def rename(self, params: types.RenameParams) -> types.WorkspaceEdit | None:
        """`textDocument/rename`"""
        opened = self._opened.find(params.text_document.uri)
        version = opened.version if opened else None
        name = params.new_name
        found = await self._at(params, lambda document, line, column: rename(document, line, column, name))
        if found is None:
            return None
        if found[1].refusal:
            raise JsonRpcException(found[1].refusal, _REQUEST_FAILED)
        uri, versioned = params.text_document.uri, self._takes_versions()
        return answers.workspace_edit(found[1].edits, found[0], uri, version, versioned=versioned)

    # Documents

    @property
    def _encoding(self) -> Encoding:
        return self._server.workspace.position_encoding or types.PositionEncodingKind.Utf16

    async def _on(self, uri: str, ask: Callable[[Document], _T]) -> tuple[Positions, _T] | None:
        """Ask the language service in its thread; None for a document that is none of ours."""
        opened = self._opened.find(uri)
        if opened is None:
            return None
        document = self._opened.read(uri, opened)
        found = await asyncio.get_running_loop().run_in_executor(self._answering, ask, document)
        return Positions(document.text, self._encoding), found

    async def _at(self, params: Any, ask: Callable[[Document, int, int], _T]) -> tuple[Positions, _T] | None:
        """The same for a place in the document."""
        position, encoding = params.position, self._encoding

        def there(document: Document) -> _T:
            return ask(document, *Positions(document.text, encoding).from_position(position))

        return await self._on(params.text_document.uri, there)

    # The client

    def _takes_snippets(self) -> bool:
        text = self._server.client_capabilities.text_document
        item = text.completion.completion_item if text and text.completion else None
        return bool(item and item.snippet_support)

    def _takes_versions(self) -> bool:
        workspace = self._server.client_capabilities.workspace
        return bool(workspace and workspace.workspace_edit and workspace.workspace_edit.document_changes)


def _references(declared: bool, document: Document, line: int, column: int) -> Any:
    return references(document, line, column, declaration=declared)


def _fixes(
    encoding: Encoding, where: types.Range, uri: str, version: int | None, versioned: bool,
    document: Document,
) -> list[types.CodeAction]:  # fmt: skip
    positions = Positions(document.text, encoding)
    found = list[types.CodeAction]()
    seen = set[int]()
    for one, fix in fixes(document, positions.from_range(where)):
        first = id(one) not in seen
        seen.add(id(one))
        found.append(answers.quick_fix(one, fix, positions, uri, version, versioned=versioned, first=first))
    return found


def _value(kind: Any) -> str:
    return str(getattr(kind, "value", kind))


def register(
    server: LanguageServer,
    *,
    known: Callable[[str], Known],
    publish: Publish,
    user_folder: str = "",
    without: Collection[str] = (),
) -> DefinitionFiles:
    """Register the features for definition files.

    Args:
        known: what is known outside of the file of a URI; called on the loop, so it must be quick.
        publish: takes all diagnostics of a URI with their version; no version: they are cleared.
        user_folder: the folder of the user's own definitions.
        without: methods that the caller registers itself, because pygls takes one handler each; it then calls the
            method of the value returned.
    """
    files = DefinitionFiles(server, known=known, publish=publish, user_folder=user_folder)
    for method, handler, options in _features(files):
        if method not in without:
            server.feature(method, options)(_function(handler)) if options else server.feature(method)(
                _function(handler)
            )

    def initialized(params: types.InitializeParams) -> None:
        keep_exact(server.workspace)

    if types.INITIALIZE not in without:
        server.feature(types.INITIALIZE)(initialized)
    return files


def _function(handler: Callable[..., Any]) -> Callable[..., Any]:
    """A handler as a plain function, on which pygls can leave its marks."""
    if not inspect.iscoroutinefunction(handler):
        return handler

    async def answer(params: Any) -> Any:
        return await handler(params)

    return answer


def _features(files: DefinitionFiles) -> list[tuple[str, Callable[..., Any], Any]]:
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        files.changed(params.text_document.uri)

    def changed(params: types.DidChangeTextDocumentParams) -> None:
        files.changed(params.text_document.uri)

    def saved(params: types.DidSaveTextDocumentParams) -> None:
        files.changed(params.text_document.uri)

    def closed(params: types.DidCloseTextDocumentParams) -> None:
        files.closed(params.text_document.uri)

    fixes_only = types.CodeActionOptions(code_action_kinds=[types.CodeActionKind.QuickFix])
    return [
        (types.TEXT_DOCUMENT_DID_OPEN, opened, None),
        (types.TEXT_DOCUMENT_DID_CHANGE, changed, None),
        (types.TEXT_DOCUMENT_DID_SAVE, saved, None),
        (types.TEXT_DOCUMENT_DID_CLOSE, closed, None),
        (types.TEXT_DOCUMENT_COMPLETION, files.completion, types.CompletionOptions(trigger_characters=_TRIGGERS)),
        (types.TEXT_DOCUMENT_HOVER, files.hover, None),
        (types.TEXT_DOCUMENT_DEFINITION, files.definition, None),
        (types.TEXT_DOCUMENT_REFERENCES, files.references, None),
        (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, files.symbols, None),
        (types.TEXT_DOCUMENT_CODE_LENS, files.lenses, types.CodeLensOptions(resolve_provider=False)),
        (types.TEXT_DOCUMENT_CODE_ACTION, files.code_actions, fixes_only),
        (types.TEXT_DOCUMENT_PREPARE_RENAME, files.prepare_rename, None),
        (types.TEXT_DOCUMENT_RENAME, files.rename, types.RenameOptions(prepare_provider=True)),
    ]
