"""Crashes: in process at every record, and by SIGKILL at every named stop point (faults.md R1, R34, R35, R37)."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from sprintwright.definitions.discovery import builtin_folder
from sprintwright.definitions.load import load_definition
from sprintwright.engine.doubles import ScriptedAgents, scripted_ports
from sprintwright.engine.history import History
from sprintwright.engine.ports import TurnRequest
from sprintwright.engine.run import Run
from sprintwright.engine.walk import walk_run
from sprintwright.model.definition import Definition
from sprintwright.model.records import Record, RunStarted
from tests.support.grid import grid
from tests.support.terminal import PROGRAM, Place, dev_script, swarm_script
from tests.unit.engine.test_replay import Crash, CrashingJournal


def builtin(name: str) -> Definition:
    loaded = load_definition((builtin_folder() / f"{name}.yaml").read_text(encoding="utf-8"))
    assert loaded.value is not None, loaded.problems
    return loaded.value


def by_lane(records: list[Record]) -> dict[str, list[tuple[str, str]]]:
    """What counts as finished in the end, in order, on each lane."""
    lanes: dict[str, list[tuple[str, str]]] = {}
    for key, finished in History.load(records).finished.items():
        lane = key.partition("]")[0] if key.startswith("items[") else ""
        lanes.setdefault(lane, []).append((key, str(sorted(finished.value.items()))))
    return lanes


class Runs:
    """One run over several processes, with the agent's own counter."""

    def __init__(self, definition: Definition, script: dict[str, list[dict[str, str]]]) -> None:
        self.definition, self.script = definition, script
        self.counts: Counter[str] = Counter()
        self.records: list[Record] = []
        self.started = RunStarted(
            run_id="r", workflow="w", origin="o", definition_hash="", task="t", folder="/",
            roles=dict.fromkeys(definition.roles, "agent"),
        )  # fmt: skip

    def answer(self, request: TurnRequest) -> str:
        self.counts[request.key] += 1
        return self.script[request.key][0]["text"]

    def run(self, crash_at: int | None = None, *, keep_cache: bool = True) -> None:
        journal = CrashingJournal(self.records, crash_at)
        ports = scripted_ports(journal, ScriptedAgents(self.answer))
        try:
            asyncio.run(walk_run(Run(self.definition, self.started, ports, History.load(self.records))))
        except Crash:
            if not keep_cache:
                del journal.records[journal.durable :]
        self.records = journal.records


@pytest.mark.parametrize("keep_cache", [True, False], ids=["page-cache-kept", "only-the-synced-part"])
@pytest.mark.parametrize(("name", "script"), [("dev", dev_script), ("swarm", swarm_script)], ids=["dev", "swarm"])
def test_r001_a_crash_at_any_record_ends_as_an_undisturbed_run(
    name: str, script: Callable[[], dict[str, list[dict[str, str]]]], keep_cache: bool
) -> None:
    definition = builtin(name)
    undisturbed = Runs(definition, script())
    undisturbed.run()
    expected = by_lane(undisturbed.records)
    assert set(undisturbed.counts.values()) == {1}
    for at in range(len(undisturbed.records)):
        runs = Runs(definition, script())
        runs.run(crash_at=at, keep_cache=keep_cache)
        done = set(History.load(runs.records).finished)
        before = Counter(runs.counts)
        runs.run()
        assert by_lane(runs.records) == expected, f"after a crash at record {at}"
        assert not any(runs.counts[key] > before[key] for key in done), f"after a crash at record {at}"


POINTS = [
    "run.folder_made", "definition.copied", "lock.taken", "journal.before_write:9", "journal.after_write:9",
    "journal.after_fsync:9", "leaf.before_started:4", "leaf.after_started:4", "leaf.after_effect:4",
    "leaf.after_finished:4", "turn.spawned:4", "turn.prompt_sent:4", "turn.answered:4", "artifact.temp_written:14",
    "artifact.renamed:14", "snapshot.tree_written:6", "snapshot.ref_written:3",
]  # fmt: skip
ALWAYS = ("run.folder_made", "journal.after_write:9", "leaf.after_effect:4", "turn.answered:4", "artifact.renamed:14")
NEVER_A_RUN = ("run.folder_made", "definition.copied", "lock.taken")


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[str]]:
    place = Place(tmp_path_factory.mktemp("undisturbed"), dev_script())
    assert place.call("run", "dev", "x").returncode == 0
    return place.finished()


@pytest.mark.parametrize("point", grid(POINTS, ALWAYS))
def test_r034_a_kill_at_a_stop_point_resumes_to_the_same_end(
    tmp_path: Path, point: str, undisturbed: dict[str, list[str]]
) -> None:
    place = Place(tmp_path, dev_script())
    killed = place.call("run", "dev", "x", SPRINTWRIGHT_TEST_STOP=point)
    assert killed.returncode == -9, f"{point} was never visited:\n{killed.stdout}{killed.stderr}"
    listed = place.call("list")
    assert listed.returncode == 0
    resumed = place.call("resume")
    if point in NEVER_A_RUN:
        assert resumed.returncode == 2 and "start" in resumed.stderr
        assert place.call("run", "dev", "x").returncode == 0
    else:
        assert "interrupted" in listed.stdout
        assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert place.finished() == undisturbed
    again = {key for key, count in place.turns().items() if count > 1}
    assert len(again) <= 1 and set(place.turns().values()) <= {1, 2}


def test_r034_a_turn_with_full_rights_is_not_done_again_unasked(tmp_path: Path) -> None:
    place = Place(tmp_path, {"a": [{"text": "done"}]})
    place.define(
        "free",
        "name: free\nroles: {w: {permissions: full}}\nstages:\n  - {id: a, kind: agent_turn, role: w, prompt: go}\n",
    )
    place.call("run", "free", "x", SPRINTWRIGHT_TEST_STOP="turn.answered")
    stopped = place.call("resume")
    assert stopped.returncode == 1 and "--interrupted redo" in stopped.stderr and place.turns() == {"a": 1}
    assert place.call("resume", "--interrupted", "redo").returncode == 0
    assert place.turns() == {"a": 2}


def test_r034_keep_counts_an_interrupted_turn_as_done(tmp_path: Path) -> None:
    place = Place(tmp_path, {"a": [{"text": "done", "writes": {"f.txt": "half"}}], "b": [{"text": "then"}]})
    place.define(
        "two",
        "name: two\nroles: [w]\nstages:\n"
        "  - {id: a, kind: agent_turn, role: w, prompt: go}\n  - {id: b, kind: agent_turn, role: w, prompt: on}\n",
    )
    place.call("run", "two", "x", SPRINTWRIGHT_TEST_STOP="turn.answered")
    assert place.call("resume", "--interrupted", "keep").returncode == 0
    assert place.turns() == {"a": 1, "b": 1}
    assert "kept" in " ".join(place.show()["notes"])


def test_r010_names_are_durable_before_the_first_agent_starts(tmp_path: Path) -> None:
    """Every name made for a run is synced in its folder before an agent's program is started."""
    place = Place(tmp_path, dev_script())
    log = tmp_path / "strace"
    traced = ["strace", "-f", "-y", "-o", str(log), "-e", "trace=mkdir,mkdirat,fsync,execve", "-s", "500"]
    if shutil.which("strace") is None:
        pytest.skip("strace is not here")
    subprocess.run(
        [*traced, *PROGRAM, "run", "dev", "x"],
        cwd=place.project, env=place.environment(), capture_output=True, check=True,
    )  # fmt: skip
    lines = log.read_text(encoding="utf-8", errors="replace").splitlines()
    first_agent = next(i for i, line in enumerate(lines) if "execve" in line and "agent.py" in line)
    synced = " ".join(line for line in lines[:first_agent] if "fsync(" in line)
    for folder in ("/.sprintwright>", "/.sprintwright/runs>", "journal.jsonl>", "/project>"):
        assert folder in synced, f"{folder} was not synced before the first agent"
