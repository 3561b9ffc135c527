"""Collections: loops over headings, and groups of items; rows of behaviours-milk.md section 8."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sprintwright.engine.ports import AgentTraits, TurnAnswer, TurnRequest
from sprintwright.errors import Operational
from tests.unit.engine.support import JUDGE, Bench, define, turn


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
    body = [turn("build", save_as="built"), turn("judge", verdict=JUDGE)]
    loop: dict[str, Any] = {"id": "l", "kind": "loop", "max_iterations": 5, "iteration_var": "pass", "body": body}
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


def test_m019_a_collection_is_parsed_from_the_whole_text() -> None:
    plan = "\n".join(f"## Item {n}\n" + "x" * 1_400 for n in range(1, 11))
    bench = group(plan, max_concurrency=4)
    bench.run()
    assert len(bench.keys) == 11


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
