"""Sessions of anything at all: no frame and no command ends the server, and every request gets exactly one answer (R84)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sprintwright.lsp.early import CAPABILITIES
from tests.protocol.random_session import JUNK, RandomSession, furnish, hung
from tests.protocol.support import RawClient, is_alive
from tests.protocol.test_transport_frames import BAD
from tests.support.terminal import PROGRAM, Place
from tests.support.waiting import until

EXHAUSTIVE = pytest.mark.exhaustive
CAN = {
    "workspace": {"configuration": True, "workspaceFolders": True},
    "window": {"workDoneProgress": True, "showMessage": {}},
    "textDocument": {"publishDiagnostics": {"relatedInformation": True}},
}
POSITIONAL = [
    f"textDocument/{one}" for one in ("hover", "completion", "definition", "references", "rename", "prepareRename")
]
METHODS = [
    *POSITIONAL, "textDocument/documentSymbol", "textDocument/codeAction", "textDocument/codeLens", "initialize",
    "workspace/executeCommand", "completionItem/resolve", "sprintwright/nothing", "", "shutdown now",
]  # fmt: skip
NOTES = [
    "initialized", "textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "textDocument/didSave",
    "workspace/didChangeWatchedFiles", "workspace/didChangeConfiguration", "workspace/didChangeWorkspaceFolders",
    "window/workDoneProgress/cancel", "$/cancelRequest", "$/setTrace", "$/nothing", "sprintwright/run/didChange",
]  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    furnish(made)
    (tmp_path / "tmp").mkdir()
    return made


@pytest.fixture
def client(place: Place) -> Iterator[RawClient]:
    environment = place.environment(TMPDIR=str(place.base / "tmp"), PYTHONWARNINGS="error,ignore::ResourceWarning")
    made = RawClient.start((*PROGRAM, "lsp"), cwd=place.base, env=environment)
    folders = [{"uri": place.project.as_uri(), "name": "project"}]
    options = {"trusted": True, "questions": True}
    made.initialize(capabilities=CAN, workspaceFolders=folders, initializationOptions=options)
    for late in (1, True):  # too late: it is answered, and goes on though it is not worked off yet
        made.notify("$/cancelRequest", {"id": late})
    yield made
    made.close()
    assert not made.garbage


@pytest.mark.parametrize(("seed", "count"), [(1, 300), pytest.param(2, 5000, marks=EXHAUSTIVE)])
def test_r084_no_frame_ends_the_server_and_every_request_has_one_answer(
    client: RawClient, place: Place, seed: int, count: int
) -> None:
    session = RandomSession(client, place, seed)
    for _ in range(count):
        send_frame(session)
        session.hear()
    end_well(session, f"seed {seed}")


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 40), *(pytest.param(seed, 200, marks=EXHAUSTIVE) for seed in range(2, 5))]
)
def test_r084_no_command_ends_the_server_while_runs_go_on_and_every_one_has_one_answer(
    client: RawClient, place: Place, seed: int, count: int
) -> None:
    session = RandomSession(client, place, seed)
    for workflow in ("quick", "hanging"):
        session.start(workflow)
    until(lambda: bool(hung(place)))
    for _ in range(count):
        session.ask_command(wild=0.2)
        for _ in range(session.chance.choice([0, 0, 1, 3])):
            session.edit()
        if session.chance.random() < 0.1:
            session.cancel()
        if session.chance.random() < 0.4:  # else several are at work at once
            session.settle()
        if session.chance.random() < 0.1:
            session.let_runs_go_on()
        session.hear()
    end_well(session, f"seed {seed}")
    told = [one["params"] for one in client.received if one.get("method") == "sprintwright/run/didChange"]
    assert {"completed", "running", "interrupted"} & {one["status"] for one in told}, f"seed {seed}: no run lived"


def send_frame(session: RandomSession) -> None:
    """One frame, of any kind."""
    chance = session.chance
    junk = chance.choice([*JUNK, {}, {"textDocument": {"uri": "file:///x.yaml"}}, {"token": "x"}])
    document = {"textDocument": {"uri": chance.choice(session.uris())}}
    at = {"line": chance.choice([0, 1, 10**9]), "character": chance.choice([0, 3, 10**9])}
    match chance.randrange(8):
        case 0:
            body, _, answered = BAD[chance.choice([*BAD])]
            if len(body) < 10_000 or chance.random() < 0.02:
                session.send_frame(body.replace(b'"id":5', b'"id":900'), answered and 900)
        case 1 | 2:
            session.ask(chance.choice(METHODS), junk)
        case 3:
            more = {
                "context": {"diagnostics": [], "includeDeclaration": True},
                "newName": "x",
                "range": {"start": at, "end": at},
            }
            session.ask(chance.choice(POSITIONAL), {**document, "position": at, **more})
        case 4:
            session.client.send(method=chance.choice(NOTES), params=junk)
        case 5:
            session.client.send(
                id=chance.choice(JUNK), **chance.choice([{"result": 1}, {"error": {"code": 1, "message": "x"}}])
            )
        case 6:
            session.edit()
        case _:
            session.ask_command(wild=0.7) if chance.random() < 0.7 else session.cancel()


def end_well(session: RandomSession, said: str) -> None:
    """It works still, answered all, told nothing twice or amiss, and leaves no agent and only whole runs."""
    client, place = session.client, session.place
    session.settle()
    last = client.ask("workspace/symbol", {})
    client.answer(last)
    due = session.due + Counter(range(1, last + 1))  # those of the plain client
    got = session.answers()
    assert got == due, f"{said}: too few {due - got}, too many {got - due}; {client.log[-2000:]}"
    inner = [one for one in client.received if one.get("error", {}).get("code") == -32603]
    assert not inner and "Traceback" not in client.log, (
        f"{said}: {inner[:1]} {client.log[client.log.find('Traceback') - 300 :][:3000]}"
    )
    check_changes(session, said)
    listed = client.result("sprintwright.run.list")["runs"]
    assert all(one["status"] != "unreadable" for one in listed), said
    assert client.shut_down() == 0, said
    check_progress(session, said)
    until(lambda: not any(map(is_alive, hung(place))))
    journals = place.project.glob(".sprintwright/runs/*/journal.jsonl")
    assert len([*journals]) == len(listed), said


def check_changes(session: RandomSession, said: str) -> None:
    """Each change builds on the one before it (R83)."""
    sent: dict[str, int] = {}
    for message in session.client.received:
        match message.get("method", "").removeprefix("sprintwright/run/"):
            case "didChange":
                now = message["params"]
                assert now["base"] == sent.get(now["runId"], now["base"]) <= now["revision"], f"{said}: {now}"
                sent[now["runId"]] = now["revision"]
            case "didDelete":
                sent.pop(message["params"]["runId"], None)
            case _:
                pass


def check_progress(session: RandomSession, said: str) -> None:
    """What begins ends, once and last (B149)."""
    kinds: dict[Any, list[str]] = {}
    for message in session.client.received:
        if message.get("method") == "$/progress":
            kinds.setdefault(message["params"]["token"], []).append(message["params"]["value"]["kind"])
    for token, seen in kinds.items():
        whole = seen[0] == "begin" and seen[-1] == "end" and set(seen[1:-1]) <= {"report"}
        assert whole, f"{said}: {token} {seen}"


def test_every_method_that_is_advertised_is_among_those_that_are_sent() -> None:
    named = json.loads(CAPABILITIES.read_text(encoding="utf-8"))["capabilities"]
    for capability in named:
        if capability.endswith("Provider") and capability != "executeCommandProvider":
            stem = capability.removesuffix("Provider")
            assert any(stem.casefold() in method.casefold() for method in METHODS), capability
