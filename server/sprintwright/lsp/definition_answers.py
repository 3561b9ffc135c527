"""The language service's values as the protocol has them. Words of the file never become Markdown (X49)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from lsprotocol import types

from sprintwright.language.values import Completion, Hover, Lens, Symbol
from sprintwright.lsp.positions import Positions
from sprintwright.model.problem import Edit, Fix, Problem
from sprintwright.text import clean, cut

SOURCE = "sprintwright-definition"
_MOST_MESSAGE = 1_000
_MOST_RELATED = 20
_MOST_PROBLEMS = 200

_SEVERITIES = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "hint": types.DiagnosticSeverity.Hint,
}
_COMPLETIONS = {
    "key": types.CompletionItemKind.Property,
    "kind": types.CompletionItemKind.Class,
    "value": types.CompletionItemKind.EnumMember,
    "role": types.CompletionItemKind.Interface,
    "variable": types.CompletionItemKind.Variable,
    "keyword": types.CompletionItemKind.Keyword,
    "stage": types.CompletionItemKind.Snippet,
    "file": types.CompletionItemKind.File,
    "name": types.CompletionItemKind.Value,
    "snippet": types.CompletionItemKind.Snippet,
}
_SYMBOLS = {
    "group": types.SymbolKind.Namespace,
    "role": types.SymbolKind.Interface,
    "variable": types.SymbolKind.Variable,
    "stage": types.SymbolKind.Method,
    "loop": types.SymbolKind.Class,
}
_COMMANDS = {"run": "sprintwright.runWorkflow", "validate": "sprintwright.validateWorkflow"}
"""Commands of the client; the server's own have other names."""
_UNUSED = frozenset({"unknown_key", "ignored_key", "absent_value"})
_STOP = re.compile(r"\$(?:\d+|\{\d+(?:\|([^,|]*)[^}]*|:((?:[^\\}]|\\.)*))?\})|\\([$}\\])")


def _plain(text: str, most: int = _MOST_MESSAGE) -> str:
    return cut(clean(text, newlines=True), most)


def diagnostics_of(problems: Iterable[Problem], positions: Positions, uri: str) -> list[types.Diagnostic]:
    """Problems for one file; their related places are in the same file."""
    return [_diagnostic(one, positions, uri) for one in list(problems)[:_MOST_PROBLEMS]]


def _diagnostic(one: Problem, positions: Positions, uri: str) -> types.Diagnostic:
    related = [
        types.DiagnosticRelatedInformation(types.Location(uri, positions.to_range(where)), _plain(words))
        for words, where in one.related[:_MOST_RELATED]
    ]
    return types.Diagnostic(
        range=positions.to_range(one.range),
        message=_plain(one.message),
        severity=_SEVERITIES[one.severity],
        code=one.code,
        source=SOURCE,
        related_information=related or None,
        tags=[types.DiagnosticTag.Unnecessary] if one.code in _UNUSED else None,
    )


def completion_items(
    found: Iterable[Completion], positions: Positions, *, snippets: bool
) -> list[types.CompletionItem]:
    """Completions; for a client without snippets their places to fill in are left out."""
    return [_item(one, positions, snippets and one.snippet) for one in found]


def _item(one: Completion, positions: Positions, snippet: bool) -> types.CompletionItem:
    text = one.insert if snippet or not one.snippet else without_stops(one.insert)
    return types.CompletionItem(
        label=_plain(one.label, 200),
        kind=_COMPLETIONS[one.kind],
        detail=_plain(one.detail, 200) or None,
        documentation=types.MarkupContent(types.MarkupKind.Markdown, one.documentation) if one.documentation else None,
        sort_text=one.sort or None,
        filter_text=one.filter or None,
        text_edit=types.TextEdit(positions.to_range(one.range), text),
        insert_text_format=types.InsertTextFormat.Snippet if snippet else types.InsertTextFormat.PlainText,
        insert_text_mode=types.InsertTextMode.AdjustIndentation if "\n" in text else None,
    )


def without_stops(snippet: str) -> str:
    """A snippet as plain text: its placeholders' words stay."""
    return _STOP.sub(lambda found: found[1] or without_stops(found[2] or "") or found[3] or "", snippet)


def hover_of(one: Hover, positions: Positions) -> types.Hover:
    """A hover: Markdown when every word is ours, else plain text."""
    kind = types.MarkupKind.PlainText if one.plain else types.MarkupKind.Markdown
    return types.Hover(types.MarkupContent(kind, one.text), positions.to_range(one.range))


def workspace_edit(
    edits: Iterable[Edit], positions: Positions, uri: str, version: int | None, *, versioned: bool
) -> types.WorkspaceEdit:
    """Edits of one file, tied to the version that they were made for where the client can check that."""
    changes = [types.TextEdit(positions.to_range(one.range), one.text) for one in edits]
    if not versioned:
        return types.WorkspaceEdit(changes={uri: changes})
    document = types.OptionalVersionedTextDocumentIdentifier(uri=uri, version=version)
    return types.WorkspaceEdit(document_changes=[types.TextDocumentEdit(document, [*changes])])


def quick_fix(
    one: Problem, fix: Fix, positions: Positions, uri: str, version: int | None, *, versioned: bool, first: bool
) -> types.CodeAction:
    """A quick fix with the problem that it mends."""
    return types.CodeAction(
        title=_plain(fix.title, 200),
        kind=types.CodeActionKind.QuickFix,
        diagnostics=[_diagnostic(one, positions, uri)],
        is_preferred=first or None,
        edit=workspace_edit(fix.edits, positions, uri, version, versioned=versioned),
    )


def document_symbol(one: Symbol, positions: Positions) -> types.DocumentSymbol:
    """A part of the outline with what is in it."""
    return types.DocumentSymbol(
        name=one.name,
        kind=_SYMBOLS[one.kind],
        range=positions.to_range(one.range),
        selection_range=positions.to_range(one.selection),
        detail=one.detail or None,
        children=[document_symbol(child, positions) for child in one.children] or None,
    )


def code_lens(one: Lens, positions: Positions, uri: str) -> types.CodeLens:
    """A command of the client above a line."""
    arguments = [{"uri": uri, "name": one.name}]
    return types.CodeLens(
        positions.to_range(one.range), command=types.Command(one.title, _COMMANDS[one.action], arguments=arguments)
    )
