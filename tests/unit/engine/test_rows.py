"""Rows of the behaviours papers that the engine alone holds."""

from __future__ import annotations

import asyncio
from typing import Any

from sprintwright.engine.doubles import ScriptedPeople
from sprintwright.engine.ports import Question
from sprintwright.engine.walk import walk_run
from sprintwright.errors import Operational
from sprintwright.model.records import Finished, Started
from sprintwright.state.fold import fold
from tests.unit.engine.support import JUDGE, Bench, define, turn

ROUNDS = {"clean": {"action": "break"}, "blocking": {"action": "retry"}, "unknown": {"action": "retry"}}


def loop(*body: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "loop", "kind": "loop", "max_iterations": 3, "iteration_var": "pass", "body": list(body), **more}


def review_loop() -> dict[str, Any]:
    build = turn("build", "pass {{pass}}{{if review}}: {{review}}{{end}}")
    review = turn("review", save_as="review", verdict=ROUNDS, artifact="loop-review-{{pass}}.md")
    return loop(build, review, on_exhausted="ask")


def cut_before(bench: Bench, key: str) -> Bench:
    """The same run, dead just before a leaf began."""
    place = next(n for n, r in enumerate(bench.records) if r.key == key and isinstance(r.payload, Started))
    return Bench(bench.definition, bench.script, people=bench.people, records=bench.records[:place])


def test_s030_s031_s048_a_run_that_dies_in_the_loop_goes_on_with_the_review_or_with_the_build_that_mends() -> None:
    bench = Bench(define(review_loop()), lambda r: "bad\nblocking" if r.key == "loop[1]/review" else "clean")
    bench.run()
    assert bench.artifacts.texts["loop-review-1.md"] == "bad\nblocking"
    reviewing, building = cut_before(bench, "loop[1]/review"), cut_before(bench, "loop[2]/build")
    reviewing.run()
    assert reviewing.keys[0] == "loop[1]/review"
    building.run()
    assert building.keys[0] == "loop[2]/build" and building.prompt("loop[2]/build") == "pass 2: bad\nblocking"


def test_s036_s037_m089_a_turn_that_fails_is_no_verdict_and_uses_up_no_round() -> None:
    def script(request: Any) -> str:
        if request.key == "loop[1]/review" and bench.keys.count("loop[1]/review") == 1:
            raise Operational("truncated", "cut off by its budget: clean")
        return "clean"

    bench = Bench(define(review_loop()), script)
    end = bench.run()
    assert (end.status, end.code, end.stage) == ("failed", "truncated", "loop[1]/review")
    assert "loop-review-1.md" not in bench.artifacts.texts
    assert bench.run().status == "completed"
    assert [key for key in bench.keys if "review" in key] == ["loop[1]/review", "loop[1]/review"]


def test_s049_a_used_up_loop_that_is_resumed_asks_again_and_starts_nothing() -> None:
    people = ScriptedPeople(lambda _q: "stop")
    bench = Bench(define(review_loop()), lambda _r: "blocking", people=people)
    first = bench.run()
    calls = len(bench.keys)
    assert bench.run() == first and len(bench.keys) == calls == 6
    assert len(people.questions) == 2 and "3 passes" in people.questions[1].text


def test_s024_s059_the_records_alone_are_the_run_and_a_fresh_machine_goes_on_from_them() -> None:
    bench = Bench(define(turn("a", save_as="x"), turn("b", "{{x}}"), turn("c")), lambda r: f"by {r.key}")
    bench.run()
    for number in range(2, len(bench.records)):
        fresh = Bench(bench.definition, bench.script, records=bench.records[:number])
        assert fresh.run().status == "completed"
        assert "b" not in fresh.keys or fresh.prompt("b") == "by a"
        assert fold(fresh.records).status == "completed"


def test_k028_r001_dying_at_the_first_of_two_stages_shows_one_failed_and_one_not_started() -> None:
    def script(_request: Any) -> str:
        raise Operational("sign_in", "not signed in")

    bench = Bench(define(turn("a"), turn("b")), script)
    assert bench.run().status == "failed"
    nodes = bench.state.nodes
    assert (nodes["a"].status, nodes["b"].status) == ("failed", "not_started")


def test_k035_each_pass_and_each_stage_of_it_is_shown_under_one_loop() -> None:
    bench = Bench(define(loop(turn("b"), turn("c", verdict=JUDGE))), lambda r: "good" if "[2]" in r.key else "again")
    bench.run()
    assert bench.state.children["loop"] == ["loop[1]", "loop[2]"]
    assert bench.state.children["loop[1]"] == ["loop[1]/b", "loop[1]/c"]


def test_k037_k038_a_loop_without_a_verdict_goes_to_its_limit_and_on() -> None:
    bench = Bench(define(loop(turn("b")), turn("next")))
    assert bench.run().status == "completed"
    assert bench.keys == ["loop[1]/b", "loop[2]/b", "loop[3]/b", "next"]
    unlimited = Bench(define({"id": "l", "kind": "loop", "body": [turn("b")]}))
    unlimited.run()
    assert unlimited.keys == ["l[1]/b"]


def test_k039_words_about_the_end_of_a_loop_end_nothing() -> None:
    bench = Bench(
        define(loop(turn("b"), turn("c", verdict=JUDGE))),
        lambda r: "break, exit_loop, done" if r.key.endswith("b") else "again",
    )
    assert bench.run().status == "not_converged" and bench.keys.count("loop[3]/b") == 1


def test_k051_r024_an_error_with_the_word_cancel_is_a_failure_and_a_cancel_is_a_state() -> None:
    def script(_request: Any) -> str:
        raise Operational("sign_in", "the request was cancelled by the vendor")

    bench = Bench(define(turn("a")), script)
    assert bench.run().status == "failed"


def test_m045_m048_the_next_sprint_begins_at_pass_one_and_without_the_findings_of_the_last() -> None:
    passes = loop(
        turn("generator", "s{{sprint}} p{{pass}}{{if and (gt pass 1) findings}} {{findings}}{{end}}"),
        turn("evaluator", save_as="findings", verdict=JUDGE),
    )
    sprints = {"id": "sprints", "kind": "loop", "over": "Sprint", "from": "task", "body": [passes]}
    answers = iter(["built", "first is bad\nagain", "built", "good", "built", "good"])
    bench = Bench(define(sprints), lambda _r: next(answers), task="## Sprint 1\n\n## Sprint 2\n")
    assert bench.run().status == "completed"
    assert bench.prompt("sprints[1]/loop[2]/generator") == "s1 p2 first is bad\nagain"
    assert bench.prompt("sprints[2]/loop[1]/generator") == "s2 p1"


def test_m076_killed_in_the_evaluator_of_pass_two_redoes_only_that() -> None:
    bench = Bench(
        define(loop(turn("g"), turn("e", "pass {{pass}}", verdict=JUDGE))),
        lambda r: "good" if "[2]" in r.key else "again",
    )
    bench.run()
    place = next(n for n, r in enumerate(bench.records) if r.key == "loop[2]/e" and isinstance(r.payload, Finished))
    again = Bench(bench.definition, bench.script, records=bench.records[:place])
    assert again.run().status == "completed"
    assert again.keys == ["loop[2]/e"] and again.prompt("loop[2]/e") == "pass 2"


def test_m080_a_template_with_nothing_to_write_is_an_error_that_names_the_file_and_no_empty_prompt() -> None:
    bench = Bench(
        define(turn("a", artifact={"file": "plan.md", "text": "{{nothing}}"}), turn("b"), vars={"nothing": ""})
    )
    end = bench.run()
    assert (end.status, end.code) == ("failed", "artifact") and "plan.md" in end.reason and bench.keys == ["a"]


def test_k043_a_cancel_in_a_question_ends_the_run_as_cancelled_and_nothing_starts_after_it() -> None:
    bench = Bench(define({"id": "ask", "kind": "user_checkpoint", "prompt": "?"}, turn("b")))
    asked = asyncio.Event()

    class Thinking(ScriptedPeople):
        async def ask(self, question: Question) -> None:
            asked.set()
            await asyncio.Event().wait()

    bench.people = Thinking()
    run = bench.make()

    async def cancel() -> None:
        task = asyncio.ensure_future(walk_run(run))
        await asked.wait()
        task.cancel()
        await asyncio.wait({task})

    asyncio.run(cancel())
    bench.records = bench.journal.records
    assert bench.state.status == "cancelled" and bench.keys == []
