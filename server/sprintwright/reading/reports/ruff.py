"""ruff's outputs: ``full``, ``concise`` and ``json``."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, cast

from sprintwright.model.finding import Finding
from sprintwright.reading.json_scan import JsonRefused, parse_json
from sprintwright.reading.places import Confine, make_finding

_CONCISE = re.compile(
    r"(?P<path>[^\s:][^:\n]{0,400}?):(?P<line>[0-9]{1,9}):(?P<column>[0-9]{1,9}): "
    r"(?P<code>[A-Za-z][\w-]{0,60}):? (?P<message>\S.*)"
)
_HEAD = re.compile(r"(?P<code>[A-Za-z][\w-]{0,60}):? (?P<message>\S.*)")
_ARROW = re.compile(r" {1,12}--> (?P<path>[^:\n]{1,400}):(?P<line>[0-9]{1,9}):(?P<column>[0-9]{1,9})")
_FIXABLE = re.compile(r"\[\*\] ")
_MOST_LINE = 4_000


def read(text: str, confine: Confine) -> Iterator[tuple[Finding, str]]:
    """The findings of any of ruff's outputs."""
    if text.lstrip()[:1] == "[":
        yield from _from_json(text, confine)
        return
    before = ""
    for line in text.splitlines():
        if len(line) > _MOST_LINE:
            continue
        if (match := _CONCISE.fullmatch(line)) is not None:
            yield _made(match, match["code"], match["message"], confine)
        elif (arrow := _ARROW.fullmatch(line)) is not None and (head := _HEAD.fullmatch(before)) is not None:
            yield _made(arrow, head["code"], head["message"], confine)
        before = line


def _made(place: re.Match[str], code: str, message: str, confine: Confine) -> tuple[Finding, str]:
    syntax = code in ("SyntaxError", "invalid-syntax")
    return make_finding(
        confine,
        _FIXABLE.sub("", message, count=1),
        severity="error" if syntax else "warning",
        path=place["path"],
        line=place["line"],
        column=place["column"],
        code=code,
    )


def _from_json(text: str, confine: Confine) -> Iterator[tuple[Finding, str]]:
    try:
        items = parse_json(text)
    except JsonRefused:
        return
    for item in items if isinstance(items, list) else ():
        if not isinstance(item, Mapping):
            continue
        row = cast("Mapping[str, Any]", item)
        start, end = _place(row.get("location")), _place(row.get("end_location"))
        code = str(row.get("code") or "")
        yield make_finding(
            confine,
            str(row.get("message", "")),
            severity="warning" if code else "error",
            path=str(row.get("filename", "")),
            line=start.get("row", 0),
            column=start.get("column", 0),
            end_line=end.get("row", 0),
            end_column=end.get("column", 0),
            code=code,
        )


def _place(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}
