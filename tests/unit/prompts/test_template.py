"""The dialect of templates, row by row, and what templates may not do."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import MappingProxyType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprintwright.prompts.template import parse_template

RESULTS = (
    MappingProxyType({"Index": 1, "Label": "Item", "Status": "break", "Output": "one", "Err": ""}),
    MappingProxyType({"Index": 3, "Label": "Item", "Status": "error", "Output": "", "Err": "it broke"}),
)


def render(text: str, **values: object) -> str:
    """A template with values."""
    return parse_template(text).render(values)


_AGAIN = "P{{.pass}}{{if gt .pass 1}} again{{end}}."
_REMARKS = "{{if and (gt .pass 1) .remarks}}R: {{.remarks}}\n\n{{end -}}\nGo"
_FIRST = "{{if .section}}S{{else if .plan}}P{{else}}-{{end}}"
_EACH = "{{range .results}}[{{.Index}} {{.Status}}] {{end}}"


@pytest.mark.parametrize(
    ("text", "values", "result"),
    [
        (_AGAIN, {"pass": 1}, "P1."),
        (_AGAIN, {"pass": 2}, "P2 again."),
        (_REMARKS, {"pass": 1}, "Go"),
        (_REMARKS, {"pass": 2, "remarks": "x"}, "R: x\n\nGo"),
        (_FIRST, {"plan": "x"}, "P"),
        (_FIRST, {"section": "x", "plan": "x"}, "S"),
        (_FIRST, {"plan": ""}, "-"),
        (_EACH, {"results": RESULTS}, "[1 break] [3 error] "),
        (_EACH, {"results": ()}, ""),
        (_EACH, {}, ""),
    ],
)
def test_m016_the_templates_of_the_table(text: str, values: dict[str, object], result: str) -> None:
    assert parse_template(text).problems == ()
    assert render(text, **values) == result


@pytest.mark.parametrize(
    ("text", "result"),
    [
        ("{{task}}|{{.task}}|{{ task }}|{{ .task }}", "T|T|T|T"),
        ("a {{- .task -}} b", "aTb"),
        ("a\n\t {{- task }} b", "aT b"),
        ("{{/* a comment {{ */}}x{{- /* y */ -}} z", "xz"),
        ('{{"{{"}} {{`}}`}} {{"a\\"b"}}', '{{ }} a"b'),
        ("{{{task}}} {{{{task}}}}", "{T} {{T}}"),
        ("{{if eq .task `T`}}y{{end}}{{if ne task \"T\"}}n{{end}}", "y"),
        ("{{if or .none .task}}y{{end}}{{if and .task .none}}n{{end}}", "y"),
        ("{{if not .none}}y{{end}}{{if not (not .none)}}n{{end}}", "y"),
        ("{{if eq 1 2 3 1}}y{{end}}", "y"),
        ("{{if lt 9 10}}a{{end}}{{if lt .nine .ten}}b{{end}}{{if gt .nine .ten}}n{{end}}", "ab"),
        ("{{if le 1 1}}a{{end}}{{if ge 1.5 1}}b{{end}}{{if lt -1 0}}c{{end}}", "abc"),
        ("{{if eq .none \"\"}}n{{end}}{{if ne .none 1}}n{{end}}{{if lt .none 1}}n{{end}}", ""),
        ("{{if .zero}}n{{else}}y{{end}}{{if .list}}y{{end}}{{if .empty}}n{{end}}", "yy"),
        ("{{if .task}}{{if .none}}n{{else}}y{{end}}{{end}}", "y"),
        ("{{range .list}}{{.Index}}:{{.Output}}{{.Err}}{{if eq .Status \"error\"}}!{{end}} {{.task}};{{end}}",
         "1:one T;3:it broke! T;"),
        ("{{range .empty}}n{{else}}nothing{{end}}", "nothing"),
        ("{{.größe}}{{.my-name}}", "1m"),
    ],
)  # fmt: skip
def test_the_dialect(text: str, result: str) -> None:
    values: dict[str, object] = {
        "task": "T", "zero": 0, "list": RESULTS, "empty": (), "nine": "9", "ten": "10", "größe": 1, "my-name": "m",
    }  # fmt: skip
    assert parse_template(text).problems == ()
    assert render(text, **values) == result


@pytest.mark.parametrize(
    "task", ["{{plan}}", "${HOME}", "{b?}", "{{if x}}", "{0.__class__}", "%s", "}}", "{{", "\r\n\0", '{{"{{"}}', " \n "]
)
def test_m013_x071_what_is_inserted_is_never_read_as_a_template(task: str) -> None:
    assert render("<{{task}}>{{if task}}{{task}}{{end}}", task=task, plan="WRONG") == f"<{task}>{task}"


def test_m014_b025_only_our_own_braces_are_replaced() -> None:
    text = 'Return {"a": {"b": 1}} and {"findings": []} for {{.task}}: {0} %s ${task}'
    assert render(text, task="T") == text.replace("{{.task}}", "T")
    assert parse_template(text).problems == ()


def test_m021_an_unset_name_is_empty() -> None:
    assert render("[{{.board}}]") == "[]"


@pytest.mark.parametrize(
    "text",
    [
        "{{ inputs.n }}", "{{a b}}", '{{"a": 1}}', "{{.a.b}}", "{{.x | printf}}", "{{printf .x}}", "{{5}}", "{{}}", "{{ }}",
        "{{.}}", "{{eq .a 1}}", "{{x[0]}}", "{{x()}}", "{{a", "{{ a {{b", "{{\"a}}", "{{x.__class__}}", "{{-x}}", "{{/* a }}",
        "{{a\\b}}", "{{os.environ}}", "{{1 + 1}}", "{{$x}}", "{{ $x := 1 }}", "{{/* a */ b}}",
    ],
)  # fmt: skip
def test_b025_x071_what_is_neither_stays_text_with_a_warning_on_its_place(text: str) -> None:
    template = parse_template(f"a {text} {{{{task}}}}")
    assert template.render({"task": "T"}) == f"a {text} T"
    assert {(one.code, one.severity) for one in template.problems} == {("template_text", "warning")}
    assert template.problems[0].start == 2


@pytest.mark.parametrize(
    ("text", "bad"),
    [
        ("x{{if}}y{{end}}", "{{if}}"),
        ("x{{if .a .b}}y{{end}}", "{{if .a .b}}"),
        ("x{{if gt .a}}y{{end}}", "{{if gt .a}}"),
        ("x{{if not}}y{{end}}", "{{if not}}"),
        ("x{{if (gt 1 2}}y{{end}}", "{{if (gt 1 2}}"),
        ("x{{if a.b}}y{{end}}", "{{if a.b}}"),
        ("x{{if and eq 1 2}}y{{end}}", "{{if and eq 1 2}}"),
        ("x{{range}}y{{end}}", "{{range}}"),
        ("x{{range gt 1 2}}y{{end}}", "{{range gt 1 2}}"),
        ("x{{if .a}}y", "{{if .a}}"),
        ("x{{end}}", "{{end}}"),
        ("x{{else}}", "{{else}}"),
        ("{{if .a}}{{end .a}}{{end}}", "{{end .a}}"),
        ("{{if .a}}{{else}}{{else}}{{end}}", "{{else}}"),
        ("{{if .a}}{{else foo}}{{end}}", "{{else foo}}"),
        ("{{range .a}}{{range .b}}{{end}}{{end}}", "{{range .b}}"),
    ],
)
def test_a_control_that_can_not_be_read_is_one_error_on_its_place(text: str, bad: str) -> None:
    [found] = parse_template(text).problems
    assert (text[found.start : found.end], found.severity) == (bad, "error")
    assert isinstance(render(text, a="x"), str)


@pytest.mark.parametrize(
    "text",
    ["{{if a}}" * 1000, "{{if a}}" * 1000 + "{{end}}" * 1000, "{{if " + "(" * 1000 + "a" + ")" * 1000 + "}}x{{end}}"],
    ids=["open", "closed", "parentheses"],
)
def test_x071_depth_is_limited_with_a_problem(text: str) -> None:
    assert any("50 deep" in one.message for one in parse_template(text).problems)
    assert isinstance(render(text, a="x"), str)


def test_fifty_levels_are_allowed() -> None:
    assert render("{{if a}}" * 50 + "x" + "{{end}}" * 50, a=1) == "x"


def test_names_stand_at_their_offsets_without_the_dot() -> None:
    text = "{{.a}} {{if gt .b c}}{{range .d}}{{.Index}}{{.e}}{{end}}{{end}}"
    names = parse_template(text).names
    assert [(one.name, text[one.start : one.end], one.field, one.ranged) for one in names] == [
        ("a", "a", False, False), ("b", "b", False, False), ("c", "c", False, False), ("d", "d", False, True),
        ("Index", "Index", True, False), ("e", "e", False, False),
    ]  # fmt: skip


def test_results_are_readable_when_they_are_inserted_as_a_whole() -> None:
    assert render("{{.results}}", results=RESULTS) == "[Item 1 (break)]\none\n\n[Item 3 (error)]\nError: it broke"


def test_a_template_is_parsed_once() -> None:
    assert parse_template("{{task}} once") is parse_template("{{task}} once")


@given(st.text(), st.text())
def test_text_around_and_inside_is_never_changed(text: str, value: str) -> None:
    assert render("{{x}}", x=value) == value
    plain = text.replace("{{", "{ {")
    assert parse_template(plain).problems == ()
    assert render(plain, x=value) == plain


_PARTS = st.sampled_from(
    [
        *[
            "{{",
            "}}",
            "{",
            "}",
            "{{x}}",
            "{{.y}}",
            "{{if",
            "{{if",
            "x}}",
            "{{else}}",
            "{{else",
            "if",
            "y}}",
            "{{end}}",
            "{{range",
            ".r}}",
            "{{.Output}}",
            "{{-",
            "-}}",
        ],
        *["(", ")", '"', "`", "\\", "/*", "*/", "eq", "gt", "1", ".", "-", "a", "if", "range"],
        *(" ", "\n"),
    ]
)


@given(st.lists(_PARTS, max_size=40).map("".join))
def test_no_template_raises_and_problems_are_inside(text: str) -> None:
    template = parse_template(text)
    assert isinstance(template.render({"x": "1", "y": 2, "r": RESULTS}), str)
    assert all(0 <= one.start < one.end <= len(text) for one in template.problems)
    assert all(text[one.start : one.end] == one.name for one in template.names)


_SHAPES = [
    *(
        "{",
        "{{",
        "{{ ",
        "}",
        '{{"',
        '{{"\\"',
        '{{\\"',
        "{{`",
        "{{/*",
        "{{/* */",
        "{{x}}",
        "{{if x}}",
        "{{end}}",
        "{{if ((((",
    ),
    *("{{if eq ", "{{- x -}} ", "{{ a ", "{{{{}", "{{range r}}{{end}}", "{{-   ", '{{"a" "'),
]


def _fastest(work: Callable[[], object]) -> float:
    times: list[float] = []
    for _ in range(3):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


@pytest.mark.parametrize("shape", _SHAPES)
def test_x069_time_grows_with_the_text_and_not_faster(shape: str) -> None:
    def work(size: int) -> Callable[[], object]:
        text = (shape * size)[:size]
        return lambda: parse_template.__wrapped__(text).render({"x": "1"})

    # Four times the text: linear is 4, quadratic 16. Doubling would leave too little between them on a busy machine.
    assert _fastest(work(60_000)) <= 8 * _fastest(work(15_000)) + 0.02
