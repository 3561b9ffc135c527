"""Goes on with the golden journal from several of its records, and prints every record that it comes to.

python -m tests.support.replaying          (with --write: the golden journal is made anew)
"""

from __future__ import annotations

import sys
from pathlib import Path

from sprintwright.engine.ports import TurnRequest
from sprintwright.journal.line import decode, encode
from sprintwright.model.records import Record
from tests.unit.engine.support import JUDGE, Bench, define, turn

GOLDEN = Path(__file__).parents[1] / "golden" / "journals" / "sprints.jsonl"
PLAN = "## Sprint 1: İlk\n## Sprint 2: zwei\n## Item 1\n## Item 2 (depends_on: 1)\n## Item 10: ñ\n"


def script(request: TurnRequest) -> str:
    """Every first pass is sent back; an answer depends on its place alone."""
    if request.key == "plan":
        return PLAN
    return f"by {request.key} on {len(request.prompt)}\nVERDICT: {'again' if '[1]/judge' in request.key else 'good'}"


def bench(records: list[Record] | None = None) -> Bench:
    passes = {
        "id": "passes", "kind": "loop", "max_iterations": 3,
        "body": [turn("build", "{{plan}}{{remarks}}", save_as="built"), turn("judge", "{{built}}", save_as="remarks", verdict=JUDGE)],
    }  # fmt: skip
    return Bench(
        define(
            turn("plan", save_as="plan", artifact="plan.md"),
            {"id": "sprints", "kind": "loop", "over": "Sprint", "from": "plan", "body": [passes]},
            {"id": "fan", "kind": "parallel_group", "over": "Item", "from": "plan", "max_concurrency": 2,
             "save_as": "results", "body": [turn("work", "{{item}}", save_as="made")]},
            turn("last", "{{results}}"),
            vars={"plan": "", "remarks": "", "built": ""},
        ),
        script,
        records=records or [],
    )  # fmt: skip


def lines(records: list[Record]) -> str:
    return b"".join(encode(record)[0] for record in records).decode()


def replayed() -> list[str]:
    """The journal after going on from each fifth record of the golden one, as a run that was cut off there."""
    golden = [decode(line) for line in GOLDEN.read_bytes().splitlines(keepends=True)]
    found: list[str] = []
    for cut in range(1, len(golden), 5):
        again = bench(golden[:cut])
        again.run()
        found.append(lines(again.records))
    return found


if __name__ == "__main__":
    if "--write" in sys.argv:
        fresh = bench()
        fresh.run()
        GOLDEN.write_text(lines(fresh.records), "utf-8")
    sys.stdout.buffer.write("\n".join(replayed()).encode())
