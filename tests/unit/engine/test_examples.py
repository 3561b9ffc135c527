"""The three examples of behaviours-milk.md section 1, loaded and run; and `pair`."""

from __future__ import annotations

from pathlib import Path

import pytest

from sprintwright.app.supported import refuse_unsupported
from sprintwright.definitions.discovery import builtin_folder
from sprintwright.definitions.load import load_definition
from sprintwright.engine.doubles import ScriptedPeople
from sprintwright.engine.ports import TurnRequest
from sprintwright.errors import Refused
from sprintwright.model.definition import Definition
from tests.unit.engine.support import Bench

GOLDEN = Path(__file__).parents[2] / "golden" / "definitions"


def example(name: str, folder: Path = GOLDEN) -> Definition:
    loaded = load_definition((folder / f"{name}.yaml").read_text(encoding="utf-8"))
    assert loaded.value is not None and not loaded.errors
    return loaded.value


class ExampleBench(Bench):
    """A bench whose roles are those of the definition."""

    def __post_init__(self) -> None:
        super().__post_init__()
        roles = dict.fromkeys(self.definition.roles, "a")
        self.started = self.started.model_copy(update={"roles": roles})


def careful(request: TurnRequest) -> str:
    if request.key == "plan":
        return "CLEAR\n## Sprint 1\none\n## Sprint 4\nfour\nmax_passes: 2"
    if request.key.endswith("judge"):
        return "needs_refinement" if "sprints[1]/tries[1]" in request.key else "good_to_go"
    return "built"


def test_careful_change_runs_its_sprints_with_at_most_two_tries_each() -> None:
    bench = ExampleBench(example("careful-change"), careful)
    bench.people = ScriptedPeople(lambda question: f"wish for {question.text}")
    assert bench.run().status == "completed"
    tries = [key for key in bench.keys if key.endswith("code")]
    assert tries == ["sprints[1]/tries[1]/code", "sprints[1]/tries[2]/code", "sprints[4]/tries[1]/code"]
    assert "Sprint 4, try 1 of 2." in bench.prompt("sprints[4]/tries[1]/code")
    assert "User: wish for Sprint 1 is built." in bench.prompt("sprints[1]/tries[1]/judge")


def test_careful_change_without_headings_is_one_sprint_of_three_tries() -> None:
    bench = ExampleBench(example("careful-change"), lambda r: "CLEAR\nplan" if r.key == "plan" else "needs_refinement")
    assert bench.run().status == "not_converged"
    assert len([key for key in bench.keys if key.endswith("code")]) == 3


def test_fan_builds_in_waves_and_skips_the_fix_when_all_is_well() -> None:
    plan = "## Item 1\n## Item 2\n## Item 3 (depends_on: 1, 2)"
    bench = ExampleBench(
        example("fan"), lambda r: {"split": plan, "review": "Looks fine.\n all_well "}.get(r.key, "built")
    )
    assert bench.run().status == "completed"
    assert bench.keys[-2:] == ["fanout[3]/build", "review"] and bench.state.nodes["fix"].status == "skipped"


def test_crew_needs_the_board_and_is_refused_in_words() -> None:
    with pytest.raises(Refused) as refused:
        refuse_unsupported(example("crew"))
    assert refused.value.code == "not_supported" and "'seed'" in refused.value.message


def pair(request: TurnRequest) -> str:
    if request.key == "designer":
        return "NO_QUESTIONS\n## Sprint 1\none"
    return {"evaluator": "a.py:1: error: bad", "evaluator_decision": "VERDICT: good_to_go"}.get(
        request.key.rpartition("/")[2], "built"
    )


def test_m057_pair_shows_the_review_before_the_verdict() -> None:
    bench = ExampleBench(example("pair", builtin_folder()), pair)
    bench.people = ScriptedPeople(lambda _question: "that one is fine")
    assert bench.run().status == "completed"
    (question,) = bench.people.questions
    assert "a.py:1: error: bad" in question.text
    decision = bench.prompt("sprints[1]/passes[1]/evaluator_decision")
    assert "a.py:1: error: bad" in decision and "that one is fine" in decision
