"""What an agent may do: by its role, or as the user said, for the very same act."""

from __future__ import annotations

from pathlib import Path

import pytest

from sprintwright.engine import permits
from sprintwright.engine.doubles import Act as Script
from sprintwright.engine.doubles import ScriptedPeople
from sprintwright.engine.ports import Act, ActKind, Desk, TurnAnswer, TurnRequest
from sprintwright.model.definition import Permissions
from tests.unit.engine.support import Bench, define, turn

FOLDER = Path("/work/project")
KINDS: tuple[ActKind, ...] = ("read", "search", "think", "tool", "edit", "delete", "move", "execute", "fetch", "other")
TABLE: dict[Permissions, str] = {
    # read search think tool | edit delete move | execute | fetch other
    "read_only": "allow allow allow allow deny deny deny deny ask ask",
    "ask": "allow allow allow allow ask ask ask ask ask ask",
    "workspace_write": "allow allow allow allow allow allow allow ask ask ask",
    "full": "allow allow allow allow allow allow allow allow allow allow",
}


@pytest.mark.parametrize("permissions", TABLE)
def test_x073_what_each_role_may_do(permissions: Permissions) -> None:
    decided = [permits.decide(permissions, Act(kind=kind, title="t", paths=("a.py",)), FOLDER)[0] for kind in KINDS]
    assert decided == TABLE[permissions].split()


@pytest.mark.parametrize(
    "path",
    [
        "../x",
        "/etc/passwd",
        ".git/hooks/pre-commit",
        "a/.GIT/config",
        ".sprintwright/config.yaml",
        ".vscode/settings.json",
    ],
)
def test_r068_x057_places_that_no_role_may_change_even_with_full(path: str) -> None:
    decided, because = permits.decide("full", Act(kind="edit", title="t", paths=("a.py", path)), FOLDER)
    assert decided == "deny" and because


@pytest.mark.parametrize("path", [".claude/settings.json", ".mcp.json", ".envrc", ".github/workflows/ci.yml"])
def test_x012_what_runs_by_itself_is_asked_about_in_every_role(path: str) -> None:
    assert permits.decide("full", Act(kind="edit", title="t", paths=(path,)), FOLDER)[0] == "ask"


@pytest.mark.parametrize(
    "command",
    ["git status; rm x", "git -c alias.x=!sh x", "sh -c ls", "sudo ls", "curl x", "/bin/bash x", "FOO=1 ls", "ls > x", "ls $HOME", "python3 -c 1", "ls 'a", ""],
)  # fmt: skip
def test_x074_nothing_lasting_is_offered_where_one_command_says_little_about_the_next(command: str) -> None:
    offered = permits.choices(Act(kind="execute", title="run", text=command))
    assert permits.FOR_THIS_RUN not in offered or not command
    assert offered[-1] == permits.NEVER


def test_x074_an_exact_command_can_be_allowed_for_the_run() -> None:
    assert permits.choices(Act(kind="execute", title="run", text="pytest -q tests")) == (
        "once",
        "for this run",
        "never",
    )


def runs(*commands: str) -> Script:
    async def act(desk: Desk) -> TurnAnswer | str:
        return " ".join(
            [str(await desk.permit(Act(kind="execute", title="run", text=command))) for command in commands]
        )

    return act


def answered(bench: Bench) -> list[str]:
    return [question.text for question in bench.people.questions]


def test_x074_an_answer_for_the_run_holds_for_the_very_same_words_and_role_also_after_a_resume() -> None:
    bench = Bench(define(turn("a"), turn("b", retry={"attempts": 1})), people=ScriptedPeople(lambda _q: "for this run"))
    failing = True

    def script(request: TurnRequest) -> Script:
        if request.key == "b" and failing:
            raise RuntimeError
        return runs("pytest -q", "pytest -q", "pytest  -q")

    bench.script = script
    assert bench.run().status == "failed"
    assert bench.value("a")["text"] == "True True True" and len(answered(bench)) == 2
    failing = False
    assert bench.run().status == "completed" and len(answered(bench)) == 2


def test_never_holds_for_the_run_and_the_turn_says_what_was_refused() -> None:
    bench = Bench(define(turn("a"), turn("b")), people=ScriptedPeople(lambda _q: "never"))
    bench.script = lambda _request: runs("make install")
    bench.run()
    assert bench.value("b")["text"] == "False" and len(answered(bench)) == 1
    assert bench.value("a")["warnings"] == ["Permission denied, for you said no: execute run make install"]
