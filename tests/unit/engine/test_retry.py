"""Tries after an operational failure (behaviours-ask.md section 2.5)."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sprintwright.engine.ports import TurnRequest
from sprintwright.engine.retry import attempts_of, is_transient, wait_before
from sprintwright.errors import Cause, Operational
from sprintwright.model.definition import Retry
from sprintwright.model.records import Failed, Started, Waiting
from tests.unit.engine.lab import Lab, settle
from tests.unit.engine.support import JUDGE, Bench, define, turn


class Flaky:
    """An agent that fails so often, each time with the next of these causes; then it answers."""

    def __init__(self, *causes: Cause, **data: Any) -> None:
        self.causes, self.data, self.calls = list(causes), data, 0

    def __call__(self, request: TurnRequest) -> str:
        self.calls += 1
        if self.causes:
            raise Operational(self.causes.pop(0), f"failure {self.calls}", **self.data)
        return f"by {request.key}"


def test_k045_two_transient_failures_and_a_success_take_waits_of_about_one_and_two_seconds() -> None:
    async def act() -> None:
        lab = Lab(define(turn("a")), Flaky("exit", "timeout"))
        walk = lab.walk()
        await lab.clock.to(0.999)
        assert lab.attempts() == [("a", 1)]
        await lab.clock.to(1)
        assert lab.attempts() == [("a", 1), ("a", 2)]
        await lab.clock.to(2.999)
        assert len(lab.attempts()) == 2 and lab.now().status == "waiting"
        await lab.clock.to(3)
        assert (await walk).status == "completed" and lab.attempts() == [("a", 1), ("a", 2), ("a", 3)]
        assert lab.waits() == [("a", "exit", 1), ("a", "timeout", 2)]

    asyncio.run(act())


@pytest.mark.parametrize(
    ("number", "chance", "more", "seconds"),
    [
        (2, 0.0, {}, 0), (2, 0.5, {}, 1), (2, 1.0, {}, 2), (3, 0.0, {}, 0), (3, 1.0, {}, 4), (4, 0.5, {}, 4),
        (9, 0.5, {}, 60), (9, 1.0, {}, 120), (10**6, 0.5, {}, 60), (10**6, 0.5, {"wait_seconds": 0}, 0),
        (2, 0.9, {"jitter": 0}, 1), (3, 0.1, {"jitter": 0, "factor": 3}, 3), (2, 1.0, {"jitter": 0.5}, 1.5),
        (2, 0.5, {"wait_seconds": 3600}, 60),
    ],
)  # fmt: skip
def test_k045_a_wait_is_drawn_between_nothing_and_twice_its_length(
    number: int, chance: float, more: dict[str, float], seconds: float
) -> None:
    assert wait_before(Retry.model_validate(more), number, chance) == pytest.approx(seconds)


def test_k046_three_failures_fail_the_run_after_three_attempts() -> None:
    agent = Flaky("exit", "exit", "exit", "exit")
    bench = Bench(define(turn("a"), turn("b")), agent)
    end = bench.run()
    assert (end.status, end.code, end.reason, end.stage) == ("failed", "exit", "failure 3", "a") and agent.calls == 3
    assert [failed.final for failed in bench.failures()] == [False, False, True]


@pytest.mark.parametrize(("attempts", "tries"), [(-1, 1), (-9, 1), (1, 1), (2, 2), (0, 3), (5, 5)])
def test_k047_attempts_zero_is_the_default_and_a_negative_number_one_try(attempts: int, tries: int) -> None:
    causes: list[Cause] = ["exit"] * 9
    agent = Flaky(*causes)
    assert Bench(define(turn("a", retry={"attempts": attempts})), agent).run().status == "failed"
    assert agent.calls == tries == attempts_of(Retry(attempts=attempts))


@pytest.mark.parametrize(
    "cause", ["sign_in", "permission", "artifact", "no_recording", "truncated", "empty_answer", "stopped", "spawn"]
)
def test_k048_what_another_try_can_not_mend_has_one_attempt(cause: Cause) -> None:
    agent = Flaky(cause)
    bench = Bench(define(turn("a")), agent)
    assert bench.run().code == cause and agent.calls == 1 and [failed.final for failed in bench.failures()] == [True]


def test_r031_a_spawn_that_lacked_only_resources_is_tried_again() -> None:
    assert is_transient(Operational("spawn", "no", transient=True)) and not is_transient(Operational("spawn", "no"))
    agent = Flaky("spawn", transient=True)
    assert Bench(define(turn("a")), agent).run().status == "completed" and agent.calls == 2


def test_an_answer_without_a_verdict_is_not_tried_again_after_its_one_reminder() -> None:
    rules = {key: rule for key, rule in JUDGE.items() if key != "unknown"}
    loop = {"id": "l", "kind": "loop", "max_iterations": 1, "body": [turn("judge", verdict=rules)]}
    bench = Bench(define(loop), lambda _request: "nothing to say")
    end = bench.run()
    assert end.code == "protocol" and bench.keys == ["l[1]/judge", "l[1]/judge/reminder"]


def test_k049_the_next_stage_gets_the_good_answer_only() -> None:
    agent = Flaky("truncated", transient=True)
    bench = Bench(define(turn("a", save_as="out"), turn("b", "{{out}}")), agent)
    assert bench.run().status == "completed" and bench.prompt("b") == "by a"


def test_k051_an_error_whose_text_says_cancel_is_a_failure() -> None:
    def script(_request: TurnRequest) -> str:
        raise Operational("exit", "operation cancelled by the server")

    end = Bench(define(turn("a", retry={"attempts": 1})), script).run()
    assert (end.status, end.code) == ("failed", "exit")


def test_k044_a_cancel_in_a_wait_ends_at_once_as_cancelled_and_nothing_is_tried_again() -> None:
    async def act() -> None:
        lab = Lab(define(turn("a", retry={"wait_seconds": 60})), Flaky("exit"))
        walk = lab.walk()
        await settle()
        assert lab.now().status == "waiting"
        walk.cancel()
        with pytest.raises(asyncio.CancelledError):
            await walk
        state = lab.now()
        assert state.status == "cancelled" and state.nodes["a"].status == "cancelled" and not lab.clock.sleeping()
        assert lab.attempts() == [("a", 1)] and len(asyncio.all_tasks()) == 1

    asyncio.run(act())


def test_a_pause_ends_a_wait_and_the_resume_waits_for_what_is_left_of_it() -> None:
    async def act() -> None:
        lab = Lab(define(turn("a", retry={"wait_seconds": 60})), Flaky("exit"))
        walk = lab.walk()
        await lab.clock.to(20)
        lab.walking.park("a", "Paused by you.", "paused")
        end = await walk
        assert (end.status, end.code) == ("paused", "paused") and lab.clock.sleeping() == 0
        assert lab.now().nodes["a"].status == "not_started"
        lab.records = lab.journal.records
        walk = lab.walk(at=30)
        await lab.clock.to(59.9)
        assert lab.now().status == "waiting" and lab.waits()[-1] == ("a", "exit", 30)
        await lab.clock.to(60)
        assert (await walk).status == "completed"

    asyncio.run(act())


def test_a_pause_that_is_taken_back_at_once_leaves_the_wait_as_it_was() -> None:
    async def act() -> None:
        lab = Lab(define(turn("a", retry={"wait_seconds": 60})), Flaky("exit"))
        walk = lab.walk()
        await lab.clock.to(20)
        lab.walking.park("a", "Paused by you.", "paused")
        assert lab.walking.unpark()
        await lab.clock.to(59.9)
        assert not walk.done() and len(lab.attempts()) == 1
        await lab.clock.to(60)
        assert (await walk).status == "completed" and len(lab.waits()) == 1

    asyncio.run(act())


@pytest.mark.parametrize(("at", "waits"), [(25.0, [15]), (40.0, []), (4000.0, []), (-100_000.0, [40])])
def test_r051_after_a_crash_in_a_wait_what_is_left_of_it_is_waited_for(at: float, waits: list[float]) -> None:
    async def act() -> None:
        agent = Flaky("exit", "exit", "exit")
        lab = Lab(define(turn("a", retry={"wait_seconds": 40, "factor": 1})), agent)
        walk = lab.walk()
        await settle()
        lab.leave()
        assert isinstance(lab.records[-1].payload, Waiting)  # it was durable before it began
        walk.cancel()
        await asyncio.wait({walk})
        before = len(lab.records)
        walk = lab.walk(at)
        await settle()
        assert [
            record.payload.seconds for record in lab.journal.records[before:] if isinstance(record.payload, Waiting)
        ][: len(waits)] == waits
        await lab.clock.to(at + 10_000)
        assert (await walk).status == "failed" and agent.calls == 3  # 3 attempts in all, not 4
        assert [number for _, number in lab.attempts()] == [1, 2, 3]

    asyncio.run(act())


def test_a_turn_that_was_cut_off_in_its_second_try_is_in_its_second_try_again() -> None:
    bench = Bench(define(turn("a")), Flaky("exit"))
    bench.run()
    second = next(n for n, r in enumerate(bench.records) if isinstance(r.payload, Started) and r.payload.attempt == 2)
    bench.records = bench.records[: second + 1]
    bench.script = Flaky("exit", "exit")
    assert bench.run().status == "failed"
    assert [r.payload.attempt for r in bench.records if isinstance(r.payload, Started)] == [1, 2, 2, 3]
    bench.script = Flaky("exit", "exit", "exit")
    assert bench.run().status == "failed" and len(bench.failures()) == 6  # a final failure: all tries anew


def test_a_replayed_turn_waits_for_nothing() -> None:
    bench = Bench(define(turn("a"), turn("b")), Flaky("exit"))
    assert bench.run().status == "completed"
    last = next(n for n, record in enumerate(bench.records) if record.key == "b")
    bench.records = bench.records[:last]
    assert bench.run().status == "completed" and bench.keys == ["a", "a", "b", "b"]
    assert sum(isinstance(record.payload, Waiting) for record in bench.records) == 1


def test_a_wait_says_in_words_what_it_is_for() -> None:
    async def act() -> None:
        lab = Lab(define(turn("a", retry={"wait_seconds": 2.5})), Flaky("exit"))
        walk = lab.walk()
        await settle()
        node = lab.now().nodes["a"]
        assert (node.status, node.detail) == ("waiting", "tries again in 2.5 s after: failure 1") and node.until
        await lab.clock.to(3)
        assert (await walk).status == "completed"
        node = lab.now().nodes["a"]
        assert (node.status, node.detail, node.until) == ("done", "", "")
        assert any(isinstance(record.payload, Failed) for record in lab.journal.records)

    asyncio.run(act())
