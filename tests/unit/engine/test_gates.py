"""Artifacts, gates, pauses and the end of a run."""

from __future__ import annotations

from typing import Any

import pytest

from sprintwright.engine.doubles import InMemoryWorkspace, ScriptedPeople
from sprintwright.engine.ports import Question
from sprintwright.model.records import Decided, Ended, SetAside
from sprintwright.model.results import ArtifactVersion
from tests.unit.engine.support import JUDGE, Bench, define, turn

PLAN = {"file": "plan.md", "marker": "PLAN: ready"}


def nobody(_question: Question) -> None:
    return None


def loop(*body: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "loop", "kind": "loop", "max_iterations": 2, "iteration_var": "pass", "body": list(body), **more}


def mine(text: str, name: str = "plan.md", gate: str = "") -> Decided:
    return Decided(what="mine", artifact=ArtifactVersion(name=name, sha256="f", size=1), text=text, number=1, gate=gate)


def test_s012_a_plan_without_its_marker_blocks_with_the_reason_and_starts_nothing() -> None:
    bench = Bench(define(turn("plan", artifact=PLAN), turn("build")), lambda _r: "a plan")
    end = bench.run()
    assert (end.status, end.code, end.stage, end.missing) == ("paused", "blocked", "plan", "plan.md")
    assert "PLAN: ready" in end.reason and bench.keys == ["plan"]
    assert bench.state.gates["plan"].status == "not_approved" and bench.artifacts.texts["plan.md"] == "a plan"


def test_s012_a_blocked_run_that_is_only_walked_again_stays_blocked_and_does_nothing() -> None:
    bench = Bench(define(turn("plan", artifact=PLAN), turn("build")), lambda _r: "a plan")
    first, second = bench.run(), bench.run()
    assert first == second and bench.keys == ["plan"]


def test_s012_a_stage_that_is_done_again_and_approved_lets_the_run_go_on() -> None:
    answers = iter(["a plan", "a plan\nPLAN: ready", "built"])
    bench = Bench(
        define(turn("plan", artifact=PLAN, save_as="plan"), turn("build", "{{plan}}")), lambda _r: next(answers)
    )
    bench.run()
    bench.decide("plan", SetAside(keys=("plan",), reason="rerun"))
    assert bench.run().status == "completed"
    assert bench.keys == ["plan", "plan", "build"] and bench.state.gates["plan"].status == "open"


def test_s012_the_users_own_version_of_a_blocked_artifact_counts_and_changes_its_variable() -> None:
    stages = (turn("plan", artifact=PLAN, save_as="plan"), turn("build", "{{plan}}"))
    bench = Bench(define(*stages), lambda _r: "a plan")
    bench.run()
    bench.decide("plan", mine("mine\nPLAN: ready"))
    assert bench.run().status == "completed"
    assert bench.keys == ["plan", "build"] and bench.prompt("build") == "mine\nPLAN: ready"
    assert any("written by you" in warning for _, warning in bench.state.notes)


def test_b086_an_edited_artifact_sets_aside_what_follows_and_nothing_before_it() -> None:
    stages = (turn("a"), turn("plan", artifact="plan.md", save_as="plan"), turn("build", "{{plan}}"), turn("end"))
    bench = Bench(define(*stages), lambda request: request.key)
    assert bench.run().status == "completed"
    bench.decide("plan", mine("edited"))
    assert bench.run().status == "completed"
    assert bench.keys == ["a", "plan", "build", "end", "build", "end"] and bench.prompt("build") == "edited"
    aside = [record.payload.keys for record in bench.records if isinstance(record.payload, SetAside)]
    assert aside == [("build", "end")]
    before = len(bench.records)
    bench.run()
    assert len(bench.records) == before, "walking once more has nothing to do"


def test_s045_s046_d5_found_artifacts_count_by_the_users_decision_and_say_that_no_turn_wrote_them() -> None:
    stages = (
        turn("plan", artifact=PLAN, save_as="p"),
        turn("reuse", artifact="r.md", save_as="r"),
        turn("build", "{{p}} {{r}}"),
    )
    bench = Bench(define(*stages), lambda _r: "ok")
    bench.decide("plan", mine("P"))
    bench.decide("reuse", mine("R", "r.md"))
    assert bench.run().status == "completed"
    assert bench.keys == ["build"] and bench.prompt("build") == "P R"
    assert sum("no turn of this run wrote it" in text for _, text in bench.state.notes) == 2


def test_s047_a_decision_for_an_artifact_holds_over_a_crash_before_it_was_taken() -> None:
    stages = (turn("plan", artifact=PLAN, save_as="plan"), turn("build", "{{plan}}"))
    bench = Bench(define(*stages), lambda _r: "a plan")
    bench.run()
    bench.decide("plan", mine("mine\nPLAN: ready"))
    again = Bench(bench.definition, lambda _r: "built", records=list(bench.records))
    assert again.run().status == "completed" and again.keys == ["build"]


def test_an_artifact_of_a_template_has_its_text_and_the_variable_keeps_the_answer() -> None:
    spec = {"file": "n-{{pass}}.md", "text": "pass {{pass}}: {{out}}"}
    body = turn("work", artifact=spec, save_as="out", verdict=JUDGE)
    bench = Bench(define(loop(body)), lambda request: "again" if "[1]" in request.key else "good")
    assert bench.run().status == "completed"
    assert bench.artifacts.texts == {"n-1.md": "pass 1: again", "n-2.md": "pass 2: good"}


def test_a_gate_in_a_pass_that_is_sent_back_does_not_block_but_one_that_is_accepted_does() -> None:
    body = turn("work", artifact={"file": "r.md", "marker": "R: clean"}, verdict=JUDGE)
    bench = Bench(define(loop(body)), lambda request: "again" if "[1]" in request.key else "good")
    end = bench.run()
    assert (end.code, end.stage) == ("blocked", "loop[2]/work")


def test_s033_a_clean_review_ends_the_loop_and_only_the_engine_writes_its_artifact() -> None:
    spec = {"file": "loop-complete.md", "text": "Rounds: {{pass}}\nLOOP: clean", "marker": "LOOP: clean"}
    bench = Bench(
        define(loop(turn("build"), turn("review", verdict=JUDGE), artifact=spec), turn("audit")),
        lambda request: "again" if request.key == "loop[1]/review" else "good",
    )
    assert bench.run().status == "completed"
    assert bench.artifacts.texts["loop-complete.md"] == "Rounds: 2\nLOOP: clean"
    assert bench.keys[-1] == "audit" and bench.state.gates["loop"].status == "open"


def test_s034_d4_three_blocking_rounds_ask_and_stop_with_nothing_written_where_nobody_is() -> None:
    spec = {"file": "loop-complete.md", "text": "LOOP: clean"}
    people = ScriptedPeople(lambda _q: "stop")
    stage = loop(turn("build"), turn("review", verdict=JUDGE), artifact=spec, max_iterations=3, on_exhausted="ask")
    bench = Bench(define(stage), lambda _r: "again", people=people)
    end = bench.run()
    assert (end.status, end.stage) == ("not_converged", "loop") and "loop-complete.md" not in bench.artifacts.texts
    assert [q.choices for q in people.questions] == [("more", "accept", "stop")] and bench.keys.count(
        "loop[3]/review"
    ) == 1


def test_s035_f3_after_the_limit_one_more_round_is_the_users_choice_and_a_clean_one_goes_on() -> None:
    answers = {"choice": "stop"}
    people = ScriptedPeople(lambda _q: answers["choice"])
    stage = loop(
        turn("build"), turn("review", verdict=JUDGE), artifact={"file": "l.md", "text": "x"}, on_exhausted="ask"
    )
    bench = Bench(define(stage), lambda r: "good" if "[3]" in r.key else "again", people=people)
    assert bench.run().status == "not_converged"
    answers["choice"] = "more"
    assert bench.run().status == "completed"
    assert [key for key in bench.keys if "review" in key] == ["loop[1]/review", "loop[2]/review", "loop[3]/review"]
    assert bench.artifacts.texts == {"l.md": "x"}


def test_d4_an_exhausted_loop_can_be_accepted_and_that_is_told() -> None:
    stage = loop(turn("review", verdict=JUDGE), on_exhausted="ask")
    bench = Bench(define(stage, turn("next")), lambda _r: "again", people=ScriptedPeople(lambda _q: "accept"))
    assert bench.run().status == "completed" and bench.keys[-1] == "next"
    assert any("accepted by you" in text for text in bench.notes())


def test_m042_m043_a_decision_from_outside_answers_the_exhausted_loop() -> None:
    stage = loop(turn("review", verdict=JUDGE), on_exhausted="ask")
    bench = Bench(define(stage), lambda r: "good" if "[3]" in r.key else "again", people=ScriptedPeople(nobody))
    end = bench.run()
    assert (end.status, end.code) == ("paused", "question")
    bench.decide("loop/exhausted-2", Decided(what="answer", text="more"))
    assert bench.run().status == "completed" and bench.keys == [f"loop[{n}]/review" for n in (1, 2, 3)]


def test_s021_a_pause_after_a_stage_sends_nothing_and_continue_sends_it_exactly_once() -> None:
    bench = Bench(define(turn("plan", pause_after=True), turn("build")), people=ScriptedPeople(nobody))
    end = bench.run()
    assert (end.status, end.code, end.stage) == ("paused", "pause_after", "plan/pause") and bench.keys == ["plan"]
    assert bench.run() == end and bench.keys == ["plan"]
    bench.decide("plan/pause", Decided(what="answer", text="continue"))
    assert bench.run().status == "completed" and bench.keys == ["plan", "build"]
    bench.run()
    assert bench.keys == ["plan", "build"]


def test_s022_without_pauses_each_stage_follows_at_once() -> None:
    bench = Bench(define(turn("plan", artifact="plan.md"), turn("reuse", artifact="r.md"), turn("hand")))
    assert bench.run().status == "completed" and bench.keys == ["plan", "reuse", "hand"]


@pytest.mark.parametrize("name", ["plan", "review"])
def test_a_start_can_ask_for_a_pause_after_any_stage(name: str) -> None:
    stage = loop(turn("build"), turn("review", verdict=JUDGE))
    bench = Bench(define(turn("plan"), stage), lambda _r: "good", people=ScriptedPeople(nobody), pause_after=(name,))
    assert bench.run().code == "pause_after"
    assert bench.keys == (["plan"] if name == "plan" else ["plan", "loop[1]/build", "loop[1]/review"])


def test_the_terminals_answer_to_a_pause_is_stop_and_it_is_asked_again() -> None:
    people = ScriptedPeople(lambda _q: "stop")
    bench = Bench(define(turn("plan", pause_after=True), turn("build")), people=people)
    assert bench.run().code == "pause_after"
    bench.run()
    assert len(people.questions) == 2 and bench.keys == ["plan"]


def test_s016_s017_a_skip_rule_jumps_its_stage_and_the_next_prompt_can_say_why() -> None:
    class NoHistory(InMemoryWorkspace):
        async def has_history(self) -> bool:
            return False

    stages = (
        turn("plan"),
        turn("reuse", skip_when="no_git_history"),
        turn("hand", "{{if reuse_skipped}}none: {{reuse_skipped}}{{end}}"),
    )
    skipped, ran = Bench(define(*stages), workspace=NoHistory()), Bench(define(*stages))
    skipped.run()
    ran.run()
    assert skipped.keys == ["plan", "hand"] and "no git history" in skipped.prompt("hand")
    assert ran.keys == ["plan", "reuse", "hand"] and ran.prompt("hand") == ""


def test_s020_of_two_neighbours_only_the_first_is_jumped_and_never_the_first_or_last_stage() -> None:
    class Empty(InMemoryWorkspace):
        async def is_empty(self) -> bool:
            return True

    stages = [turn(name, skip_when="empty_project") for name in "abcde"]
    bench = Bench(define(*stages), workspace=Empty())
    bench.run()
    assert bench.keys == ["a", "c", "e"]


CLOSE = ({"file": "a.md"}, {"file": "b.md", "marker": "B: clean"})


def test_s038_s039_an_explicit_run_is_terminal_ready_and_not_completed() -> None:
    bench = Bench(define(turn("work", artifact="a.md"), completion="explicit", close_artifacts=["a.md"]))
    assert bench.run() == Ended(status="terminal_ready")
    assert bench.state.status == "terminal_ready" and bench.run().status == "terminal_ready" and bench.keys == ["work"]


def test_s040_s041_the_first_failing_close_artifact_in_declared_order_is_named_with_its_reason() -> None:
    bench = Bench(define(turn("work"), completion="explicit", close_artifacts=CLOSE))
    end = bench.run()
    assert (end.status, end.code, end.missing) == ("paused", "needs_artifacts", "a.md") and "not there" in end.reason
    bench.artifacts.texts["a.md"] = "here"
    assert (bench.run().missing, bench.state.missing) == ("b.md", "b.md")
    bench.artifacts.texts["b.md"] = "B: blocking"
    assert "'blocking'" in bench.run().reason
    bench.artifacts.texts["b.md"] = "B: clean"
    assert bench.run().status == "terminal_ready" and bench.keys == ["work"]


def test_s039_the_last_stages_own_artifact_comes_before_the_close_artifacts() -> None:
    bench = Bench(define(turn("work", artifact=PLAN), completion="explicit", close_artifacts=CLOSE), lambda _r: "x")
    assert bench.run().code == "blocked"


def test_close_artifacts_of_an_automatic_run_hold_its_end_back_too() -> None:
    bench = Bench(define(turn("work"), close_artifacts=CLOSE))
    assert bench.run().code == "needs_artifacts"
    bench.artifacts.texts |= {"a.md": "x", "b.md": "B: clean"}
    assert bench.run().status == "completed"


def test_a_person_approves_or_says_what_should_be_different_and_the_next_pass_hears_it() -> None:
    answers = iter(["use blue", "approve"])
    people = ScriptedPeople(lambda _q: next(answers))
    rules = {"approve": {"action": "break"}, "change": {"action": "retry"}}
    ask = {"id": "ok", "kind": "user_checkpoint", "prompt": "good?", "save_as": "wish", "verdict": rules}
    stage = loop(turn("draft", "{{wish}}"), ask, artifact={"file": "req.md", "text": "final"}, max_iterations=5)
    bench = Bench(define(stage), people=people)
    assert bench.run().status == "completed"
    assert bench.prompt("loop[2]/draft") == "use blue" and bench.artifacts.texts == {"req.md": "final"}
    assert people.questions[0].choices == ("approve", "change")
