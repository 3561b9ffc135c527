"""Definition, references, rename, the outline and the commands above the name."""

from __future__ import annotations

import pytest

from sprintwright.definitions.inside import Inside
from sprintwright.definitions.load import load_definition
from sprintwright.language.document import Document
from sprintwright.language.navigation import definition, references
from sprintwright.language.renaming import prepare_rename, rename
from sprintwright.language.symbols import lenses, symbols
from sprintwright.language.values import Symbol
from sprintwright.model.problem import Range
from tests.unit.language.support import PLAN, applied, place


def written(document: Document, where: Range) -> str:
    starts = document.source.line_starts
    return document.text[starts[where.line] + where.column : starts[where.end_line] + where.end_column]


def line_of(marked: str) -> list[int]:
    return [where.line for where in definition(*place(marked))]


@pytest.mark.parametrize(
    ("old", "new", "lines"),
    [
        ("role: dev", "role: d^ev", [2]), ("{{house}}", "{{ho^use}}", [5]), ("from: plan", "from: pl^an", [10]),
        ("again: {{account}}", "again: {{acc^ount}}", [24]), ("(gt pass 1)", "(gt pa^ss 1)", [18]),
        ("{{plan_questions}}", "{{plan_q^uestions}}", [7]), ("{{task}}", "{{ta^sk}}", []), ("name: trial", "name: tr^ial", []),
    ],
)  # fmt: skip
def test_a_name_leads_to_what_sets_it(old: str, new: str, lines: list[int]) -> None:
    assert line_of(PLAN.replace(old, new, 1)) == lines


def test_an_artifact_that_is_waited_for_leads_to_the_stage_that_leaves_it() -> None:
    text = PLAN + "  - {id: x, kind: check, commands: [[a]], skip_when: {artifact_exists: pl^an.md}}\n"
    assert line_of(text) == [12]


def test_references_are_every_place_in_order() -> None:
    document, line, column = place(PLAN.replace("save_as: plan", "save_as: pl^an"))
    found = references(document, line, column)
    assert [(where.line, written(document, where)) for where in found] == [(10, "plan"), (19, "plan"), (27, "plan")]
    assert len(references(document, line, column, declaration=False)) == 2


def renamed(marked: str, name: str) -> str:
    document, line, column = place(marked)
    found = rename(document, line, column, name)
    assert not found.refusal
    return applied(document.text, list(found.edits))


@pytest.mark.parametrize(
    ("old", "marked", "name", "changes"),
    [
        ("role: dev", "role: d^ev", "maker", {"dev: {desc": "maker: {desc", "role: dev": "role: maker"}),
        ("{{house}}", "{{ho^use}}", "rules-2", {"house: rules": "rules-2: rules", "{{house}}": "{{rules-2}}"}),
        ("save_as: account", "save_as: acc^ount", "report", {"account": "report"}),
        ("iteration_var: pass", "iteration_var: p^ass", "round", {"iteration_var: pass": "iteration_var: round", "gt pass": "gt round"}),
        ("id: plan", "id: pl^an", "first", {"id: plan": "id: first", "{{plan_q": "{{first_q", "{{.plan_a": "{{.first_a"}),
        ("id: rounds", "id: ro^unds", "the rounds", {"id: rounds": "id: the rounds"}),
    ],
)  # fmt: skip
def test_a_rename_reaches_every_place(old: str, marked: str, name: str, changes: dict[str, str]) -> None:
    expected = PLAN
    for one, other in changes.items():
        expected = expected.replace(one, other)
    text = renamed(PLAN.replace(old, marked, 1), name)
    assert text == expected
    assert not load_definition(text).errors


def test_a_new_name_is_quoted_where_it_has_to_be() -> None:
    assert "role: 'a: b'" in renamed(PLAN.replace("role: dev", "role: d^ev", 1), "a: b")
    assert '"x y"' in renamed('roles: ["d^ev"]\nstages: []\nname: x\n', "x y")


@pytest.mark.parametrize(
    ("old", "marked", "name", "words"),
    [
        ("{{task}}", "{{ta^sk}}", "x", "set by every run"), ("{{house}}", "{{ho^use}}", "1x", "no name of a variable"),
        ("{{house}}", "{{ho^use}}", "if", "template language"), ("{{house}}", "{{ho^use}}", "plan", "already"),
        ("{{house}}", "{{ho^use}}", "task", "every run"), ("role: dev", "role: d^ev", "JUDGE", "already"),
        ("id: plan", "id: pl^an", "rounds", "already"), ("id: plan", "id: pl^an", "a/b", "can't hold"),
        ("id: plan", "id: pl^an", "a b", "no blanks"), ("role: dev", "role: d^ev", " ", "empty"),
        ("{{plan_questions}}", "{{plan_q^uestions}}", "x", "rename that"), ("name: trial", "name: tr^ial", "x", "Only roles"),
        ("artifact: plan.md", "artifact: pl^an.md", "x", "by hand"), ("kind: loop", "kind: lo^op", "x", "Only roles"),
    ],
)  # fmt: skip
def test_a_bad_rename_is_refused_in_words(old: str, marked: str, name: str, words: str) -> None:
    found = rename(*place(PLAN.replace(old, marked, 1)), name)
    assert words in found.refusal and not found.edits


def test_a_broken_file_is_not_renamed_in() -> None:
    assert "mend that first" in str(prepare_rename(*place(PLAN.replace("role: dev", "role: d^ev", 1) + "  - 'x")))


def test_a_place_whose_letters_can_not_be_told_apart_is_not_guessed(monkeypatch: pytest.MonkeyPatch) -> None:
    marked = PLAN.replace("house: rules", "ho^use: rules", 1)
    assert not rename(*place(marked), "x").refusal
    monkeypatch.setattr(Inside, "_places", {})
    found = rename(*place(marked), "x")
    assert "told apart" in found.refusal and not found.edits


def test_an_id_whose_variables_come_from_two_stages_is_not_renamed() -> None:
    marker = "skip_user_checkpoint_marker: X, on_answer_prompt: '{{a_answer}}'"
    text = "name: x\nroles: [d]\nstages:\n" + "".join(
        f"  - {{id: l{n}, kind: loop, max_iterations: 1, body: [{{id: a, kind: agent_turn, role: d, prompt: p, {marker}}}]}}\n"
        for n in (1, 2)
    )
    found = rename(*place(text.replace("id: a", "id: ^a", 1)), "b")
    assert "another stage" in found.refusal


def outline(found: tuple[Symbol, ...]) -> list[object]:
    return [(one.name, outline(one.children)) if one.children else one.name for one in found]


def test_the_outline_shows_roles_variables_and_nested_stages() -> None:
    assert outline(symbols(Document(PLAN))) == [
        ("roles", ["dev", "judge"]), ("vars", ["house"]), "plan", ("rounds", ["build"]),
    ]  # fmt: skip
    assert outline(symbols(Document(PLAN + "  - id: 'x"))) == [
        ("roles", ["dev", "judge"]), ("vars", ["house"]), "plan", ("rounds", ["build"]), "x",
    ]  # fmt: skip


def test_a_part_of_the_outline_lies_within_what_it_is_part_of() -> None:
    def check(one: Symbol) -> None:
        assert (one.range.line, one.range.column) <= (one.selection.line, one.selection.column)
        assert (one.selection.end_line, one.selection.end_column) <= (one.range.end_line, one.range.end_column)
        for child in one.children:
            assert (one.range.line, one.range.column) <= (child.range.line, child.range.column)
            check(child)

    for one in symbols(Document(PLAN)):
        check(one)


def test_the_commands_stand_above_the_name() -> None:
    assert [(one.title, one.action, one.name, one.range.line) for one in lenses(Document(PLAN))] == [
        ("Run", "run", "trial", 0), ("Validate", "validate", "trial", 0),
    ]  # fmt: skip
    assert [one.action for one in lenses(Document("title: x\n"))] == ["validate"]
    assert not lenses(Document(""))
