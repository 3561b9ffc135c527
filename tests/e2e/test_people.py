"""A person at a real terminal (a pty)."""

from __future__ import annotations

import re
from pathlib import Path

import pexpect
import pytest

from tests.support.terminal import Place, dev_script, spawn


def plain(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    script = dev_script()
    script["designer/second_turn"] = [{"text": script["designer"][0]["text"].replace("NO_QUESTIONS\n", "")}]
    script["designer"] = [{"text": "## Questions\nQ1 Which colour?\n## Defaults\nQ1 blue"}]
    return Place(tmp_path, script)


def test_m051_questions_are_asked_at_the_terminal_and_the_tree_goes_on(place: Place) -> None:
    child = spawn(place, "run", "dev", "Paint it")
    child.expect("Q1 Which colour")
    child.expect("your answer")
    child.sendline("green")
    child.sendline("")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    second = next(turn["prompt"] for turn in place.prompts() if turn["key"] == "designer/second_turn")
    assert "green" in second


def test_m056_ctrl_c_in_a_question_ends_as_cancelled_and_resume_asks_again(place: Place) -> None:
    child = spawn(place, "run", "dev", "Paint it")
    child.expect("your answer")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130
    child = spawn(place, "resume")
    child.expect("Q1 Which colour")
    child.expect("your answer")
    child.sendline("")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0 and place.turns()["designer"] == 1


def test_a_person_can_play_the_evaluator(place: Place) -> None:
    place.script["designer"] = [{"text": "NO_QUESTIONS\n## Sprint 1: one\nDo one."}]
    place.configure()
    child = spawn(place, "run", "dev", "Paint it", "--evaluator", "human")
    child.expect("You are the evaluator")
    child.expect("end it with a line of only a dot")
    child.sendline("s1.txt:1: error: too green")
    child.sendline("needs_refinement")
    child.sendline(".")
    child.expect("You are the evaluator")
    child.expect("end it with a line of only a dot")
    child.sendline("good_to_go")
    child.sendline(".")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert "too green" in next(t["prompt"] for t in place.prompts() if t["key"] == "sprints[1]/passes[2]/generator")


def test_b047_an_interrupted_turn_is_shown_with_its_changes_and_asked(place: Place) -> None:
    place.script["designer"] = [{"text": "NO_QUESTIONS\n## Sprint 1: one\nDo one."}]
    place.script["sprints[1]/passes[1]/evaluator"] = [{"text": "VERDICT: good_to_go"}]
    place.configure()
    killed = place.call("run", "dev", "Paint it", SPRINTWRIGHT_TEST_STOP="turn.answered:2")
    assert killed.returncode == -9
    child = spawn(place, "resume")
    child.expect("sprints\\[1\\]/passes\\[1\\]/generator")
    child.expect("added since then: s1.txt")
    child.expect("redo, stop")
    child.sendline("stop")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 1 and place.turns()["sprints[1]/passes[1]/generator"] == 1
    child = spawn(place, "resume")
    child.expect("redo, stop")
    child.sendline("")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0 and place.turns()["sprints[1]/passes[1]/generator"] == 2


@pytest.mark.parametrize("columns", [80, 40])
def test_the_tree_fits_its_terminal(place: Place, columns: int) -> None:
    place.script["designer"] = [{"text": "NO_QUESTIONS\n## Sprint 1: " + "a long title " * 20 + "\nDo one."}]
    place.script["sprints[1]/passes[1]/evaluator"] = [{"text": "VERDICT: good_to_go"}]
    place.configure()
    child = spawn(place, "run", "dev", "Paint it", columns=columns)
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    shown = place.call("show", COLUMNS=str(columns)).stdout
    tree = [line for line in shown.splitlines() if line.startswith(("├", "└", "│", " "))]
    assert tree and all(len(plain(line)) <= columns for line in tree if "──" in line)


def test_half_an_answer_is_none_when_the_terminal_goes_away(place: Place) -> None:
    place.script["designer"] = [{"text": "NO_QUESTIONS\n## Sprint 1: one\nDo one."}]
    place.configure()
    for end in ("hang up", "end of input"):
        child = spawn(place, "run", "dev", "Paint it", "--evaluator", "human")
        child.expect("end it with a line of only a dot")
        child.sendline("so far it looks fine")
        child.sendline("VERDICT: good_to_go")
        if end == "hang up":
            child.close(force=True)
            child.wait()
        else:
            child.sendeof()
            child.expect(pexpect.EOF)
            child.close()
            assert child.exitstatus == 4
        shown = place.show()
        assert shown["status"] in ("paused", "cancelled", "interrupted")
        assert {n["id"]: n["verdict"] for n in shown["nodes"]}["sprints[1]/passes[1]/evaluator"] == ""
