"""Rate limits belong to the agent; equal failures and the limits of a run stop it."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from sprintwright.engine.history import History
from sprintwright.engine.limits import limits_in_force
from sprintwright.engine.ports import Desk, TurnRequest
from sprintwright.errors import Cause, Operational
from sprintwright.model.definition import Definition, Limits
from sprintwright.model.records import Decided, Ended, Opened, Record, Released, Waiting
from tests.unit.engine.lab import Lab, settle
from tests.unit.engine.support import Bench, define, turn


def limited(after: float | None = None) -> Operational:
    return Operational("rate_limit", "Agent 'a' is rate limited.", retry_after=after)


def group(number: int, *body: dict[str, Any], **more: Any) -> Definition:
    plan = "\n".join(f"## Item {n}" for n in range(1, number + 1))
    return define(
        {
            "id": "g", "kind": "parallel_group", "over": "Item", "from": "plan", "max_concurrency": number,
            "body": list(body or (turn("build"),)),
        },
        turn("last"), vars={"plan": plan}, **more,
    )  # fmt: skip


def failing(*keys: str, cause: Cause = "exit") -> Callable[[TurnRequest], str]:
    def script(request: TurnRequest) -> str:
        if any(request.key.startswith(key) for key in keys):
            raise Operational(cause, "exited with status 1: no")
        return "made"

    return script


def test_b117_no_turn_of_a_limited_agent_starts_before_the_time_it_named() -> None:
    async def act() -> None:
        calls: list[float] = []

        def script(_request: TurnRequest) -> str:
            calls.append(lab.clock.now_seconds)
            if len(calls) == 1:
                raise limited(30)
            return "ok"

        lab = Lab(define(turn("a", retry={"attempts": -1})), script)
        walk = lab.walk()
        await lab.clock.to(29.9)
        node = lab.now().nodes["a"]
        assert calls == [0] and lab.now().status == node.status == "waiting"
        assert node.detail == "rate limited; tries again at 00:00:30 UTC"
        await lab.clock.to(30)
        assert (await walk).status == "completed" and calls == [0, 30]
        assert lab.attempts() == [("a", 1), ("a", 1)]  # a rate limit uses up no attempt

    asyncio.run(act())


def test_b117_all_lanes_of_a_limited_agent_wait_for_the_same_end() -> None:
    async def act() -> None:
        calls: list[str] = []

        def script(request: TurnRequest) -> str:
            calls.append(request.key)
            if request.key == "g[1]/build" and calls.count(request.key) == 1:
                raise limited(100)
            return "made"

        lab = Lab(group(4, turn("build"), turn("test")), script)
        walk = lab.walk()
        await lab.clock.to(99)
        assert sorted(calls) == [f"g[{n}]/build" for n in (1, 2, 3, 4)]
        until = {r.payload.until for r in lab.journal.records if isinstance(r.payload, Waiting)}
        assert len(until) == 1 and sorted(key for key, _, _ in lab.waits()) == [
            "g[1]/build", "g[2]/test", "g[3]/test", "g[4]/test",
        ]  # fmt: skip
        nodes = lab.now().nodes
        assert (
            nodes["g[1]/build"].status == nodes["g[2]/test"].status == "waiting" and nodes["g[1]"].status == "running"
        )
        assert lab.now().status == "waiting"
        await lab.clock.to(100)
        assert (await walk).status == "completed"

    asyncio.run(act())


def test_a_run_is_running_while_one_lane_works_and_another_waits() -> None:
    async def act() -> None:
        at_work = asyncio.Event()

        def script(request: TurnRequest) -> Any:
            if request.key == "g[1]/build":
                raise limited(10)

            async def long(_desk: object) -> str:
                await at_work.wait()
                return "made"

            return long

        lab = Lab(group(2), script)
        walk = lab.walk()
        await settle()
        assert lab.now().status == "running" and lab.now().nodes["g[1]/build"].status == "waiting"
        at_work.set()
        await settle()
        assert lab.now().status == "waiting"
        walk.cancel()
        await asyncio.wait({walk})

    asyncio.run(act())


def test_another_agents_turns_go_on_while_one_is_limited() -> None:
    async def act() -> None:
        calls: list[str] = []

        def script(request: TurnRequest) -> str:
            calls.append(request.key)
            if request.agent == "a":
                raise limited(50)
            return "made"

        other = {**turn("judge"), "role": "v"}
        plan = "## Item 1\n## Item 2 (depends_on: 1)"
        definition = define(turn("build"), roles=["w", "v"], vars={"plan": plan})
        definition = definition.model_copy(update={"stages": group(2, other, turn("build")).stages})
        lab = Lab(definition, script)
        lab.started = lab.started.model_copy(update={"roles": {"w": "a", "v": "b"}})
        walk = lab.walk()
        lab.walking.waits.limited("a", 50, lab.clock.now())
        await lab.clock.to(49)
        assert calls == ["g[1]/judge"] and lab.waits() == [("g[1]/build", "rate_limit", 50)]
        walk.cancel()
        await asyncio.wait({walk})

    asyncio.run(act())


def test_an_agent_that_says_no_time_is_backed_off_from_30_seconds_to_15_minutes_and_not_for_ever() -> None:
    bench = Bench(define(turn("a")), failing("a", cause="rate_limit"))
    end = bench.run()
    seconds = [record.payload.seconds for record in bench.records if isinstance(record.payload, Waiting)]
    assert (end.status, end.code) == ("failed", "rate_limit")
    assert seconds == [30, 60, 120, 240, 480, *[900] * 15] and len(bench.keys) == 21


def test_lanes_that_are_limited_together_count_as_one_step_of_the_back_off() -> None:
    def script(request: TurnRequest) -> str:
        if bench.keys.count(request.key) <= 2 and request.key != "last":
            raise limited()
        return "made"

    bench = Bench(group(8), script)
    assert bench.run().status == "completed"
    assert {r.payload.seconds for r in bench.records if isinstance(r.payload, Waiting)} == {30, 60}


def test_a_success_makes_the_next_back_off_short_again() -> None:
    def script(request: TurnRequest) -> str:
        if bench.keys.count(request.key) == 1:
            raise limited()
        return "made"

    bench = Bench(define(turn("a"), turn("b")), script)
    assert bench.run().status == "completed"
    assert [r.payload.seconds for r in bench.records if isinstance(r.payload, Waiting)] == [30, 30]


@pytest.mark.parametrize("after", [0, -5, 0.001])
def test_a_limit_that_names_no_real_time_is_no_busy_loop(after: float) -> None:
    def script(request: TurnRequest) -> str:
        if len(bench.keys) == 1:
            raise limited(after)
        return "made"

    bench = Bench(define(turn("a")), script)
    assert bench.run().status == "completed"
    assert [r.payload.seconds for r in bench.records if isinstance(r.payload, Waiting)] == [1]


def test_r042_a_cancel_in_a_rate_limit_ends_every_lane_at_once() -> None:
    async def act() -> None:
        def script(_request: TurnRequest) -> str:
            raise limited(50_000)

        lab = Lab(group(5), script)
        walk = lab.walk()
        await settle()
        walk.cancel()
        with pytest.raises(asyncio.CancelledError):
            await walk
        assert lab.now().status == "cancelled" and not lab.clock.sleeping() and len(asyncio.all_tasks()) == 1

    asyncio.run(act())


def test_after_a_crash_in_a_rate_limit_every_turn_of_that_agent_waits_for_what_is_left() -> None:
    async def act() -> None:
        calls: list[str] = []

        def script(request: TurnRequest) -> str:
            calls.append(request.key)
            if len(calls) == 1:
                raise limited(100)
            return "made"

        lab = Lab(group(3), script)
        walk = lab.walk()
        await settle()
        lab.leave()
        walk.cancel()
        await asyncio.wait({walk})
        calls[:] = ["before"]
        walk = lab.walk(at=40)
        await lab.clock.to(99.9)
        assert calls == ["before"]
        await lab.clock.to(100)
        assert (await walk).status == "completed"

    asyncio.run(act())


def test_r050_when_everything_fails_at_once_the_second_end_stops_the_run_with_one_sentence() -> None:
    bench = Bench(group(8, turn("build"), turn("test")), failing("g["))
    end = bench.run()
    assert (end.status, end.code) == ("failed", "exit") and len(bench.keys) <= 8 * 3
    assert end.reason.startswith("No further turn was started, because 'g[1]/build' and 'g[2]/build' failed")
    assert "exited with status 1: no" in end.reason and end.reason.endswith("sprintwright resume r")
    assert "last" not in bench.keys and not any(key.endswith("test") for key in bench.keys)
    starts = len(bench.keys)
    bench.script = lambda _request: "made"
    assert bench.run().status == "completed" and len(bench.keys) == starts + 8 * 2 + 1


def test_r050_items_that_have_not_started_do_not_start() -> None:
    definition = group(8, turn("build", retry={"attempts": 1}))
    stage = definition.stages[0].model_copy(update={"max_concurrency": 1})
    bench = Bench(definition.model_copy(update={"stages": (stage, *definition.stages[1:])}), failing("g["))
    assert bench.run().status == "failed" and bench.keys == ["g[1]/build", "g[2]/build"]
    nodes = bench.state.nodes
    assert [nodes[f"g[{n}]"].status for n in (1, 2, 3, 8)] == ["failed", "failed", "not_started", "not_started"]


def test_r050_the_breaker_also_stops_a_run_whose_last_items_failed() -> None:
    bench = Bench(group(2, turn("build", retry={"attempts": 1})), failing("g["))
    assert bench.run().status == "failed" and "last" not in bench.keys


@pytest.mark.parametrize("answers", [{2}, {2, 4}])
def test_a_success_between_or_another_cause_leaves_a_failing_item_a_value(answers: set[int]) -> None:
    def script(request: TurnRequest) -> str:
        number = int(request.key[2:].partition("]")[0]) if request.key.startswith("g[") else 2
        if number in answers:
            return "made"
        raise Operational("exit" if number == 1 else "truncated", "no")

    bench = Bench(group(3, turn("build", retry={"attempts": 1})), script)
    assert bench.run().status == "completed" and bench.state.nodes["g[3]"].status == "failed"


def test_a_turn_in_hand_ends_in_order_when_the_breaker_trips() -> None:
    async def act() -> None:
        release = asyncio.Event()

        def script(request: TurnRequest) -> Any:
            async def long(_desk: object) -> str:
                await release.wait()
                return "made"

            if request.key == "g[3]/build":
                return long
            raise Operational("sign_in", "not signed in")

        lab = Lab(group(3, turn("build"), turn("test")), script)
        walk = lab.walk()
        await settle()
        release.set()
        end = await walk
        assert (end.status, end.code) == ("failed", "sign_in")
        state = lab.now()
        assert state.nodes["g[3]/build"].status == "done" and "g[3]/test" not in lab.keys
        assert state.nodes["g[3]"].status == "not_started"

    asyncio.run(act())


def test_a_waiting_lane_does_not_start_when_the_breaker_trips() -> None:
    async def act() -> None:
        def script(request: TurnRequest) -> str:
            raise Operational("exit" if request.key == "g[1]/build" else "sign_in", "no")

        lab = Lab(group(3, turn("build", retry={"wait_seconds": 60})), script)
        walk = lab.walk()
        end = await asyncio.wait_for(walk, 1)
        assert (end.status, end.code) == ("failed", "sign_in") and lab.keys.count("g[1]/build") == 1
        assert lab.now().nodes["g[1]/build"].status == "not_started"

    asyncio.run(act())


def test_r049_the_limit_of_turns_parks_with_the_numbers_and_raising_it_goes_on() -> None:
    bench = Bench(define(*(turn(name) for name in "abc"), limits={"turns": 2}))
    end = bench.run()
    assert (end.status, end.code) == ("paused", "limit") and bench.keys == ["a", "b"]
    assert end.reason == "The run has taken 2 turns; its limit is 2. To go on: sprintwright resume r --turns N"
    bench.records.append(Record(len(bench.records) + 1, "", "", Decided(what="limits", limits=Limits(turns=3))))
    assert bench.run().status == "completed" and bench.keys == ["a", "b", "c"]


def test_r049_items_in_parallel_cross_the_limit_of_turns_by_nothing() -> None:
    bench = Bench(group(5, turn("build"), turn("test"), limits={"turns": 7}))
    assert bench.run().code == "limit" and len(bench.keys) == 7


def test_the_time_of_a_run_is_limited_over_all_its_owners() -> None:
    async def act() -> None:
        lab = Lab(define(turn("a"), turn("b"), turn("c"), limits={"wall_seconds": 100}))

        def script(request: TurnRequest) -> str:
            lab.clock.now_seconds += 30
            return "made"

        lab.script = script
        opened = Opened(pid=1, host="h", program="p")
        lab.records += [
            Record(2, "", "", opened, epoch="1", clock=1000.0),
            Record(3, "", "", Released(), epoch="1", clock=1050.0),
            Record(4, "", "", opened, epoch="2", clock=7.0),
        ]
        end = await lab.walk(at=500)
        assert isinstance(end, Ended) and (end.status, end.code) == ("paused", "limit") and lab.keys == ["a", "b"]
        assert end.reason.startswith("The run has been at work for 110 seconds; its limit is 100. ")
        assert end.reason.endswith("To go on: sprintwright resume r --wall-seconds N")
        raised = Decided(what="limits", limits=Limits(wall_seconds=1000))
        lab.records = [*lab.journal.records, Record(99, "", "", raised)]
        assert (await lab.walk(at=600)).status == "completed"

    asyncio.run(act())


def test_limits_in_force_are_those_of_the_start_and_what_the_user_gave_since() -> None:
    definition = define(turn("a"), limits={"turns": 5, "idle_seconds": 9})
    started = Bench(definition).started
    assert limits_in_force(definition, started, History()) == definition.limits
    started = started.model_copy(update={"limits": Limits(turns=3, turn_seconds=60)})
    assert limits_in_force(definition, started, History()) == Limits(turns=3, turn_seconds=60)
    history = History()
    history.apply("", Decided(what="limits", limits=Limits(turns=8, wall_seconds=1)))
    assert limits_in_force(definition, started, history) == Limits(turns=8, turn_seconds=60, wall_seconds=1)


def test_a_turn_gets_the_limits_in_force() -> None:
    bench = Bench(define(turn("a"), limits={"turn_seconds": 5, "idle_seconds": 9}))
    bench.started = bench.started.model_copy(update={"limits": Limits(turn_seconds=60)})
    bench.run()
    request = bench.agents.requests[0]
    assert (request.turn_seconds, request.idle_seconds) == (60, None)


def test_a_limit_that_is_reached_is_told_before_a_wait_not_after_it() -> None:
    def script(_request: TurnRequest) -> str:
        raise limited(5000)

    bench = Bench(define(turn("a"), limits={"turns": 1}), script)
    assert bench.run().code == "limit"
    assert not any(isinstance(record.payload, Waiting) for record in bench.records)


def _plan(count: int) -> str:
    return "".join(f"## Item {number}: x\n" for number in range(1, count + 1))


@pytest.mark.parametrize("kind", ["group", "loop"])
def test_b119_more_items_than_the_limit_are_estimated_and_begin_when_the_user_says_so(kind: str) -> None:
    body = [turn("build"), turn("test")]
    over = {"id": "all", "over": "Item", "from": "plan", "body": body}
    stage = {**over, "kind": "parallel_group" if kind == "group" else "loop"}
    bench = Bench(define(turn("plan", save_as="plan"), stage, limits={"items": 3}))
    bench.script = lambda request: _plan(4) if request.key == "plan" else "ok"
    end = bench.run()
    assert (end.status, end.code, end.missing) == ("paused", "limit", "items") and bench.keys == ["plan"]
    assert end.reason == (
        "all would go over 4 items, with 8 turns or more, and the run has taken 1; its limit is 3 items. "
        "To go on: sprintwright resume r --items N"
    )
    bench.records.append(Record(len(bench.records) + 1, "", "", Decided(what="limits", limits=Limits(items=4))))
    assert bench.run().status == "completed" and len(bench.keys) == 9


def test_x076_no_more_agents_are_at_work_at_once_than_there_are_places() -> None:
    async def act() -> None:
        at_work: list[str] = []
        most = 0
        go = asyncio.Event()

        def script(request: TurnRequest) -> Any:
            async def works(_desk: Desk) -> str:
                nonlocal most
                at_work.append(request.key)
                most = max(most, len(at_work))
                await go.wait()
                at_work.remove(request.key)
                return "ok"

            return works

        lab = Lab(group(5), script)
        lab.slots = asyncio.Semaphore(2)
        walk = lab.walk()
        await settle()
        assert len(at_work) == 2
        waits = [text for _, text in lab.now().notes]
        assert len(waits) == 3 and all(text.endswith("as may be at the same time.") for text in waits)
        go.set()
        assert (await walk).status == "completed" and most == 2 and not lab.slots.locked()

    asyncio.run(act())
