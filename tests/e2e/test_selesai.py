"""Rows of behaviours-selesai.md about starting, finding and going on with runs, on the real program."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.e2e.test_acts import SCRIPT, STEPS, folder_of, until
from tests.support.terminal import Place


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path, {name: list(turns) for name, turns in SCRIPT.items()})
    made.define("steps", STEPS)
    return made


def runs(place: Place) -> list[str]:
    folder = place.project / ".sprintwright" / "runs"
    return sorted(path.name for path in folder.iterdir()) if folder.exists() else []


def test_s001_s004_s007_a_start_is_on_disk_before_its_first_prompt_and_that_is_sent_once(place: Place) -> None:
    killed = place.call("run", "steps", "  Do it  ", SPRINTWRIGHT_TEST_STOP="leaf.after_started:1")
    assert killed.returncode == -9 and place.turns() == {}
    journal = [json.loads(line) for line in (folder_of(place) / "journal.jsonl").read_text().splitlines()]
    assert [record["kind"] for record in journal][:3] == ["opened", "run_started", "started"]
    assert place.call("resume").returncode == 4 and place.turns() == {"plan": 1}


def test_s002_s003_a_start_beside_a_live_run_names_it_its_workflow_and_its_stage(place: Place, tmp_path: Path) -> None:
    go = tmp_path / "go"
    place.script["plan"] = [{"text": "P\nPLAN: ready", "wait_for": str(go)}]
    place.configure()
    place.define("other", STEPS.replace("name: steps", "name: other"))
    live = place.start("run", "steps", "x")
    until(lambda: place.turns() == {"plan": 1})
    for name in ("steps", "other"):
        second = place.call("run", name, "y")
        assert second.returncode == 2 and "'steps', at plan" in second.stderr and runs(place)[0] in second.stderr
    go.touch()
    live.communicate(timeout=60)
    assert live.returncode == 4 and len(runs(place)) == 1 and place.turns() == {"plan": 1}


def test_s006_s056_two_starts_are_two_runs_and_one_that_pauses_stays_resumable(place: Place) -> None:
    place.call("run", "steps", "x")
    (first,) = runs(place)
    place.call("run", "steps", "x")
    assert len(runs(place)) == 2
    assert place.call("continue", first).returncode == 4
    listed = {run["runId"]: run["status"] for run in map(json.loads, place.call("list", "--json").stdout.splitlines())}
    assert set(listed.values()) == {"paused"}


@pytest.mark.parametrize("verb", [("continue",), ("end",), ("resume",), ("answer", "last", "x"), ("say", "last", "x")])
def test_s011_s029_without_a_run_each_verb_says_that_there_is_none(place: Place, verb: tuple[str, ...]) -> None:
    ran = place.call(*verb)
    assert ran.returncode == 2 and "no runs here" in ran.stderr and runs(place) == []


def test_s044_a_terminal_ready_run_that_is_resumed_sends_no_prompt_and_says_end(place: Place) -> None:
    place.call("run", "steps", "x", "--yes")
    before = place.turns()
    resumed = place.call("resume")
    assert resumed.returncode == 4 and "end" in resumed.stdout and place.turns() == before


def test_s050_a_name_that_leads_out_of_the_folder_is_no_run(place: Place) -> None:
    place.call("run", "steps", "x")
    for name in ("../../x", "/etc", ".", "..", "", "20260101-000000000-aaaa/../.."):
        ran = place.call("end", name)
        assert ran.returncode in (2, 4) and ("no run" in ran.stderr or name == ""), (name, ran.stderr)


def test_s051_s052_damaged_runs_are_listed_as_unreadable_and_the_others_newest_first(place: Place) -> None:
    for _ in range(3):
        place.call("run", "steps", "x")
    ids = runs(place)
    journal = place.project / ".sprintwright" / "runs" / ids[1] / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b'"task":"x"', b'"task":"y"', 1))
    listed = [line.split()[:2] for line in place.call("list").stdout.splitlines()]
    assert listed == [[ids[2], "paused,"], [ids[1], "unreadable"], [ids[0], "paused,"]] or [
        [name, word.strip(",:")] for name, word in listed
    ] == [[ids[2], "paused"], [ids[1], "unreadable"], [ids[0], "paused"]]
    refused = place.call("continue", ids[1])
    assert refused.returncode == 1 and "line" in refused.stderr


def test_s052_no_folder_at_all_is_an_empty_list(place: Place) -> None:
    listed = place.call("list")
    assert listed.returncode == 0 and "Traceback" not in listed.stderr


def test_s055_help_names_how_to_start_resume_and_end(place: Place) -> None:
    told = place.call("help", "task").stdout
    for word in ("run task", "resume", "end"):
        assert f"sprintwright {word}" in told, word
    assert "sprintwright continue" in place.call("help", "quick").stdout, "where there are pauses"


def test_s005_a_run_that_cannot_be_kept_is_not_started(place: Place) -> None:
    (place.project / ".sprintwright").write_text("in the way")
    ran = place.call("run", "steps", "x")
    assert ran.returncode == 2 and "a folder of that name is needed" in ran.stderr and place.turns() == {}


def test_f5_a_recorded_folder_is_not_believed_and_f8_a_resumed_block_says_why(place: Place) -> None:
    place.script["plan"] = [{"text": "no marker"}]
    place.configure()
    place.call("run", "steps", "x")
    again = place.call("resume")
    assert again.returncode == 4 and "PLAN: ready" in again.stdout and place.turns() == {"plan": 2}


def test_f12_a_run_says_which_workflow_it_is(place: Place) -> None:
    place.call("run", "steps", "x")
    assert "steps" in place.call("show").stdout.splitlines()[1]
