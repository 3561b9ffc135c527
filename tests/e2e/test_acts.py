"""The verbs that act on a run, on the real program: pauses, gates, answers, the end, and two terminals on one run."""

from __future__ import annotations

import json
import re
import subprocess
from pathlib import Path

import pexpect
import pytest

from tests.support.terminal import PROGRAM, Place
from tests.support.waiting import until

STEPS = """
name: steps
roles: [w]
completion: explicit
close_artifacts: [{file: done.md, marker: "DONE: yes"}]
stages:
  - {id: plan, kind: agent_turn, role: w, prompt: "plan {{task}}", save_as: plan, pause_after: true,
     artifact: {file: plan.md, marker: "PLAN: ready"}}
  - {id: ask, kind: user_checkpoint, prompt: "Which colour?", save_as: colour}
  - {id: build, kind: agent_turn, role: w, prompt: "build {{plan}} in {{colour}}", artifact: done.md}
"""
SCRIPT = {"plan": [{"text": "P\nPLAN: ready"}], "build": [{"text": "built\nDONE: yes"}]}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path, {name: list(turns) for name, turns in SCRIPT.items()})
    made.define("steps", STEPS)
    return made


def folder_of(place: Place) -> Path:
    return sorted((place.project / ".sprintwright" / "runs").iterdir())[-1]


def test_s021_s038_a_run_pauses_asks_and_waits_for_its_end_and_each_step_says_what_to_type(place: Place) -> None:
    started = place.call("run", "steps", "x")
    assert started.returncode == 4 and "continue" in started.stdout and place.turns() == {"plan": 1}
    asked = place.call("continue")
    assert asked.returncode == 4 and "Which colour?" in asked.stdout and "answer" in asked.stdout
    nothing = place.call("continue")
    assert nothing.returncode == 4 and "answer" in nothing.stdout and place.turns() == {"plan": 1}
    answered = place.call("answer", "last", "dark", "green")
    assert answered.returncode == 4 and "end" in answered.stdout
    assert place.prompts()[-1]["prompt"].endswith("in dark green")
    assert place.show()["status"] == "terminal_ready"
    ended = place.call("end")
    assert ended.returncode == 0 and place.show()["status"] == "completed"
    again = place.call("end")
    assert again.returncode == 2 and "completed already" in again.stderr
    assert place.turns() == {"plan": 1, "build": 1}


def test_s042_end_before_the_last_stage_is_blocked_and_names_it(place: Place) -> None:
    place.call("run", "steps", "x")
    early = place.call("end")
    assert early.returncode == 4 and "build" in early.stdout and place.show()["status"] == "paused"


def test_b086_a_plan_that_was_edited_in_the_pause_is_asked_about_and_then_counts(place: Place) -> None:
    place.call("run", "steps", "x")
    (folder_of(place) / "artifacts" / "plan.md").write_text("mine\nPLAN: ready\n")
    asked = place.call("continue")
    assert asked.returncode == 4 and "plan.md was changed" in asked.stderr and "--artifacts mine" in asked.stderr
    assert place.call("continue", "--artifacts", "mine").returncode == 4
    place.call("answer", "last", "red")
    assert "build mine" in place.prompts()[-1]["prompt"] and place.turns() == {"plan": 1, "build": 1}


def test_r029_a_changed_artifact_is_put_back(place: Place) -> None:
    place.call("run", "steps", "x")
    file = folder_of(place) / "artifacts" / "plan.md"
    file.unlink()
    assert place.call("continue", "--artifacts", "back").returncode == 4
    assert file.read_text() == "P\nPLAN: ready"
    place.call("answer", "last", "red")
    assert "build P" in place.prompts()[-1]["prompt"]


def test_s012_a_blocked_plan_is_mended_by_hand_or_written_again(place: Place) -> None:
    place.script["plan"] = [{"text": "no marker"}, {"text": "now\nPLAN: ready"}]
    place.configure()
    assert place.call("run", "steps", "x").returncode == 4
    assert "PLAN: ready" in place.call("continue").stdout and place.turns()["plan"] == 1
    shown = place.show()
    assert (shown["status"], shown["stage"]) == ("paused", "plan")
    again = place.call("rerun", "last", "plan", "--yes")
    assert again.returncode == 0 or again.returncode == 4
    assert "will be done again" in again.stdout and place.turns()["plan"] == 2


def test_rerun_shows_first_what_it_would_do_again_and_does_nothing_unasked(place: Place) -> None:
    place.call("run", "steps", "x", "--yes")
    place.call("end")
    preview = place.call("rerun", "last", "ask", "--preview")
    assert preview.returncode == 0 and "  ask\n  build" in preview.stdout and "  plan" not in preview.stdout
    unasked = place.call("rerun", "last", "ask")
    assert unasked.returncode == 4 and place.turns() == {"plan": 1, "build": 1}
    assert place.call("rerun", "last", "build", "--yes").returncode == 4
    assert place.turns() == {"plan": 1, "build": 2} and place.show()["status"] == "terminal_ready"
    missing = place.call("rerun", "last", "nowhere", "--yes")
    assert missing.returncode == 2 and "plan" in missing.stderr


def test_m079_r055_resume_with_the_edited_definition_shows_what_it_costs_and_reuses_the_rest(place: Place) -> None:
    place.call("run", "steps", "x")
    place.define(
        "steps", STEPS.replace("  - {id: ask", "  - {id: more, kind: agent_turn, role: w, prompt: more}\n  - {id: ask")
    )
    place.script["more"] = [{"text": "more"}]
    place.configure()
    frozen = place.call("resume", "--definition", "frozen")
    assert frozen.returncode == 4 and "more" not in place.turns()
    edited = place.call("resume", "--definition", "current")
    assert edited.returncode == 4 and place.turns() == {"plan": 1, "more": 1}
    assert "done again" in edited.stdout
    place.call("answer", "last", "red")
    assert place.turns() == {"plan": 1, "more": 1, "build": 1}


def test_m085_reconfigure_changes_only_what_is_named_and_nothing_for_an_unknown_name(place: Place) -> None:
    agent = {"kind": "cli", "command": ["/bin/sh", "-c", "cat >/dev/null; echo other; echo 'DONE: yes'"]}
    place.configure(agents={"other": agent})
    place.call("run", "steps", "x")
    unknown = place.call("reconfigure", "last", "--w", "nobody")
    assert unknown.returncode == 2 and "scripted" in unknown.stderr and place.show()["roles"] == {"w": "scripted"}
    changed = place.call("reconfigure", "last", "--w", "other")
    assert changed.returncode == 0 and "other" in changed.stdout and place.show()["roles"] == {"w": "other"}
    place.call("continue")
    place.call("answer", "last", "red")
    assert place.turns() == {"plan": 1} and place.show()["status"] == "terminal_ready"


def test_r054_an_agent_that_is_gone_at_the_resume_is_named_with_what_to_type(place: Place) -> None:
    program = place.project.parent / "other-agent"
    program.write_text("#!/bin/sh\ncat >/dev/null; echo other\n")
    program.chmod(0o755)
    place.configure(agents={"other": {"kind": "cli", "command": [str(program)]}})
    place.call("run", "steps", "x", "--w", "scripted")
    place.call("reconfigure", "last", "--w", "other")
    for gone in (program.unlink, lambda: place.configure(agents={})):
        gone()
        refused = place.call("continue")
        assert refused.returncode == 2 and place.show()["status"] == "paused"
        for said in ("'other'", "role 'w'", f"sprintwright reconfigure {folder_of(place).name} --w NAME"):
            assert said in " ".join(refused.stderr.split())
    place.call("reconfigure", "last", "--w", "scripted")
    assert place.call("continue").returncode == 4 and "Which colour?" in place.call("show").stdout


def test_b104_words_are_kept_for_the_next_prompt(place: Place) -> None:
    place.call("run", "steps", "x")
    assert place.call("say", "last", "mind", "the gap").returncode == 0
    place.call("continue")
    place.call("answer", "last", "red")
    assert "mind the gap" in place.prompts()[-1]["prompt"]


def test_r087_the_same_start_token_is_the_same_run_however_often_it_is_sent(place: Place) -> None:
    first = place.call("run", "steps", "x", "--start-token", "t1")
    second = place.call("run", "steps", "x", "--start-token", "t1")
    assert first.returncode == 4 and second.returncode == 2 and folder_of(place).name in second.stderr
    assert len(list((place.project / ".sprintwright" / "runs").iterdir())) == 1
    procs = [place.start("run", "steps", "y", "--start-token", "t2") for _ in range(4)]
    codes = sorted(_ended(proc) for proc in procs)
    assert codes == [2, 2, 2, 4] and len(list((place.project / ".sprintwright" / "runs").iterdir())) == 2


def _ended(process: subprocess.Popen[str]) -> int:
    process.communicate(timeout=60)
    return process.returncode


def spawn(place: Place, *arguments: str) -> pexpect.spawn[str]:
    return pexpect.spawn(
        PROGRAM[0], [*PROGRAM[1:], *arguments], cwd=str(place.project),
        env={**place.environment(TERM="xterm"), "COLUMNS": "100"}, encoding="utf-8", timeout=60, dimensions=(40, 100),
    )  # fmt: skip


def test_r089_a_second_terminal_sees_pauses_and_answers_a_live_run(place: Place) -> None:
    child = spawn(place, "run", "steps", "x")
    child.expect("Enter: continue")
    assert place.show()["status"] == "waiting"
    assert place.call("continue").returncode == 0
    child.expect("Which colour")
    answered = place.call("answer", "last", "blue")
    assert answered.returncode == 0 and "answered" in answered.stdout
    child.expect("no answer is needed any more")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 4 and "in blue" in place.prompts()[-1]["prompt"]


def test_d12_pause_ends_after_the_turn_in_hand_and_gives_the_run_up(place: Place, tmp_path: Path) -> None:
    gate, told = tmp_path / "go", tmp_path / "told"
    place.script["plan"] = [{"text": "P\nPLAN: ready", "wait_for": str(gate), "tell": str(told)}]
    place.script["plan"][0].pop("tell")
    place.configure()
    running = place.start("run", "steps", "x")
    until(lambda: place.turns() == {"plan": 1})
    assert place.call("pause").returncode == 0
    gate.touch()
    out, _ = running.communicate(timeout=60)
    assert running.returncode == 4 and "Paused by you" in out
    assert place.show()["reason"] == "Paused by you."
    assert place.call("continue").returncode == 4 and place.turns() == {"plan": 1}


ONE = "name: one\nroles: [w]\nstages:\n  - {id: ask, kind: user_checkpoint, prompt: 'Which?', save_as: a}\n"


@pytest.mark.slow
def test_r089_answers_from_two_terminals_at_once_one_counts_and_the_other_is_told(place: Place) -> None:
    """The run waits unowned: both take it at the same moment."""
    place.define("one", ONE)
    for _ in range(5):
        assert place.call("run", "one", "x").returncode == 4
        run = folder_of(place)
        both = [place.start("answer", run.name, word) for word in ("red", "blue")]
        said = [(proc.communicate(timeout=60), proc.returncode) for proc in both]
        assert sorted(code for _, code in said) == [0, 2], said
        loser = next(err for (_, err), code in said if code == 2)
        assert re.search("already answered|No question|completed|gone on with", loser), loser
        journal = [json.loads(line) for line in (run / "journal.jsonl").read_text().splitlines()]
        assert sum(r["kind"] == "finished" and r["key"] == "ask" for r in journal) == 1


@pytest.mark.slow
def test_r015_of_many_processes_that_resume_one_run_one_owns_it_and_the_others_name_it(place: Place) -> None:
    place.script["plan"] = [{"text": "P\nPLAN: ready"}]
    place.configure()
    place.call("run", "steps", "x")
    many = [place.start("continue") for _ in range(20)]
    ended = [(proc.communicate(timeout=90), proc.returncode) for proc in many]
    journal = [json.loads(line) for line in (folder_of(place) / "journal.jsonl").read_text().splitlines()]
    assert sum(r["kind"] == "started" and r["key"] == "ask" for r in journal) == 1
    assert all(code in (0, 2, 4) for _, code in ended), ended
    assert place.turns() == {"plan": 1}


def test_a_limit_is_asked_about_at_the_terminal_and_a_new_one_goes_on(tmp_path: Path) -> None:
    place = Place(tmp_path, {"*": [{"text": "ok"}]})
    stages = "".join(f"  - {{id: s{n}, kind: agent_turn, role: w, prompt: x}}\n" for n in range(3))
    place.define("three", f"name: three\nroles: [w]\nlimits: {{turns: 1}}\nstages:\n{stages}")
    child = spawn(place, "run", "three", "x")
    child.expect("New limit of turns")
    child.sendline("many")
    child.expect("Please give a number")
    child.sendline("2")
    child.expect("New limit of turns")
    child.sendline("")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 4 and place.turns() == {"s0": 1, "s1": 1}
    assert place.call("resume", "--turns", "3").returncode == 0 and len(place.prompts()) == 3


def test_d4_a_used_up_loop_stops_where_nobody_is_and_can_be_accepted_or_given_more_later(tmp_path: Path) -> None:
    place = Place(
        tmp_path, {"l[3]/r": [{"text": "fine\nVERDICT: good"}], "*": [{"text": "the flag is missing\nVERDICT: again"}]}
    )
    body = "{id: r, kind: agent_turn, role: w, prompt: x, verdict: {good: {action: break}, again: {action: retry}}}"
    place.define(
        "l",
        f"name: l\nroles: [w]\nstages:\n  - {{id: l, kind: loop, max_iterations: 2, on_exhausted: ask, body: [{body}]}}\n"
        "  - {id: end, kind: agent_turn, role: w, prompt: e}\n",
    )
    for answer in ("accept", "more"):
        stopped = place.call("run", "l", "x")
        assert (
            stopped.returncode == 3 and "more|accept|stop" in stopped.stdout and "the flag is missing" in stopped.stdout
        )
        wrong = place.call("answer", "last", "one more")
        assert wrong.returncode == 2 and "more, accept, stop" in wrong.stderr
        assert place.call("answer", "last", answer).returncode == 0 and place.show()["status"] == "completed"
    assert place.turns() == {"l[1]/r": 2, "l[2]/r": 2, "l[3]/r": 1, "end": 2}
