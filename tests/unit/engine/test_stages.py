"""Stages, row by row of behaviours-milk.md section 8."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sprintwright.engine.doubles import InMemoryWorkspace, ScriptedChecks, ScriptedPeople
from sprintwright.engine.ports import AgentTraits, TurnAnswer, TurnRequest
from sprintwright.engine.walk import walk_run
from sprintwright.errors import Operational
from sprintwright.model.changes import Change
from sprintwright.model.finding import Finding
from sprintwright.model.records import Decided, Record
from tests.unit.engine.support import JUDGE, Bench, define, turn

LOOP: dict[str, Any] = {"id": "l", "kind": "loop", "max_iterations": 5, "iteration_var": "pass"}


def judged(*verdicts: str, limit: int = 5, rules: dict[str, object] | None = None) -> Bench:
    """A loop of build and judge, with the judge's answers in order (the last one for all further ones)."""
    given = iter([*verdicts, *[verdicts[-1]] * 20])

    def script(request: TurnRequest) -> str:
        return next(given) if "judge" in request.key else "built"

    body = [turn("build", "pass {{pass}}: {{remarks}}"), turn("judge", verdict=rules or JUDGE, save_as="remarks")]
    return Bench(define({**LOOP, "max_iterations": limit, "body": body}, turn("after")), script)


def test_m012_a_saved_output_hides_a_var_of_the_same_name() -> None:
    bench = Bench(define(turn("a", "{{x}}", save_as="x"), turn("b", "{{x}}"), vars={"x": "first"}), lambda _r: "later")
    bench.run()
    assert [bench.prompt("a"), bench.prompt("b")] == ["first", "later"]


def test_m013_braces_in_a_task_reach_the_agent_to_the_letter() -> None:
    task = "{{plan}} ${A} {b?} %s {0.__class__}"
    bench = Bench(define(turn("a", "{{task}}", save_as="plan"), turn("b", "{{plan}}")), lambda r: r.prompt, task=task)
    bench.run()
    assert bench.prompt("a") == task and bench.prompt("b") == task


def test_m015_a_name_saved_later_in_the_body_is_empty_on_the_first_pass() -> None:
    bench = judged("again", "VERDICT: good")
    bench.run()
    assert bench.prompt("l[1]/build") == "pass 1: " and bench.prompt("l[2]/build") == "pass 2: again"


@pytest.mark.parametrize(
    ("text", "limit"),
    [(" n:  4 ", 4), ("n: abc", 2), ("n: 0", 2), ("", 2)],
    ids=["m033", "m034", "m034-0", "m034-none"],
)
def test_m033_m034_the_limit_comes_from_the_plan_else_from_the_definition(text: str, limit: int) -> None:
    loop = {**LOOP, "max_iterations": 2, "max_iterations_from": "n", "from": "plan"}
    loop["body"] = [turn("judge", "{{n}}", verdict=JUDGE)]
    bench = Bench(define(loop, vars={"plan": text}), lambda _r: "again")
    bench.run()
    assert len(bench.keys) == limit and bench.prompt("l[1]/judge") == str(limit)


def test_m035_b123_without_any_limit_there_is_one_pass() -> None:
    loop = {**LOOP, "max_iterations": 0, "max_iterations_from": "n", "body": [turn("judge", verdict=JUDGE)]}
    bench = Bench(define(loop), lambda _r: "again")
    assert bench.run().status == "not_converged" and len(bench.keys) == 1


def test_m038_a_rule_with_warn_says_so_and_acts() -> None:
    bench = judged("nothing said", "nothing again", "VERDICT: good")
    assert bench.run().status == "completed"
    assert any("'unknown'" in note and "'judge'" in note and "'retry'" in note for note in bench.notes())


def test_m039_no_verdict_and_no_rule_for_it_fails_the_leaf_and_can_be_resumed() -> None:
    rules: dict[str, object] = {"good": {"action": "break"}, "again": {"action": "retry"}}
    bench = judged("hm", "hm", "VERDICT: good", rules=rules)
    end = bench.run()
    assert end.status == "failed" and "'good'" in end.reason and end.stage == "l[1]/judge/reminder"
    assert bench.run().status == "completed"
    assert bench.keys == ["l[1]/build", "l[1]/judge", "l[1]/judge/reminder", "l[1]/judge/reminder", "after"]


def test_m040_a_second_pass_then_the_next_stage() -> None:
    bench = judged("again", "good")
    assert bench.run().status == "completed"
    assert bench.keys == ["l[1]/build", "l[1]/judge", "l[2]/build", "l[2]/judge", "after"]


def test_m041_b121_a_loop_that_never_converges_ends_at_its_limit_with_no_further_turn() -> None:
    bench = judged("again", limit=3)
    end = bench.run()
    assert end.status == "not_converged" and "'l'" in end.reason and "3" in end.reason
    assert len(bench.keys) == 6 and "after" not in bench.keys


def test_m042_a_higher_limit_goes_on_with_the_next_pass() -> None:
    bench = judged("again", "again", "good", limit=2)
    bench.run()
    before = list(bench.keys)
    bench.records.append(Record(len(bench.records) + 1, "", "l", Decided(what="limit", number=4)))
    assert bench.run().status == "completed"
    assert bench.keys[len(before) :] == ["l[3]/build", "l[3]/judge", "after"]


@pytest.mark.parametrize(
    ("answer", "status", "passes"), [("more", "completed", 3), ("accept", "completed", 2), ("stop", "not_converged", 2)]
)
def test_m043_a_used_up_loop_can_ask(answer: str, status: str, passes: int) -> None:
    bench = judged("again", "again", "good", limit=2)
    bench.definition = define(
        {**LOOP, "max_iterations": 2, "on_exhausted": "ask", "body": [turn("judge", verdict=JUDGE)]}
    )
    bench.people = ScriptedPeople(lambda _q: answer)
    assert bench.run().status == status and len(bench.keys) == passes


def test_m041_reminder_is_not_a_pass() -> None:
    bench = judged("I looked.", "good")
    assert bench.run().status == "completed"
    assert bench.keys == ["l[1]/build", "l[1]/judge", "l[1]/judge/reminder", "after"]
    assert "> I looked." in bench.prompt("l[1]/judge/reminder") and "good, again" in bench.prompt("l[1]/judge/reminder")


def test_a_loop_whose_verdict_was_skipped_ends_visibly() -> None:
    body = [turn("judge", verdict=JUDGE, run_unless_marker_in="skip", run_unless_contains="YES")]
    bench = Bench(define({**LOOP, "body": body}, vars={"skip": "YES"}))
    assert bench.run().status == "completed" and bench.left()["l"] == "verdict_skipped"
    assert any("no verdict" in note for note in bench.notes())


def test_a_loop_without_a_verdict_goes_to_its_limit() -> None:
    bench = Bench(define({**LOOP, "max_iterations": 3, "body": [turn("a")]}))
    assert bench.run().status == "completed" and len(bench.keys) == 3


MARKED = turn(
    "d", "plan {{task}}", save_as="plan", skip_user_checkpoint_marker="NO_Q",
    on_answer_prompt="{{d_questions}} + {{d_answer}}",
)  # fmt: skip


def test_m049_the_text_behind_the_marker_is_the_answer() -> None:
    bench = Bench(define(MARKED, turn("b", "{{plan}}")), lambda _r: "thinking\n no_q \nthe plan")
    bench.run()
    assert bench.keys == ["d", "b"] and bench.prompt("b") == "the plan"


def test_m050_a_marker_within_a_sentence_does_not_count() -> None:
    bench = Bench(define(MARKED), lambda r: "there is NO_Q here" if r.key == "d" else "plan")
    bench.run()
    assert len(bench.people.questions) == 1


@pytest.mark.parametrize("answer", ["42", ""], ids=["m051", "m052"])
def test_m051_m052_questions_lead_to_a_second_turn_with_both(answer: str) -> None:
    bench = Bench(define(MARKED, turn("b", "{{plan}}")), lambda r: "Q1?" if r.key == "d" else "NO_Q\nfinal")
    bench.people = ScriptedPeople(lambda _q: answer)
    bench.run()
    assert bench.keys == ["d", "d/second_turn", "b"]
    assert bench.prompt("d/second_turn") == f"Q1? + {answer}" and bench.prompt("b") == "NO_Q\nfinal"


def test_m053_m054_with_nobody_there_the_run_parks_and_asks_again_later() -> None:
    bench = Bench(define(MARKED), lambda r: "Q1?" if r.key == "d" else "final")
    bench.people = ScriptedPeople(lambda _q: None)
    end = bench.run()
    assert end.status == "paused" and end.stage == "d/question"
    bench.people = ScriptedPeople(lambda _q: "now")
    assert bench.run().status == "completed" and bench.keys == ["d", "d/second_turn"]
    assert len(bench.people.questions) == 1


def test_a_marker_stage_that_gives_nothing_is_an_error_and_no_empty_question() -> None:
    bench = Bench(define(MARKED), lambda _r: " \n")
    end = bench.run()
    assert end.status == "failed" and end.code == "empty_answer" and not bench.people.questions


def test_a_marker_without_a_second_prompt_still_sends_one_that_says_something() -> None:
    bench = Bench(define({**MARKED, "on_answer_prompt": ""}), lambda r: "Q1?" if r.key == "d" else "x")
    bench.people = ScriptedPeople(lambda _q: "A1")
    bench.run()
    assert all(word in bench.prompt("d/second_turn") for word in ("the task", "Q1?", "A1"))


def test_m055_an_answer_reaches_a_later_prompt() -> None:
    ask = {"id": "u", "kind": "user_checkpoint", "prompt": "Well, {{task}}?", "save_as": "said"}
    bench = Bench(define(ask, turn("b", "{{said}}")))
    bench.people = ScriptedPeople(lambda q: f"x:{q.text}")
    bench.run()
    assert bench.prompt("b") == "x:Well, the task?"


def test_m056_a_cancelled_question_ends_at_once_as_cancelled() -> None:
    async def act() -> None:
        class Silent(ScriptedPeople):
            async def ask(self, question: object) -> None:
                asked.set()
                await asyncio.Event().wait()

        asked = asyncio.Event()
        bench = Bench(define({"id": "u", "kind": "user_checkpoint", "prompt": "?"}))
        bench.people = Silent()
        task = asyncio.create_task(walk_run(bench.make()))
        await asked.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert bench.journal.records[-1].payload.model_dump()["status"] == "cancelled"

    asyncio.run(act())


def test_m058_a_blank_answer_is_replaced_by_what_changed_new_files_too() -> None:
    changed = (Change(path="a.py", status="modified"), Change(path="new.py", status="added"))
    stage = turn("a", save_as="out", empty_output_fallback="git_diff")
    bench = Bench(define(stage, turn("b", "{{out}}")), lambda r: "" if r.key == "a" else "x", traits=AgentTraits())
    bench.workspace = InMemoryWorkspace(changed, "+line")
    bench.run()
    assert all(word in bench.prompt("b") for word in ("a.py", "new.py", "+line"))


def test_m059_a_real_answer_stays() -> None:
    bench = Bench(
        define(turn("a", save_as="out", empty_output_fallback="git_diff"), turn("b", "{{out}}")), lambda _r: "said"
    )
    bench.run()
    assert bench.prompt("b") == "said"


def test_m060_nothing_changed_is_a_sentence() -> None:
    stage = turn("a", save_as="out", empty_output_fallback="git_diff")
    bench = Bench(define(stage, turn("b", "{{out}}")), lambda r: "" if r.key == "a" else "x", traits=AgentTraits())
    bench.run()
    assert "changed no files" in bench.prompt("b")


def test_an_empty_answer_that_is_needed_is_an_error() -> None:
    bench = Bench(define(turn("a", save_as="out"), turn("b", "{{out}}")), lambda _r: "")
    end = bench.run()
    assert end.status == "failed" and "'out'" in end.reason and bench.keys == ["a"]


GATED = turn("fix", run_unless_marker_in="found", run_unless_contains="NO_ISSUES")


def test_m061_a_skip_is_a_leaf_with_its_reason() -> None:
    bench = Bench(define(turn("look", save_as="found"), GATED), lambda _r: "fine\n no_issues ")
    assert bench.run().status == "completed" and bench.keys == ["look"]
    assert bench.state.nodes["fix"].status == "skipped" and "NO_ISSUES" in bench.state.nodes["fix"].detail
    records = len(bench.records)
    bench.run()
    assert len(bench.records) == records


def test_m062_m063_without_the_line_or_the_variable_the_stage_runs() -> None:
    bench = Bench(define(turn("look", save_as="found"), GATED), lambda _r: "there is NO_ISSUES in here")
    bench.run()
    assert bench.keys == ["look", "fix"]
    bench = Bench(define(GATED))
    bench.run()
    assert bench.keys == ["fix"]


def check(**more: object) -> dict[str, object]:
    return {"id": "c", "kind": "check", "commands": [["x"]], **more}


def test_a_check_gives_its_verdict_by_exit_status() -> None:
    outcomes = iter([False, True])
    finding = Finding(message="bad", path="a.py", line=1, severity="error")
    bench = Bench(define({**LOOP, "body": [turn("build", "{{previous}}"), check(verdict=JUDGE)]}))
    bench.checks = ScriptedChecks(lambda _r: TurnAnswer(text="out", passed=next(outcomes), findings=(finding,)))
    assert bench.run().status == "completed"
    assert bench.keys == ["l[1]/build", "l[2]/build"] and bench.prompt("l[2]/build") == "out"


def test_a_failing_check_without_keys_ends_the_run_and_is_done_again_on_resume() -> None:
    passed = False
    bench = Bench(define(check(), turn("b")))
    bench.checks = ScriptedChecks(lambda _r: TurnAnswer(text="1 failed", passed=passed))
    end = bench.run()
    assert end.status == "failed" and "1 failed" in end.reason
    passed = True
    assert bench.run().status == "completed" and bench.keys == ["b"]


def test_an_agent_of_real_commands_gets_no_reminder() -> None:
    bench = Bench(
        define({**LOOP, "max_iterations": 1, "on_exhausted": "continue", "body": [turn("judge", verdict=JUDGE)]})
    )
    bench.agents = Bench(
        bench.definition, lambda _r: TurnAnswer(text="", passed=False), traits=AgentTraits(reminded=False)
    ).agents
    assert bench.run().status == "completed"
    assert bench.value("l[1]/judge")["verdict"] == {"key": "again", "source": "check", "action": "retry"}


def test_retry_tries_an_operational_failure_again_and_uses_up_no_pass() -> None:
    calls = 0

    def script(_request: TurnRequest) -> str:
        nonlocal calls
        calls += 1
        if calls < 3:
            raise Operational("rate_limit", "later")
        return "ok"

    bench = Bench(define(turn("a", retry={"attempts": 3, "wait_seconds": 60}), turn("b")), script)
    assert bench.run().status == "completed" and bench.keys == ["a", "a", "a", "b"]
    assert [failure.final for failure in bench.failures()] == [False, False]


def test_m075_a_failed_stage_is_performed_again_and_sees_what_was_before() -> None:
    broken = True

    def script(request: TurnRequest) -> str:
        if request.key == "b" and broken:
            raise Operational("exit", "no")
        return f"by {request.key}"

    bench = Bench(define(turn("a", save_as="out"), turn("b", "{{out}}", retry={"attempts": 1})), script)
    end = bench.run()
    assert (end.status, end.code, end.stage) == ("failed", "exit", "b")
    broken = False
    bench.run()
    assert bench.keys == ["a", "b", "b"] and bench.prompt("b") == "by a"


def test_b055_what_was_not_reached_is_not_started() -> None:
    def script(_request: TurnRequest) -> str:
        raise Operational("spawn", "no")

    bench = Bench(define(*(turn(name) for name in "abcde")), script)
    bench.run()
    assert [bench.state.nodes[name].status for name in "abcde"] == ["failed", *["not_started"] * 4]


def test_an_artifact_is_written_from_the_answer_and_an_empty_one_is_refused() -> None:
    bench = Bench(
        define(
            turn("a", artifact="plan.md"),
            turn("b", artifact={"file": "n.md", "text": "{{nothing}}"}),
            vars={"nothing": ""},
        )
    )
    end = bench.run()
    assert bench.artifacts.texts == {"plan.md": "ok"}
    assert end.status == "failed" and end.code == "artifact" and "n.md" in end.reason


@pytest.mark.parametrize("name", ["../x", "journal.jsonl", "a/b", ""])
def test_an_artifact_name_that_is_no_plain_name_is_refused(name: str) -> None:
    bench = Bench(define(turn("a", artifact="{{n}}"), vars={"n": name}))
    assert bench.run().code == "artifact" and not bench.artifacts.texts


def test_a_turn_limit_parks_the_run() -> None:
    bench = Bench(define(*(turn(name) for name in "abc"), limits={"turns": 2}))
    end = bench.run()
    assert (end.status, end.code) == ("paused", "limit") and bench.keys == ["a", "b"]


def test_a_value_over_the_budget_is_kept_whole_beside_the_prompt() -> None:
    bench = Bench(
        define(turn("a", save_as="out"), turn("b", "{{out}}")), lambda r: "x" * 12_001 if r.key == "a" else "y"
    )
    bench.run()
    assert len(bench.prompt("b")) < 12_001 and "whole/12001" in bench.prompt("b")
    assert bench.artifacts.whole == ["x" * 12_001]


def test_an_error_finding_contradicts_a_good_verdict() -> None:
    bench = judged("a.py:3: error: broken\nVERDICT: good", "good")
    bench.run()
    assert bench.keys.count("l[2]/build") == 1


def test_r046_a_fault_of_ours_ends_this_run_in_words() -> None:
    def script(_request: TurnRequest) -> str:
        raise ZeroDivisionError("oh")

    end = Bench(define(turn("a")), script).run()
    assert (end.status, end.code) == ("failed", "internal_error") and "ZeroDivisionError" in end.reason
