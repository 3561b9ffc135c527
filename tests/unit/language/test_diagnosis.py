"""What is told of a text while it is typed, and the quick fixes for it."""

from __future__ import annotations

from pathlib import Path

import pytest

from sprintwright.definitions.load import load_definition
from sprintwright.language.diagnosis import diagnose
from sprintwright.language.document import Document
from sprintwright.language.fixes import fixes
from sprintwright.model.problem import Range
from tests.unit.definitions.support import HEAD, TURN
from tests.unit.language.support import ALL, applied

EVERYWHERE = Range(line=0, column=0, end_line=10_000, end_column=0)


def codes(text: str, *, json: bool = False) -> list[tuple[str, int]]:
    return [(one.code, one.range.line) for one in diagnose(Document(text, json=json))]


def mended(text: str, title: str, *, json: bool = False) -> str:
    """The text after the fix with that title."""
    found = [fix for _, fix in fixes(Document(text, json=json), EVERYWHERE) if fix.title == title]
    assert found, [fix.title for _, fix in fixes(Document(text, json=json), EVERYWHERE)]
    return applied(text, list(found[0].edits))


@pytest.mark.parametrize("path", ALL, ids=lambda path: path.stem)
def test_a_good_file_has_no_errors_and_fixes_for_nothing_else(path: Path) -> None:
    assert not [one for one in diagnose(Document(path.read_text("utf-8"))) if one.severity == "error"]


def test_a_text_that_can_be_read_is_told_what_a_start_would_be() -> None:
    text = HEAD + "  - {id: a, kind: agent_turn, role: deb, promt: x}\n"
    assert diagnose(Document(text)) == load_definition(text).problems


def test_other_problems_stay_while_a_line_is_typed() -> None:
    good = (
        HEAD
        + "  - {id: a, kind: chek}\n  - id: b\n    kind: agent_turn\n    rol: dev\n    role: dev\n    prompt: '{{if}}'\n"
    )
    whole = codes(good)
    typing = good + "  - id: c\n    ki\n    role: dev\n"
    broken = codes(typing)
    assert "yaml_syntax" in [code for code, _ in broken]
    assert {("unknown_kind", 3), ("unknown_key", 6), ("template_syntax", 8)} <= set(whole) & set(broken)
    assert not [code for code, _ in broken if code in ("missing_key", "unknown_role", "unknown_variable")]


def test_nothing_but_its_size_is_told_of_a_text_that_is_too_large() -> None:
    assert codes("a: b\n" * 250_000) == [("too_large", 0)]


def test_b031_the_first_of_two_keys_is_related() -> None:
    [one] = [one for one in diagnose(Document("name: x\nname: y\nstages: []\n")) if one.code == "duplicate_key"]
    assert one.range.line == 1 and one.related[0][1].line == 0


@pytest.mark.parametrize(
    ("text", "title", "expected"),
    [
        ("name: x\nstages:\n  - id: a\n\tkind: b\n", "Replace the tabs with spaces", "name: x\nstages:\n  - id: a\n  kind: b\n"),
        ("name: x\nstages:\n\t- id: a\n\t  b: c\n", "Replace all tabs of the file", "name: x\nstages:\n  - id: a\n    b: c\n"),
        ("name: {{x}}\n", "Put quotes around it", "name: '{{x}}'\n"),
        (f"{HEAD}  - {{id: a, kind: agent_turn, role: deb, prompt: x}}\n", "Change to 'dev'", f"{HEAD}  - {{id: a, kind: agent_turn, role: dev, prompt: x}}\n"),
        (f"{HEAD}  - {{id: a, kind: agent_turn, role: deb, prompt: x}}\n", "Add the role 'deb'", "name: trial\nroles: [dev, deb]\nstages:\n  - {id: a, kind: agent_turn, role: deb, prompt: x}\n"),
        (f"name: x\nroles:\n  dev: {{}}\nstages:\n  - {TURN.replace('role: dev', 'role: xyz')}\n", "Add the role 'xyz'", f"name: x\nroles:\n  dev: {{}}\n  xyz: {{permissions: read_only}}\nstages:\n  - {TURN.replace('role: dev', 'role: xyz')}\n"),
        (f"name: x\nroles:\n  - dev\nstages:\n  - {TURN.replace('role: dev', 'role: xyz')}\n", "Add the role 'xyz'", f"name: x\nroles:\n  - dev\n  - xyz\nstages:\n  - {TURN.replace('role: dev', 'role: xyz')}\n"),
        (f"name: x\nstages:\n  - {TURN}\n", "Add the role 'dev'", f"name: x\nroles: [dev]\nstages:\n  - {TURN}\n"),
        (f"{HEAD}  - id: a\n    kind: agnt_turn\n    role: dev\n    prompt: x\n", "Change to 'agent_turn'", f"{HEAD}  - id: a\n    kind: agent_turn\n    role: dev\n    prompt: x\n"),
        (f"{HEAD}  - id: a\n    kind: agent_turn\n    role: dev\n    promt: x\n", "Change to 'prompt'", f"{HEAD}  - id: a\n    kind: agent_turn\n    role: dev\n    prompt: x\n"),
        (f"{HEAD}  - {TURN}\ntitel: x\nzzz: y\n", "Remove the line", f"{HEAD}  - {TURN}\nzzz: y\n"),
        (f"{HEAD}  - {TURN.replace('go', chr(39) + '{{tsk}}' + chr(39))}\n", "Change to 'task'", f"{HEAD}  - {TURN.replace('go', chr(39) + '{{task}}' + chr(39))}\n"),
        (f"{HEAD}  - {TURN.replace('go', chr(39) + '{{zzz}}' + chr(39))}\n", "Add 'zzz' to 'vars'", f"name: trial\nvars: {{zzz: ''}}\nroles: [dev]\nstages:\n  - {TURN.replace('go', chr(39) + '{{zzz}}' + chr(39))}\n"),
        (f"{HEAD}  - {{id: a, kind: board_seed, over: Item, from: task}}\n", "Add 'board: true'", "name: trial\nboard: true\nroles: [dev]\nstages:\n  - {id: a, kind: board_seed, over: Item, from: task}\n"),
        (f"board: false\n{HEAD}  - {{id: a, kind: board_seed, over: Item, from: task}}\n", "Write 'board: true'", f"board: true\n{HEAD}  - {{id: a, kind: board_seed, over: Item, from: task}}\n"),
        (f"{HEAD}  - id: a\n    kind: agent_turn\n    role: dev\n", "Add 'prompt: '{{task}}''", f"{HEAD}  - id: a\n    kind: agent_turn\n    role: dev\n    prompt: '{{{{task}}}}'\n"),
        (f"{HEAD}  - prompt: |\n      x\n    id: a\n    kind: agent_turn\n", "Add 'role: dev'", f"{HEAD}  - role: dev\n    prompt: |\n      x\n    id: a\n    kind: agent_turn\n"),
        (f"{HEAD}  - {{id: a, role: dev, prompt: x}}\n", "Add 'kind: agent_turn'", f"{HEAD}  - {{id: a, role: dev, prompt: x, kind: agent_turn}}\n"),
        (f"roles: [dev]\nstages:\n  - {TURN}\n", "Add 'name: my-workflow'", f"name: my-workflow\nroles: [dev]\nstages:\n  - {TURN}\n"),
        (f"{HEAD}  - {TURN[:-1]}, verdict: {{ok: {{}}}}}}\n", "Add 'action: retry'", f"{HEAD}  - {TURN[:-1]}, verdict: {{ok: {{action: retry}}}}}}\n"),
        (f"{HEAD}  - {TURN[:-1]}, verdict: {{ok: {{action: break}}}}}}\n", "Add 'unknown: {action: retry, warn: true}'", f"{HEAD}  - {TURN[:-1]}, verdict: {{ok: {{action: break}}, unknown: {{action: retry, warn: true}}}}}}\n"),
        (f"{HEAD}  - {{id: a, kind: check, commands: pytest -q}}\n", "Write it as a list", f"{HEAD}  - {{id: a, kind: check, commands: [[pytest, -q]]}}\n"),
    ],
)  # fmt: skip
def test_a_quick_fix_mends_the_text(text: str, title: str, expected: str) -> None:
    assert mended(text, title) == expected


def test_a_fix_in_json_is_json() -> None:
    text = '{"name": "x", "roles": ["d"], "stages": [{"id": "a", "kind": "agent_turn", "role": "zzz"}]}'
    assert '"roles": ["d", "zzz"]' in mended(text, "Add the role 'zzz'", json=True)
    assert '"role": "zzz", "prompt": "{{task}}"}' in mended(text, "Add 'prompt: \"{{task}}\"'", json=True)


def test_a_fix_keeps_carriage_returns_and_stands_before_comments() -> None:
    text = "name: x # mine\r\nstages:\r\n  - {id: a, kind: agent_turn, role: dev, prompt: x}\r\n"
    assert mended(text, "Add the role 'dev'").startswith("name: x # mine\r\nroles: [dev]\r\nstages:")


def test_the_fix_of_the_problem_comes_before_further_ones_and_only_where_it_is() -> None:
    document = Document(f"{HEAD}  - {{id: a, kind: agent_turn, role: deb, prompt: x}}\n")
    assert [fix.title for _, fix in fixes(document, EVERYWHERE)] == ["Change to 'dev'", "Add the role 'deb'"]
    assert not fixes(document, Range(line=0, column=0, end_line=0, end_column=3))


@pytest.mark.parametrize("line", ["    zzz: |\n      a\n", "    zzz:\n      a: b\n", "    zzz: [a,\n      b]\n"])
def test_a_key_of_several_lines_is_not_removed_by_its_first(line: str) -> None:
    text = f"{HEAD}  - id: a\n    kind: agent_turn\n    role: dev\n    prompt: x\n{line}"
    assert not [fix for _, fix in fixes(Document(text), EVERYWHERE) if fix.title == "Remove the line"]
