"""The language server's part of ``make bench``: start, first prompt, pushes, stalls, and a key in a long definition."""

from __future__ import annotations

import asyncio
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import yaml

from sprintwright.journal.store import RunFolder
from sprintwright.language.completion import complete
from sprintwright.language.diagnosis import diagnose
from sprintwright.language.document import Document
from sprintwright.language.values import Known
from sprintwright.lsp.publisher import Publisher
from sprintwright.lsp.runs import Shown
from sprintwright.model.records import Entered, Record, RunStarted, ScopeEntry, Started
from sprintwright.state.fold import RunState
from sprintwright.state.tree import Delta
from tests.protocol.support import RawClient
from tests.support.terminal import PROGRAM, Place

ONE_TURN = "name: one\nroles: [w]\nstages:\n  - {id: a, kind: agent_turn, role: w, prompt: go}\n"


def session(place: Place, argv: tuple[str, ...] = (*PROGRAM, "lsp"), **environment: str) -> RawClient:
    """A trusted client of a new server."""
    client = RawClient.start(argv, cwd=Path(__file__).parents[2], env=place.environment(**environment))
    folders = [{"uri": place.project.as_uri(), "name": "project"}]
    client.initialize(initializationOptions={"trusted": True}, workspaceFolders=folders)
    return client


def initialize_answer() -> float:
    """Seconds from the start of the process to the answer to `initialize`."""
    with tempfile.TemporaryDirectory() as base:
        place = Place(Path(base))
        began = time.perf_counter()
        client = session(place)
        taken = time.perf_counter() - began
        client.close()
        return taken


def first_prompt(times: int = 7) -> tuple[float, int]:
    """Seconds from the start command to the agent that reads its prompt, its own start included; and agent starts."""
    taken: list[float] = []
    with tempfile.TemporaryDirectory() as base:
        place = Place(Path(base))
        place.define("one", ONE_TURN)
        prompts = Path(base) / "prompts"
        place.configure(agents={"tee": {"kind": "cli", "command": ["/usr/bin/tee", "-a", str(prompts)]}}, primary="tee")
        client = session(place)
        starts = 0
        for _ in range(times):
            prompts.unlink(missing_ok=True)
            began = time.time_ns()
            run_id = client.result("sprintwright.workflow.start", {"workflow": "one", "task": "x"})["runId"]
            client.wait_for(
                lambda m, run_id=run_id: (
                    m.get("method") == "sprintwright/run/didChange"
                    and m["params"]["runId"] == run_id
                    and m["params"]["status"] == "completed"
                    and m["params"]["owner"] == "none"
                )
            )
            taken.append((prompts.stat().st_mtime_ns - began) / 1e9)
            starts = prompts.read_text().count("go")
        client.close()
    return statistics.median(taken), starts


class _Client:
    """Takes what is pushed, and counts its bytes."""

    room = True

    def when_room(self, callback: Callable[[], None]) -> None:
        """There is always room."""

    def notify(self, method: str, params: object) -> None:
        """Write it as the protocol does."""
        json.dumps(params.model_dump(by_alias=True, mode="json"))  # type: ignore[attr-defined]


async def push(items: int, times: int = 400) -> float:
    """Seconds to take in one change and push it, in a run of so many items."""
    state = RunState()
    begun = RunStarted(run_id="r", workflow="w", origin="o", definition_hash="", task="t", folder="/", roles={})
    entries = tuple(ScopeEntry(number=number, title="t") for number in range(1, items + 1))
    state.apply(Record(1, "2026-01-01T00:00:00.000Z", "", begun, 0, "e"))
    state.apply(Record(2, "2026-01-01T00:00:00.000Z", "items", Entered(label="Item", entries=entries), 0, "e"))
    shown = Shown(RunFolder(Path("/"), "r"), state, "here", own=True)
    publisher = Publisher(_Client(), lambda _run: None)
    publisher.changed(shown, Delta())
    taken: list[float] = []
    for number in range(times):
        started = Started(after="", what="turn", role="w", agent="a")
        record = Record(3 + number, "2026-01-01T00:00:00.000Z", f"items[{1 + number % 20}]/work", started, 0, "e")
        began = time.perf_counter()
        publisher.changed(shown, state.apply(record))
        publisher.close()  # without the wait for the next push
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def stall(*, mute: bool, slow_fsync: float) -> float:
    """The longest time that the server's loop was held while runs went on, in seconds."""
    with tempfile.TemporaryDirectory() as base:
        place, told = Place(Path(base)), Path(base) / "stall"
        place.define("one", ONE_TURN)
        chatty = [sys.executable, "-c", "print('x' * 300_000)"]
        place.configure(agents={"chatty": {"kind": "cli", "command": chatty}}, primary="chatty")
        argv = (sys.executable, "-m", "tests.bench.stalling", str(told))
        client = session(place, argv, SLOW_FSYNC=str(slow_fsync) if slow_fsync else "0")
        time.sleep(2)  # the first look at the folder, and the freeze
        client.notify("bench/tick", {})
        if mute:
            client.mute()
        for _ in range(3):
            client.ask_command(
                "sprintwright.workflow.start", {"workflow": "one", "task": "x" * 20_000, "concurrent": True}
            )
        for _ in range(200):
            client.ask_command("sprintwright.workflow.list", {})
        time.sleep(10 if slow_fsync else 6)
        client.unmute()
        client.shut_down()
        client.close()
        return float(told.read_text())


def long_definition(lines: int) -> str:
    """A workflow of so many lines."""
    stages = [
        {"id": f"s{number}", "kind": "agent_turn", "role": "w", "prompt": "Do {{task}} after {{previous}}.\nWell."}
        for number in range(lines // 7)
    ]
    return yaml.safe_dump({"name": "long", "roles": ["w"], "stages": stages}, sort_keys=False)


def one_key(times: int = 9) -> tuple[int, float]:
    """Lines, and seconds of diagnostics and a completion after one more character."""
    text = long_definition(2_300)
    at = text.index("role: w", len(text) // 2) + len("role: ")
    taken: list[float] = []
    for number in range(times):
        edited = text[:at] + "w" * (number % 2) + text[at:]
        document = Document(edited)
        line, column = edited.count("\n", 0, at), at - edited.rindex("\n", 0, at) - 1
        began = time.perf_counter()
        diagnose(document)
        complete(document, line, column, Known())
        taken.append(time.perf_counter() - began)
    return text.count("\n"), statistics.median(taken)


def main(bare: float, show: Callable[[str, float, str], None]) -> None:
    """All of it.

    Args:
        bare: seconds of `python -c pass`.
        show: prints a line of the table.
    """
    answers = statistics.median(initialize_answer() for _ in range(5))
    show("process start to the initialize answer / bare Python", answers / bare, "<= 45")
    seconds, starts = first_prompt()
    show("start command to the agent's prompt, ms", seconds * 1000, "< 50")
    show("  agent starts for it", starts, "1")
    small, large = asyncio.run(push(30)), asyncio.run(push(30_000))
    show("one change pushed, run of 30,000 nodes / of 30", large / small, "about 1")
    show("loop stall, a client that does not read, ms", stall(mute=True, slow_fsync=0) * 1000, "< 20")
    show("loop stall, fsync takes 0.5 s, ms", stall(mute=False, slow_fsync=0.5) * 1000, "< 20")
    lines, key = one_key()
    show(f"diagnostics and completion after a key, {lines} lines, ms", key * 1000, "< 50")
