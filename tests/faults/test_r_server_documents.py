"""Many documents, many edits, large ones, and a client that reads no log, on the real server: rows R81 and R85."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.protocol.support import RawClient, memory
from tests.support.terminal import PROGRAM, Place

MEGABYTE = 1 << 20
TEXT = "name: w%d\nroles: [w]\nstages:\n  - {id: a, kind: agent_turn, role: w, prompt: go}\n"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path)


@pytest.fixture
def client(place: Place) -> Iterator[RawClient]:
    made = RawClient.start((*PROGRAM, "lsp"), cwd=place.base, env=place.environment())
    folders = [{"uri": place.project.as_uri(), "name": "x"}]
    made.initialize(workspaceFolders=folders, initializationOptions={"trusted": True})
    yield made
    made.close()


@pytest.mark.parametrize(
    ("count", "edits", "size"),
    [(40, 200, 3 * MEGABYTE), pytest.param(200, 1000, 50 * MEGABYTE, marks=pytest.mark.exhaustive)],
)
def test_r081_r085_of_many_edits_the_newest_version_counts_and_closed_documents_have_nothing(
    place: Place, client: RawClient, count: int, edits: int, size: int
) -> None:
    client.mute(errors=True)
    uris = [(place.project / f"{number}.sprintwright.yaml").as_uri() for number in range(count)]
    uris = [uri.replace("/project/", "/project/.sprintwright/workflows/") for uri in uris]
    for uri in uris:
        open_document(client, uri, (TEXT % 1).replace("agent_turn", "agent_tun"))
    assert client.wait_until(lambda: versions(client) == dict.fromkeys(uris, 1))
    for number in range(edits):  # each in turn; every other one is broken by the last edit
        uri = uris[number % count]
        kind = "agent_tun" if (number % count) % 2 else "agent_turn"
        edit(client, uri, 2 + number, (TEXT % number).replace("agent_turn", kind))
    for _ in range(3_000):  # each is a line in the log, which nobody reads
        client.notify("textDocument/didChange", {"textDocument": 5})
    newest = {uris[number % count]: 2 + number if (number % count) % 2 else None for number in range(edits)}
    assert client.result("sprintwright.run.list")["runs"] == []
    assert client.wait_until(lambda: versions(client) == newest), "each has what its newest version has"
    assert {uri for uri in uris if last(client, uri)["diagnostics"]} == {*uris[1::2]}

    before = memory(client.pid)
    open_document(client, (huge := f"{uris[0]}.yaml"), "a: b\n" * (size // 5))
    (problem,) = client.wait_for(lambda one: is_of(one, huge), seconds=60)["params"]["diagnostics"]
    assert problem["range"]["start"]["line"] == 0 and memory(client.pid) - before < 3 * size + 60 * MEGABYTE

    client.notify("workspace/didChangeWatchedFiles", {"changes": [{"uri": uris[1], "type": 3}]})
    for uri in (*uris[3:], huge):
        client.notify("textDocument/didClose", {"textDocument": {"uri": uri}})
    assert client.wait_until(lambda: not any(last(client, uri)["diagnostics"] for uri in (uris[1], *uris[3:], huge)))
    client.unmute()
    assert client.shut_down() == 0


def open_document(client: RawClient, uri: str, text: str) -> None:
    """As an editor does."""
    document = {"uri": uri, "languageId": "yaml", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": document})


def edit(client: RawClient, uri: str, version: int, text: str) -> None:
    """The whole text."""
    params = {"textDocument": {"uri": uri, "version": version}, "contentChanges": [{"text": text}]}
    client.notify("textDocument/didChange", params)


def is_of(message: dict[str, Any], uri: str) -> bool:
    """Whether it has the problems of a document."""
    return message.get("method") == "textDocument/publishDiagnostics" and message["params"]["uri"] == uri


def last(client: RawClient, uri: str) -> dict[str, Any]:
    """What was published of a document last."""
    found = (one["params"] for one in reversed(client.received) if is_of(one, uri))
    nothing: dict[str, Any] = {"diagnostics": []}
    return next(found, nothing)


def versions(client: RawClient) -> dict[str, int | None]:
    """The version that was published last, by document; None: it was cleared."""
    published = [one["params"] for one in client.received if one.get("method") == "textDocument/publishDiagnostics"]
    return {params["uri"]: params.get("version") for params in published}
