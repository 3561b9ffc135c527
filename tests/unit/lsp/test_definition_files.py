"""The language features over the protocol's types, on a server without a client."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer
from pygls.workspace import Workspace

from sprintwright.definitions.nodes import MAX_CHARACTERS, problem
from sprintwright.definitions.source import Source
from sprintwright.language.values import Known
from sprintwright.lsp import definition_diagnostics
from sprintwright.lsp.definition_answers import SOURCE, diagnostics_of, without_stops
from sprintwright.lsp.definition_documents import is_definition_file, path_of
from sprintwright.lsp.definition_files import DefinitionFiles, register
from sprintwright.lsp.documents import keep_exact
from sprintwright.lsp.positions import Positions
from tests.unit.language.support import PLAN

FOLDER = "file:///w/app/%28auth%29/%5Bid%5D%20%231%25/.sprintwright/workflows/"
URI = FOLDER + "%C3%BC.yaml"
BAD = PLAN.replace("role: dev", "role: deb", 1)


@dataclass
class Bench:
    """A server with a workspace, and what was published."""

    server: LanguageServer
    files: DefinitionFiles
    published: list[tuple[str, int | None, list[types.Diagnostic]]]
    news: asyncio.Event = field(default_factory=asyncio.Event)

    def open(self, text: str, uri: str = URI, language: str = "yaml", version: int = 1) -> None:
        self.server.workspace.put_text_document(types.TextDocumentItem(uri, language, version, text))
        self.files.changed(uri)

    def edit(self, text: str, version: int, uri: str = URI) -> None:
        changed = types.VersionedTextDocumentIdentifier(uri=uri, version=version)
        self.server.workspace.update_text_document(changed, types.TextDocumentContentChangeWholeDocument(text))
        self.files.changed(uri)

    def close(self, uri: str = URI) -> None:
        self.server.workspace.remove_text_document(uri)
        self.files.closed(uri)

    async def next(self) -> tuple[str, int | None, list[types.Diagnostic]]:
        """The publication that comes next."""
        await self.news.wait()
        self.news.clear()
        return self.published[-1]

    def at(self, marked: str, uri: str = URI, encoding: str = "utf-16") -> dict[str, Any]:
        """Open a text with a `^` in it; the arguments of a request there."""
        before, _, behind = marked.partition("^")
        self.open(before + behind, uri)
        line = before.rpartition("\n")[2]
        units = {"utf-8": len(line.encode()), "utf-16": len(line.encode("utf-16-le")) // 2, "utf-32": len(line)}
        position = types.Position(before.count("\n"), units[encoding])
        return {"text_document": types.TextDocumentIdentifier(uri), "position": position}


MakeBench = Callable[..., Bench]


@pytest.fixture
async def make(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[MakeBench]:
    monkeypatch.setattr(definition_diagnostics, "WAIT_SECONDS", 0)
    made: list[Bench] = []

    def bench(*, snippets: bool = True, versioned: bool = True, encoding: str = "utf-16") -> Bench:
        server = LanguageServer("test", "1")
        published: list[tuple[str, int | None, list[types.Diagnostic]]] = []
        known = Known(workflows={"dev": "Design"}, roles={"critic": "claude"})

        def publish(uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
            published.append((uri, version, found))
            made[0].news.set()

        files = register(
            server, known=lambda uri: known, publish=publish, user_folder="/home/me/.config/sprintwright/workflows"
        )
        server.protocol._workspace = Workspace("", types.TextDocumentSyncKind.Incremental, [], encoding)
        keep_exact(server.workspace)
        item = types.ClientCompletionItemOptions(snippet_support=snippets)
        server.protocol.client_capabilities = types.ClientCapabilities(
            text_document=types.TextDocumentClientCapabilities(
                completion=types.CompletionClientCapabilities(completion_item=item)
            ),
            workspace=types.WorkspaceClientCapabilities(
                workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=versioned)
            ),
        )
        made.append(Bench(server, files, published))
        return made[-1]

    yield bench
    for one in made:
        await one.files.close()


@pytest.mark.parametrize(
    ("uri", "language", "expected"),
    [
        (URI, "yaml", True), (FOLDER + "a.json", "json", True), (FOLDER + "a.yml", "plaintext", True),
        ("file:///c%3A/w/.sprintwright/workflows/a.yaml", "yaml", True),
        ("file://server/share/.sprintwright/workflows/a.yaml", "yaml", True),
        ("vscode-remote://ssh/w/.sprintwright/workflows/a.yaml", "yaml", True),
        ("file:///home/me/.config/sprintwright/workflows/a.yaml", "yaml", True),
        ("file:///home/you/.config/sprintwright/workflows/a.yaml", "yaml", False),
        ("file:///w/a.yaml", "sprintwright", True), ("untitled:Untitled-1", "sprintwright", True),
        ("file:///w/a.yaml", "yaml", False), (FOLDER + "a.py", "python", False), (FOLDER + "a.schema.json", "json", False),
        ("file:///w/x.sprintwright/workflows/a.yaml", "yaml", False), ("file:///w/.sprintwright/a.yaml", "yaml", False),
        ("%", None, False), ("", None, False), ("file:///w/.sprintwright%2Fworkflows%2Fa.yaml", "yaml", True),
    ],
)  # fmt: skip
def test_b143_definition_files_are_told_by_their_path_or_language(uri: str, language: str, expected: bool) -> None:
    assert is_definition_file(uri, language, "/home/me/.config/sprintwright/workflows") is expected
    assert "%20" not in path_of(uri)


async def test_problems_are_published_with_version_source_and_code(make: MakeBench) -> None:
    bench = make()
    bench.open(BAD, version=7)
    uri, version, found = await bench.next()
    [one] = [one for one in found if one.severity == types.DiagnosticSeverity.Error]
    assert (uri, version) == (URI, 7)
    assert (one.source, one.code, one.severity) == (SOURCE, "unknown_role", types.DiagnosticSeverity.Error)
    assert one.range == types.Range(types.Position(9, 10), types.Position(9, 13))


@pytest.mark.parametrize(("encoding", "column"), [("utf-8", 27), ("utf-16", 23), ("utf-32", 21)])
async def test_b141_places_are_in_the_encoding_that_was_negotiated(make: MakeBench, encoding: str, column: int) -> None:
    bench = make(encoding=encoding)
    bench.open('name: x\nroles: [d]\nstages:\n  - {id: "😀𠀀", role: dd, kind: agent_turn, prompt: x}\n')
    _, _, found = await bench.next()
    [one] = [one for one in found if one.code == "unknown_role"]
    assert one.range.start == types.Position(3, column)


async def test_r085_of_many_edits_the_newest_version_alone_is_published(make: MakeBench) -> None:
    bench = make()
    for version in range(1, 1_001):
        if version == 1:
            bench.open(BAD)
        bench.edit(f"{BAD}# {version}\n", version)
    assert (await bench.next())[1] == 1_000
    assert len(bench.published) == 1


async def test_r085_what_was_found_in_an_older_version_is_dropped(
    make: MakeBench, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench = make()
    loop = asyncio.get_running_loop()
    reached, seen = asyncio.Event(), list[str]()
    work = definition_diagnostics._diagnostics

    def slow(document: Any, *rest: Any) -> Any:
        seen.append(document.text)
        if len(seen) == 1:
            asyncio.run_coroutine_threadsafe(edited(), loop).result()
        return work(document, *rest)

    async def edited() -> None:
        bench.edit(PLAN + "zzz: 1\n", 2)
        reached.set()

    monkeypatch.setattr(definition_diagnostics, "_diagnostics", slow)
    bench.open(BAD)
    await reached.wait()
    _, version, found = await bench.next()
    assert version == 2 and "unknown_key" in [one.code for one in found]
    assert len(bench.published) == 1 and len(seen) == 2


async def test_r085_problems_are_cleared_on_close_and_on_delete(make: MakeBench) -> None:
    bench = make()
    bench.open(BAD)
    await bench.next()
    bench.files.deleted(URI)
    assert bench.published[-1] == (URI, None, [])
    bench.edit(BAD + "\n", 2)
    while not bench.published[-1][2]:
        await bench.next()
    bench.close()
    assert bench.published[-1] == (URI, None, [])
    bench.close()
    assert len(bench.published) == 4


async def test_a_document_that_is_closed_while_it_waits_is_not_published(make: MakeBench) -> None:
    bench = make()
    bench.open(BAD)
    bench.close()
    bench.open(BAD, FOLDER + "other.yaml")
    assert (await bench.next())[0].endswith("other.yaml")
    assert len(bench.published) == 1


@pytest.mark.parametrize("size", [MAX_CHARACTERS + 1, 9_000_000])
async def test_r085_a_large_document_has_one_problem(make: MakeBench, size: int) -> None:
    bench = make()
    bench.open("a: b\n" * (size // 5 + 1))
    _, _, found = await bench.next()
    assert [one.code for one in found] == ["too_large"]
    assert await bench.files.symbols(types.DocumentSymbolParams(types.TextDocumentIdentifier(URI))) == []


async def test_x054_messages_are_capped_and_plain(make: MakeBench) -> None:
    bench = make()
    bench.open(
        "name: x\n"
        + "".join(f"k{n}: 1\n" for n in range(400))
        + f'"{"z" * 5_000}\\u202e": &a\n'
        + f"s: *{'q' * 5_000}\n"
    )
    _, _, found = await bench.next()
    assert len(found) <= 200
    assert all(len(one.message) <= 1_000 and "\u202e" not in one.message for one in found)


def test_x054_a_message_is_cut_and_what_turns_its_direction_is_shown() -> None:
    one = problem(
        "x", "a\u202eb" + "z" * 5_000, Source("").range(0, 0), related=(("r" * 5_000, Source("").range(0, 0)),) * 50
    )
    [found] = diagnostics_of([one], Positions(""), URI)
    assert found.message.startswith("a\\u{202e}b") and len(found.message) == 1_000
    assert found.related_information and len(found.related_information) == 20
    assert all(len(related.message) == 1_000 and related.location.uri == URI for related in found.related_information)


async def test_r085_what_was_read_of_many_documents_is_not_kept(make: MakeBench) -> None:
    bench = make()
    for number in range(20):
        uri = f"{FOLDER}{number}.yaml"
        bench.open(PLAN, uri)
        assert await bench.files.symbols(types.DocumentSymbolParams(types.TextDocumentIdentifier(uri)))
    assert len(bench.files._opened._read) <= 4


async def test_other_documents_are_left_alone(make: MakeBench) -> None:
    bench = make()
    uri = "file:///w/docker-compose.yaml"
    where = bench.at("na^", uri)
    assert await bench.files.completion(types.CompletionParams(**where)) is None
    assert await bench.files.hover(types.HoverParams(**where)) is None
    assert await bench.files.rename(types.RenameParams(new_name="x", **where)) is None
    assert await bench.files.lenses(types.CodeLensParams(where["text_document"])) is None
    assert not bench.files.owns(uri) and not bench.published


async def test_completion_is_a_snippet_only_where_the_client_takes_it(make: MakeBench) -> None:
    for snippets, text in (
        (True, "stages:\n  - id: ${1:name}\n    kind: $0"),
        (False, "stages:\n  - id: name\n    kind: "),
    ):
        bench = make(snippets=snippets)
        found = await bench.files.completion(types.CompletionParams(**bench.at("name: x\nst^")))
        assert found is not None
        [one] = [one for one in found.items if one.label == "stages"]
        assert isinstance(one.text_edit, types.TextEdit) and one.text_edit.new_text == text
        assert one.text_edit.range == types.Range(types.Position(1, 0), types.Position(1, 2))
        assert one.insert_text_mode == types.InsertTextMode.AdjustIndentation


@pytest.mark.parametrize(
    ("snippet", "plain"),
    [
        ("a$0", "a"),
        ("${1:b c}d", "b cd"),
        ("{x\\}", "{x}"),
        ("${1|break,retry|}", "break"),
        ("\\$1", "$1"),
        ("{{a\\}\\}", "{{a}}"),
        ("${1:x\\}y}", "x}y"),
    ],
)
def test_a_snippet_without_its_stops_is_its_text(snippet: str, plain: str) -> None:
    assert without_stops(snippet) == plain


async def test_x049_only_our_own_words_are_markdown(make: MakeBench) -> None:
    bench = make()
    text = PLAN.replace("Builds <b>it</b>.", "![x](http://127.0.0.1/) [y](command:z)")
    named = await bench.files.hover(types.HoverParams(**bench.at(text.replace("role: dev", "role: d^ev", 1))))
    key = await bench.files.hover(types.HoverParams(**bench.at(text.replace("role: dev", "ro^le: dev", 1))))
    assert (
        named and isinstance(named.contents, types.MarkupContent) and named.contents.kind == types.MarkupKind.PlainText
    )
    assert key and isinstance(key.contents, types.MarkupContent) and key.contents.kind == types.MarkupKind.Markdown
    offered = await bench.files.completion(
        types.CompletionParams(**bench.at(text + "  - {kind: agent_turn, role: ^}\n"))
    )
    assert offered and all(
        "command:" not in one.documentation.value
        for one in offered.items
        if isinstance(one.documentation, types.MarkupContent)
    )


async def test_quick_fixes_come_with_their_problem_and_version(make: MakeBench) -> None:
    for versioned in (True, False):
        bench = make(versioned=versioned)
        bench.open(BAD, version=3)
        where = types.Range(types.Position(9, 10), types.Position(9, 10))
        params = types.CodeActionParams(types.TextDocumentIdentifier(URI), where, types.CodeActionContext([]))
        found = await bench.files.code_actions(params)
        assert found and [(one.title, one.is_preferred) for one in found] == [
            ("Change to 'dev'", True),
            ("Add the role 'deb'", None),
        ]
        assert found[0].diagnostics and found[0].diagnostics[0].code == "unknown_role"
        edit = found[0].edit
        assert edit is not None
        if versioned:
            [change] = edit.document_changes or []
            assert isinstance(change, types.TextDocumentEdit) and change.text_document.version == 3
        else:
            assert edit.changes and edit.changes[URI][0].new_text == "dev"


async def test_other_kinds_of_code_actions_are_not_answered(make: MakeBench) -> None:
    bench = make()
    bench.open(BAD)
    context = types.CodeActionContext([], only=[types.CodeActionKind.Refactor])
    where = types.Range(types.Position(0, 0), types.Position(99, 0))
    assert (
        await bench.files.code_actions(types.CodeActionParams(types.TextDocumentIdentifier(URI), where, context)) == []
    )


async def test_names_are_found_and_renamed(make: MakeBench) -> None:
    bench = make()
    where = bench.at(PLAN.replace("role: dev", "role: d^ev", 1))
    there = await bench.files.definition(types.DefinitionParams(**where))
    assert there and unquote(there[0].uri) == unquote(URI) and there[0].range.start == types.Position(2, 2)
    uses = await bench.files.references(types.ReferenceParams(context=types.ReferenceContext(False), **where))
    assert uses and [one.range.start.line for one in uses] == [9, 23]
    prepared = await bench.files.prepare_rename(types.PrepareRenameParams(**where))
    assert prepared and prepared.placeholder == "dev"
    renamed = await bench.files.rename(types.RenameParams(new_name="maker", **where))
    assert renamed and renamed.document_changes
    with pytest.raises(JsonRpcException, match="already") as refusal:
        await bench.files.rename(types.RenameParams(new_name="judge", **where))
    assert refusal.value.code == types.LSPErrorCodes.RequestFailed


async def test_outline_and_lenses(make: MakeBench) -> None:
    bench = make()
    bench.open(PLAN)
    found = await bench.files.symbols(types.DocumentSymbolParams(types.TextDocumentIdentifier(URI)))
    assert found and [one.name for one in found] == ["roles", "vars", "plan", "rounds"]
    above = await bench.files.lenses(types.CodeLensParams(types.TextDocumentIdentifier(URI)))
    assert above and [(one.command.command, one.command.arguments) for one in above if one.command] == [
        ("sprintwright.runWorkflow", [{"uri": URI, "name": "trial"}]),
        ("sprintwright.validateWorkflow", [{"uri": URI, "name": "trial"}]),
    ]


async def test_json_is_read_as_json(make: MakeBench) -> None:
    bench = make()
    bench.open('{\n\t"name": "x"\n}', FOLDER + "a.json", "json")
    _, _, found = await bench.next()
    assert [one.code for one in found] == ["missing_key"]


def test_methods_that_the_caller_registers_itself_are_left_to_it() -> None:
    server = LanguageServer("test", "1")
    published: dict[str, Any] = {}

    def publish(uri: str, version: int | None, found: list[types.Diagnostic]) -> None:
        published[uri] = found

    register(server, known=lambda uri: Known(), publish=publish, without={types.TEXT_DOCUMENT_DID_OPEN})
    features: set[str] = {str(name) for name in server.protocol.fm.features}  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]
    assert types.TEXT_DOCUMENT_DID_OPEN not in features
    assert {types.TEXT_DOCUMENT_COMPLETION, types.TEXT_DOCUMENT_RENAME, types.INITIALIZE} <= features
