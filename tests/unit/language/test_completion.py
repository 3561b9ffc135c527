"""What is offered where, also in a text that is being typed; and what the text is once it is taken."""

from __future__ import annotations

import pytest

from sprintwright.definitions.load import load_definition
from sprintwright.definitions.shape import fields_of
from sprintwright.language.docs import stage_models
from sprintwright.language.values import Known
from sprintwright.model.definition import Definition
from tests.unit.language.support import PLAN, completions, labels, taken

TOP = set(fields_of(Definition))
KINDS = list(stage_models())
LOOP = set(fields_of(stage_models()["loop"]))
TURN = set(fields_of(stage_models()["agent_turn"]))


def test_an_empty_file_offers_a_whole_workflow_that_loads_without_a_problem() -> None:
    assert labels("^")[0] == "workflow"
    loaded = load_definition(taken("^", "workflow"))
    assert loaded.value is not None and not loaded.problems


def test_an_empty_json_file_offers_one_too() -> None:
    loaded = load_definition(taken("^", "workflow", json=True), json=True)
    assert loaded.value is not None and not loaded.problems


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("name: x\n^", TOP - {"name"}),
        ("name: x\nro^\nstages: []\n", TOP - {"name", "stages"}),
        ("name: x\n^\nstages:\n  - id: a\n", TOP - {"name", "stages"}),
        ("\ufeffna^", TOP),
        ("stages:\n  - id: a\n    kind: loop\n    ^", LOOP - {"id", "kind"}),
        ("stages:\n  - id: a\n    ^\n    kind: loop\n", LOOP - {"id", "kind"}),
        ("stages:\n  - id: a\n    ma^\n    kind: loop\n    body: []\n", LOOP - {"id", "kind", "body"}),
        (
            "stages:\n  - kind: loop\n    body:\n      - id: b\n        kind: agent_turn\n        ^\n",
            TURN - {"id", "kind"},
        ),
        ("stages:\n- kind: loop\n  body:\n  - kind: agent_turn\n    ^\n", TURN - {"kind"}),
        ("stages:\n\t- kind: agent_turn\n\t  ^", TURN - {"kind"}),
        ("stages:\n  - {kind: agent_turn, ^", TURN - {"kind"}),
        ("stages:\n  - {kind: agent_turn, ^, id: a}\n  - id: b", TURN - {"kind", "id"}),
        ('stages:\n  - kind: agent_turn\n    role: "open\n    ^', TURN - {"kind", "role"}),
        ("stages:\n  - kind: agent_turn\n    prompt: {{ta\n    ^\n", TURN - {"kind", "prompt"}),
        ("roles:\n  a:\n    ^", {"description", "permissions"}),
        ("roles:\n  a: {^}", {"description", "permissions"}),
        ("stages:\n  - kind: check\n    verdict:\n      ok: {^}", {"action", "warn"}),
        ("stages:\n  - kind: check\n    verdict:\n      ok:\n        action: break\n        ^", {"warn"}),
        ("close_artifacts:\n  - ^", {"file", "text", "marker", "contains", "min_bytes"}),
        ("stages:\n  - kind: loop\n    artifact:\n      file: a\n      ^", {"text", "marker", "contains", "min_bytes"}),
        ("stages:\n  - kind: agent_turn\n    retry: {^", {"attempts", "wait_seconds", "factor", "jitter"}),
        ("stages:\n  - kind: agent_turn\n    skip_when:\n      ^", {"artifact_exists"}),
    ],
)
def test_keys_of_the_mapping_at_the_cursor_are_offered_but_those_already_there(marked: str, expected: set[str]) -> None:
    assert set(labels(marked)) == expected


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ('{"^"}', TOP), ("{^}", TOP), ('{"name": "x", "^', TOP - {"name"}),
        ('{"stages": [{"kind": "loop", "^": 1}]}', LOOP - {"kind"}),
        ('{\n\t"stages": [\n\t\t{"kind": "agent_turn",\n\t\t "^\n', TURN - {"kind"}),
    ],
)  # fmt: skip
def test_json_has_the_same_keys(marked: str, expected: set[str]) -> None:
    assert set(labels(marked, json=True)) == expected


def test_a_new_stage_is_asked_for_its_kind_first() -> None:
    found = labels("stages:\n  - ^")
    assert found[:2] == ["kind", "id"]
    assert {"agent_turn …", "check …"} < set(found)
    assert next(one.label for one in completions("stages:\n  - id: a\n    ^")) == "kind"


def test_required_keys_come_first_and_ignored_ones_last() -> None:
    found = labels("stages:\n  - kind: agent_turn\n    ^")
    assert found[:3] == ["id", "role", "prompt"]
    assert found[-1] == "use_memory"


@pytest.mark.parametrize(
    ("marked", "expected"),
    [
        ("stages:\n  - id: a\n    kind: ^", KINDS),
        ("stages:\n  - id: a\n    kind:^", KINDS),
        ("stages:\n  - {id: a, kind: ^}", KINDS),
        ("stages:\n  - {id: a, kind: 'ag^'}", KINDS),
        ("board: ^", ["true", "false"]),
        ("completion: ^", ["automatic", "explicit"]),
        ("roles:\n  a: {permissions: ^}", ["read_only", "ask", "workspace_write", "full"]),
        ("stages:\n  - kind: check\n    format: ^", ["auto", "pytest", "junit", "sarif", "ruff", "gcc"]),
        ("stages:\n  - kind: check\n    verdict:\n      ok: {action: ^}", ["break", "retry"]),
        ("stages:\n  - kind: check\n    verdict:\n      ok: {warn: ^}", ["true", "false"]),
        ("stages:\n  - kind: agent_turn\n    skip_when: ^", ["no_git_history", "empty_project"]),
        ("stages:\n  - kind: agent_turn\n    empty_output_fallback: ^", ["git_diff"]),
        ("stages:\n  - kind: check\n    commands: [[^]]", ["{sprintwright}"]),
        ("stages:\n  - kind: check\n    commands: [[a, ^]]", ["{artifacts}"]),
    ],
)
def test_words_that_a_key_takes_are_offered(marked: str, expected: list[str]) -> None:
    assert labels(marked) == expected


@pytest.mark.parametrize(
    ("tail", "expected"),
    [
        ("  - {id: x, kind: agent_turn, role: ^}", ["dev", "judge"]),
        ('  - id: x\n    kind: agent_turn\n    role: "^\n', ["dev", "judge"]),
        (
            "  - id: x\n    kind: loop\n    from: ^\n",
            ["account", "house", "plan", "plan_answer", "plan_questions", "previous", "task"],
        ),
        ("  - id: x\n    kind: agent_turn\n    skip_when: {artifact_exists: ^}\n", ["plan.md"]),
        ("  - id: x\n    kind: agent_turn\n    artifact: '{{^'\n", ["pass"]),
        ("close_artifacts:\n  - file: ^\n", ["plan.md"]),
    ],
)
def test_names_of_the_file_are_offered(tail: str, expected: list[str]) -> None:
    assert sorted(labels(PLAN + tail)) == expected


def test_variables_come_with_where_they_are_from() -> None:
    found = {one.label: one.detail for one in completions(PLAN + "  - {id: x, kind: user_checkpoint, prompt: '{{^'}")}
    assert found["plan"] == "what stage 'plan' came to"
    assert found["house"] == "text of 'vars'"
    assert found["pass"] == "number of the pass of loop 'rounds', from 1"
    assert found["plan_answer"] == "what the user answered to 'plan'"
    assert found["task"] == "What the user asked for."


@pytest.mark.parametrize(
    ("prompt", "label", "expected"),
    [
        ("'a {{^'", "task", "'a {{task}}'"), ("'a {{ta^}} b'", "task", "'a {{task}} b'"),
        ("'{{.ta^}}'", "task", "'{{.task}}'"), ("'{{- ^'", "end", "'{{- end}}'"), ("'{{^}}'", "if", "'{{if }}'"),
        ("'{{if ^}}'", "task", "'{{if task}}'"), ("'{{if gt pa^ 1}}'", "pass", "'{{if gt pass 1}}'"),
        ("'{{if ^'", "gt", "'{{if gt '"), ("|-\n      x {{^\n      y", "plan", "|-\n      x {{plan}}\n      y"),
        ('"\\"q\\" {{^"', "task", '"\\"q\\" {{task}}"'), ("{{^", "task", "{{task}}"),
    ],
)  # fmt: skip
def test_a_template_takes_variables_and_words(prompt: str, label: str, expected: str) -> None:
    text = taken(f"{PLAN}  - id: x\n    kind: agent_turn\n    prompt: {prompt}\n", label)
    assert text.endswith(f"    prompt: {expected}\n")


@pytest.mark.parametrize("prompt", ["'a ^'", "'{{task}} ^'", "|-\n      {{task}}\n      ^", "'{{\"^\"}}'"])
def test_text_of_a_template_is_left_alone(prompt: str) -> None:
    assert labels(f"{PLAN}  - id: x\n    kind: agent_turn\n    prompt: {prompt}\n") == []


def test_fields_of_results_are_offered_within_a_range_only() -> None:
    stage = "stages:\n  - {id: a, kind: agent_turn, prompt: '{{range results}}{{^}}{{end}}'}"
    assert {"Index", "Output"} < set(labels(stage))
    assert "Index" not in labels(stage.replace("{{^}}{{end}}", "{{end}}{{^}}"))


def test_verdict_keys_that_the_prompt_asks_for_come_first() -> None:
    stage = "stages:\n  - kind: agent_turn\n    prompt: |-\n      VERDICT: ready\n      VERDICT: not_ready\n    verdict:\n      ^"
    assert labels(stage) == ["ready", "not_ready", "good_to_go", "needs_refinement", "unknown"]


def test_roles_that_stages_use_and_the_configuration_knows_are_offered_as_keys() -> None:
    known = Known(roles={"critic": "claude"}, workflows={"dev": "Design"})
    marked = "roles:\n  ^\nstages:\n  - {id: a, kind: agent_turn, role: scout}\n"
    assert sorted(labels(marked, known=known)) == ["critic", "scout"]
    assert sorted(labels("roles: [^]\nstages: [{role: scout}]\n", known=known)) == ["critic", "scout"]
    assert labels("name: ^", known=known) == ["dev"]


def test_variables_that_nothing_sets_are_offered_where_one_is_set() -> None:
    text = "vars:\n  ^\nstages:\n  - {id: a, kind: agent_turn, prompt: 'x {{shape}} {{task}}'}\n"
    assert labels(text) == ["shape"]
    assert labels(text.replace("  ^\n", "  a: b\n").replace("'}", "', save_as: ^}")) == ["shape"]


@pytest.mark.parametrize(
    ("marked", "label", "expected"),
    [
        ("na^", "name", "name: "),
        ("na^: x\n", "name", "name: x\n"),
        ("st^", "stages", "stages:\n  - id: name\n    kind: "),
        (
            "stages:\n  - kind: loop\n    bo^",
            "body",
            "stages:\n  - kind: loop\n    body:\n      - id: name\n        kind: ",
        ),
        ("stages:\n  - pro^", "prompt", "stages:\n  - prompt: |-\n      "),
        ("stages:\n  - kind:^", "check", "stages:\n  - kind: check"),
        ("stages:\n  -^", "kind", "stages:\n  - kind: "),
        ("stages:\n  - {kind: loop, bo^", "body", "stages:\n  - {kind: loop, body: []"),
        ("stages:\n  - kind: lo^op\n", "check", "stages:\n  - kind: check\n"),
        ("limits:\n  tu^", "turns", "limits:\n  turns: "),
        (
            'roles: {"a b": {}}\nstages: [{kind: agent_turn, role: ^}]',
            "a b",
            'roles: {"a b": {}}\nstages: [{kind: agent_turn, role: a b}]',
        ),
        (
            "roles: ['a: b']\nstages: [{kind: agent_turn, role: ^}]",
            "a: b",
            "roles: ['a: b']\nstages: [{kind: agent_turn, role: 'a: b'}]",
        ),
    ],
)
def test_what_is_taken_fits_the_notation_around(marked: str, label: str, expected: str) -> None:
    assert taken(marked, label) == expected


@pytest.mark.parametrize(
    ("marked", "label", "expected"),
    [
        ('{"na^"}', "name", '{"name": ""}'), ("{^}", "name", '{"name": ""}'), ('{"na^": 1}', "name", '{"name": 1}'),
        ('{"board": ^}', "true", '{"board": true}'), ('{"completion": ^}', "explicit", '{"completion": "explicit"}'),
        ('{"completion": "^"}', "explicit", '{"completion": "explicit"}'), ("{^}", "limits", '{"limits": {}}'),
        ('{"stages": [{"kind": "^"}]}', "loop", '{"stages": [{"kind": "loop"}]}'),
    ],
)  # fmt: skip
def test_json_is_written_as_json(marked: str, label: str, expected: str) -> None:
    assert taken(marked, label, json=True) == expected


@pytest.mark.parametrize(
    "marked", ["stages:\n  ^", "stages:\n  ^\n  - {id: b, kind: check, commands: [[x]]}\n", "stages: ^", "stages: [^]"]
)
@pytest.mark.parametrize("kind", KINDS)
def test_a_stage_of_each_kind_can_be_begun_where_its_dash_is_missing(marked: str, kind: str) -> None:
    label = f"{kind} …" if "[^" in marked else f"- {kind} …"
    text = taken(marked, label)
    problems = load_definition(f"name: x\nroles: [builder]\n{text}\n").problems
    assert not {one.code for one in problems} & {"yaml_syntax", "unknown_key", "missing_key", "unknown_kind"}


@pytest.mark.parametrize("marked", ["# co^", "name: x  # a ^", "vars:\n  a: b ^", "title: a {{^", "nonsense:\n  ^"])
def test_nothing_is_offered_where_nothing_is_known(marked: str) -> None:
    assert labels(marked) == []
