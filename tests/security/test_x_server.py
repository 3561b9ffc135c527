"""The real server among enemies: what an untrusted client can do, and a folder that wants to run code (X1-X5, X16)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.protocol.golden import COMMANDS, FOLDER
from tests.protocol.support import Message, RawClient
from tests.support.grid import grid
from tests.support.hostile import RUN, listing, make_hostile, odd_folders, watched
from tests.support.terminal import PROGRAM, Place
from tests.support.waiting import until

MISSING = object()
TRUSTED: dict[str, Any] = {"missing": MISSING, "false": False, "null": None, "'true'": "true", "1": 1, "{}": {}}
DEFINITION = "name: mine\nroles: [w]\nstages:\n  - {id: a, kind: agent_tun, role: w, prompt: go}\n"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    make_hostile(made, tmp_path / "CANARY")
    return made


@pytest.mark.parametrize("trusted", grid(TRUSTED, ("'true'",)))
def test_x001_without_trust_nothing_is_read_run_or_written_and_definitions_are_still_helped_with(
    place: Place, trusted: str
) -> None:
    before = listing(place.base)
    with watched(place, reads=True) as server:
        client = server.client
        server.initialize([place.project], **({} if trusted == "missing" else {"trusted": TRUSTED[trusted]}))
        for command in COMMANDS:
            for argument in arguments(command, place):
                error = client.command(command, argument)["error"]
                assert (error["code"], error["data"]["code"]) == (-32803, "untrusted"), command
        client.notify("workspace/didChangeConfiguration", {"settings": {"sprintwright": {"primary": "evil"}}})
        added = {"uri": place.project.as_uri() + "/", "name": "again"}
        client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": [added], "removed": []}})
        assert_language_works(client, place)
    assert {one["method"] for one in client.received if "method" in one} == {"textDocument/publishDiagnostics"}
    assert not server.programs() and not server.connections() and not server.opened(place.project)
    after = listing(place.base)
    differing = {path for path in after.keys() | before.keys() if after.get(path) != before.get(path)}
    assert differing <= {str(place.base), str(place.base / "calls")}


def arguments(command: str, place: Place) -> list[dict[str, Any]]:
    """None that matters, and one that would do something."""
    stem = command.removeprefix("sprintwright.")
    given = json.loads((FOLDER / f"{stem}.argument.json").read_text(encoding="utf-8"))
    real = {"folder": str(place.project), "runId": RUN % 5, "workflow": "planted"}
    return [{}, {**given, **{key: value for key, value in real.items() if key in given}}]


def assert_language_works(client: RawClient, place: Place) -> None:
    """An open definition has its problems, what fits at a place, and what a word means."""
    uri = (place.project / ".sprintwright" / "workflows" / "mine.yaml").as_uri()
    document = {"uri": uri, "languageId": "yaml", "version": 1, "text": DEFINITION}
    client.notify("textDocument/didOpen", {"textDocument": document})
    published = client.wait_for(lambda one: one.get("method") == "textDocument/publishDiagnostics")
    assert published["params"]["uri"] == uri and "agent_tun" in published["params"]["diagnostics"][0]["message"]
    at = {"textDocument": {"uri": uri}, "position": {"line": 3, "character": 20}}
    assert "agent_turn" in json.dumps(client.request("textDocument/completion", at)["result"])
    assert client.request("textDocument/hover", {**at, "position": {"line": 3, "character": 6}})["result"]


def test_x003_x004_x005_x016_a_trusted_hostile_folder_is_looked_at_and_nothing_of_it_runs(place: Place) -> None:
    odd = odd_folders(place.base)
    outside = place.base / "elsewhere"
    (place.project / "link").symlink_to(outside)
    before = listing(place.base / "project", outside)
    with watched(place) as server:
        client = server.client
        server.initialize([place.project, *odd], trusted=True)
        settings = client.wait_for(lambda one: one.get("method") == "workspace/configuration")
        client.send(id=settings["id"], result=[{"agents": {"x": {"kind": "cli", "command": ["git"]}}}])
        assert_looked_at(client, place)
        for folder in odd:
            names = client.result("sprintwright.workflow.list", {"folder": str(folder)})["workflows"]
            assert "stolen" not in {one["name"] for one in names} and len(names) >= 7, "the built-in ones are there"
            assert client.result("sprintwright.run.list", {"folder": str(folder)})["runs"] == []
        for folder in ("/", "..", ".", "\0", str(place.project / ".."), str(place.project / "link"), str(outside),
                       f"file://host{place.project}", place.base.as_uri(), "https://x/"):  # fmt: skip
            assert refused(client, "workflow.start", workflow="planted", task="x", folder=folder) == "bad_argument"
        again = {"workflow": "planted", "task": "x", "folder": f"{place.project}/../project", "concurrent": True}
        assert refused(client, "workflow.start", **again) == "consent_needed"
        assert listing(place.base / "project", outside) == before
    assert "Traceback" not in client.log
    assert not server.programs() and not server.connections() and not (place.base / "CANARY").exists()


def assert_looked_at(client: RawClient, place: Place) -> None:
    """Runs that were never made here are shown as what they are, and acted on in no way; odd definitions are named."""
    listed = {one["runId"]: one for one in client.result("sprintwright.run.list")["runs"]}
    assert len(listed) == 8 and not any(one["own"] for one in listed.values())
    assert {one["status"] for one in listed.values()} <= {"unreadable", "interrupted"}
    for run_id in listed:
        assert client.result("sprintwright.run.get", {"runId": run_id})["status"] == listed[run_id]["status"]
        for verb in ("continue", "cancel", "pause", "reconfigure", "restore", "changes", "say"):
            more = {"say": {"text": "x"}, "reconfigure": {"roles": {"a": "evil"}}}.get(verb, {})
            assert refused(client, f"run.{verb}", runId=run_id, **more)
        assert refused(client, "workflow.resume", runId=run_id)
    found = {one["name"]: one for one in client.result("sprintwright.workflow.list")["workflows"]}
    assert {"planted", "--help", "-rf", "$(id)", "link", "zero", "self", "huge"} <= {*found}
    assert all(found[name]["problems"] for name in ("link", "zero", "self", "socket", "huge", "--help", "$(id)"))
    assert "fifo" not in found and "folder" not in found
    until(lambda: origins(client, place).items() >= {"evil": "workspace", "x": "editor"}.items())


def origins(client: RawClient, place: Place) -> dict[str, str]:
    """Where each agent is configured."""
    agents = client.result("sprintwright.agents.list", {"folder": str(place.project)})["agents"]
    return {one["name"]: one["origin"] for one in agents}


def refused(client: RawClient, name: str, **argument: object) -> str:
    """The code of a refusal; never a fault of ours."""
    answer: Message = client.command(f"sprintwright.{name}", argument)
    assert answer.get("error", {}).get("code") == -32803, (name, answer)
    return answer["error"]["data"]["code"]


@pytest.mark.exhaustive
def test_x016_modules_of_the_current_folder_are_not_imported_even_without_the_flag(place: Place) -> None:
    client = RawClient.start((*PROGRAM, "lsp"), cwd=place.project, env=place.environment(PYTHONWARNINGS="default"))
    client.initialize(initializationOptions={"trusted": True})
    assert client.result("sprintwright.workflow.list")["workflows"]
    assert client.shut_down() == 0
    client.close()
    assert not (place.base / "CANARY").exists()
