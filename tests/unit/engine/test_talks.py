"""Conversations: which turn continues which session, what turns used, and what they say by our tools."""

from __future__ import annotations

from typing import Any

from sprintwright.engine.doubles import Act
from sprintwright.engine.ports import Desk, TurnAnswer, TurnRequest
from sprintwright.errors import Operational
from sprintwright.model.records import SetAside
from sprintwright.model.usage import Usage
from tests.unit.engine.support import Bench, define, turn

RULES: dict[str, Any] = {"verdict": {"good": {"action": "break"}, "again": {"action": "retry"}}}


def loop(*body: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": "l", "kind": "loop", "max_iterations": 3, "body": list(body), **more}


def sessions(bench: Bench) -> list[tuple[str, str]]:
    return [(request.key, request.session) for request in bench.agents.requests]


def numbered(bench: Bench, text: str = "again") -> None:
    """Each turn without a session begins a new one."""

    def script(request: TurnRequest) -> TurnAnswer:
        return TurnAnswer(text=text, session=request.session or f"of {request.key}")

    bench.script = script


def test_b127_a_later_pass_continues_its_own_session_and_no_other() -> None:
    bench = Bench(define(loop(turn("a"), turn("b", **RULES), on_exhausted="continue", max_iterations=2)))
    numbered(bench)
    bench.run()
    assert sessions(bench) == [("l[1]/a", ""), ("l[1]/b", ""), ("l[2]/a", "of l[1]/a"), ("l[2]/b", "of l[1]/b")]
    assert bench.agents.left == ["l/"]


def test_each_item_has_its_own_session_and_a_fresh_stage_one_a_pass() -> None:
    items = {
        "id": "s",
        "kind": "loop",
        "over": "Sprint",
        "from": "p",
        "body": [loop(turn("a"), turn("b", session="fresh"), max_iterations=2)],
    }
    bench = Bench(define(turn("p", save_as="p"), items))
    numbered(bench, "## Sprint 1: x\n## Sprint 2: y\n")
    bench.run()
    continued = [(key, session) for key, session in sessions(bench) if session]
    assert continued == [("s[1]/l[2]/a", "of s[1]/l[1]/a"), ("s[2]/l[2]/a", "of s[2]/l[1]/a")]
    assert bench.agents.left == ["p", "s[1]/l[1]/b", "s[1]/l[2]/b", "s[1]/l/", "s[2]/l[1]/b", "s[2]/l[2]/b", "s[2]/l/"]


def test_a_reminder_is_of_the_conversation_of_its_stage_and_a_resume_knows_the_sessions() -> None:
    bench = Bench(define(loop(turn("a", **RULES), max_iterations=2)))
    answers = iter(["no verdict here", "VERDICT: again"])

    def script(request: TurnRequest) -> TurnAnswer:
        text = next(answers, None)
        if text is None:
            raise RuntimeError
        return TurnAnswer(text=text, session=request.session or "s1")

    bench.script = script
    bench.run()
    assert sessions(bench)[:3] == [("l[1]/a", ""), ("l[1]/a/reminder", "s1"), ("l[2]/a", "s1")]
    answers = iter(["VERDICT: good"])
    bench.agents.requests.clear()
    assert bench.run().status == "completed"
    assert sessions(bench) == [("l[2]/a", "s1")]


def test_tokens_warn_at_80_percent_and_stop_the_run_at_its_limit_also_after_a_resume() -> None:
    bench = Bench(define(*(turn(name) for name in "abcde"), limits={"tokens": 100}))
    bench.script = lambda _request: TurnAnswer(text="ok", usage=Usage(input_tokens=30, output_tokens=10))
    end = bench.run()
    assert (end.status, end.code) == ("paused", "limit") and bench.keys == ["a", "b", "c"]
    assert bench.notes() == ["The run has used 80 tokens of 100."]
    assert "120 tokens" in end.reason and "--tokens N" in end.reason
    bench.run()
    assert bench.keys == ["a", "b", "c"]
    assert bench.state.spending.total == Usage(input_tokens=90, output_tokens=30)
    assert bench.state.spending.by_role["w"].tokens == 120


def calls(tool: str, **arguments: Any) -> Act:
    async def act(desk: Desk) -> TurnAnswer | str:
        return (await desk.call(tool, arguments)).text

    return act


def test_k036_exit_loop_ends_the_loop_after_the_turn() -> None:
    bench = Bench(define(loop(turn("a"), turn("b")), turn("c")))
    bench.script = lambda request: calls("exit_loop") if request.key == "l[2]/b" else "ok"
    assert bench.run().status == "completed"
    assert bench.keys == ["l[1]/a", "l[1]/b", "l[2]/a", "l[2]/b", "c"]


def test_k030_the_report_of_the_last_turn_is_the_outcome() -> None:
    bench = Bench(define(turn("a"), outcome="required"))
    bench.script = lambda _request: calls("finish_workflow", summary="All done.", links=["#12"])
    bench.run()
    assert bench.keys == ["a"]
    assert bench.state.report is not None and bench.state.report.links == ("#12",)


def test_k031_an_outcome_that_is_required_and_missing_is_reminded_of_once_and_then_noted() -> None:
    bench = Bench(define(turn("a"), turn("b"), outcome="required"))
    assert bench.run().status == "completed"
    assert bench.keys == ["a", "b", "b/outcome"]
    assert bench.notes() == ["No outcome was reported: stage 'b' did not call finish_workflow."]


def test_r054_r075_an_agent_of_another_version_is_told_of_before_it_acts_and_once_also_after_a_resume() -> None:
    versions = iter(["a 1", "a 1", "a 2", "a 2"])
    stages = [turn(name) for name in ("one", "two", "three", "four")]

    def plays(_request: TurnRequest) -> Act:
        async def act(desk: Desk) -> str:
            desk.plays(next(versions))
            return "ok"

        return act

    bench = Bench(define(*stages), plays)
    bench.run()
    said = "Agent 'a' is another one now: a 2; before it was a 1."
    assert [text for _, text in bench.state.notes] == [said]
    bench.decide("four", SetAside(keys=("four",), reason="rerun"))
    versions = iter(["a 2"])
    bench.run()
    assert [text for _, text in bench.state.notes] == [said]


def test_what_a_conversation_counted_is_handed_to_its_next_turn() -> None:
    counted = Usage(cost=1.0)
    body = turn("x", **RULES)
    bench = Bench(define(loop(body)), lambda _r: TurnAnswer(text="VERDICT: again", session="s", counted=counted))
    bench.run()
    assert [request.counted for request in bench.agents.requests] == [None, counted, counted]


def test_r049_what_failed_turns_used_counts_for_the_run_its_limits_and_after_a_resume() -> None:
    tries = iter([True, False])

    def act(_request: TurnRequest) -> str:
        if next(tries):
            raise Operational("exit", "no", transient=True, usage=Usage(input_tokens=60))
        return "ok"

    stages = (turn("one", retry={"attempts": 2, "wait_seconds": 0}), turn("two"))
    bench = Bench(define(*stages, limits={"tokens": 50}), act)
    end = bench.run()
    assert (end.code, bench.keys) == ("limit", ["one"])
    assert bench.state.spending.total == Usage(input_tokens=60)
    assert bench.make().usage == Usage(input_tokens=60)
