"""What a turn changed: the honest result for a role that may only read, and what can make programs run."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from sprintwright.engine.doubles import InMemoryWorkspace, Script, ScriptedPeople
from sprintwright.engine.ports import AgentTraits, Question, TurnRequest
from sprintwright.errors import WorkspaceError
from sprintwright.model.changes import Change, Snapshot, is_test
from sprintwright.model.definition import Definition
from sprintwright.model.records import Noted, SetAside, Started
from sprintwright.model.results import TurnResult
from tests.unit.engine.support import Bench, define, turn

CHANGED = (Change(path="src/a.py", status="modified"),)


class Folder(InMemoryWorkspace):
    """One in which a turn may do something by itself."""

    tree = "tree"

    def __init__(self, changed: tuple[Change, ...] = ()) -> None:
        super().__init__(changed)
        self.fails = False
        self.also: dict[str, str] = {}
        self.nested: tuple[str, ...] = ()

    async def take(self) -> Snapshot:
        if self.fails:
            raise WorkspaceError("git is gone.")
        return Snapshot(tree=self.tree, beside=dict(self.beside), not_covered=self.nested)

    async def ignored(self) -> Mapping[str, str]:
        return dict(self.also)


def reading(*stages: dict[str, Any]) -> Definition:
    return define(*stages, roles={"w": {"permissions": "read_only"}})


def bench_of(definition: Definition, script: Script, folder: Folder, **more: Any) -> Bench:
    return Bench(definition, script, workspace=folder, traits=AgentTraits(), **more)


def result_of(bench: Bench, key: str = "look") -> tuple[str, str]:
    assert bench.run().status == "completed"
    changes = TurnResult.model_validate(bench.value(key)).changes
    assert changes is not None
    return changes.read_only, bench.state.nodes[key].changed


def test_x073_a_turn_that_left_all_as_it_was_is_unchanged() -> None:
    bench = bench_of(reading(turn("look")), lambda _r: "ok", Folder())
    assert result_of(bench) == ("unchanged", "unchanged")


@pytest.mark.parametrize("where", ["files", "git", "ignored"])
def test_x073_b093_what_changed_is_named_wherever_it_is(where: str) -> None:
    folder = Folder(CHANGED)

    def act(_request: TurnRequest) -> str:
        match where:
            case "files":
                folder.tree = "other"
            case "git":
                folder.beside["HEAD"] = "1234"
            case _:
                folder.also["dist/"] = "2"
        return "ok"

    bench = bench_of(reading(turn("look")), act, folder)
    words = {"files": "src/a.py", "git": "HEAD: none -> 1234", "ignored": "dist/ changed, which git ignores"}[where]
    assert result_of(bench) == ("changed", f"changed {words}" if where == "files" else words)
    assert any(f"read-only, but this changed during its turn: {words}" in text for _, text in bench.state.notes)


@pytest.mark.parametrize("why", ["no snapshot", "nested", "too many"])
def test_x073_what_cannot_be_known_is_not_verified(why: str) -> None:
    folder = Folder()
    folder.fails = why == "no snapshot"
    if why == "nested":
        folder.nested = ("vendor/lib/",)
    if why == "too many":
        folder.also["node_modules/"] = "too many"
    bench = bench_of(reading(turn("look")), lambda _r: "ok", folder)
    told = {"no snapshot": "git is gone.", "nested": "nobody looked into vendor/lib/"}
    words = told.get(why, "nobody looked into node_modules/")
    assert result_of(bench) == ("not verified", f"not verified: {words}")


def test_x033_what_can_make_programs_run_is_asked_about_once_before_anything_else_runs() -> None:
    folder = Folder()
    asked: list[Question] = []

    def act(request: TurnRequest) -> str:
        if request.key == "one":
            folder.beside[".git/hooks/pre-commit"] = "1"
            folder.beside[".vscode/tasks.json"] = "1"
            folder.beside[".github/workflows/ci.yml"] = "1"
        return "ok"

    def person(question: Question) -> str:
        asked.append(question)
        return "continue"

    bench = bench_of(define(turn("one"), turn("two")), act, folder, people=ScriptedPeople(person))
    assert bench.run().status == "completed"
    assert [(question.key, question.kind) for question in asked] == [("one/programs", "programs")]
    assert "- .git/hooks/pre-commit\n- .vscode/tasks.json\n" in asked[0].text and "workflows" not in asked[0].text
    assert bench.state.nodes["one"].status == "done"
    assert bench.keys == ["one", "two"]


def test_x033_nothing_goes_on_before_the_user_says_so_and_their_answer_lasts() -> None:
    folder = Folder()
    answers: list[str | None] = [None, "stop", "continue"]

    def act(request: TurnRequest) -> str:
        if request.key == "one":
            folder.beside[".git/config"] = "2"
        return "ok"

    bench = bench_of(define(turn("one"), turn("two")), act, folder, people=ScriptedPeople(lambda _q: answers.pop(0)))
    assert (bench.run().code, bench.keys) == ("question", ["one"])
    assert (bench.run().code, bench.keys) == ("pause_after", ["one"])
    assert (bench.run().status, bench.keys) == ("completed", ["one", "two"])
    assert bench.run().status == "completed" and answers == []


def test_x033_without_a_repository_any_more_the_user_is_asked_r070() -> None:
    folder = Folder()
    folder.beside |= {"HEAD": "1", "branch": "main", ".git/config": "1"}

    def act(_request: TurnRequest) -> str:
        folder.beside.clear()
        return "ok"

    bench = bench_of(define(turn("one")), act, folder, people=ScriptedPeople(lambda _q: None))
    end = bench.run()
    assert (end.status, end.code) == ("paused", "question")
    assert "- .git\n" in bench.state.questions["one/programs"].text
    assert bench.state.nodes["one"].changed == ".git: no repository any more"


@pytest.mark.parametrize(
    ("path", "test"),
    [
        ("tests/a.py", True), ("src/test_a.py", True), ("a_test.go", True), ("src/a.spec.ts", True), ("a.test.js", True),
        ("src/__tests__/a.js", True), ("src/latest.py", False), ("contest/a.py", False), ("src/a.py", False),
        ("testing.py", False),
    ],
)  # fmt: skip
def test_r067_tests_are_marked(path: str, test: bool) -> None:
    assert is_test(path) == test


def test_r067_a_turn_that_changed_nothing_or_tests_only_is_said_to_have_done_so() -> None:
    folder = Folder((Change(path="tests/test_a.py", status="modified"),))

    def act(request: TurnRequest) -> str:
        if request.key == "two":
            folder.tree = "other"
        return "All done."

    bench = bench_of(define(turn("one"), turn("two")), act, folder)
    bench.run()
    assert bench.state.nodes["one"].changed == "unchanged"
    assert bench.state.nodes["two"].changed == "changed tests/test_a.py (test)"


def test_r054_a_resumed_run_says_first_that_its_repository_is_elsewhere_now() -> None:
    folder = Folder()
    folder.beside = {"branch": "main", "HEAD": "1a2b3c"}

    def act(request: TurnRequest) -> str:
        if request.key == "two":
            folder.beside = {"branch": "main", "HEAD": "4d5e6f"}  # its own commit
        return "ok"

    bench = bench_of(define(turn("one"), turn("two"), turn("three"), turn("four")), act, folder)
    bench.run()
    assert bench.state.notes == []
    bench.decide("three", SetAside(keys=("three", "four"), reason="rerun"))
    folder.beside = {"branch": "other", "HEAD": "777777"}
    bench.run()
    ((_, said),) = bench.state.notes
    assert "main 4d5e6f -> other 777777" in said
    noted = next(at for at, record in enumerate(bench.records) if isinstance(record.payload, Noted))
    assert [record.key for record in bench.records[noted:] if isinstance(record.payload, Started)] == ["three", "four"]
