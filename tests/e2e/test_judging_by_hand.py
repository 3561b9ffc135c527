"""A person who plays a judging role, at a terminal and with recorded answers."""

from __future__ import annotations

from pathlib import Path

import pexpect
import pytest

from tests.support.terminal import Place, dev_script, spawn

END = "end it with a line of only a dot"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path, dev_script())
    place.script["designer"] = [{"text": "NO_QUESTIONS\n## Sprint 1: one\nDo one."}]
    place.configure()
    return place


def verdicts(place: Place) -> dict[str, str]:
    return {node["id"]: node["verdict"] for node in place.show()["nodes"] if node["kind"] == "pass"}


def test_words_without_a_verdict_burn_no_pass_at_a_terminal(place: Place) -> None:
    child = spawn(place, "run", "dev", "Paint it", "--evaluator", "human")
    child.expect(END)
    child.sendline("s1.txt:1: error: too green")
    child.sendline(".")
    child.expect("holds no verdict")
    child.expect("good_to_go, sprint_done, needs_refinement")
    child.sendline("needs refinement")
    child.expect("You are the evaluator")
    child.expect(END)
    child.sendline("Good-To-Go")
    child.sendline(".")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    assert verdicts(place) == {"sprints[1]/passes[1]": "needs_refinement", "sprints[1]/passes[2]": "good_to_go"}
    assert "too green" in next(t["prompt"] for t in place.prompts() if t["key"] == "sprints[1]/passes[2]/generator")


def test_a_recorded_answer_is_understood_as_people_type_it(place: Place) -> None:
    assert place.call("run", "dev", "Paint it", "--evaluator", "human").returncode == 4
    assert place.call("answer", "last", "needs refinement").returncode == 4
    assert verdicts(place)["sprints[1]/passes[1]"] == "needs_refinement"


def test_an_agent_must_give_its_verdict_as_it_is_declared(place: Place) -> None:
    place.script["sprints[1]/passes[1]/evaluator"] = [{"text": "needs refinement"}]
    place.script["sprints[1]/passes[1]/evaluator/reminder"] = [{"text": "needs refinement"}]
    place.configure()
    place.call("run", "dev", "Paint it")
    assert verdicts(place)["sprints[1]/passes[1]"] == "unknown"


@pytest.mark.parametrize("option", ["--tokens", "--cost", "--turns", "--wall-seconds"])
def test_a_limit_of_a_new_run_is_told_to_stand_in_the_configuration(place: Place, option: str) -> None:
    refused = place.call("run", "dev", "x", option, "10")
    assert refused.returncode == 2 and f"no option or role '{option}'" in refused.stderr
    name = option[2:].replace("-", "_")
    assert f"limits: {{{name}: N}}" in refused.stderr and f"sprintwright resume {option} N" in refused.stderr
    assert "evaluator" in refused.stderr and not place.turns()


def test_a_misspelt_role_as_an_option_is_named_with_what_was_meant(place: Place) -> None:
    refused = place.call("run", "dev", "x", "--evalutor", "scripted")
    assert refused.returncode == 2 and "no option or role '--evalutor'" in refused.stderr
    assert "Did you mean 'evaluator'?" in refused.stderr
    named = place.call("run", "dev", "x", "--role", "evalutor=scripted")
    assert "has no role 'evalutor'" in named.stderr


def test_a_misspelt_key_of_an_agent_is_named_with_what_was_meant(place: Place) -> None:
    place.configure(agents={"cat": {"kind": "cli", "comand": ["cat"]}})
    refused = place.call("run", "dev", "x")
    assert refused.returncode == 2 and "'comand' is not known" in refused.stderr
    assert "Did you mean 'command'?" in refused.stderr
