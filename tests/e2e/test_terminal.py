"""The terminal, the real program and a real agent process."""

import json
import os
import signal
from pathlib import Path

import pytest

from tests.support.terminal import Place, dev_script, swarm_script


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, dev_script())


def test_m044_dev_runs_three_sprints_to_a_typed_end(place: Place) -> None:
    ran = place.call("run", "dev", "Build three things")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert set(place.turns().values()) == {1} and len(place.turns()) == 1 + 2 * 5
    shown = place.show()
    assert shown["status"] == "completed" and shown["openFindings"] == 0
    assert {f["status"] for f in shown["findings"]} == {"fixed"} and len(shown["findings"]) == 2
    assert shown["changedFiles"] == {"s1.txt": "modified", "s2.txt": "added", "s3.txt": "modified"}
    run = place.project / ".sprintwright" / "runs" / shown["runId"]
    assert {p.name for p in (run / "artifacts").iterdir()} == {"plan.md", "sprint-1.md", "sprint-2.md", "sprint-3.md"}
    summary = (run / "summary.md").read_text()
    for word in ("Build three things", "Sprint 2", "good\\_to\\_go", "s1.txt", "Open findings (0)"):
        assert word in summary


def test_m047_the_second_pass_is_told_the_findings_and_the_next_sprint_is_not(place: Place) -> None:
    place.call("run", "dev", "Build three things")
    prompts = {turn["key"]: turn["prompt"] for turn in place.prompts()}
    assert "not good yet" in prompts["sprints[1]/passes[2]/generator"]
    assert "refinement" in prompts["sprints[1]/passes[2]/generator"]
    assert "not good yet" not in prompts["sprints[2]/passes[1]/generator"]
    assert "Do two." in prompts["sprints[2]/passes[1]/generator"]
    assert "Do one." not in prompts["sprints[2]/passes[1]/generator"]
    assert "built 2.1" in prompts["sprints[2]/passes[1]/evaluator"]


def test_swarm_builds_items_and_skips_what_is_not_needed(tmp_path: Path) -> None:
    place = Place(tmp_path, swarm_script())
    ran = place.call("run", "swarm", "Build four things")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "final_implementation" not in place.turns()
    nodes = {node["id"]: node for node in place.show()["nodes"]}
    assert nodes["final_implementation"]["status"] == "skipped"
    assert nodes["items[4]"]["status"] == "done"
    order = [turn["key"] for turn in place.prompts()]
    assert order.index("items[4]/passes[1]/worker") > order.index("items[2]/passes[1]/worker_eval")


def test_json_is_one_event_a_line_and_only_that(place: Place) -> None:
    ran = place.call("run", "dev", "x", "--json")
    events = [json.loads(line) for line in ran.stdout.splitlines()]
    assert [event["seq"] for event in events] == list(range(1, len(events) + 1))
    assert events[-1]["kind"] == "released" and events[-2]["status"] == "completed"


def test_m041_always_needing_refinement_ends_not_converged_and_m042_goes_on_with_a_higher_limit(place: Place) -> None:
    for key in list(place.script):
        if "evaluator" in key:
            place.script[key] = [{"text": "s1.txt:1: error: still bad\nVERDICT: needs_refinement"}]
    place.script["*"] = [{"text": "VERDICT: needs_refinement"}]
    place.configure()
    ran = place.call("run", "dev", "x")
    assert ran.returncode == 3, ran.stdout
    assert "3 passes" in ran.stdout and "--max-passes" in ran.stdout
    before = place.turns()
    assert len(before) == 1 + 2 * 3
    place.script["sprints[1]/passes[4]/evaluator"] = [{"text": "VERDICT: good_to_go"}]
    place.configure()
    place.call("resume", "--max-passes", "4")
    after = place.turns()
    assert all(after[key] == 1 for key in before)
    assert after["sprints[1]/passes[4]/generator"] == 1 and "sprints[1]/passes[5]/generator" not in after


def test_m050_questions_park_the_run_when_nobody_is_there_and_yes_answers_with_the_defaults(place: Place) -> None:
    place.script["designer"] = [{"text": "## Questions\nQ1 which?\n## Defaults\nthis"}]
    place.script["designer/second_turn"] = [{"text": place.script["sprints[2]/passes[1]/generator"][0]["text"]}]
    place.script["*"] = [{"text": "VERDICT: good_to_go"}]
    place.configure()
    ran = place.call("run", "dev", "x")
    assert ran.returncode == 4 and "resume" in ran.stdout
    assert place.turns() == {"designer": 1}
    ran = place.call("resume", "--yes")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert place.turns()["designer"] == 1
    second = next(turn["prompt"] for turn in place.prompts() if turn["key"] == "designer/second_turn")
    assert "Q1 which?" in second and "Use your defaults." in second


def test_ctrl_c_ends_cleanly_and_the_run_resumes_with_nothing_done_twice(place: Place) -> None:
    pipe = place.base / "pipe"
    os.mkfifo(pipe)
    place.script["sprints[2]/passes[1]/generator"] = [{"tell": str(pipe), "hang": True}, {"text": "built"}]
    place.configure()
    process = place.start("run", "dev", "x")
    assert pipe.read_text() == "here"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == 130 and "Traceback" not in err and "cancelled" in out
    assert place.show()["status"] == "cancelled"
    ran = place.call("resume")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    turns = place.turns()
    assert turns.pop("sprints[2]/passes[1]/generator") == 2 and set(turns.values()) == {1}


def test_m078_a_completed_run_is_not_resumed(place: Place) -> None:
    place.call("run", "dev", "x")
    ran = place.call("resume")
    assert ran.returncode == 2 and "completed" in ran.stderr
    assert set(place.turns().values()) == {1}


def test_show_changes_prints_the_diff_of_one_pass(place: Place) -> None:
    place.call("run", "dev", "x")
    diff = place.call("show", "--changes", "sprints[1]/passes[2]").stdout
    assert "-pass 1" in diff and "+pass 2" in diff and "s2.txt" not in diff
    whole = place.call("show", "--changes").stdout
    assert "s1.txt" in whole and "s3.txt" in whole
    wrong = place.call("show", "--changes", "nowhere")
    assert wrong.returncode == 2 and "sprints[1]/passes[1]/generator" in wrong.stderr


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("run", "dve", "x"), 2, ("'dve'", "Did you mean 'dev'")),
        (("run", "dev", "x", "--evaluator", "nobody"), 2, ("nobody", "scripted")),
        (("run", "dev", "x", "--tester", "scripted"), 2, ("tester", "evaluator")),
        (("run", "dev", "x", "--evaluator"), 2, ("--evaluator", "needs a value")),
        (("run", "dev", "  "), 2, ("no task",)),
        (("run", "dev", "x", "--folder", "/nowhere"), 2, ("/nowhere",)),
        (("run", "dev", "x", "--var", "plan_instruction=a"), 2, ("plan_instructions",)),
        (("resume", "20200101-000000000-aaaa"), 2, ("no run",)),
        (("show", "zzz"), 2, ("no run",)),
        (("nonsense",), 2, ("nonsense",)),
    ],
)
def test_bad_input_gives_one_clear_message(
    place: Place, arguments: tuple[str, ...], code: int, words: tuple[str, ...]
) -> None:
    ran = place.call(*arguments)
    assert ran.returncode == code and "Traceback" not in ran.stderr
    for word in words:
        assert word in ran.stderr
    assert not (place.project / ".sprintwright").exists()


def test_a_broken_definition_is_refused_with_every_problem_at_its_place(place: Place) -> None:
    folder = place.project / ".sprintwright" / "workflows"
    folder.mkdir(parents=True)
    (folder / "mine.yaml").write_text("name: mine\nroles: [a]\nstages:\n  - id: x\n    kind: agent_turn\n    role: b\n")
    ran = place.call("run", "mine", "x")
    assert ran.returncode == 2
    assert "mine.yaml:6:" in ran.stderr and "prompt" in ran.stderr and "'b'" in ran.stderr


def test_a_folder_that_is_no_git_repository_works(place: Place) -> None:
    ran = place.call("run", "dev", "x")
    assert ran.returncode == 0 and not (place.project / ".git").exists()


def test_what_a_folder_would_run_needs_consent_for_its_content(place: Place) -> None:
    settings = place.project / ".sprintwright"
    settings.mkdir()
    (settings / "config.yaml").write_text(
        "agents:\n  planted: {kind: cli, command: [sh, -c, 'touch PWNED']}\nprimary: planted\n"
    )
    ran = place.call("run", "dev", "x")
    assert ran.returncode == 2 and "touch PWNED" in ran.stderr and "--consent " in ran.stderr
    assert not (place.project / "PWNED").exists()
    agreed = ran.stderr.rpartition("--consent ")[2].strip()
    (settings / "config.yaml").write_text(
        "agents:\n  planted: {kind: cli, command: [sh, -c, 'touch OTHER']}\nprimary: planted\n"
    )
    ran = place.call("run", "dev", "x", "--consent", agreed)
    assert ran.returncode == 2 and "changed" in ran.stderr and not (place.project / "OTHER").exists()
