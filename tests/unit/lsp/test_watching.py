"""Runs that are watched, pushed and shown as progress, at moments that a session meets once in a thousand (R83, B149)."""

from __future__ import annotations

import asyncio
import shutil
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from lsprotocol import types
from pygls.lsp.server import LanguageServer

from sprintwright.app.live import LiveRun
from sprintwright.app.places import Places
from sprintwright.errors import Refused
from sprintwright.journal.line import encode
from sprintwright.journal.lock import RunLock
from sprintwright.journal.store import RunFolder
from sprintwright.lsp.progress import Progress
from sprintwright.lsp.publisher import Publisher
from sprintwright.lsp.runs import Runs, Shown
from sprintwright.model.records import Noted, Opened, Record, RunStarted
from sprintwright.state.fold import RunState
from sprintwright.state.tree import Delta

AT = "2026-01-01T00:00:00.000Z"
IDS = [f"20260101-00000000{number}-abcd" for number in range(4)]
STARTED: dict[str, Any] = {
    "run_id": "r",
    "workflow": "w",
    "origin": "o",
    "definition_hash": "",
    "task": "t",
    "folder": "/",
    "roles": {},
}


def journal(count: int) -> bytes:
    """A journal of so many records, as it stands on the disk."""
    payloads = [
        Opened(pid=1, host="h", program="p"),
        RunStarted.model_validate(STARTED),
        *(Noted(code="x", text="y") for _ in range(count - 2)),
    ]
    records = (Record(number, AT, "", payload, 0, "e") for number, payload in enumerate(payloads, start=1))
    return b"".join(encode(record)[0] for record in records)


class Viewers:
    """Told of every change."""

    def __init__(self) -> None:
        self.told: list[tuple[str, int, str]] = []
        self.gone: list[str] = []

    def changed(self, run: Shown, delta: Delta) -> None:
        """Implements `sprintwright.lsp.runs.Viewers`."""
        self.told.append((run.place.run_id, run.state.revision, run.state.status))

    def deleted(self, run_id: str) -> None:
        """Implements `sprintwright.lsp.runs.Viewers`."""
        self.gone.append(run_id)

    def ended(self, live: LiveRun) -> None:
        """Implements `sprintwright.lsp.runs.Viewers`."""


async def test_r083_runs_that_are_looked_at_by_many_at_once_are_read_once_and_never_go_back(tmp_path: Path) -> None:
    places = [RunFolder(tmp_path, run_id) for run_id in IDS]
    for place in places:
        place.path.mkdir(parents=True)
        (place.path / "journal.jsonl").write_bytes(journal(50))
    viewers = Viewers()
    runs = Runs(Places.of({"HOME": str(tmp_path)}), viewers)
    runs.look_in([tmp_path])
    await asyncio.gather(*(runs.look() for _ in range(8)))
    assert sorted(viewers.told) == [(run_id, 50, "interrupted") for run_id in IDS]
    for place in places:
        shutil.rmtree(place.path)
    await asyncio.gather(*(runs.look() for _ in range(8)))
    assert sorted(viewers.gone) == IDS and len(viewers.told) == len(IDS)


def test_a_run_that_was_deleted_is_not_made_again_by_whoever_comes_late_to_its_lock(tmp_path: Path) -> None:
    with pytest.raises(Refused) as refused:
        RunLock(tmp_path / "gone")
    assert refused.value.code == "unknown_run" and not (tmp_path / "gone").exists()


class Editor:
    """Takes what is sent; ``answers``: set when it takes tokens."""

    room = True

    def __init__(self) -> None:
        self.sent: list[Any] = []
        self.answers = asyncio.Event()

    def when_room(self, callback: Any) -> None:
        """There is always room."""

    def notify(self, method: str, params: Any) -> None:
        """Keep it."""
        assert method
        self.sent.append(params)

    async def send_request_async(self, _method: str, _params: Any) -> None:
        """Takes the token."""
        await self.answers.wait()

    def kinds(self) -> dict[str, list[str]]:
        """What was said by token."""
        found: dict[str, list[str]] = {}
        for one in self.sent:
            found.setdefault(one.token, []).append(one.value.kind)
        return found


def run_at_work() -> Shown:
    """A run of this server."""
    state = RunState()
    state.apply(Record(1, AT, "", RunStarted.model_validate(STARTED), 0, "e"))
    return Shown(RunFolder(Path("/"), "r"), state, "here", own=True)


async def test_what_changed_while_a_run_was_read_is_pushed_when_that_is_done() -> None:
    editor, run = Editor(), run_at_work()
    run.busy = True
    publisher = Publisher(editor, lambda _run: None)
    publisher.changed(run, Delta())
    assert not editor.sent
    run.busy = False
    async with asyncio.timeout(5):
        while not editor.sent:  # noqa: ASYNC110 - it comes by a timer of its own
            await asyncio.sleep(0.01)


@pytest.mark.parametrize("way", ["forget", "close", "again"])
async def test_b149_progress_ends_once_also_when_nobody_tells_of_the_runs_end(way: str) -> None:
    editor, run = Editor(), run_at_work()
    editor.answers.set()
    window = types.WindowClientCapabilities(work_done_progress=True)
    server = SimpleNamespace(client_capabilities=types.ClientCapabilities(window=window), protocol=editor)
    progress = Progress(cast("LanguageServer", server), lambda _run_id: None)
    await progress.begin(run)
    match way:
        case "forget":
            progress.forget("r")
        case "close":
            progress.close()
        case _:
            await progress.begin(run)
            progress.end(run)
    progress.end(run)
    assert {tuple(kinds) for kinds in editor.kinds().values()} == {("begin", "report", "end")}


async def test_b149_progress_that_was_given_up_before_the_client_took_its_token_is_a_whole_one() -> None:
    editor, run = Editor(), run_at_work()
    window = types.WindowClientCapabilities(work_done_progress=True)
    server = SimpleNamespace(client_capabilities=types.ClientCapabilities(window=window), protocol=editor)
    progress = Progress(cast("LanguageServer", server), lambda _run_id: None)
    begun = asyncio.create_task(progress.begin(run))
    await asyncio.sleep(0)
    progress.forget("r")
    editor.answers.set()
    await begun
    assert [*editor.kinds().values()] == [["begin", "end"]]
