"""R55: a run that was cut off in pass two of three goes on by an edited definition."""

from __future__ import annotations

from typing import Any

import pytest

from sprintwright.model.records import Decided, Finished
from tests.unit.engine.support import JUDGE, Bench, define, turn

BUILD, JUDGED, PLAN = turn("build"), turn("judge", verdict=JUDGE), turn("plan")


def loop(*body: dict[str, Any], limit: int = 3) -> dict[str, Any]:
    return {"id": "l", "kind": "loop", "max_iterations": limit, "on_exhausted": "continue", "body": list(body)}


@pytest.mark.parametrize(
    ("stages", "performed"),
    [
        ([PLAN, loop(BUILD, JUDGED)], ["l[2]/judge", "l[3]/build", "l[3]/judge"]),
        ([PLAN, loop(BUILD, JUDGED, limit=2)], ["l[2]/judge"]),
        ([PLAN, loop(BUILD, JUDGED, limit=1)], []),
        ([PLAN, loop(turn("made"), JUDGED, limit=1)], ["l[1]/made", "l[1]/judge"]),
        ([loop(BUILD, JUDGED, limit=1), PLAN], ["l[1]/build", "l[1]/judge", "plan"]),
        ([turn("first"), PLAN, loop(BUILD, limit=1)], ["first", "plan", "l[1]/build"]),
    ],
    ids=["as it was", "limit reached", "limit exceeded", "renamed", "moved", "inserted"],
)
def test_r055_leaves_are_matched_by_name_and_place_and_a_lower_limit_ends_the_loop(
    stages: list[dict[str, Any]], performed: list[str]
) -> None:
    first = Bench(define(PLAN, loop(BUILD, JUDGED)), lambda _request: "again")
    first.run()
    cut = next(n for n, r in enumerate(first.records) if r.key == "l[2]/judge" and isinstance(r.payload, Finished))
    again = Bench(define(*stages), first.script, records=first.records[:cut])
    again.decide("", Decided(what="definition"))
    assert again.run().status == "completed"
    assert again.keys == performed
    assert again.records[:cut] == first.records[:cut]
