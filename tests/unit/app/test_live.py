"""A live run in this process."""

from __future__ import annotations

import asyncio
import json
import subprocess
from pathlib import Path

import pytest

from sprintwright.agents.config import Config
from sprintwright.app.compose import make_world, settings_of
from sprintwright.app.live import LiveRun, OnRecord
from sprintwright.app.start import StartRequest, start
from sprintwright.cli.people import Absent
from sprintwright.model.records import Record
from sprintwright.processes import LOGIN
from sprintwright.state.fold import RunState
from sprintwright.state.tree import Delta


def environment(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}


def prepare(tmp_path: Path) -> Path:
    """A project, and a user whose only agent is a recording of one turn."""
    config = tmp_path / ".config" / "sprintwright"
    (config / "workflows").mkdir(parents=True)
    (config / "config.yaml").write_text("agents: {recorded: {kind: replay, file: turns.yaml}}\n")
    (config / "turns.yaml").write_text(json.dumps({"turns": {"a": {"text": "done", "writes": {"f.txt": "x"}}}}))
    (config / "workflows" / "one.yaml").write_text(
        "name: one\nroles: [w]\nstages:\n  - {id: a, kind: agent_turn, role: w, prompt: go}\n"
    )
    project = tmp_path / "project"
    project.mkdir()
    return project


def run_one(tmp_path: Path, on_record: OnRecord) -> LiveRun:
    project = prepare(tmp_path)

    async def act() -> LiveRun:
        env = environment(tmp_path)
        settings = settings_of(env, project)
        world = make_world(env, project, settings, Absent(), on_record=on_record)
        live = await start(StartRequest("one", "task", project), world, settings)
        assert isinstance(live, LiveRun)
        await live.wait()
        return live

    return asyncio.run(act())


def test_b103_an_editor_from_a_desktop_finds_the_agents_of_the_login_shell(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    far = tmp_path / "far"
    far.mkdir()
    (far / "codex").write_text("#!/bin/sh\n")
    (far / "codex").chmod(0o755)
    monkeypatch.setattr(LOGIN, "_told", str(far))
    env = {"HOME": str(tmp_path), "PATH": str(tmp_path)}
    assert "codex" in settings_of(env, None, Config()).agents
    assert "codex" not in settings_of(env, None).agents  # a terminal's PATH is that of its shell


def test_r045_a_fault_in_what_shows_a_run_never_reaches_the_run(tmp_path: Path) -> None:
    def broken(record: Record, delta: Delta, state: RunState) -> None:
        raise RuntimeError("a fault of the view")

    live = run_one(tmp_path, broken)
    assert live.state.status == "completed" and live.problem is None
    assert live.place.read().closed


def test_records_are_told_in_order_and_only_when_they_are_on_disk(tmp_path: Path) -> None:
    told: list[int] = []

    def keep(record: Record, delta: Delta, state: RunState) -> None:
        told.append(record.seq)
        assert state.revision == record.seq

    live = run_one(tmp_path, keep)
    assert told == [record.seq for record in live.place.read().records]


def test_x043_the_snapshots_of_a_run_stay_reachable_in_our_own_store(tmp_path: Path) -> None:
    live = run_one(tmp_path, lambda _record, _delta, _state: None)
    store = live.place.folder / ".sprintwright" / "snapshots.git"
    refs = subprocess.run(
        ["git", f"--git-dir={store}", "for-each-ref"], capture_output=True, text=True, check=True
    ).stdout
    assert f"refs/sprintwright/{live.place.run_id}" in refs
    before, after = live.state.trees["a"]
    kept = subprocess.run(
        ["git", f"--git-dir={store}", "log", "--format=%T", f"refs/sprintwright/{live.place.run_id}"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    assert {before, after} <= set(kept)
