"""SARIF 2.1: results of static analysis as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, cast
from urllib.parse import unquote, urlsplit

from sprintwright.model.finding import Finding
from sprintwright.reading.json_scan import JsonRefused, parse_json
from sprintwright.reading.places import Confine, make_finding

_LEVELS = {"error": "error", "warning": "warning", "note": "info", "none": "info"}
_NO_PROBLEM = ("pass", "notApplicable", "informational")
_MOST_CHARACTERS = 16_000_000


def read(text: str, confine: Confine) -> Iterator[tuple[Finding, str]]:
    """The results of every run in the file that are problems and not suppressed; nothing when it is no SARIF."""
    try:
        report = parse_json(text, size=_MOST_CHARACTERS)
    except JsonRefused:
        return
    for run in _list(_map(report).get("runs")):
        for result in _list(_map(run).get("results")):
            one = _map(result)
            if one.get("kind", "fail") not in _NO_PROBLEM and not one.get("suppressions"):
                yield _made(one, confine)


def _made(result: Mapping[str, Any], confine: Confine) -> tuple[Finding, str]:
    locations = _list(result.get("locations"))
    first = locations[0] if locations else None
    place = _map(_map(first).get("physicalLocation"))
    region = _map(place.get("region"))
    return make_finding(
        confine,
        str(_map(result.get("message")).get("text", "")),
        severity=_LEVELS.get(str(result.get("level", "warning")), "warning"),
        path=_path(str(_map(place.get("artifactLocation")).get("uri", ""))),
        line=region.get("startLine", 0),
        column=region.get("startColumn", 0),
        end_line=region.get("endLine", 0),
        end_column=region.get("endColumn", 0),
        code=str(result.get("ruleId", "")),
        snippet=str(_map(region.get("snippet")).get("text", "")),
    )


def _path(uri: str) -> str:
    """A `file:` address or a relative one as a path; other schemes name no file of ours."""
    try:
        parts = urlsplit(uri)
    except ValueError:
        return ""
    if parts.scheme not in ("", "file"):
        return ""
    return unquote(parts.path if parts.scheme else uri)


def _map(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _list(value: Any) -> list[Any]:
    return cast("list[Any]", value) if isinstance(value, list) else []
