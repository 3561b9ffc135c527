"""Findings in an evaluator's reply."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sprintwright.paths import relative_inside
from sprintwright.reading.findings import read_findings


def confine(path: str) -> str:
    return relative_inside(path, Path("/work/project"))


def test_lines_with_a_place_and_a_severity_are_findings() -> None:
    text = (
        "Looked at all.\n- `src/a.py:3:5`: error: broken\n* b.py:7: warning: odd\n\n"
        "> c.py:1: error: quoted\n```\nd.py:1: error: code\n```"
    )
    reading = read_findings(text, confine)
    assert [(f.path, f.line, f.severity, f.message) for f in reading.findings] == [
        ("src/a.py", 3, "error", "broken"),
        ("b.py", 7, "warning", "odd"),
    ]


def test_json_wins_over_lines() -> None:
    entry = '{"path": "b.py", "line": 2, "message": "m", "severity": "high"}'
    text = f'a.py:1: error: line\n```json\n{{"findings": [{entry}]}}\n```'
    (finding,) = read_findings(text, confine).findings
    assert (finding.path, finding.line, finding.severity, finding.message) == ("b.py", 2, "error", "m")


@pytest.mark.parametrize(
    ("line", "expected"),
    [(900, (900, 0)), (0, (0, 0)), (-1, (0, 0)), ("12-14", (12, 14)), (None, (0, 0)), ("12", (12, 0)), (1e300, (0, 0)),
     (True, (0, 0)), ("x", (0, 0)), ([1], (0, 0)), (10**30, (0, 0))],
)  # fmt: skip
def test_b147_any_line_is_taken_or_left_out_and_never_an_exception(line: object, expected: tuple[int, int]) -> None:
    (finding,) = read_findings(
        json.dumps({"findings": [{"path": "a.py", "line": line, "message": "m"}]}), confine
    ).findings
    assert (finding.line, finding.end_line) == expected


@pytest.mark.parametrize(
    ("word", "severity"),
    [
        ("critical", "error"),
        ("Major", "error"),
        ("warn", "warning"),
        ("low", "info"),
        ("odd", "warning"),
        (3, "warning"),
        (None, "warning"),
    ],
)
def test_severities_of_every_sort(word: object, severity: str) -> None:
    (finding,) = read_findings(json.dumps({"findings": [{"message": "m", "severity": word}]}), confine).findings
    assert finding.severity == severity


def test_a_path_outside_the_folder_leaves_the_remark_and_a_warning() -> None:
    reading = read_findings('{"findings": [{"path": "../x", "line": 3, "message": "m"}]}', confine)
    assert reading.findings[0].path == "" and reading.findings[0].message == "m" and "'../x'" in reading.warnings[0]


def test_too_many_findings_are_cut_and_told() -> None:
    reading = read_findings(json.dumps({"findings": [{"message": str(n)} for n in range(600)]}), confine)
    assert len(reading.findings) == 500 and "100" in reading.warnings[-1]


def test_a_message_has_an_end() -> None:
    (finding,) = read_findings(json.dumps({"findings": [{"message": "x" * 5_000}]}), confine).findings
    assert len(finding.message) == 2_000


@pytest.mark.parametrize("text", ["", '{"findings": 3}', '{"findings": [1, null, [], {}]}', "\ud800", "{" * 10_000])
def test_odd_texts_give_no_exception(text: str) -> None:
    read_findings(text, confine)
