"""Findings for other programs: SARIF 2.1.0, and annotations of GitHub Actions. Pure; agents' words stay data."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import quote

from sprintwright.model.finding import Finding, FindingSeverity
from sprintwright.state.fold import RunState
from sprintwright.state.ledger import Tracked
from sprintwright.state.numbers import numbered
from sprintwright.text import clean, one_line

_LEVELS: dict[FindingSeverity, str] = {"error": "error", "warning": "warning", "info": "note", "hint": "note"}
_COMMANDS: dict[FindingSeverity, str] = {"error": "error", "warning": "warning", "info": "notice", "hint": "notice"}
_NO_CODE = "finding"
_SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json"


def github_lines(state: RunState) -> Iterator[str]:
    """The open findings as workflow commands, one line each: ``::error file=a.py,line=3::what is wrong``."""
    for tracked in state.ledger.open():
        finding = tracked.finding
        properties = {"file": finding.path, **_lines(finding), "title": finding.code or "Sprintwright"}
        if not finding.path:
            properties = {"title": properties["title"]}
        joined = ",".join(f"{name}={_property(str(value))}" for name, value in properties.items())
        yield f"::{_COMMANDS[finding.severity]} {joined}::{_data(_text(finding))}"


def _lines(finding: Finding) -> dict[str, int]:
    """Lines and columns as far as they are known; GitHub takes columns on one line only."""
    if not finding.line:
        return {}
    found = {"line": finding.line}
    if finding.end_line > finding.line:
        return found | {"endLine": finding.end_line}
    if finding.column:
        found["col"] = finding.column
        if finding.end_column > finding.column:
            found["endColumn"] = finding.end_column
    return found


def _data(text: str) -> str:
    return clean(text, newlines=True).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def sarif(state: RunState, version: str) -> dict[str, Any]:
    """Findings as one SARIF run: the open ones, and the dismissed ones as suppressed; fixed ones are gone."""
    kept = [tracked for tracked in numbered(state) if tracked.status != "fixed"]
    rules = list(dict.fromkeys(_rule(tracked.finding) for tracked in kept))
    driver = {"name": "Sprintwright", "version": version}
    started = state.started
    where = f"sprintwright/{one_line(started.workflow, 100)}/{started.run_id}" if started else "sprintwright"
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": {**driver, "rules": [_described(rule) for rule in rules]}},
                "automationDetails": {"id": where},
                "columnKind": "unicodeCodePoints",
                "results": [_result(tracked, rules) for tracked in kept],
            }
        ],
    }


def _described(rule: str) -> dict[str, Any]:
    text = "A remark of an evaluator." if rule == _NO_CODE else f"Findings with the code {rule}."
    return {"id": rule, "shortDescription": {"text": text}}


def _rule(finding: Finding) -> str:
    return one_line(finding.code, 100) or _NO_CODE


def _result(tracked: Tracked, rules: list[str]) -> dict[str, Any]:
    finding = tracked.finding
    result: dict[str, Any] = {
        "ruleId": _rule(finding),
        "ruleIndex": rules.index(_rule(finding)),
        "level": _LEVELS[finding.severity],
        "message": {"text": clean(_text(finding), newlines=True)},
        "partialFingerprints": {"sprintwrightFinding/v1": finding.identity},
        "properties": {"step": tracked.key},
    }
    if finding.path.strip("/"):
        place: dict[str, Any] = {"artifactLocation": {"uri": _uri(finding.path)}}
        if region := _region(finding):
            place["region"] = region
        result["locations"] = [{"physicalLocation": place}]
    if tracked.status == "dismissed":
        result["suppressions"] = [{"kind": "external", "status": "accepted"}]
    return result


def _text(finding: Finding) -> str:
    message = finding.message.strip() or "(no words)"
    return f"{message}\nSuggestion: {finding.suggestion}" if finding.suggestion else message


def _uri(path: str) -> str:
    """A relative reference: a colon in its first part must not look like a scheme, nor a slash like a host."""
    return quote(path.lstrip("/"), safe="/", errors="replace")


def _region(finding: Finding) -> dict[str, Any]:
    """1-based, never ending before it begins; empty without a line."""
    if not finding.line:
        return {}
    region: dict[str, Any] = {"startLine": finding.line}
    if finding.column:
        region["startColumn"] = finding.column
    end = max(finding.end_line, finding.line)
    if finding.end_line > finding.line:
        region["endLine"] = end
    if finding.end_column and (end > finding.line or finding.end_column >= max(1, finding.column)):
        region["endColumn"] = finding.end_column
    if finding.snippet:
        region["snippet"] = {"text": clean(finding.snippet, newlines=True)}
    return region
