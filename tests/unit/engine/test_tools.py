"""Our tools in the hands of a turn: which are there, what each call does, and what it comes to."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from sprintwright.engine.doubles import Act, ScriptedPeople
from sprintwright.engine.lane import Lane
from sprintwright.engine.ports import Answer, Desk, ToolAnswer, TurnAnswer
from sprintwright.engine.run import Run
from sprintwright.engine.tool_arguments import schema_for, schemas
from sprintwright.engine.tool_offer import offered
from sprintwright.engine.tools import MOST_CALLS, TurnTools
from sprintwright.model.definition import AgentTurn, Definition, walk_stages
from sprintwright.model.value import Json
from tests.unit.engine.support import JUDGE, Bench, define, turn

GOLDEN = Path(__file__).parents[2] / "golden" / "tools.json"
EVERYWHERE = ("report_finding", "ask_user", "save_artifact", "load_artifact", "list_artifacts")
Call = tuple[str, dict[str, Any]]


def loop(stage_id: str, *body: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"id": stage_id, "kind": "loop", "max_iterations": 3, "body": list(body), **more}


def group(stage_id: str, *body: dict[str, Any]) -> dict[str, Any]:
    return {"id": stage_id, "kind": "parallel_group", "over": "Item", "from": "task", "body": list(body)}


CHECK: dict[str, Any] = {"id": "check", "kind": "check", "commands": [["true"]]}


def tails(definition: Definition) -> dict[str, str]:
    """The stages that may end something, and what: `e` the loop, `f` the workflow."""
    found: dict[str, str] = {}
    for path, stage in walk_stages(definition.stages):
        if isinstance(stage, AgentTurn):
            tools = offered(definition, stage, path.replace("/", "[2]/"))
            assert set(EVERYWHERE) <= set(tools) and ("give_verdict" in tools) == bool(stage.verdict)
            if mark := "e" * ("exit_loop" in tools) + "f" * ("finish_workflow" in tools):
                found[path] = mark
    return found


A, B, C, D, E = (turn(name) for name in "abcde")
ROWS: list[tuple[str, list[dict[str, Any]], dict[str, str]]] = [
    ("k006", [A, loop("l", B, C, D), E], {"l/d": "e", "e": "f"}),
    ("k007_r005", [A, loop("l", B, C)], {"l/c": "ef"}),
    ("k008_k009", [A, B], {"b": "f"}),
    ("a_loop_of_one", [loop("l", A)], {"l/a": "ef"}),
    ("d8_nested", [loop("out", A, loop("in", B))], {"out/in/b": "ef"}),
    ("d8_check_last", [loop("l", A, CHECK)], {"l/a": "ef"}),
    ("d8_group_last", [A, group("g", B)], {"a": "f"}),
    ("d8_items_never", [A, group("g", loop("l", B))], {"a": "f"}),
    ("d8_a_loop_over_headings_has_no_exit", [loop("l", A, over="Sprint", **{"from": "task"})], {"l/a": "f"}),
    ("d9_a_judge_in_the_loop", [loop("l", A, turn("j", verdict=JUDGE)), B], {"b": "f"}),
    ("d9_a_judge_in_an_inner_loop", [loop("l", loop("in", turn("j", verdict=JUDGE)), A), B], {"b": "f"}),
    ("nobody", [group("g", A)], {}),
]


@pytest.mark.parametrize(("stages", "wanted"), [row[1:] for row in ROWS], ids=[row[0] for row in ROWS])
def test_x057_who_may_end_a_loop_or_the_workflow_is_decided_by_place_alone(
    stages: list[dict[str, Any]], wanted: dict[str, str]
) -> None:
    assert tails(define(*stages)) == wanted


def test_a_reminder_has_the_verdict_alone_and_a_second_turn_has_what_the_first_had() -> None:
    definition = define(turn("a", verdict=JUDGE))
    (stage,) = definition.stages
    assert isinstance(stage, AgentTurn)
    assert offered(definition, stage, "a/reminder") == ("give_verdict",)
    assert offered(definition, stage, "a/second_turn") == offered(definition, stage, "a")
    named = define(loop("l", turn("reminder")))
    inner = next(stage for _, stage in walk_stages(named.stages) if isinstance(stage, AgentTurn))
    assert "exit_loop" in offered(named, inner, "l[1]/reminder")


def test_x059_names_descriptions_and_schemas_are_these() -> None:
    assert json.loads(GOLDEN.read_text(encoding="utf-8")) == {
        name: {"description": words, "schema": schema} for name, (words, schema) in schemas().items()
    }
    for _, schema in schemas().values():
        properties = schema["properties"]
        assert isinstance(properties, dict)
        assert all(isinstance(one, dict) and one["description"] for one in properties.values())


def test_the_keys_of_a_verdict_stand_in_its_schema_and_the_constant_stays() -> None:
    before = json.dumps(schemas()["give_verdict"])
    _, schema = schema_for("give_verdict", ("good", "again"))
    assert json.dumps(schema).count('"enum": ["good", "again"]') == 1
    assert json.dumps(schemas()["give_verdict"]) == before


# -- what calls do ----------------------------------------------------------------------------------------------------


class Turn:
    """A bench of which one turn makes calls; their answers, and the tools after it."""

    def __init__(
        self, *calls: Call, stages: Sequence[dict[str, Any]] = (), at: str = "a", bench: Bench | None = None
    ) -> None:
        self.bench = bench or Bench(define(*(stages or [turn("a", verdict=JUDGE)])))
        self.answers: list[ToolAnswer] = []
        self.tools: Any = None

        async def act(desk: Desk) -> TurnAnswer | str:
            self.tools = desk.tools  # pyright: ignore[reportAttributeAccessIssue]
            for name, arguments in calls:
                self.answers.append(await desk.call(name, arguments))
            return "ok"

        def script(request: Any) -> Act | str:
            return act if request.key == at else "ok"

        self.bench.script = script
        self.end = self.bench.run()

    @property
    def last(self) -> ToolAnswer:
        return self.answers[-1]

    @property
    def texts(self) -> list[str]:
        return [answer.text for answer in self.answers]


def save(name: Json, content: Json = "text", **more: Json) -> Call:
    return "save_artifact", {"name": name, "content": content, **more}


def test_the_last_verdict_that_was_taken_counts() -> None:
    made = Turn(
        ("give_verdict", {"verdict": "again"}),
        ("give_verdict", {"verdict": " GOOD "}),
        ("give_verdict", {"verdict": "goood"}),
    )
    assert made.bench.value("a")["verdict"] == {"key": "good", "source": "tool", "action": "break"}
    assert made.last.failed and "again" in made.last.text and "Did you mean 'good'" in made.last.text


@pytest.mark.parametrize("given", ["unknown", "", "good again", 1, None, ["good"], "x" * 300])
def test_a_verdict_that_is_none_of_the_keys_is_a_failed_call(given: Json) -> None:
    made = Turn(("give_verdict", {"verdict": given}))
    assert made.last.failed and made.tools.verdict is None


def test_findings_go_through_the_rules_of_all_findings_x058() -> None:
    made = Turn(
        ("report_finding", {"message": "bad\nname", "path": "/work/src/a.py", "line": 3, "severity": "major"}),
        ("report_finding", {"message": "outside", "path": "../../etc/passwd", "line": 1}),
        ("report_finding", {"message": "bad\nname", "path": "src/a.py", "line": "3", "severity": "error"}),
        ("report_finding", {"message": "  "}),
        ("report_finding", {"path": "a.py"}),
        ("report_finding", {"message": "m", "line": [1]}),
    )
    placed, whole = made.tools.findings
    assert (placed.place, placed.message, placed.severity) == ("src/a.py:3", "bad name", "error")
    assert whole.path == "" and "not taken" in made.texts[1] and not made.answers[1].failed
    assert made.texts[2] == "Recorded already."
    assert [answer.failed for answer in made.answers[3:]] == [True] * 3
    assert [one["message"] for one in made.bench.value("a")["findings"]] == ["bad name", "outside"]  # type: ignore[index, union-attr]


def test_k036_k040_exit_loop_ends_the_innermost_loop_and_a_report_is_possible_after_it() -> None:
    stages = [loop("out", turn("first"), loop("in", turn("a")), max_iterations=2, on_exhausted="continue")]
    bench = Bench(define(*stages))
    Turn(("exit_loop", {}), ("finish_workflow", {"summary": "done"}), at="out[1]/in[1]/a", bench=bench)
    assert bench.keys == ["out[1]/first", "out[1]/in[1]/a", "out[2]/first", *(f"out[2]/in[{n}]/a" for n in (1, 2, 3))]
    assert bench.value("out[1]/in[1]/a")["report"] == {"summary": "done"}


def test_k030_k032_k033_r027_d1_only_accepted_reports_count_and_the_last_of_them() -> None:
    made = Turn(
        ("finish_workflow", {"summary": "one"}),
        ("finish_workflow", {"description": " two ", "artifacts": ["https://x/1", " ", "https://x/2"]}),
        ("finish_workflow", {"summary": "  "}),
        ("finish_workflow", {}),
        ("finish_workflow", {"summary": "x", "links": ["l"] * 101}),
        stages=[turn("a")],
    )
    assert made.bench.value("a")["report"] == {"summary": "two", "links": ["https://x/1", "https://x/2"]}
    assert [answer.failed for answer in made.answers] == [False, False, True, True, True]


def test_k020_k023_k024_k026_d2_a_saved_text_is_there_for_later_turns_when_they_load_it() -> None:
    bench = Bench(define(turn("a"), turn("b"), turn("c")))
    first = Turn(save("plan.md", "one"), save("plan.md", "two"), save(" other.md ", "x"), bench=bench)
    assert first.texts == [
        "Saved plan.md, version 1.", "Saved plan.md, version 2.", "Saved other.md, version 1.",
    ]  # fmt: skip
    assert "two" not in bench.prompt("c")
    again = Bench(bench.definition, artifacts=bench.artifacts)
    load: Call = ("load_artifact", {"name": "plan.md"})
    later = Turn(load, ("list_artifacts", {}), save("plan.md", "3"), at="c", bench=again)
    assert later.texts == ["two", "other.md (1 bytes)\nplan.md (3 bytes)", "Saved plan.md, version 2."]


def test_k021_an_unknown_artifact_is_a_failed_call_that_lists_the_known_ones() -> None:
    made = Turn(("load_artifact", {"name": "plan.md"}), save("plan.md"), ("load_artifact", {"name": "plam.md"}))
    assert made.answers[0].failed and "none yet" in made.texts[0]
    assert made.last.failed and "Did you mean 'plan.md'" in made.last.text and "There are: plan.md." in made.last.text


@pytest.mark.parametrize(
    "name",
    ["", " ", "../x", "a/b", "a\\b", "..", ".hidden", "journal.jsonl", "lock", "aux.md", "x" * 101, "a\0b", None, 7],
)
def test_k022_k025_a_name_that_is_none_is_refused(name: Json) -> None:
    made = Turn(save(name), ("load_artifact", {"name": name}))
    assert [answer.failed for answer in made.answers] == [True, True] and not made.bench.artifacts.texts


@pytest.mark.parametrize("content", ["", " \n", None])
def test_nothing_is_not_saved(content: Json) -> None:
    assert Turn(save("a.md", content)).last.failed


@pytest.mark.parametrize(
    ("name", "refused"),
    [("review-2.md", True), ("REVIEW-2.MD", True), ("all.md", True), ("close.md", True), ("skip.md", True),
     ("review-2.md.txt", False), ("notes.md", False)],
)  # fmt: skip
def test_x057_what_gates_look_at_is_written_by_the_engine_alone(name: str, refused: bool) -> None:
    stages = [
        turn("a"),
        loop(
            "l",
            turn("b", artifact="review-{{pass}}.md"),
            artifact={"file": "all.md", "text": "x"},
            iteration_var="pass",
        ),
        turn("c", skip_when={"artifact_exists": "skip.md"}),
    ]
    bench = Bench(define(*stages, close_artifacts=["close.md"]))
    made = Turn(save(name, "WORKFLOW_REVIEW_STATUS: clean"), bench=bench)
    assert made.last.failed == refused
    assert any("only the run itself writes" in note for note in bench.notes()) == refused


def test_r020_a_disk_that_is_full_is_a_failed_call() -> None:
    bench = Bench(define(turn("a")))

    async def write(name: str, text: str) -> Any:
        raise OSError(28, "No space left on device")

    bench.artifacts.write = write
    made = Turn(save("a.md"), bench=bench)
    assert made.last.failed and "No space left" in made.last.text and made.end.status == "completed"


def test_a_question_goes_to_the_user_and_so_does_what_can_be_chosen() -> None:
    bench = Bench(define(turn("a")), people=ScriptedPeople(lambda question: question.choices[-1]))
    made = Turn(("ask_user", {"question": "Which?", "choices": ["red", " ", "blue"]}), bench=bench)
    assert made.last == ToolAnswer(text="blue")
    assert [(one.key, one.kind, one.choices) for one in bench.people.questions] == [("a/ask-1", "ask", ("red", "blue"))]


def test_questions_have_an_end_r017() -> None:
    bench = Bench(define(turn("a")), people=ScriptedPeople(lambda _question: "yes"))
    ask: Call = ("ask_user", {"question": "?"})
    made = Turn(("ask_user", {"question": " "}), ("ask_user", {"question": "x" * 13_000}), *[ask] * 22, bench=bench)
    assert [answer.failed for answer in made.answers] == [True, True, *[False] * 20, True, True]
    assert len(bench.people.questions) == 20


def test_k039_x057_what_is_not_offered_does_nothing_names_what_there_is_and_is_recorded_once() -> None:
    stages = [loop("l", turn("a"), turn("b"))]
    calls: list[Call] = [
        ("exit_loop", {}),
        ("exit_loop", {}),
        ("give_verdict", {"verdict": "good"}),
        ("rm -rf\n\x1b[2J", {}),
    ]
    bench = Bench(define(*stages))
    made = Turn(*calls, at="l[1]/a", bench=bench)
    assert all(answer.failed for answer in made.answers)
    assert f"Your tools are: {', '.join(EVERYWHERE)}." in made.texts[0] and "\x1b" not in made.last.text
    assert [note.split("'")[1] for note in bench.notes()] == ["exit_loop", "give_verdict", "rm -rf"]
    assert bench.keys.count("l[3]/b") == 1


@pytest.mark.parametrize("name", ["item", "role", "runId", "agent"])
def test_x061_arguments_that_say_who_acts_are_ignored_and_recorded(name: str) -> None:
    made = Turn(("report_finding", {"message": "m", name: "other"}), save("a.md", **{name: "other"}))
    assert not any(answer.failed for answer in made.answers)
    assert sum(f"{name!r}, which says who acts" in note for note in made.bench.notes()) == 2
    assert "other" not in json.dumps(made.bench.value("a"))


def test_r079_large_deep_and_many_arguments_are_failed_calls() -> None:
    deep: Json = "x"
    for _ in range(100_000):
        deep = [deep]
    many = ["x"] * 20_000
    made = Turn(
        save("a.md", "x" * 20_000_000), save("a.md", "x" * 1_000_001), save("a.md", "x" * 1_000_000),
        save("b.md", "x", extra=deep), ("finish_workflow", {"summary": "s", "links": many}),
        save("c.md", "x", **{"y" * 1_000_001: 1}),
    )  # fmt: skip
    assert [answer.failed for answer in made.answers] == [True, True, False, True, True, True]
    while isinstance(deep, list):  # taken apart here: the interpreter would do it by recursion
        deep = deep[0]


def test_r079_a_storm_of_calls_is_refused_beyond_its_limit_and_leaves_few_records() -> None:
    finding: list[Call] = [("report_finding", {"message": f"m{n}"}) for n in range(520)]
    refused: list[Call] = [("no", {})] * 1000
    made = Turn(*finding, *[save("a.md")] * 500, *refused)
    assert len(made.tools.findings) == 500 and made.answers[500].failed
    assert "1000 calls" in made.texts[MOST_CALLS] and not made.answers[MOST_CALLS - 1].failed
    assert len(made.bench.notes()) <= 60


def tools_of(bench: Bench, run: Run) -> TurnTools:
    (stage,) = bench.definition.stages
    assert isinstance(stage, AgentTurn)

    async def ask(kind: str, text: str, choices: tuple[str, ...]) -> Answer:
        return Answer(text="")

    return TurnTools(run, stage, Lane(vars={}, live=True), "a", ask)


async def test_r072_after_its_end_a_turn_takes_no_call() -> None:
    bench = Bench(define(turn("a", verdict=JUDGE)))
    tools = tools_of(bench, bench.make())
    assert not (await tools.call("give_verdict", {"verdict": "again"})).failed
    tools.close()
    late: list[Call] = [
        ("give_verdict", {"verdict": "good"}),
        save("a.md"),
        ("report_finding", {"message": "m"}),
        ("x", {}),
    ]
    for call in late:
        answer = await tools.call(*call)
        assert answer.failed and "turn is over" in answer.text
    assert tools.verdict == "again" and not tools.findings and not bench.artifacts.texts


def test_texts_are_masked_and_made_fit_for_every_reader_where_they_enter_r022() -> None:
    made = Turn(
        ("report_finding", {"message": "half \ud83d and \0"}),
        ("finish_workflow", {"summary": "half \ud83d", "links": ["\ud83d"]}),
        save("a.md", "half \ud83d"),
    )
    json.dumps(made.bench.value("a"), ensure_ascii=False).encode()
    assert made.bench.artifacts.texts["a.md"] == "half \ufffd"


async def test_known_secrets_are_masked_where_they_enter_and_where_they_are_read() -> None:
    bench = Bench(define(turn("a")))
    run = bench.make()

    def mask(text: str) -> str:
        return text.replace("s3cret", "***")

    run.ports = dataclasses.replace(run.ports, mask=mask)
    tools = tools_of(bench, run)
    await tools.call("report_finding", {"message": "s3cret", "suggestion": "s3cret"})
    await tools.call("finish_workflow", {"summary": "s3cret", "links": ["s3cret"]})
    await tools.call(*save("a.md", "s3cret"))
    await tools.call("s3cret", {})
    kept = f"{tools.findings} {tools.report} {bench.artifacts.texts} {[r.payload for r in bench.journal.records]}"
    assert "s3cret" not in kept and kept.count("***") >= 5
    bench.artifacts.texts["mine.md"] = "s3cret"
    assert (await tools.call("load_artifact", {"name": "mine.md"})).text == "***"
