"""Cancelling: at every turn of the loop, twice, late, and against an act that will not end (R40 to R44)."""

from __future__ import annotations

import asyncio
import itertools

import pytest

import sprintwright.engine.run as run_module
from sprintwright.engine.doubles import ScriptedAgents, ScriptedPeople
from sprintwright.engine.ports import AgentTraits, Desk, TurnAnswer, TurnRequest
from sprintwright.engine.walk import walk_run
from sprintwright.model.records import Ended, Finished
from tests.unit.engine.support import JUDGE, Bench, define, turn

PLAN = "## Item 1\n## Item 2 (depends_on: 1)\n## Item 3"


def whole() -> Bench:
    """A run with a turn, a question, a loop with a verdict, a check and a group."""
    definition = define(
        turn("a", save_as="out"),
        {"id": "u", "kind": "user_checkpoint", "prompt": "?"},
        {"id": "l", "kind": "loop", "max_iterations": 2, "body": [turn("judge", verdict=JUDGE)]},
        {"id": "c", "kind": "check", "commands": [["x"]]},
        {
            "id": "g", "kind": "parallel_group", "over": "Item", "from": "plan", "max_concurrency": 2,
            "body": [turn("work")],
        },
        vars={"plan": PLAN},
    )  # fmt: skip
    return Bench(definition, lambda r: "VERDICT: good" if "judge" in r.key else "ok")


async def cancelled_after(bench: Bench, suspensions: int, cancels: int = 1) -> bool:
    """Walk, cancel after so many turns of the loop; whether the cancellation came before the end."""
    task = asyncio.create_task(walk_run(bench.make()), name="walk")
    for _ in range(suspensions):
        await asyncio.sleep(0)
    for _ in range(cancels):
        task.cancel()
        await asyncio.sleep(0)
    try:
        await task
    except asyncio.CancelledError:
        pass
    left = [t for t in asyncio.all_tasks() if t is not asyncio.current_task()]
    assert not left, f"tasks are left: {left}"
    bench.records = bench.journal.records
    return task.cancelled()


@pytest.mark.parametrize("cancels", [1, 3])
def test_r040_r041_cancel_at_every_turn_of_the_loop_leaves_nothing_and_resumes(cancels: int) -> None:
    for n in itertools.count(1):
        bench = whole()
        before = asyncio.run(cancelled_after(bench, n, cancels))
        ends = [r.payload for r in bench.records if isinstance(r.payload, Ended)]
        if not before:
            assert ends[-1].status == "completed"
            break
        assert [end.status for end in ends] == ["cancelled"], f"at {n}"
        done = {r.key for r in bench.records if isinstance(r.payload, Finished)}
        calls = list(bench.keys)
        assert bench.run().status == "completed", f"at {n}"
        assert not done & set(bench.keys[len(calls) :]), f"at {n}"
        assert bench.state.status == "completed"
    assert n > 20  # pyright: ignore[reportPossiblyUnboundVariable]


def test_r043_a_leaf_that_finished_as_the_cancellation_came_keeps_its_result() -> None:
    async def act() -> None:
        class Late(ScriptedAgents):
            async def turn(self, request: TurnRequest, desk: Desk) -> TurnAnswer:
                asyncio.get_running_loop().call_soon(walk.cancel)
                return TurnAnswer(text="in time")

        bench = Bench(define(turn("a"), turn("b")))
        bench.agents = Late(lambda _r: "")
        walk = asyncio.create_task(walk_run(bench.make()))
        with pytest.raises(asyncio.CancelledError):
            await walk
        kinds = [(r.key, r.payload.kind) for r in bench.journal.records[1:]]
        assert kinds in (
            [("a", "started"), ("a", "finished"), ("", "ended")],
            [("a", "started"), ("a", "finished"), ("b", "started"), ("", "ended")],
        )

    asyncio.run(act())


def test_r044_an_act_that_swallows_its_cancellation_is_left_behind_and_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_module, "CANCEL_GRACE_SECONDS", 0.01)

    async def act() -> None:
        begun, release = asyncio.Event(), asyncio.Event()

        class Stubborn(ScriptedAgents):
            async def turn(self, request: TurnRequest, desk: Desk) -> TurnAnswer:
                begun.set()
                while not release.is_set():
                    try:
                        await release.wait()
                    except BaseException:
                        pass
                return TurnAnswer(text="too late")

        bench = Bench(define(turn("a"), turn("b")))
        bench.agents = Stubborn(lambda _r: "", AgentTraits(writes=False))
        walk = asyncio.create_task(walk_run(bench.make()))
        await begun.wait()
        walk.cancel()
        with pytest.raises(asyncio.CancelledError):
            await walk
        end = bench.journal.records[-1].payload
        assert isinstance(end, Ended) and end.status == "cancelled" and end.code == "forced" and "a" in end.reason
        release.set()
        await asyncio.sleep(0.01)
        assert bench.journal.records[-1].payload == end

    asyncio.run(act())


def test_r042_a_wait_for_a_retry_or_a_free_place_ends_at_once() -> None:
    async def act() -> None:
        asked = asyncio.Event()

        class Waiting(ScriptedPeople):
            async def ask(self, question: object) -> None:
                asked.set()
                await asyncio.Event().wait()

        definition = define(
            {
                "id": "g", "kind": "parallel_group", "over": "Item", "from": "plan", "max_concurrency": 1,
                "body": [{"id": "u", "kind": "user_checkpoint", "prompt": "?"}],
            },
            vars={"plan": PLAN},
        )  # fmt: skip
        bench = Bench(definition)
        bench.people = Waiting()
        walk = asyncio.create_task(walk_run(bench.make()))
        await asked.wait()
        walk.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(walk, 1)

    asyncio.run(act())


def test_b081_a_cancel_in_the_fifth_of_six_reviews_is_cancelled_and_four_results_are_kept() -> None:
    plan = "".join(f"## File {number}: f{number}\nLook.\n" for number in range(1, 7))
    group = {
        "id": "g", "kind": "parallel_group", "over": "File", "from": "plan", "max_concurrency": 1,
        "body": [turn("review", save_as="review")],
    }  # fmt: skip
    bench, at_work = Bench(define(group, vars={"plan": plan})), asyncio.Event()

    class Hanging:
        def traits(self, agent: str) -> AgentTraits:
            return AgentTraits(writes=False)

        async def turn(self, request: TurnRequest, desk: Desk) -> TurnAnswer:
            if request.key == "g[5]/review":
                at_work.set()
                await asyncio.Event().wait()
            return TurnAnswer(text=f"seen {request.key}")

        async def leave(self, run_id: str, talk: str = "") -> None:
            pass

    async def act() -> None:
        bench.agents = Hanging()  # pyright: ignore[reportAttributeAccessIssue]
        task = asyncio.create_task(walk_run(bench.make()))
        await at_work.wait()
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task

    asyncio.run(act())
    bench.records = bench.journal.records
    state = bench.state
    assert state.status == "cancelled"
    assert [state.nodes[f"g[{number}]/review"].status for number in range(1, 5)] == ["done"] * 4
    assert state.nodes["g[5]/review"].status == "cancelled" and "g[6]/review" not in state.nodes
    assert bench.value("g[4]/review")["text"] == "seen g[4]/review"
