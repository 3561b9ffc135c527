"""Where a trusted editor may start runs, and what it may do with runs and folders that are made to lead elsewhere (X4, X5)."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.protocol.support import Message, RawClient
from tests.support.terminal import PROGRAM, Place

RUN = "20260101-0000000%02d-evil"
ONE = "name: one\nroles: [w]\nstages:\n  - {id: a, kind: agent_turn, role: w, prompt: go}\n"
REFUSALS = {"not_own_run", "run_unreadable", "unknown_run", "unknown_leaf", "no_question", "bad_argument"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    made.configure(agents={"echo": {"kind": "cli", "command": ["/bin/cat"]}}, primary="echo")
    made.define("one", ONE)
    return made


@pytest.fixture
def client(place: Place) -> Iterator[RawClient]:
    made = RawClient.start((*PROGRAM, "lsp"), cwd=place.base, env=place.environment())
    yield made
    made.close()


def opened(*folders: Path) -> list[Message]:
    """Folders as a client names them."""
    return [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]


def files(*folders: Path) -> dict[str, tuple[int, int, int]]:
    """Everything in folders: kind, size, and when it was last written."""
    found = {one: one.lstat() for folder in folders for one in (folder, *folder.rglob("*"))}
    return {str(path): (stat.st_mode, stat.st_size, stat.st_mtime_ns) for path, stat in found.items()}


def test_x004_a_run_is_started_in_an_open_folder_and_nowhere_else(place: Place, client: RawClient) -> None:
    closed, never = place.base / "closed", place.base / "project-evil"
    for folder in (closed, never, place.project / "below"):
        folder.mkdir()
    (place.project / "out").symlink_to(never)
    (place.base / "home").symlink_to(place.base)
    client.initialize(workspaceFolders=opened(place.project, closed), initializationOptions={"trusted": True})
    event = {"added": [], "removed": opened(closed)}
    client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
    before = files(place.base)
    for folder in elsewhere(place, closed, never):
        for command, more in (
            ("workflow.start", {"workflow": "one", "task": "x"}),
            ("run.list", {}),
            ("agents.list", {}),
        ):
            error = client.command(f"sprintwright.{command}", {"folder": folder, **more})["error"]
            assert error["data"] == {"code": "bad_argument", "folders": [str(place.project)]}, (command, folder)
    assert files(place.base) == before
    same = str(place.base / "home" / "project" / "below" / "..")
    begun = client.result("sprintwright.workflow.start", {"workflow": "one", "task": "x", "folder": same})
    told = client.wait_for(lambda one: is_of(one, begun["runId"]) and one["params"]["status"] == "completed")
    assert told["params"]["folder"] == str(place.project), "other words for the open folder mean the open folder"
    assert client.shut_down() == 0 and "Traceback" not in client.log


def elsewhere(place: Place, closed: Path, never: Path) -> list[str]:
    """Folders that are not open, and words that are no folder."""
    project = str(place.project)
    paths = [Path("/"), closed, never, place.base, place.project / "below", place.project / "out"]
    words = [".", "..", "./", "project", "../project", "below/..", "~", "$HOME", f"{project}/..", f"{project}\0"]
    uris = ["file:", "file:///", f"file://evil{project}", "http://x/", f"{place.project.as_uri()}%00"]
    return [*map(str, paths), *(path.as_uri() for path in paths), *words, *uris]


def is_of(message: Message, run_id: str) -> bool:
    """Whether it tells of a run."""
    return message.get("method") == "sprintwright/run/didChange" and message["params"]["runId"] == run_id


def test_x005_folders_and_runs_that_lead_elsewhere_are_looked_at_and_nothing_outside_is_read_or_written(
    place: Place, client: RawClient
) -> None:
    outside = make_outside(place)
    folders = make_twisted(place, outside)
    before = files(outside, *folders)
    client.initialize(workspaceFolders=opened(place.project, *folders), initializationOptions={"trusted": True})
    names = {one["name"]: one for one in client.result("sprintwright.workflow.list")["workflows"]}
    assert "dev" in names and names["large"]["problems"] and names["passwd"]["problems"]
    assert not {"fifo", "folder", "SECRET"} & {*names}
    listed = client.result("sprintwright.run.list")["runs"]
    runs = [one["runId"] for one in listed]
    assert sorted(runs) == [RUN % number for number in range(4)], "not those behind a link"
    assert not any(one["own"] or one["task"] for one in listed)
    for run_id in runs:
        client.wait_for(lambda one, run_id=run_id: is_of(one, run_id))
    for folder in folders:
        answer = client.command("sprintwright.agents.list", {"folder": str(folder)})
        assert "result" in answer or answer["error"]["data"]["code"] == "config_invalid", answer
    for run_id in (*runs, "--help", RUN % 8):
        refuse_everything(client, run_id)
    foreign = client.command("sprintwright.workflow.resume", {"runId": RUN % 2})
    assert foreign["error"]["data"]["code"] == "not_own_run"
    assert files(outside, *folders) == before
    removed = {one: client.command("sprintwright.run.delete", {"runId": one}) for one in (*runs, RUN % 8)}
    assert {one for one, answer in removed.items() if "result" in answer} >= {RUN % 0, RUN % 1}, (
        "it is the user's folder"
    )
    assert {RUN % 3, RUN % 8} <= {
        one for one, answer in removed.items() if answer.get("error", {}).get("code") == -32803
    }
    assert files(outside) == {path: stat for path, stat in before.items() if Path(path).is_relative_to(outside)}
    assert client.shut_down() == 0 and "Traceback" not in client.log
    told = json.dumps(client.received)
    assert "SECRET" not in told, "what is outside was read"
    assert "root:x:0" not in told


def make_outside(place: Place) -> Path:
    """A folder that is not open, with all that one could want of it."""
    outside = place.base / "outside"
    (outside / "workflows").mkdir(parents=True)
    (outside / "workflows" / "secret.yaml").write_text(ONE.replace("one", "SECRET"))
    (outside / "config.yaml").write_text("agents: {SECRET: {kind: cli, command: [x]}}\n")
    (outside / "runs" / (RUN % 8)).mkdir(parents=True)
    (outside / "runs" / (RUN % 8) / "journal.jsonl").write_text('{"SECRET": 1}\n')
    return outside


def make_twisted(place: Place, outside: Path) -> list[Path]:
    """Folders whose `.sprintwright` is no folder, or is somewhere else, or has parts that are, or that wait for somebody."""
    made = [place.base / name for name in ("a file", "a link", "linked parts", "waiting", "files")]
    for folder in made:
        folder.mkdir()
    (made[0] / ".sprintwright").write_text("SECRET")
    (made[1] / ".sprintwright").symlink_to(outside)
    parts, waiting, odd = (folder / ".sprintwright" for folder in made[2:])
    parts.mkdir()
    for name in ("workflows", "runs", "config.yaml"):
        (parts / name).symlink_to(outside / name)
    (waiting / "runs").mkdir(parents=True)
    os.mkfifo(waiting / "config.yaml")
    os.mkfifo(waiting / "workflows")
    (odd / "workflows").mkdir(parents=True)
    os.mkfifo(odd / "workflows" / "fifo.yaml")
    (odd / "workflows" / "passwd.yaml").symlink_to("/etc/passwd")
    (odd / "workflows" / "folder.yaml").mkdir()
    (odd / "workflows" / "large.yaml").write_bytes(b"- a: [b]\n" * 550_000)
    make_runs(waiting / "runs", outside)
    return made


def make_runs(runs: Path, outside: Path) -> None:
    """Runs that nobody made: parts of them are pipes, or links out of the folder."""
    for name in (*(RUN % number for number in range(3)), "--help", ".."):
        (runs / name).mkdir(exist_ok=True)
    os.mkfifo(runs / (RUN % 0) / "journal.jsonl")
    (runs / (RUN % 1) / "journal.jsonl").symlink_to(outside / "runs" / (RUN % 8) / "journal.jsonl")
    (runs / (RUN % 2) / "journal.jsonl").write_text("{}\n")
    (runs / (RUN % 2) / "lock").symlink_to(outside / "lock")
    (runs / (RUN % 3)).symlink_to(outside / "runs" / (RUN % 8))


def refuse_everything(client: RawClient, run_id: str) -> None:
    """Nothing is done to a run that the user did not start here."""
    acts: dict[str, dict[str, Any]] = {
        "workflow.resume": {}, "workflow.end": {}, "run.continue": {}, "run.cancel": {}, "run.pause": {},
        "run.answer": {"text": "x"}, "run.rerun": {"leaf": "a"}, "run.restore": {"to": "start", "apply": True},
        "run.say": {"text": "x"}, "run.changes": {"leaf": ""},
        "run.fileAt": {"tree": "0" * 40, "path": "a"}, "run.reconfigure": {"roles": {"w": "echo"}},
    }  # fmt: skip
    asked = {name: client.ask_command(f"sprintwright.{name}", {"runId": run_id, **more}) for name, more in acts.items()}
    for name, number in asked.items():
        answer = client.answer(number)
        assert answer.get("error", {}).get("data", {}).get("code") in REFUSALS, (name, run_id, answer)
