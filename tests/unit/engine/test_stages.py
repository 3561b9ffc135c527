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


def test_m035_without_any_limit_there_is_one_pass() -> None:
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


def items(*headings: str) -> str:
    return "\n".join(f"## Item {heading}" for heading in headings)


def group(plan: str, *body: dict[str, Any], **more: object) -> Bench:
    fan: dict[str, Any] = {
        "id": "g",
        "kind": "parallel_group",
        "over": "Item",
        "from": "plan",
        "save_as": "results",
        **more,
    }
    fan["body"] = list(body) or [turn("build", "{{item}} {{item_section}}", save_as="built")]
    return Bench(
        define(
            fan, turn("b", "{{range results}}[{{.Index}} {{.Status}} {{.Output}} {{.Err}}]{{end}}"), vars={"plan": plan}
        )
    )


@pytest.mark.parametrize(("limit", "most"), [(2, 2), (0, 1), (9, 4)])
def test_m064_never_more_items_at_once_than_allowed(limit: int, most: int) -> None:
    bench, now, seen = group(items("1", "2", "3", "4"), max_concurrency=limit), 0, 0

    class Counting:
        def traits(self, agent: str) -> AgentTraits:
            return AgentTraits(writes=False)

        async def turn(self, request: TurnRequest, output: object) -> TurnAnswer:
            nonlocal now, seen
            now += 1
            seen = max(seen, now)
            for _ in range(5):
                await asyncio.sleep(0)
            now -= 1
            return TurnAnswer(text="x")

    bench.agents = Counting()  # pyright: ignore[reportAttributeAccessIssue]
    bench.run()
    assert seen == most


def test_m065_a_dependent_item_starts_when_the_other_has_ended() -> None:
    bench = group(items("1 (depends_on: 2)", "2"), max_concurrency=4)
    bench.run()
    assert bench.keys == ["g[2]/build", "g[1]/build", "b"]


def test_m066_m067_a_failing_item_is_a_value_and_blocks_only_its_dependents() -> None:
    bench = group(items("1", "2 (depends_on: 1)", "3"), max_concurrency=4)

    def script(request: TurnRequest) -> str:
        if request.key.startswith("g[1]"):
            raise Operational("exit", "broke down")
        return "made"

    bench.script = script
    assert bench.run().status == "completed"
    told = bench.prompt("b")
    assert "[1 error  broke down]" in told and "[3  made ]" in told
    assert "[2 blocked  Blocked by Item 1" in told
    assert bench.state.nodes["g[1]"].status == "failed" and bench.state.nodes["g[2]"].status == "blocked"


def test_m068_the_aggregate_is_in_the_order_of_the_headings() -> None:
    bench = group(items("3", "1", "2"), max_concurrency=4)
    bench.script = lambda r: f"made {r.prompt[0]}"
    bench.run()
    assert bench.prompt("b") == "[3  made 3 ][1  made 1 ][2  made 2 ]"


def test_m069_an_items_status_and_output_come_from_inside_its_loop() -> None:
    loop = {**LOOP, "body": [turn("build", save_as="built"), turn("judge", verdict=JUDGE)]}
    bench = group(items("1"), loop)
    bench.script = lambda r: "VERDICT: good" if "judge" in r.key else "made"
    bench.run()
    assert bench.prompt("b") == "[1 break made ]"


def test_m070_what_an_item_saves_stays_with_it() -> None:
    bench = group(
        items("1", "2"), turn("build", "{{built}}", save_as="built"), turn("see", "{{built}}"), max_concurrency=2
    )
    bench.definition = define(
        *[s.model_dump(by_alias=True) for s in bench.definition.stages],
        turn("end", "<{{built}}>"),
        vars=bench.definition.vars,
    )
    bench.script = lambda r: r.key
    bench.run()
    assert bench.prompt("g[2]/build") == "" and bench.prompt("g[2]/see") == "g[2]/build" and bench.prompt("end") == "<>"


@pytest.mark.parametrize(
    ("headings", "words"),
    [
        (("1 (depends_on: 2)", "2 (depends_on: 1)"), ("1", "2")),
        (("1", "2 (depends_on: 9)"), ("2", "9")),
        (("1", "1"), ("1",)),
        (("1 (depends_on: 1)",), ("1",)),
    ],
    ids=["m030-cycle", "m031-unknown", "m032-twice", "itself"],
)
def test_m030_m031_m032_a_bad_collection_is_an_error_before_any_item(
    headings: tuple[str, ...], words: tuple[str, ...]
) -> None:
    bench = group(items(*headings))
    end = bench.run()
    assert end.status == "failed" and end.code == "collection" and not bench.keys
    assert all(word in end.reason for word in words)


def test_m029_d017_a_group_without_headings_is_skipped_visibly() -> None:
    bench = group("no headings here")
    assert bench.run().status == "completed" and bench.keys == ["b"]
    node = bench.state.nodes["g"]
    assert node.status == "skipped" and "Item" in node.detail


def test_m022_m028_a_loop_goes_over_the_numbers_of_its_headings_or_once() -> None:
    loop = {
        "id": "s",
        "kind": "loop",
        "over": "Sprint",
        "from": "plan",
        "body": [turn("a", "{{sprint}}:{{sprint_section}}")],
    }
    bench = Bench(define(loop, vars={"plan": "## Sprint 1\none\n## Sprint 3\nthree"}))
    bench.run()
    assert bench.keys == ["s[1]/a", "s[3]/a"]
    assert "one" in bench.prompt("s[1]/a") and "three" not in bench.prompt("s[1]/a")
    bench = Bench(define(loop, vars={"plan": "none"}))
    bench.run()
    assert bench.keys == ["s[1]/a"] and bench.prompt("s[1]/a") == "1:"


def test_r047_resume_runs_only_failed_and_blocked_items() -> None:
    names = [f"{n} (depends_on: {n - 30})" if n > 80 else str(n) for n in range(1, 101)]
    bench, broken = group(items(*names), max_concurrency=10), True

    def script(request: TurnRequest) -> str:
        number = int(request.key[2:].partition("]")[0]) if request.key.startswith("g[") else 0
        if broken and 51 <= number <= 80:  # two equal failures in a row would stop the run
            raise Operational("empty_answer" if number % 2 else "truncated", "no")
        if broken and request.key == "b":
            raise Operational("exit", "no")
        return "made"

    bench.script = script
    assert bench.run().status == "failed"
    statuses = [bench.state.nodes[f"g[{n}]"].status for n in range(1, 101)]
    assert statuses.count("failed") == 30 and statuses.count("blocked") == 20 and statuses.count("done") == 50
    broken, before = False, len(bench.keys)
    assert bench.run().status == "completed"
    assert sorted(bench.keys[before:]) == sorted([*(f"g[{n}]/build" for n in range(51, 101)), "b"])


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


def test_m019_a_collection_is_parsed_from_the_whole_text() -> None:
    plan = "\n".join(f"## Item {n}\n" + "x" * 1_400 for n in range(1, 11))
    bench = group(plan, max_concurrency=4)
    bench.run()
    assert len(bench.keys) == 11


def test_an_error_finding_contradicts_a_good_verdict() -> None:
    bench = judged("a.py:3: error: broken\nVERDICT: good", "good")
    bench.run()
    assert bench.keys.count("l[2]/build") == 1


def test_r046_a_fault_of_ours_ends_this_run_in_words() -> None:
    def script(_request: TurnRequest) -> str:
        raise ZeroDivisionError("oh")

    end = Bench(define(turn("a")), script).run()
    assert (end.status, end.code) == ("failed", "internal_error") and "ZeroDivisionError" in end.reason


def test_m077_an_item_that_is_done_anew_leaves_its_siblings_results_alone() -> None:
    bench, broken = group(items("1", "2", "3"), max_concurrency=3), True

    def script(request: TurnRequest) -> str:
        if broken and request.key in ("g[1]/build", "b"):
            raise Operational("exit", "no")
        return "made"

    bench.script = script
    assert bench.run().status == "failed"
    broken, before = False, len(bench.keys)
    assert bench.run().status == "completed"
    assert bench.keys[before:] == ["g[1]/build", "b"]
