"""What may be inserted into the commands of a check: where the run's artifacts are, and nothing else."""

from __future__ import annotations

import pytest

from sprintwright.engine.doubles import ScriptedChecks
from sprintwright.engine.ports import CheckRequest, TurnAnswer
from tests.unit.engine.support import Bench, define


@pytest.mark.parametrize(
    ("written", "run"),
    [
        ("{artifacts}", "artifacts"),
        ("{artifacts}/plan.md", "artifacts/plan.md"),
        ("{artifacts}plan.md", "{artifacts}plan.md"),
        ("--in={artifacts}", "--in={artifacts}"),
        ("{task}", "{task}"),
        ("{sprintwright}", "{sprintwright}"),
    ],
)
def test_x022_a_command_gets_the_artifacts_folder_and_nothing_that_agents_write(written: str, run: str) -> None:
    seen: list[CheckRequest] = []

    def note(request: CheckRequest) -> TurnAnswer:
        seen.append(request)
        return TurnAnswer(text="", passed=True)

    bench = Bench(define({"id": "c", "kind": "check", "commands": [["tool", written]]}), checks=ScriptedChecks(note))
    assert bench.run().status == "completed"
    assert seen[0].commands == (("tool", run),)
