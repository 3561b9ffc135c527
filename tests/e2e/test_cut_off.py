"""A turn that was cut off and done again: the total, the list and the diffs tell the same."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from tests.support.terminal import Place, dev_script

PASS = "sprints[1]/passes[1]"
KEY = f"{PASS}/generator"
ONE = "name: one\nroles: [w]\nstages:\n  - {id: a, kind: agent_turn, role: w, prompt: go}\n"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    """Sprint 1 alone; its first generator writes a file and hangs, the second one finds it and writes nothing."""
    place = Place(tmp_path, dev_script())
    place.script["designer"] = [{"text": "NO_QUESTIONS\n## Sprint 1: one\nDo one."}]
    os.mkfifo(place.base / "pipe")
    wrote: dict[str, Any] = {"writes": {"json_report.py": "x = 1\n"}, "tell": str(place.base / "pipe"), "hang": True}
    place.script[KEY] = [wrote, {"text": "it is there"}]
    place.script[f"{PASS}/evaluator"] = [{"text": "VERDICT: good_to_go"}]
    place.configure()
    return place


def cut_off(place: Place, how: str) -> None:
    process = place.start("run", "dev", "x")
    assert (place.base / "pipe").read_text() == "here"
    process.kill() if how == "killed" else process.send_signal(signal.SIGINT)
    process.communicate(timeout=30)


def diff(place: Place, leaf: str) -> str:
    return place.call("show", "--changes", *([leaf] if leaf else [])).stdout


@pytest.mark.parametrize("how", ["killed", "cancelled"])
def test_what_a_cut_off_turn_wrote_is_counted_listed_and_shown_when_it_is_done_again(place: Place, how: str) -> None:
    cut_off(place, how)
    resumed = place.call("resume")
    assert resumed.returncode == 0, resumed.stderr
    assert "1 file changed" in resumed.stdout and "1 file changed" in place.call("show").stdout
    assert place.show()["changedFiles"] == {"json_report.py": "added"} and place.show()["changesUnknown"] == ""
    for leaf in ("", "sprints[1]", PASS, KEY):
        assert "+x = 1" in diff(place, leaf), leaf
    assert "changed json_report.py" in place.call("show").stdout


def test_what_was_put_back_before_the_turn_is_done_again_does_not_count(place: Place) -> None:
    cut_off(place, "killed")
    assert place.call("restore", "last", "--to", KEY, "--apply").returncode == 0
    assert not (place.project / "json_report.py").exists()
    resumed = place.call("resume")
    assert resumed.returncode == 0 and "0 files changed" in resumed.stdout
    assert place.show()["changedFiles"] == {} and "nothing changed" in diff(place, PASS)


def test_what_a_kept_turn_left_is_counted_and_shown(tmp_path: Path) -> None:
    place = Place(tmp_path, {"a": [{"text": "done", "writes": {"f": "a\n"}}]})
    place.define("one", ONE)
    place.call("run", "one", "x", SPRINTWRIGHT_TEST_STOP="turn.answered")
    kept = place.call("resume", "--interrupted", "keep")
    assert kept.returncode == 0 and "1 file changed" in kept.stdout
    assert place.show()["changedFiles"] == {"f": "added"} and "+a" in diff(place, "a") and "+a" in diff(place, "")


def test_a_failed_try_that_wrote_is_in_the_turns_diff_and_the_total_says_that_it_may_miss_it(tmp_path: Path) -> None:
    place = Place(tmp_path, {"a": [{"exit": 1, "writes": {"f": "a\n"}}, {"text": "done"}]})
    place.define("one", ONE)
    ran = place.call("run", "one", "x")
    assert ran.returncode == 0 and "+a" in diff(place, "a")
    assert "0 files changed that are known of" in ran.stdout and "before a was tried again" in ran.stdout
