"""``make bench``: the aims of design.md section 11, as ratios in one run. Prints; asserts nothing."""

from __future__ import annotations

import asyncio
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from sprintwright.engine.doubles import ScriptedAgents, scripted_ports
from sprintwright.engine.history import History
from sprintwright.engine.lane import Lane
from sprintwright.engine.run import Run
from sprintwright.engine.walk import walk_run
from sprintwright.journal.line import encode
from sprintwright.journal.owner import OwnedRun
from sprintwright.journal.store import make_run_folder
from sprintwright.model.definition import Definition
from sprintwright.model.records import Finished, Left, Record, RunStarted, Started
from sprintwright.model.results import TurnResult
from sprintwright.state.fold import RunState
from sprintwright.workspace.snapshots import Snapshots
from tests.bench import server

TURNS = 300
STARTED = RunStarted(run_id="r", workflow="w", origin="o", definition_hash="", task="t", folder="/", roles={"w": "a"})


def median(times: int, act: Callable[[], object]) -> float:
    """Middle time of several calls, in seconds."""
    taken: list[float] = []
    for _ in range(times):
        began = time.perf_counter()
        act()
        taken.append(time.perf_counter() - began)
    return statistics.median(taken)


def show(what: str, value: float, aim: str) -> None:
    """One line of the table."""
    print(f"{what:<66} {value:8.2f}   aim {aim}", flush=True)


def bare_write_and_fsync(folder: Path) -> float:
    """Seconds of one write of a turn's two lines and one fsync."""
    lines = b"".join(
        encode(Record(1, "2026-01-01T00:00:00.000Z", "sprints[1]/passes[1]/generator", payload, 0, "e"))[0]
        for payload in (Started(after="x", what="turn", role="w", agent="a"), Finished(after="x", value={"text": "ok"}))
    )
    descriptor = os.open(folder / "bare", os.O_WRONLY | os.O_APPEND | os.O_CREAT)

    def act() -> None:
        os.write(descriptor, lines)
        os.fsync(descriptor)

    taken = median(TURNS, act)
    os.close(descriptor)
    return taken


async def turns(folder: Path, earlier: int) -> float:
    """Middle seconds of a turn through leaf, journal and fold, behind that many earlier records."""
    place = make_run_folder(folder)
    state = RunState()

    def fold_them(records: list[Record]) -> None:
        for record in records:
            state.apply(record)

    owned = OwnedRun(place, fold_them)
    owned.journal.append("", STARTED)
    for n in range(earlier // 2):
        owned.journal.append(f"old[{n}]/turn", Started(after="", what="turn"))
        owned.journal.append(f"old[{n}]/turn", Finished(after="", value={"text": "ok"}))
    await owned.journal.sync()
    definition = Definition.model_validate(
        {"name": "x", "roles": ["w"], "stages": [{"id": "a", "kind": "agent_turn", "role": "w", "prompt": "x"}]}
    )
    run = Run(definition, STARTED, scripted_ports(owned.journal, ScriptedAgents(lambda _request: "ok")), History())
    lane = Lane(vars={}, live=True)

    async def start(after: str) -> Started:
        return Started(after=after, what="turn", role="w", agent="a")

    async def perform(_sequence: int, _begun: Started) -> TurnResult:
        return TurnResult(text="ok")

    taken: list[float] = []
    for n in range(TURNS):
        began = time.perf_counter()
        await run.leaf(lane, f"new[{n}]/turn", start, perform, TurnResult)
        taken.append(time.perf_counter() - began)
    await owned.release()
    return statistics.median(taken)


async def load_ten_thousand(folder: Path) -> float:
    """Seconds to read 10,000 records, fold them for the replay and for the tree."""
    place = make_run_folder(folder)
    owned = OwnedRun(place, lambda _records: None)
    owned.journal.append("", STARTED)
    for n in range(5_000):
        owned.journal.append(f"loop[{n}]/turn", Started(after="", what="turn", role="w", agent="a", before="0" * 40))
        owned.journal.append(f"loop[{n}]/turn", Finished(after="", value={"text": "an answer of some length " * 8}))
    await owned.release()

    def act() -> None:
        records = place.read().records
        History.load(records)
        state = RunState()
        for record in records:
            state.apply(record)

    return median(5, act)


async def group_of_a_thousand(folder: Path) -> tuple[float, float]:
    """Seconds of 1,000 no-op items in a group, and of a bare TaskGroup that makes the same durable writes."""
    plan = "\n".join(f"## Item {n}" for n in range(1, 1001))
    definition = Definition.model_validate(
        {
            "name": "x",
            "roles": ["w"],
            "vars": {"plan": plan},
            "stages": [
                {
                    "id": "fan", "kind": "parallel_group", "over": "Item", "from": "plan", "max_concurrency": 1000,
                    "body": [{"id": "work", "kind": "agent_turn", "role": "w", "prompt": "do"}],
                }
            ],
        }
    )  # fmt: skip
    owned = OwnedRun(make_run_folder(folder), lambda _records: None)
    ports = scripted_ports(owned.journal, ScriptedAgents(lambda _request: "ok"))
    began = time.perf_counter()
    await walk_run(Run(definition, STARTED, ports, History()))
    ours = time.perf_counter() - began
    await owned.release()

    owned = OwnedRun(make_run_folder(folder), lambda _records: None)

    async def item(n: int) -> None:
        owned.journal.append(f"fan[{n}]/work", Started(after="", what="turn", role="w", agent="a"))
        await owned.journal.sync()
        await asyncio.sleep(0)
        owned.journal.append(f"fan[{n}]/work", Finished(after="", value={"text": "ok"}))
        owned.journal.append(f"fan[{n}]", Left(outcome="done"))

    began = time.perf_counter()
    async with asyncio.TaskGroup() as tasks:
        for n in range(1000):
            tasks.create_task(item(n))
    await owned.journal.sync()
    bare = time.perf_counter() - began
    await owned.release()
    return ours, bare


async def make_runs(folder: Path) -> None:
    """Ten ordinary runs."""
    for _ in range(10):
        owned = OwnedRun(make_run_folder(folder), lambda _records: None)
        owned.journal.append("", STARTED)
        for n in range(50):
            owned.journal.append(f"loop[{n}]/turn", Started(after="", what="turn", role="w", agent="a"))
            owned.journal.append(f"loop[{n}]/turn", Finished(after="", value={"text": "an answer"}))
        await owned.release()


def commands(folder: Path) -> tuple[float, float, float]:
    """Seconds of bare Python, of `--help` and of `list` in a folder with ten runs of a hundred records."""
    folder.mkdir()
    asyncio.run(make_runs(folder))
    environment = {**os.environ, "XDG_STATE_HOME": str(folder), "XDG_CONFIG_HOME": str(folder)}

    def call(*arguments: str) -> Callable[[], object]:
        return lambda: subprocess.run(arguments, env=environment, cwd=folder, capture_output=True, check=True)

    program = str(Path(sys.executable).with_name("sprintwright"))
    return (
        median(11, call(sys.executable, "-c", "pass")),
        median(7, call(program, "--help")),
        median(7, call(program, "list")),
    )


def make_repository(folder: Path) -> None:
    """20,000 small files in 200 folders, committed."""
    for n in range(200):
        part = folder / f"d{n}"
        part.mkdir()
        for m in range(100):
            (part / f"f{m}.txt").write_text(f"{n} {m}\n")
    for words in (("init", "-q"), ("add", "-A"), ("-c", "user.name=x", "-c", "user.email=x", "commit", "-qm", "x")):
        subprocess.run(["git", *words], cwd=folder, check=True, capture_output=True)


async def snapshots(folder: Path) -> tuple[float, float]:
    """Seconds of a warm snapshot of 20,000 files, and of `git status` on the same."""
    workspace = Snapshots(folder)
    await workspace.take()
    taken: list[float] = []
    for n in range(9):
        (folder / "d0" / "f0.txt").write_text(f"changed {n}\n")
        began = time.perf_counter()
        await workspace.take()
        taken.append(time.perf_counter() - began)
    status = median(
        9, lambda: subprocess.run(["git", "status", "--short"], cwd=folder, capture_output=True, check=True)
    )
    return statistics.median(taken), status


def main() -> None:
    """Measure and print."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        folder = Path(name)
        bare = bare_write_and_fsync(folder)
        for earlier in (10, 1_000, 10_000):
            (folder / str(earlier)).mkdir()
            ratio = asyncio.run(turns(folder / str(earlier), earlier)) / bare
            show(f"a turn's two records behind {earlier} others / bare write + fsync", ratio, "<= 2")
        (folder / "load").mkdir()
        show("loading 10,000 records, in seconds", asyncio.run(load_ten_thousand(folder / "load")), "< 0.5")
        (folder / "group").mkdir()
        ours, alone = asyncio.run(group_of_a_thousand(folder / "group"))
        show("1,000 no-op items / bare TaskGroup with the same durable writes", ours / alone, "<= 2")
        python, help_, list_ = commands(folder / "list")
        show("sprintwright --help / bare Python", help_ / python, "<= 8")
        show("sprintwright list / bare Python", list_ / python, "<= 20")
        (folder / "files").mkdir()
        make_repository(folder / "files")
        warm, status = asyncio.run(snapshots(folder / "files"))
        show("warm snapshot of 20,000 files / git status", warm / status, "<= 1.5")
    server.main(python, show)


main()
