"""Findings for CI: SARIF and GitHub's annotations."""

from __future__ import annotations

import json
import re
from typing import Any

import jsonschema
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprintwright.model.finding import Finding
from sprintwright.model.records import Decided, Finished, Record, RunStarted
from sprintwright.reading.reports import sarif as sarif_reader
from sprintwright.state.exports import github_lines, sarif
from sprintwright.state.fold import RunState
from sprintwright.state.numbers import numbered

PLACE = {
    "type": "object",
    "required": ["physicalLocation"],
    "properties": {
        "physicalLocation": {
            "type": "object",
            "required": ["artifactLocation"],
            "properties": {
                "artifactLocation": {"type": "object", "properties": {"uri": {"type": "string", "minLength": 1}}},
                "region": {
                    "type": "object",
                    "required": ["startLine"],
                    "properties": {
                        name: {"type": "integer", "minimum": 1}
                        for name in ("startLine", "startColumn", "endLine", "endColumn")
                    }
                    | {"snippet": {"type": "object", "required": ["text"]}},
                    "additionalProperties": False,
                },
            },
            "additionalProperties": False,
        }
    },
}
RESULT = {
    "type": "object",
    "required": ["message", "ruleId", "ruleIndex", "level", "partialFingerprints"],
    "properties": {
        "ruleId": {"type": "string", "minLength": 1},
        "ruleIndex": {"type": "integer", "minimum": 0},
        "level": {"enum": ["none", "note", "warning", "error"]},
        "message": {"type": "object", "required": ["text"], "properties": {"text": {"type": "string", "minLength": 1}}},
        "partialFingerprints": {"type": "object", "additionalProperties": {"type": "string"}},
        "properties": {"type": "object"},
        "locations": {"type": "array", "items": PLACE, "minItems": 1},
        "suppressions": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["kind"],
                "properties": {
                    "kind": {"enum": ["inSource", "external"]},
                    "status": {"enum": ["accepted", "underReview", "rejected"]},
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}
SARIF = {
    "type": "object",
    "required": ["version", "runs"],
    "properties": {
        "version": {"const": "2.1.0"},
        "$schema": {"type": "string"},
        "runs": {
            "type": "array",
            "items": {
                "type": "object",
                "required": ["tool", "results"],
                "properties": {
                    "tool": {
                        "type": "object",
                        "required": ["driver"],
                        "properties": {"driver": {"type": "object", "required": ["name", "rules"]}},
                    },
                    "columnKind": {"enum": ["utf16CodeUnits", "unicodeCodePoints"]},
                    "automationDetails": {"type": "object"},
                    "results": {"type": "array", "items": RESULT},
                },
                "additionalProperties": False,
            },
        },
    },
    "additionalProperties": False,
}
"""What our output uses of the SARIF 2.1.0 schema, in our own words (the whole was checked with another validator)."""


def state_of(*findings: Finding, dismissed: Finding | None = None) -> RunState:
    state = RunState()
    begun = RunStarted(
        run_id="20260101-000000000-abcd", workflow="dev", origin="", definition_hash="", task="t", folder="/", roles={}
    )
    state.apply(Record(1, "", "", begun))
    value: dict[str, Any] = {"findings": [finding.model_dump() for finding in findings]}
    state.apply(Record(2, "", "judge", Finished(after="", value=value)))
    if dismissed is not None:
        state.apply(Record(3, "", "", Decided(what="dismiss", text=dismissed.identity)))
    return state


def results(state: RunState) -> list[dict[str, Any]]:
    report = sarif(state, "1.2.3")
    jsonschema.validate(report, SARIF)
    (run,) = report["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(rules) == len(set(rules))
    for result in run["results"]:
        assert rules[result["ruleIndex"]] == result["ruleId"]
    return run["results"]


def test_sarif_has_rule_place_and_fingerprint() -> None:
    finding = Finding(
        message="unused", severity="error", path="src/a b.py", line=3, column=5, end_line=3, end_column=9, code="F401"
    )
    (result,) = results(state_of(finding))
    assert result["ruleId"] == "F401" and result["level"] == "error"
    assert list(result["partialFingerprints"].values()) == [finding.identity]
    place = result["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "src/a%20b.py"}
    assert place["region"] == {"startLine": 3, "startColumn": 5, "endColumn": 9}


@pytest.mark.parametrize(
    ("path", "uri"),
    [
        ("a:b/c.py", "a%3Ab/c.py"),  # would be a scheme
        ("100%.py", "100%25.py"),
        ("é/ü.py", "%C3%A9/%C3%BC.py"),
        ("a#b?c.py", "a%23b%3Fc.py"),
        ("//host/x", "host/x"),  # would be a host
        ("back\\slash", "back%5Cslash"),
    ],
)
def test_sarif_addresses_are_relative_and_percent_encoded(path: str, uri: str) -> None:
    (result,) = results(state_of(Finding(message="m", path=path, line=1)))
    assert result["locations"][0]["physicalLocation"]["artifactLocation"]["uri"] == uri


def test_a_remark_about_the_whole_has_no_place_and_a_file_alone_no_region() -> None:
    whole, file = results(state_of(Finding(message="one"), Finding(message="two", path="a.py")))
    assert "locations" not in whole
    assert "region" not in file["locations"][0]["physicalLocation"]


def test_a_region_never_ends_before_it_begins() -> None:
    odd = Finding(message="m", path="a.py", line=9, column=8, end_line=2, end_column=3)
    (result,) = results(state_of(odd))
    assert result["locations"][0]["physicalLocation"]["region"] == {"startLine": 9, "startColumn": 8}


def test_dismissed_findings_are_suppressed_and_fixed_ones_are_gone() -> None:
    one, two = Finding(message="one", path="a.py"), Finding(message="two", path="a.py")
    state = state_of(one, two, dismissed=two)
    assert [("suppressions" in result) for result in results(state)] == [False, True]
    state.apply(Record(4, "", "judge", Finished(after="", value={"findings": [two.model_dump()]})))
    assert [result["message"]["text"] for result in results(state)] == ["two"]


def test_what_we_write_our_own_reader_reads_without_what_is_suppressed() -> None:
    one = Finding(message="one", path="a b.py", line=2, column=3, code="E1", severity="error")
    two = Finding(message="two", path="c.py", line=1)
    text = json.dumps(sarif(state_of(one, two, dismissed=two), "1"))
    read = [finding for finding, _ in sarif_reader.read(text, lambda path: path)]
    assert [(f.message, f.path, f.line, f.column, f.code, f.severity) for f in read] == [
        ("one", "a b.py", 2, 3, "E1", "error")
    ]


def test_annotations_escape_what_github_would_take_for_its_own() -> None:
    finding = Finding(
        message="50% of a,b: wrong\r\n::error::forged", severity="error", path="a,b:c%.py", line=4, column=2,
        end_column=6, code="X:1", suggestion="mend it",
    )  # fmt: skip
    (line,) = github_lines(state_of(finding))
    assert line == (
        "::error file=a%2Cb%3Ac%25.py,line=4,col=2,endColumn=6,title=X%3A1::"
        "50%25 of a,b: wrong%0A::error::forged%0ASuggestion: mend it"
    )


@pytest.mark.parametrize(
    ("severity", "command"), [("error", "error"), ("warning", "warning"), ("info", "notice"), ("hint", "notice")]
)
def test_each_severity_has_its_command(severity: Any, command: str) -> None:
    (line,) = github_lines(state_of(Finding(message="m", severity=severity)))
    assert line == f"::{command} title=Sprintwright::m"


def test_several_lines_are_annotated_without_columns() -> None:
    (line,) = github_lines(state_of(Finding(message="m", path="a", line=2, column=3, end_line=5, end_column=1)))
    assert line == "::warning file=a,line=2,endLine=5,title=Sprintwright::m"


def test_only_open_findings_are_annotated() -> None:
    one = Finding(message="one")
    assert list(github_lines(state_of(one, dismissed=one))) == []


texts = st.text(max_size=40)
numbers = st.integers(min_value=0, max_value=20)
findings = st.builds(
    Finding, message=texts, severity=st.sampled_from(["error", "warning", "info", "hint"]), path=texts, line=numbers,
    column=numbers, end_line=numbers, end_column=numbers, code=texts, snippet=texts, suggestion=texts,
)  # fmt: skip


@given(st.lists(findings, max_size=5))
def test_any_finding_is_one_line_for_github_and_valid_sarif(found: list[Finding]) -> None:
    state = state_of(*found)
    for line in github_lines(state):
        assert line.isprintable() or ("\n" not in line and "\r" not in line)
        assert re.fullmatch(r"::(error|warning|notice) [^\n\r]*?::[^\n\r]*", line)
        properties = line.split("::")[1].partition(" ")[2]
        assert all(part.count("=") >= 1 and ":" not in part for part in properties.split(","))
    json.dumps(sarif(state, "1")).encode()
    for result in results(state):
        for place in result.get("locations", ()):
            uri = place["physicalLocation"]["artifactLocation"]["uri"]
            assert re.fullmatch(r"[A-Za-z0-9._~/%-]+", uri) and not uri.startswith("/")


def test_a_finding_keeps_its_number_when_others_are_dismissed_or_fixed() -> None:
    one, two, three = (Finding(message=word) for word in ("one", "two", "three"))
    state = state_of(one, two, three, dismissed=one)
    state.apply(Record(4, "", "judge", Finished(after="", value={"findings": [three.model_dump()]})))
    assert [(t.finding.message, t.status) for t in numbered(state)] == [
        ("one", "fixed"), ("two", "fixed"), ("three", "open"),
    ]  # fmt: skip
