"""From text to a definition, or to everything that is wrong with it."""

from __future__ import annotations

import json
from typing import Annotated, Literal

import pytest
from pydantic import Field

from sprintwright.definitions.load import decode, load_bytes, load_definition, load_model
from sprintwright.model.value import Value
from tests.unit.definitions.support import EXAMPLES, HEAD, TURN, at, fixed, load_stages, only, told


def test_m004_yaml_and_json_give_equal_values() -> None:
    loaded = load_definition((EXAMPLES / "careful-change.yaml").read_text("utf-8"))
    assert loaded.value is not None
    as_json = json.dumps(loaded.value.model_dump(mode="json", by_alias=True, exclude_defaults=True), indent="\t")
    assert load_definition(as_json, json=True).value == loaded.value


def test_m008_an_unknown_key_and_use_memory_load_with_one_warning_each() -> None:
    loaded = load_stages(TURN[:-1] + ", use_memory: true, colour: red}")
    assert loaded.value is not None
    assert sorted(one.code for one in loaded.problems) == ["ignored_key", "unknown_key"]


@pytest.mark.parametrize(
    ("text", "near"),
    [
        (f"titel: x\n{HEAD}  - {TURN}\n", "title"),
        (f"{HEAD}  - {TURN[:-1]}, on_answer_promt: x}}\n", "on_answer_prompt"),
        (f"{HEAD}  - {TURN[:-1]}, artifact: {{file: a.md, markr: x}}}}\n", "marker"),
        (f"{HEAD}  - {TURN[:-1]}, verdict: {{unknown: {{action: retry, wran: true}}}}}}\n", "warn"),
        (f"{HEAD.replace('[dev]', '{dev: {permission: ask}}')}  - {TURN}\n", "permissions"),
        (f"{HEAD}  - {{id: l, kind: loop, over: X, from: task, goall: x, body: [{TURN}]}}\n", "goal"),
        (f"{HEAD}  - {TURN[:-1]}, retry: {{atempts: 2}}}}\n", "attempts"),
    ],
)
def test_v033_an_unknown_key_at_any_depth_is_a_warning_that_can_be_fixed(text: str, near: str) -> None:
    loaded = load_definition(text)
    found = only(loaded, "unknown_key")
    assert (found.severity, loaded.value is not None) == ("warning", True)
    assert f"{near!r}" in found.message
    assert not any(one.code == "unknown_key" for one in load_definition(fixed(text, found)).problems)


def test_v033_a_key_of_another_kind_says_whose_it_is() -> None:
    loaded = load_stages(f"{{id: a, kind: loop, over: X, from: task, role: dev, body: [{TURN}]}}")
    assert "agent_turn" in only(loaded, "unknown_key").message


def test_a_comma_in_flow_text_is_explained() -> None:
    loaded = load_stages(TURN, head=HEAD.replace("[dev]", "{dev: {description: Looks, then plans.}}"))
    assert "quotes" in only(loaded, "unknown_key").message


@pytest.mark.parametrize(
    ("stage", "value", "words"),
    [
        ("{id: a, kind: loop, max_iterations: '{{ inputs.n }}', body: [%s]}", "'{{ inputs.n }}'", "a whole number"),
        ("{id: a, kind: loop, max_iterations: [1], body: [%s]}", "[1]", "a whole number, not a list"),
        ("{id: a, kind: loop, max_iterations: -1, body: [%s]}", "-1", "at least 0"),
        ("{id: a, kind: loop, over: X, from: task, on_exhausted: fial, body: [%s]}", "fial", "'fail'"),
        ("{id: a, kind: agent_turn, role: dev, prompt: [x]}", "[x]", "a text, not a list"),
        ("{id: a, kind: agent_turn, role: dev, prompt: x, pause_after: maybe}", "maybe", "true or false"),
        ("{id: a, kind: agent_turn, role: dev, prompt: x, verdict: [ok]}", "[ok]", "a mapping"),
        ("{id: a, kind: agent_turn, role: dev, prompt: x, skip_when: never}", "never", "'empty_project' or a map"),
        ("{id: a, kind: agent_turn, role: dev, prompt: x, retry: {wait_seconds: soon}}", "soon", "a number"),
        ("{id: a, kind: check, commands: [[x]], timeout_seconds: inf}", "inf", "a number"),
        ("{id: a, kind: check, commands: [[x]], timeout_seconds: .nan}", ".nan", "a number"),
        ("{id: a, kind: check, commands: [[x]], format: xml}", "xml", "'auto'"),
        ("just text", "just text", "a mapping"),
    ],
)  # fmt: skip
def test_b045_a_wrong_type_names_the_allowed_ones_on_its_place(stage: str, value: str, words: str) -> None:
    text = f"{HEAD}  - {stage.replace('%s', TURN)}\n"
    loaded = load_definition(text)
    [found] = loaded.errors
    assert (at(text, found), words in found.message) == (value, True), found.message


def test_no_word_of_the_validation_library_reaches_a_user() -> None:
    loaded = load_definition(
        "name: [x]\nroles: 3\nvars: [a]\nboard: {}\nlimits: []\ncompletion: no\nclose_artifacts: {a: b}\nstages:\n"
        "  - {id: {}, kind: agent_turn, role: [], prompt: {}, artifact: [], verdict: x, session: 1, retry: []}\n"
        "  - []\n  - {id: a}\n  - {id: b, kind: check, commands: {}}\n  - {id: c, kind: loop, over: X, body: {}}\n"
    )
    assert len(loaded.errors) > 15
    for one in loaded.problems:
        assert not any(
            word in one.message.lower() for word in ("input", "pydantic", "valid ", "union", "instance", "tuple")
        )
        assert one.message[0] in "ABCDEFGHIJKLMNOPQRSTUVWXYZ'" and one.message.endswith((".", "?"))


@pytest.mark.parametrize("text", ["", "# nothing\n", "---\n", "null\n", "\ufeff"])
def test_an_empty_file_says_what_it_needs(text: str) -> None:
    assert told(load_definition(text)) == {("empty", "error")}


@pytest.mark.parametrize("text", ["x", "- a", "3", "[]"])
def test_a_file_that_is_no_mapping_says_so(text: str) -> None:
    assert "mapping" in only(load_definition(text), "wrong_type").message


@pytest.mark.parametrize("value", ["", "null"])
def test_a_key_without_a_value_counts_as_not_given_and_says_so(value: str) -> None:
    loaded = load_stages(f"{{id: a, kind: user_checkpoint, prompt: hi, save_as: {value}}}")
    assert told(loaded) == {("absent_value", "hint")}
    assert told(load_stages(f"{{id: a, kind: user_checkpoint, prompt: {value}}}")) == {
        ("absent_value", "hint"),
        ("missing_key", "error"),
    }


def test_a_quoted_null_is_text() -> None:
    assert load_stages("{id: a, kind: user_checkpoint, prompt: 'null'}").problems == ()


def test_variables_and_roles_may_be_empty() -> None:
    head = "vars: {note: , number: 1.10, flag: on}\n" + HEAD.replace("[dev]", "{dev: }")
    value = load_stages(TURN, head=head).value
    assert value is not None
    assert value.vars == {"note": "", "number": "1.10", "flag": "on"}
    assert value.roles["dev"].permissions == "workspace_write"


def test_b041_a_definition_with_any_error_has_no_value() -> None:
    loaded = load_stages(TURN, head="roles: {dev: {permissions: read_only}}\n" + HEAD)
    assert loaded.value is None and loaded.root is not None
    assert [one.code for one in loaded.errors] == ["duplicate_key"]


@pytest.mark.parametrize(
    ("data", "line", "word"),
    [
        (b"name: x\ntitle: \xff\n", 1, "UTF-8"),
        (b"name: \xc3", 0, "UTF-8"),
        (HEAD.encode("utf-16"), 0, "UTF-16"),
        (HEAD.encode("utf-16-le"), 0, "UTF-16"),
        (HEAD.encode("utf-16-be"), 0, "UTF-16"),
        ("name: prüfung\n".encode("latin-1"), 0, "UTF-8"),
    ],
)
def test_bytes_that_are_no_utf8_are_told_with_their_line(data: bytes, line: int, word: str) -> None:
    _, [found] = decode(data)
    assert (found.code, found.range.line, word in found.message) == ("encoding", line, True)
    assert load_bytes(data)[1].value is None


def test_a_nul_is_told_on_its_place() -> None:
    text, loaded = load_bytes(f"{HEAD}  - {TURN}\ntitle: a\0b\n".encode())
    assert at(text, only(loaded, "control_character")) == "\0"


def test_a_byte_order_mark_is_taken_off() -> None:
    assert decode(b"\xef\xbb\xbfname: x") == ("name: x", ())


def test_a_file_that_is_too_large_is_told_once() -> None:
    assert [one.code for one in load_bytes("é".encode() * 600_000)[1].problems] == ["too_large"]


class _Lamp(Value):
    kind: Literal["lamp"]
    bright: int = Field(ge=1)


class _Switch(Value):
    kind: Literal["switch"]
    command: tuple[str, ...] = ()


class _House(Value):
    things: dict[str, Annotated[_Lamp | _Switch, Field(discriminator="kind")]] = {}
    name: str = ""


def test_any_model_is_read_the_same_way() -> None:
    loaded = load_model("name: 1.10\nthings: {a: {kind: lamp, bright: '3'}}", _House)
    assert loaded.value == _House(name="1.10", things={"a": _Lamp(kind="lamp", bright=3)})
    assert load_model("", _House).value == _House()


def test_any_model_is_refused_the_same_way() -> None:
    text = "nmae: x\nthings: {a: {kind: lamp, bright: 0}, b: {kind: switch, command: ls -l}}"
    loaded = load_model(text, _House)
    assert loaded.value is None
    assert [one.code for one in loaded.problems if one.severity == "warning"] == ["unknown_key"]
    assert {at(text, one) for one in loaded.errors} == {"0", "ls -l"}


def test_problems_stand_in_the_order_of_the_text() -> None:
    loaded = load_definition("stuff: 1\nname: ''\nroles: [dev]\nstages:\n  - {id: a, kind: x}\nvars: [a]\n")
    lines = [one.range.line for one in loaded.problems]
    assert lines == sorted(lines) and len(lines) == 4
