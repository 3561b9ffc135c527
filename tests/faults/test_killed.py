"""SIGKILL between an artifact's write and its record, in an open question, in a pause: the run goes to the right place."""

from __future__ import annotations

import signal
from pathlib import Path

import pexpect
import pytest

from tests.e2e.test_acts import SCRIPT, STEPS, folder_of, spawn
from tests.support.grid import grid
from tests.support.terminal import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path, {name: list(turns) for name, turns in SCRIPT.items()})
    made.define("steps", STEPS)
    return made


def killed_at(place: Place, words: str, *arguments: str) -> None:
    child = spawn(place, *arguments)
    child.expect(words)
    child.kill(signal.SIGKILL)
    child.wait()
    child.close()


def test_r034_a_kill_between_an_artifacts_write_and_its_record_redoes_the_turn_in_the_open(place: Place) -> None:
    killed = place.call("run", "steps", "x", SPRINTWRIGHT_TEST_STOP="artifact.written:1")
    assert killed.returncode == -9 and (folder_of(place) / "artifacts" / "plan.md").exists()
    assert place.show()["status"] == "interrupted"
    resumed = place.call("resume")
    assert resumed.returncode == 4 and "plan: changed since it began: nothing" in resumed.stdout
    assert place.turns() == {"plan": 2} and place.show()["stage"] == "plan/pause"


def test_r034_a_kill_between_a_later_version_and_its_record_asks_nothing_about_the_half_done_file(place: Place) -> None:
    place.call("run", "steps", "x")
    killed = place.call("rerun", "last", "plan", "--yes", SPRINTWRIGHT_TEST_STOP="artifact.written:1")
    assert killed.returncode == -9
    assert place.call("resume").returncode == 4 and place.turns() == {"plan": 3}


def test_m054_a_kill_in_an_open_question_asks_again_and_redoes_nothing(place: Place) -> None:
    place.call("run", "steps", "x")
    killed_at(place, "Which colour", "continue")
    assert place.show()["status"] == "interrupted"
    again = place.call("resume")
    assert again.returncode == 4 and "Which colour?" in again.stdout and place.turns() == {"plan": 1}
    place.call("answer", "last", "red")
    assert place.turns() == {"plan": 1, "build": 1} and place.show()["status"] == "terminal_ready"


def test_a_kill_in_a_pause_pauses_again_and_starts_nothing_by_itself(place: Place) -> None:
    killed_at(place, "Enter: continue", "run", "steps", "x")
    child = spawn(place, "resume")
    child.expect("Enter: continue")
    child.sendline("stop")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 4 and place.turns() == {"plan": 1}
    assert place.show()["stage"] == "plan/pause"


@pytest.mark.parametrize("at", grid(range(1, 6), (2, 3)))
def test_r034_a_kill_at_each_record_of_an_answer_loses_no_answer_and_does_nothing_twice(place: Place, at: int) -> None:
    place.call("run", "steps", "x")
    place.call("continue")
    place.call("answer", "last", "red", SPRINTWRIGHT_TEST_STOP=f"journal.after_fsync:{at}")
    place.call("resume")
    shown = place.show()
    if shown["status"] != "terminal_ready":
        assert shown["status"] == "paused" and place.call("answer", "last", "red").returncode == 4
    assert place.show()["status"] == "terminal_ready"
    assert place.turns()["plan"] == 1 and place.turns()["build"] in (1, 2)
