"""The real server while definitions, folders and disks change under its runs: rows R86, R90, R91 and R93."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.protocol.support import Message, RawClient
from tests.support.terminal import PROGRAM, Place
from tests.support.waiting import until

TURN = "{id: %s, kind: agent_turn, role: w, prompt: '%s %s'}"
JUDGED = (
    "name: judged\nroles: [w]\nstages:\n  - {id: once, kind: loop, max_iterations: 1, body: [{id: judge, kind: agent_turn, role: w, "
    "prompt: judge, save_as: findings, verdict: {good_to_go: {action: break}}}]}\n  - {id: hold, kind: agent_turn, role: w, prompt: hold}\n"
)
FOUND = "f.txt:2: warning: left over\nVERDICT: good_to_go"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Its agent notes folder and prompt of a turn, and replies what it is told; `echo` replies the prompt."""
    made = Place(tmp_path)
    turn = f"""{{ printf '%s: ' "$PWD"; cat; echo; }} >> '{said(made)}'; exec cat < '{made.base}/gates/'"$SPRINTWRIGHT_LEAF\""""
    agents = {"told": ["/bin/sh", "-c", turn], "echo": ["/bin/cat"]}
    made.configure(agents={name: {"kind": "cli", "command": argv} for name, argv in agents.items()}, primary="told")
    return made


def said(place: Place) -> Path:
    """What the agent noted."""
    return place.base / "said"


def reply(place: Place, key: str, text: str = "done") -> None:
    """Once a turn of this key is at work, let it end with these words."""
    gate = place.base / "gates" / key
    gate.parent.mkdir(parents=True, exist_ok=True)
    if not gate.exists():
        os.mkfifo(gate)
    ends: list[int] = []

    def is_read() -> bool:
        try:
            ends.append(os.open(gate, os.O_WRONLY | os.O_NONBLOCK))
        except OSError as error:
            assert error.errno == errno.ENXIO, error
        return bool(ends)

    until(is_read)
    os.write(ends[0], text.encode())
    os.close(ends[0])


def prepare(place: Place, *keys: str) -> None:
    """The gates of turns, before any of them opens one."""
    for key in keys:
        gate = place.base / "gates" / key
        gate.parent.mkdir(parents=True, exist_ok=True)
        os.mkfifo(gate)


class Window:
    """An editor in open folders."""

    def __init__(self, client: RawClient) -> None:
        self.client = client

    def start(self, workflow: str, **more: object) -> str:
        """Start a run; its id."""
        argument = {"workflow": workflow, "task": "x", "concurrent": True, **more}
        return self.client.result("sprintwright.workflow.start", argument)["runId"]

    def refused(self, name: str, **argument: object) -> Message:
        """The error of a command."""
        return self.client.command(f"sprintwright.{name}", argument)["error"]

    def listed(self) -> list[tuple[str, str]]:
        """Runs that are listed, with their folders."""
        return [(one["runId"], one["folder"]) for one in self.client.result("sprintwright.run.list")["runs"]]

    def wait(self, run_id: str, *statuses: str, after: int = 0) -> Message:
        """The first change of a run to one of these statuses, carried on by nobody any more."""
        return self.client.wait_for(
            lambda one: (
                one.get("method") == "sprintwright/run/didChange"
                and one["params"]["runId"] == run_id
                and one["params"]["status"] in statuses
                and (one["params"]["owner"] == "none")
            ),
            after=after,
        )["params"]

    def problems(self, file: Path, count: int, *, after: int = 0) -> list[Message]:
        """Wait until a file is said to have so many diagnostics."""
        return self.client.wait_for(
            lambda one: (
                one.get("method") == "textDocument/publishDiagnostics"
                and one["params"]["uri"] == file.as_uri()
                and len(one["params"]["diagnostics"]) == count
            ),
            after=after,
        )["params"]["diagnostics"]

    def change_folders(self, *, added: Sequence[Path] = (), removed: Sequence[Path] = ()) -> int:
        """The user opens and closes folders; how many messages came before."""
        both = {"added": added, "removed": removed}
        event = {kind: [{"uri": one.as_uri(), "name": one.name} for one in some] for kind, some in both.items()}
        before = len(self.client.received)
        self.client.notify("workspace/didChangeWorkspaceFolders", {"event": event})
        return before


@contextmanager
def window(place: Place, *folders: Path, tracer: Sequence[str] = ()) -> Generator[Window]:
    """A trusted client of a new server, which must end well."""
    client = RawClient.start((*tracer, *PROGRAM, "lsp"), cwd=place.base, env=place.environment())
    try:
        opened = [{"uri": one.as_uri(), "name": one.name} for one in folders or (place.project,)]
        client.initialize(workspaceFolders=opened, initializationOptions={"trusted": True})
        yield Window(client)
        assert client.shut_down() == 0, client.log
        assert "Traceback" not in client.log, client.log
    finally:
        client.close()


# R86


def versioned(word: str) -> str:
    """A workflow of four turns, whose prompts say which version it is."""
    return "name: mine\nroles: [w]\nstages:\n" + "".join(f"  - {TURN % (key, word, key)}\n" for key in "abcd")


def test_r086_a_run_goes_by_its_copy_while_its_file_is_edited_broken_and_deleted_and_the_next_start_by_the_file(
    place: Place,
) -> None:
    file = place.project / ".sprintwright" / "workflows" / "mine.yaml"
    file.parent.mkdir(parents=True)
    file.write_text(versioned("one"))
    prepare(place, *"abcd")
    with window(place) as editor:
        client, document = editor.client, {"uri": file.as_uri()}
        opened = {**document, "languageId": "yaml", "version": 1, "text": versioned("one")}
        client.notify("textDocument/didOpen", {"textDocument": opened})
        run_id = editor.start("mine")

        def save(version: int, text: str) -> None:
            change = {"textDocument": {**document, "version": version}, "contentChanges": [{"text": text}]}
            client.notify("textDocument/didChange", change)
            file.write_text(text)
            client.notify("textDocument/didSave", {"textDocument": document})

        until(lambda: prompts(place) == ["one a"])
        save(2, versioned("two"))
        reply(place, "a")
        save(3, versioned("three").replace("agent_turn", "agent_tun", 1))
        (shown,) = editor.problems(file, 1)
        assert "agent_tun" in shown["message"]
        broken = editor.refused("workflow.start", workflow="mine", task="x")
        assert broken["data"] == {"code": "definition_invalid", "path": str(file)} and "agent_tun" in broken["message"]
        reply(place, "b")
        file.unlink()
        now = len(client.received)
        client.notify("workspace/didChangeWatchedFiles", {"changes": [{**document, "type": 3}]})
        editor.problems(file, 0, after=now)
        gone = editor.refused("workflow.start", workflow="mine", task="x")
        assert gone["data"]["code"] == "unknown_workflow" and "'mine'" in gone["message"]
        until(lambda: prompts(place)[-1:] == ["one c"])
        client.result("sprintwright.run.pause", {"runId": run_id})
        reply(place, "c")
        editor.wait(run_id, "paused")
        assert client.result("sprintwright.run.continue", {"runId": run_id})["effect"] == "advanced"
        reply(place, "d")
        editor.wait(run_id, "completed")
        assert prompts(place) == ["one a", "one b", "one c", "one d"]

        file.write_text(versioned("four"))
        editor.start("mine")
        reply(place, "a")
        until(lambda: prompts(place)[4:] == ["four a", "four b"])


def prompts(place: Place) -> list[str]:
    """The prompts that the agent noted."""
    noted = said(place).read_text().splitlines() if said(place).exists() else []
    return [line.partition(": ")[2] for line in noted]


# R90


def test_r090_a_folder_that_is_closed_and_opened_again_and_a_run_that_is_removed_from_the_disk(place: Place) -> None:
    place.define("judged", JUDGED)
    prepare(place, "once[1]/judge", "hold")
    file, runs = place.project / "f.txt", place.project / ".sprintwright" / "runs"
    file.write_text("one\ntwo\n")
    with window(place) as editor:
        client = editor.client
        first = editor.start("judged")
        reply(place, "once[1]/judge", FOUND)
        editor.problems(file, 1)
        editor.problems(file, 0, after=editor.change_folders(removed=[place.project]))
        assert editor.listed() == []
        reply(place, "hold")
        editor.wait(first, "completed")
        assert client.result("sprintwright.run.get", {"runId": first})["status"] == "completed"
        editor.problems(file, 1, after=editor.change_folders(added=[place.project]))
        assert editor.listed() == [(first, str(place.project))]
        now = len(client.received)
        shutil.rmtree(runs / first)
        assert_deleted(editor, first, file, now)

        second = editor.start("judged")
        reply(place, "once[1]/judge", FOUND)
        editor.problems(file, 1, after=now)
        editor.problems(file, 0, after=editor.change_folders(removed=[place.project]))
        now = editor.change_folders(added=[place.project])
        editor.problems(file, 1, after=now)
        assert editor.listed() == [(second, str(place.project))], "a run that goes on is there once"
        shutil.rmtree(runs / second)
        reply(place, "hold")
        assert "removed" in editor.wait(second, "failed", "interrupted", after=now)["reason"]
        assert_deleted(editor, second, file, now)
        assert editor.listed() == [] and not (runs / second).exists()
    deleted = [one["params"]["runId"] for one in client.received if one.get("method") == "sprintwright/run/didDelete"]
    assert deleted == [first, second]


def assert_deleted(editor: Window, run_id: str, file: Path, after: int) -> None:
    """The client hears that a run is gone, and what it found is cleared."""
    client = editor.client
    client.wait_for(lambda one: one.get("method") == "sprintwright/run/didDelete" and one["params"]["runId"] == run_id)
    editor.problems(file, 0, after=after)
    assert editor.refused("run.get", runId=run_id)["data"]["code"] == "unknown_run"


# R91


def test_r091_roots_with_workflows_of_one_name_one_inside_another_and_one_that_is_a_link(place: Place) -> None:
    roots = {"outer": place.project, "inner": place.project / "inner", "other": place.base / "other"}
    for word, root in roots.items():
        (root / ".sprintwright" / "workflows").mkdir(parents=True)
        text = f"name: same\nroles: {{w: {{}}}}\nstages:\n  - {TURN % ('a', word, 'a')}\n"
        (root / ".sprintwright" / "workflows" / "same.yaml").write_text(text)
    link = place.base / "link"
    link.symlink_to(place.project)
    prepare(place, "a")
    with window(place, *roots.values(), link) as editor:
        client = editor.client
        found = client.result("sprintwright.workflow.list")["workflows"]
        names = [one["folder"] for one in found if one["name"] == "same"]
        assert sorted(names) == sorted(map(str, roots.values())), "a link to a root is that root"
        which = editor.refused("workflow.start", workflow="same", task="x")
        assert which["data"] == {"code": "bad_argument", "folders": [*map(str, roots.values())]}
        begun: list[tuple[str, str]] = []
        for folder, real in [*((one, one) for one in roots.values()), (link, place.project)]:
            run_id = editor.start("same", folder=str(folder))
            reply(place, "a")
            assert editor.wait(run_id, "completed")["folder"] == str(real)
            begun.append((run_id, str(real)))
        assert editor.listed() == begun[::-1]
        assert said(place).read_text().splitlines() == [
            *(f"{root}: {word} a" for word, root in roots.items()), f"{place.project}: outer a",
        ]  # fmt: skip
        editor.change_folders(removed=[link])
        assert editor.listed() == begun[::-1], "the root that it was a link to is open still"
        editor.change_folders(removed=[place.project])
        assert editor.listed() == [begun[2], begun[1]]


# R93


@pytest.mark.exhaustive
@pytest.mark.skipif(shutil.which("strace") is None, reason="needs strace")
def test_r093_what_a_client_is_shown_of_a_run_is_on_the_disk(place: Place) -> None:
    """On a disk that takes its time; in the order in which the system was called."""
    stages = "".join(f"  - {TURN % (f's{number}', 'x', 'y')}\n" for number in range(4))
    place.define("quick", f"name: quick\nroles: [w]\nstages:\n{stages}")
    log = place.base / "calls"
    tracer = ("strace", "-f", "-y", "-xx", "-s", "1000000", "-qq", "--seccomp-bpf", "-o", str(log),
              "-e", "trace=write,fsync", "-e", "inject=fsync:delay_enter=60000")  # fmt: skip
    with window(place, tracer=tracer) as editor:
        run_id = editor.start("quick", roles={"primary": "echo"})
        revision = editor.wait(run_id, "completed")["revision"]
    shown = told_and_durable(log.read_text().splitlines(), run_id)
    assert shown[-1][0] == revision >= 10 and len(shown) >= 3, shown
    assert all(told <= durable for told, durable in shown), shown


_CALL = re.compile(r"\d+ +(write|fsync)\((\d+)<([^>]*)>(?:, \"((?:\\x..)*)\")?.*?(<unfinished \.\.\.>|= (-?\d+).*)$")
_RESUMED = re.compile(r"(\d+) +<\.\.\. fsync resumed>.*= 0")


def told_and_durable(lines: Sequence[str], run_id: str) -> list[tuple[int, int]]:
    """For each change of a run that was sent: its revision, and how many of the run's records were synced by then."""
    written = durable = 0
    waiting: dict[str, int] = {}
    frames: dict[str, bytes] = {}  # by pipe: agents have theirs
    found: list[tuple[int, int]] = []
    for line in lines:
        thread = line.split(" ", 1)[0]
        if _RESUMED.match(line):
            durable = max(durable, waiting.pop(thread, 0))
        if (call := _CALL.match(line)) is None:
            continue
        name, _, path, hexadecimal, end, _ = call.groups()
        path, data = decoded(path).decode(), decoded(hexadecimal or "")
        if path.endswith(f"{run_id}/journal.jsonl"):
            if name == "write":
                written += data.count(b"\n")
            elif "unfinished" in end:
                waiting[thread] = written
            else:
                durable = written
        elif path.startswith("pipe:"):
            changes, frames[path] = complete(frames.get(path, b"") + data)
            found += [(one["revision"], durable) for one in changes if one["runId"] == run_id]
    return found


def decoded(text: str) -> bytes:
    """A text of strace's, which may be in hexadecimal digits."""
    return bytes.fromhex(text.replace("\\x", "")) if text.startswith("\\x") else text.encode()


def complete(data: bytes) -> tuple[list[dict[str, Any]], bytes]:
    """The changes of runs among whole frames, and the rest."""
    found: list[dict[str, Any]] = []
    while (header := re.match(rb"Content-Length: (\d+)\r\n\r\n", data)) and len(data) >= header.end() + int(header[1]):
        message = json.loads(data[header.end() : header.end() + int(header[1])])
        if message.get("method") == "sprintwright/run/didChange":
            found.append(message["params"])
        data = data[header.end() + int(header[1]) :]
    return found, data
