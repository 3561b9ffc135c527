"""Rules V1 to V33 and R26: each broken in turn, with the severity that it has."""

from __future__ import annotations

import pytest

from sprintwright.definitions.load import load_definition
from sprintwright.text import nearest
from tests.unit.definitions.support import EXAMPLES, HEAD, TURN, at, fixed, load_stages, only, told

JUDGE = "{id: judge, kind: agent_turn, role: dev, prompt: go, verdict: {ok: {action: break}, unknown: {action: retry}}}"


@pytest.mark.parametrize(
    ("stages", "code", "words"),
    [
        pytest.param(["{kind: user_checkpoint, prompt: hi}"], "missing_key", "'id'", id="V3"),
        pytest.param(["{id: '', kind: user_checkpoint, prompt: hi}"], "empty_value", "'id'", id="V3-empty"),
        pytest.param(["{id: a, kind: agent-turn}"], "unknown_kind", "'agent-turn'", id="V4"),
        pytest.param(["{id: a, role: dev, prompt: hi}"], "missing_key", "'kind'", id="V4-none"),
        pytest.param(["{id: a, kind: agent_turn, prompt: hi}"], "missing_key", "'role'", id="V5"),
        pytest.param(["{id: a, kind: agent_turn, role: dev}"], "missing_key", "'prompt'", id="V6"),
        pytest.param(["{id: a, kind: agent_turn, role: dev, prompt: ' '}"], "empty_value", "'prompt'", id="V6-empty"),
        pytest.param(["{id: a, kind: user_checkpoint}"], "missing_key", "'prompt'", id="V7"),
        pytest.param([TURN[:-1] + ", run_unless_marker_in: task}"], "run_unless", "'run_unless_contains'", id="V8"),
        pytest.param([TURN[:-1] + ", run_unless_contains: x}"], "run_unless", "'run_unless_marker_in'", id="V8-other"),
        pytest.param([TURN[:-1] + ", empty_output_fallback: diff}"], "wrong_value", "'git_diff'", id="V9"),
        pytest.param(["{id: a, kind: loop, max_iterations: 2, body: []}"], "wrong_type", "'body'", id="V10"),
        pytest.param(["{id: a, kind: loop, max_iterations: 2}"], "missing_key", "'body'", id="V10-none"),
        pytest.param(["{id: a, kind: parallel_group, over: X, from: task}"], "missing_key", "'body'", id="V11"),
        pytest.param([f"{{id: a, kind: loop, body: [{JUDGE}]}}"], "endless_loop", "'over'", id="V12"),
        pytest.param([f"{{id: a, kind: loop, max_iterations: 0, body: [{JUDGE}]}}"], "endless_loop", "end", id="V12-0"),
        pytest.param(
            [f"{{id: a, kind: parallel_group, from: task, body: [{TURN}]}}"], "missing_key", "'over'", id="V14"
        ),
        pytest.param(["{id: a, kind: board_seed, from: task, over: Item}"], "board_off", "board: true", id="V15-M90"),
        pytest.param(
            [f"{{id: a, kind: loop, over: X, from: task, body: [{TURN[:-1]}, prompt: 1}}]}}"],
            "duplicate_key",
            "prompt",
            id="V16-twice",
        ),
        pytest.param(["{id: a, kind: agent_turn, role: boss, prompt: hi}"], "unknown_role", "'boss'", id="V20-M11"),
        pytest.param([TURN.replace("go", "'{{tsk}}'")], "unknown_variable", "'task'", id="V21"),
        pytest.param(
            [f"{{id: a, kind: loop, over: X, from: plan, body: [{TURN}]}}"], "unknown_source", "'plan'", id="V22"
        ),
        pytest.param([TURN[:-1] + ", verdict: {ok: {action: stop}}}"], "wrong_value", "'break' or 'retry'", id="V23"),
        pytest.param(
            [f"{{id: a, kind: loop, over: X, from: task, body: [{TURN}], verdict: {{ok: {{action: break}}}}}}"],
            "verdict_misplaced",
            "agent_turn",
            id="V24",
        ),
        pytest.param([TURN, TURN], "duplicate_id", "'work'", id="V29"),
        pytest.param([TURN, TURN.replace("id: work", "id: Work")], "duplicate_id", "'Work'", id="V29-R26"),
    ],
)
def test_m001_a_broken_rule_is_an_error_that_names_what_breaks_it(stages: list[str], code: str, words: str) -> None:
    loaded = load_stages(*stages)
    assert loaded.value is None
    assert words in only(loaded, code).message
    assert only(loaded, code).severity == "error"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        pytest.param(f"roles: [dev]\nstages: [{TURN}]", "missing_key", id="V1"),
        pytest.param(f"name: ' '\nroles: [dev]\nstages: [{TURN}]", "empty_value", id="V1-blank"),
        pytest.param("name: x", "missing_key", id="V2"),
        pytest.param("name: x\nstages: []", "wrong_type", id="V2-empty"),
    ],
)
def test_v001_v002_a_definition_needs_a_name_and_a_stage(text: str, code: str) -> None:
    loaded = load_definition(text)
    assert (loaded.value, told(loaded)) == (None, {(code, "error")})


def test_v016_stages_in_a_body_are_checked_at_any_depth() -> None:
    inner = "{id: deep, kind: agent_turn, role: dev}"
    loop = "{id: %s, kind: loop, over: X, from: task, body: [%s]}"
    loaded = load_stages(loop % ("a", loop % ("b", loop % ("c", inner))))
    assert "'deep'" in only(loaded, "missing_key").message


@pytest.mark.parametrize(
    ("stages", "code", "severity"),
    [
        pytest.param(
            [f"{{id: a, kind: loop, max_iterations: 2, body: [{TURN}]}}"], "loop_without_verdict", "hint", id="V13-M10"
        ),
        pytest.param(
            [f"{{id: a, kind: loop, over: X, from: task, max_iterations: 2, body: [{JUDGE}]}}"],
            "limit_unused",
            "warning",
            id="V25-M9",
        ),
        pytest.param([TURN[:-1] + ", skip_user_checkpoint_marker: OK}"], "marker_without_prompt", "warning", id="V26"),
        pytest.param([TURN[:-1] + ", on_answer_prompt: again}"], "prompt_without_marker", "warning", id="V27"),
        pytest.param([TURN[:-1] + ", verdict: {ok: {action: break}}}"], "no_unknown_rule", "warning", id="V28"),
        pytest.param(
            [f"{{id: a, kind: loop, over: Task, from: task, body: [{TURN}]}}"], "hides_variable", "warning", id="V30"
        ),
        pytest.param([TURN.replace("save_as: work", "save_as: board")], "hides_variable", "warning", id="V31"),
        pytest.param(
            [f"{{id: a, kind: parallel_group, over: X, from: task, max_concurrency: -1, body: [{TURN}]}}"],
            "concurrency",
            "warning",
            id="V32",
        ),
        pytest.param([TURN[:-1] + ", promt: x}"], "unknown_key", "warning", id="V33"),
        pytest.param([TURN[:-1] + ", use_memory: true}"], "ignored_key", "warning", id="M8"),
        pytest.param(
            [f"{{id: a, kind: parallel_group, over: X, body: [{TURN}]}}"], "from_missing", "warning", id="no-from"
        ),
        pytest.param(
            [TURN[:-1] + ", run_unless_marker_in: tsk, run_unless_contains: x}"],
            "unknown_source",
            "warning",
            id="run-unless",
        ),
        pytest.param([TURN.replace("go", "'{{range .task}}x{{end}}'")], "range_over_text", "warning", id="range"),
    ],
)
def test_what_is_odd_but_runs_is_told_and_loads(stages: list[str], code: str, severity: str) -> None:
    loaded = load_stages(*stages)
    assert loaded.value is not None
    assert told(loaded) == {(code, severity)}


def test_a_checkpoint_may_give_a_verdict_and_end_a_loop() -> None:
    ask = "{id: b, kind: user_checkpoint, prompt: hi, verdict: {approve: {action: break}, change: {action: retry}}}"
    assert load_stages(f"{{id: a, kind: loop, max_iterations: 2, body: [{TURN}, {ask}]}}").problems == ()


@pytest.mark.parametrize("skip", ["skip_when: no_git_history", "run_unless_marker_in: task, run_unless_contains: x"])
def test_f9_a_stage_that_may_be_skipped_has_a_variable_with_the_reason(skip: str) -> None:
    assert (
        load_stages(f"{TURN[:-1]}, {skip}}}", TURN.replace("work", "b").replace("go", "'{{work_skipped}}'")).problems
        == ()
    )
    assert load_stages(TURN, TURN.replace("work", "b").replace("go", "'{{work_skipped}}'")).value is None


def test_v015_a_board_without_a_seed_is_fine() -> None:
    assert load_stages(TURN, head="board: true\n" + HEAD).problems == ()


def test_v020_roles_are_compared_without_case_and_normal_form() -> None:
    loaded = load_stages(TURN.replace("role: dev", "role: pru\u0308fer"), head=HEAD.replace("dev", "PRÜFER"))
    assert loaded.problems == ()


def test_v029_the_same_id_in_different_bodies_is_fine() -> None:
    loop = "{id: %s, kind: loop, over: X, from: task, body: [%s]}"
    assert load_stages(loop % ("a", TURN), loop % ("b", TURN)).problems == ()


@pytest.mark.parametrize("stage_id", ["a/b", "a[1]", "a\\nb", "a\\u2028b", "a\\0"])
def test_an_id_that_keys_can_not_hold_is_an_error(stage_id: str) -> None:
    loaded = load_stages(f'{{id: "{stage_id}", kind: user_checkpoint, prompt: hi}}')
    assert only(loaded, "stage_id").severity == "error"


def test_m002_three_faults_are_three_problems_on_their_places() -> None:
    text = HEAD + "  - {id: a, kind: agent_turn, role: boss}\n  - {id: b, kind: loop, body: x}\n"
    problems = load_definition(text).errors
    assert [(one.code, at(text, one)) for one in problems if one.code != "endless_loop"] == [
        ("missing_key", "id"), ("unknown_role", "boss"), ("wrong_type", "x"),
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["careful-change", "fan", "crew"])
def test_m003_the_examples_of_the_older_field_set_load_without_a_problem(name: str) -> None:
    loaded = load_definition((EXAMPLES / f"{name}.yaml").read_text("utf-8"))
    assert loaded.problems == ()
    assert loaded.value is not None and loaded.value.name == name


def test_m015_a_stage_may_name_what_a_later_stage_saves() -> None:
    assert load_stages(TURN.replace("go", "'{{.work}} {{work}}'")).problems == ()


@pytest.mark.parametrize(
    ("name", "known"),
    [
        ("task", True),
        ("board", True),
        ("previous", True),
        ("shape", True),
        ("plan", True),
        ("sprint", True),
        ("sprint_section", True),
        ("pass", True),
        ("max_passes", True),
        ("ask_questions", True),
        ("ask_answer", True),
        ("ask_skipped", True),
        ("loop_accepted", True),
        ("artifacts", True),
        ("loop_skipped", False),
        ("sprints_accepted", False),
        ("Sprint", False),
        ("loop_answer", False),
        ("max_iterations", False),
        ("Index", False),
    ],
)
def test_v021_known_is_what_the_definition_can_set_anywhere(name: str, known: bool) -> None:
    text = f"""
name: trial
roles: [dev]
vars: {{shape: x}}
stages:
  - {{id: ask, kind: agent_turn, role: dev, prompt: '{{{{{name}}}}}', save_as: plan, skip_user_checkpoint_marker: OK,
     on_answer_prompt: again, skip_when: empty_project}}
  - id: sprints
    kind: loop
    over: Sprint
    from: plan
    body:
      - {{id: loop, kind: loop, from: plan, max_iterations_from: Max_Passes, iteration_var: pass, on_exhausted: ask,
         body: [{JUDGE}]}}
"""
    assert (load_definition(text).value is not None) is known


@pytest.mark.parametrize(
    "written",
    [
        "'Do {{task}} and {{tsak}}'",
        '"Do\\n\\x41 {{task}} \\U0001F600 and {{tsak}}"',
        "Do {{task}} and\n      it's {{tsak}}",
        "|\n      Do {{task}}\n\n        and {{tsak}}\n",
        ">-\n      Do {{task}}\n      and {{tsak}}\n",
        "'it''s\n      {{tsak}}'",
    ],
)
def test_b025_an_unknown_variable_is_told_on_its_place_inside_the_text(written: str) -> None:
    text = HEAD + f"  - id: a\n    kind: agent_turn\n    role: dev\n    prompt: {written}\n"
    found = only(load_definition(text), "unknown_variable")
    assert at(text, found) == "tsak"
    assert load_definition(fixed(text, found)).problems == ()


def test_b025_braces_that_mean_nothing_stay_text_with_a_warning_on_their_place() -> None:
    text = (
        HEAD + '  - id: a\n    kind: user_checkpoint\n    prompt: |\n      {{task}}\n      {{ inputs.n }} {"a": {}}\n'
    )
    loaded = load_definition(text)
    assert at(text, only(loaded, "template_text")) == "{{ inputs.n }}"
    assert loaded.value is not None


@pytest.mark.parametrize(
    ("head", "stages", "code"),
    [
        pytest.param(HEAD.replace("[dev]", "[dev, Dev]"), [TURN], "name_collision", id="roles"),
        pytest.param(HEAD.replace("[dev]", "[dev, 'e\u0301', é]"), [TURN], "name_collision", id="normal-form"),
        pytest.param(HEAD.replace("[dev]", "{dev: {}, DEV: {}}"), [TURN], "duplicate_key", id="role-map"),
        pytest.param(HEAD.replace("roles", "vars: {a: 1, A: 2}\nroles"), [TURN], "duplicate_key", id="vars"),
        pytest.param(
            HEAD,
            [
                TURN[:-1] + ", artifact: plan.md}",
                TURN.replace("id: work", "id: b")[:-1] + ", artifact: {file: Plan.md}}",
            ],
            "name_collision",
            id="artifacts",
        ),
        pytest.param(
            "close_artifacts: [PLAN.md]\n" + HEAD, [TURN[:-1] + ", artifact: plan.md}"], "name_collision", id="gate"
        ),
    ],
)
def test_r026_names_that_some_system_could_not_tell_apart_are_an_error(head: str, stages: list[str], code: str) -> None:
    loaded = load_stages(*stages, head=head)
    found = only(loaded, code)
    assert (found.severity, len(found.related)) == ("error", 1)


def test_an_artifact_is_written_by_several_stages_under_one_name() -> None:
    again = TURN.replace("id: work", "id: again")
    assert load_stages(TURN[:-1] + ", artifact: plan.md}", again[:-1] + ", artifact: plan.md}").problems == ()


@pytest.mark.parametrize(
    "file", ["../x", "/etc/passwd", "lock", "a/b.md", ".hidden", "'{{task}}.md'", "'{{nobody}}.md'"]
)
def test_an_artifact_that_could_not_be_written_is_an_error(file: str) -> None:
    assert load_stages(TURN[:-1] + f", artifact: {file}}}").value is None


def test_a_file_name_may_hold_the_number_of_a_pass() -> None:
    judge = JUDGE[:-1] + ", artifact: 'review-{{pass}}.md'}"
    loop = f"{{id: a, kind: loop, max_iterations: 2, iteration_var: pass, body: [{judge}]}}"
    assert load_stages(loop).problems == ()


@pytest.mark.parametrize(
    ("commands", "code"),
    [
        ("pytest -q", "no_shell"),
        ("[pytest -q]", "no_shell"),
        ("[pytest, -q]", "no_shell"),
        ("[[]]", "empty_command"),
        ("[['']]", "empty_command"),
        ("[[echo, '{{work}}']]", "template_in_command"),
        ("[[sh, -c, 'x {{task}}']]", "template_in_command"),
        ('[[echo, "a\\0b"]]', "control_character"),
        ("[]", "wrong_type"),
        ("[{a: b}]", "wrong_type"),
    ],
)
def test_x022_commands_are_lists_into_which_nothing_is_inserted(commands: str, code: str) -> None:
    loaded = load_stages(TURN, f"{{id: tests, kind: check, commands: {commands}}}")
    assert told(loaded) == {(code, "error")}


@pytest.mark.parametrize("commands", ["pytest -q", "[pytest, -q]", "[pytest -q]"])
def test_x022_a_command_as_text_can_be_fixed(commands: str) -> None:
    text = HEAD + f"  - {{id: tests, kind: check, commands: {commands}}}\n"
    value = load_definition(fixed(text, only(load_definition(text), "no_shell"))).value
    assert value is not None and value.stages[0].model_dump()["commands"] == (("pytest", "-q"),)


def test_pause_after_and_the_other_new_fields_load() -> None:
    fields = (
        "session: fresh, pause_after: yes, retry: {attempts: 3, wait_seconds: 0.5}, "
        "skip_when: {artifact_exists: plan.md}, artifact: {file: plan.md, marker: DONE, min_bytes: 10}"
    )
    head = "title: T\nlimits: {turns: 5, cost: 1.5}\ncompletion: explicit\noutcome: required\n" + HEAD
    assert load_stages(TURN[:-1] + f", {fields}}}", head=head).problems == ()


@pytest.mark.parametrize("name", ["My Flow", "prüfung", "a/b"])
def test_a_name_that_is_no_slug_loads_with_a_warning(name: str) -> None:
    loaded = load_stages(TURN, head=HEAD.replace("trial", name))
    assert told(loaded) == {("workflow_name", "warning")}
    assert loaded.value is not None and loaded.value.name == name


def test_r026_thousands_of_unknown_names_are_told_in_time_that_grows_with_their_number() -> None:
    """Each was compared with every known name: 3,200 problems took 16 seconds; now a bounded number is compared."""
    compared = 0

    def counted(word: str, names: list[str], **options: object) -> list[str]:
        nonlocal compared
        compared += len(names)
        return []

    count = 600
    head = "name: x\nroles: [dev]\nvars:\n" + "".join(f"  name_{n}: a\n" for n in range(count))
    stages = "".join(
        f"  - {{id: s{n}, kind: agent_turn, role: r{n}, prompt: '{{{{nam_{n}z}}}}'}}\n" for n in range(count)
    )
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sprintwright.text.difflib.get_close_matches", counted)
        loaded = load_definition(f"{head}stages:\n{stages}")
    assert 0 < compared < 200 * 200
    assert 200 <= len(loaded.problems) <= 400


def test_the_nearest_of_thousands_of_names_is_looked_for_among_those_that_begin_alike() -> None:
    names = [f"{letter}ame_{n}" for letter in "abc" for n in range(2_000)]
    compared: list[int] = []

    def counted(word: str, names: list[str], **options: object) -> list[str]:
        compared.append(len(names))
        return []

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sprintwright.text.difflib.get_close_matches", counted)
        nearest("bame_x1", names)
    assert compared == [200]
    assert (nearest("bame_1x", names) or "").startswith("bame_")


@pytest.mark.parametrize("limit", ["", "max_iterations: 0, "])
def test_b123_a_loop_that_nothing_ends_is_an_error_on_its_place_while_the_file_is_edited(limit: str) -> None:
    loaded = load_stages(f"{{id: again, kind: loop, {limit}body: [{JUDGE}]}}")
    assert loaded.value is None and "'again' (loop) would have no end" in only(loaded, "endless_loop").message
