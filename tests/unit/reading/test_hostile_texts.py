"""Texts that were written to break readers: no exception, nothing that can't be stored, limits held."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprintwright.errors import PathRefused
from sprintwright.model.definition import CheckFormat
from sprintwright.model.verdict import UNKNOWN, VerdictRule
from sprintwright.paths import relative_inside
from sprintwright.reading.collection import read_collection, read_scalar, waves
from sprintwright.reading.findings import read_findings
from sprintwright.reading.json_scan import JsonRefused, objects, parse_json
from sprintwright.reading.lines import read_page
from sprintwright.reading.marker import after_marker, has_line
from sprintwright.reading.reports import read_report
from sprintwright.reading.verdict import read_verdict

RULES = {"good_to_go": VerdictRule(action="break"), "needs_refinement": VerdictRule(action="retry")}
FORMATS: tuple[CheckFormat, ...] = get_args(CheckFormat)
WORDS = [
    "good_to_go", "needs_refinement", "VERDICT:", "not", '{"verdict":', '"good_to_go"', "}", "{",
    "[", "]", '"', "'", "\\", "`", "```", "~~~", "```json", ">", "- ", "1. ", "#", "## Sprint 1",
    "(depends_on:", ")", "<!--", "-->", "\n", "\r\n", "    ", "\t", ":", "|",
    "a.py:3:1: error: bad", "FAILED a.py::b[", "] - ", "___ x ___", "=== FAILURES ===",
    "<testsuite>", "<testcase>", "</", "\ud800", "\0", "\u0338", "\ufeff", "é", "。", "…",
    "max_passes: 3", "NO_QUESTIONS", '"findings":', '"message":', ",", "1",
]  # fmt: skip
texts = st.text() | st.lists(st.sampled_from(WORDS)).map("".join) | st.lists(st.sampled_from(WORDS)).map(" ".join)


def confine(path: str) -> str:
    return relative_inside(path)


@given(texts, texts)
def test_no_text_makes_a_reader_raise(text: str, other: str) -> None:
    assert read_verdict(text, RULES, tool=other).key in (*RULES, UNKNOWN)
    read_verdict(text, {other: VerdictRule(action="break"), **RULES})
    after_marker(text, other)
    has_line(text, other)
    read_scalar(text, other)
    waves(read_collection(text, other).items)
    objects(text)


@given(texts)
def test_what_reports_and_replies_say_can_be_stored(text: str) -> None:
    found = list(read_findings(text, confine).findings)
    for known in FORMATS:
        found += read_report(text, known, confine).findings
    for finding in found:
        finding.model_dump_json()


@given(texts)
def test_json_is_a_value_or_refused(text: str) -> None:
    try:
        value = parse_json(text, lenient=True)
    except JsonRefused:
        return
    json.dumps(value, allow_nan=False, ensure_ascii=False).encode()


@given(texts)
def test_lines_of_a_page_are_its_text(text: str) -> None:
    page = read_page(text)
    assert "\n".join(line.text for line in page.lines) == page.text
    assert all(page.text.startswith(line.text, line.start) for line in page.lines)


def test_r022_surrogates_and_nul_are_replaced_in_findings() -> None:
    entry = {"message": "a\ud800b\0", "code": "\udfff", "snippet": "\ud800", "suggestion": "\ud800"}
    (finding,) = read_findings(json.dumps({"findings": [entry]}), confine).findings
    assert (finding.message, finding.code, finding.snippet, finding.suggestion) == (
        "a\ufffdb\ufffd", "\ufffd", "\ufffd", "\ufffd",
    )  # fmt: skip


def test_findings_that_are_quoted_or_of_another_language_are_not_the_replys() -> None:
    quoted = '> {"findings":[{"message":"quoted"}]}\n```bash\n{"findings":[{"message":"shell"}]}\n```'
    assert read_findings(quoted, confine).findings == ()


def test_x069_a_path_without_end_is_not_even_asked_about() -> None:
    asked: list[str] = []

    def ask(path: str) -> str:
        asked.append(path)
        raise PathRefused("no")

    entry = {"path": "a" + "\u0301" * 50_000 + "\u0327" * 50_000, "message": "m"}
    reading = read_findings(json.dumps({"findings": [entry]}), ask)
    assert (asked, reading.findings[0].path) == ([], "") and "characters" in reading.warnings[0]


def test_x070_elements_within_elements_have_a_limit() -> None:
    case = '<testcase name="x"><failure message="m"/></testcase>'
    for depth, count in ((10, 1), (100, 0), (100_000, 0)):
        text = "<testsuite>" + "<a>" * depth + case + "</a>" * depth + "</testsuite>"
        assert len(read_report(text, "junit", confine).findings) == count


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("\x1b[1ma.c:3:5: \x1b[31merror:\x1b[0m bad", "gcc"),
        ("\x1b[31mFAILED\x1b[0m tests/a.py::\x1b[1mtest_x\x1b[0m - bad\n\x1b[31m1 failed\x1b[0m in 0.1s", "pytest"),
    ],
)
def test_x045_colours_hide_no_finding(text: str, known: CheckFormat) -> None:
    report = read_report(text, "auto", confine)
    assert report.format == known
    assert "bad" in report.findings[0].message


def test_standard_error_behind_a_document_does_not_spoil_it() -> None:
    result = {"message": {"text": "m"}}
    text = json.dumps({"version": "2.1.0", "runs": [{"results": [result]}]}) + "\nwarning: old config\n"
    assert len(read_report(text, "auto", confine).findings) == 1
    junit = '<testsuite><testcase name="x"><failure message="m"/></testcase></testsuite>\nwarning: old\n'
    assert len(read_report(junit, "auto", confine).findings) == 1


@pytest.mark.parametrize(
    "extra", [{"suppressions": [{"kind": "inSource"}]}, {"kind": "pass"}, {"kind": "notApplicable"}]
)
def test_sarif_results_that_are_no_problem_are_left_out(extra: dict[str, object]) -> None:
    text = json.dumps({"version": "2.1.0", "runs": [{"results": [{"message": {"text": "m"}, **extra}]}]})
    assert read_report(text, "sarif", confine).findings == ()
