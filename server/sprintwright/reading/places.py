"""From what a text says about a place to a finding: numbers, severities and paths, each made safe."""

from __future__ import annotations

import re
from collections.abc import Callable

from sprintwright.errors import PathRefused
from sprintwright.model.finding import Finding, FindingSeverity
from sprintwright.reading.json_scan import without_surrogates
from sprintwright.text import cut

Confine = Callable[[str], str]
"""A path as it was written -> relative to the folder; raises `PathRefused`."""

MOST_FINDINGS = 500
MOST_MESSAGE = 2_000
_MOST_LINE = 10_000_000
_MOST_PATH = 4_096

_SEVERITIES: dict[str, FindingSeverity] = {
    **dict.fromkeys(("error", "critical", "high", "major", "blocker", "fatal", "fatal error", "failure"), "error"),
    **dict.fromkeys(("warning", "warn", "medium", "moderate"), "warning"),
    **dict.fromkeys(("info", "information", "note", "low", "minor", "suggestion", "nit", "trivial"), "info"),
    "hint": "hint",
}
_NUMBERS = re.compile(r"\s*+([0-9]{1,9})(?![0-9])(?:\s*+[-–:]\s*+([0-9]{1,9}))?")


def severity_of(word: object) -> FindingSeverity:
    """The severity that a word means; one that is not known is a warning."""
    return _SEVERITIES.get(str(word).strip().casefold(), "warning")


def number_of(value: object) -> int:
    """A 1-based line or column; 0 when it is none."""
    return _span_of(value)[0]


def _span_of(value: object) -> tuple[int, int]:
    if isinstance(value, bool):
        return 0, 0
    if isinstance(value, int | float):
        whole = int(value) if abs(value) <= _MOST_LINE else 0
        return max(0, whole), 0
    match = _NUMBERS.match(value) if isinstance(value, str) else None
    return (int(match[1]), int(match[2] or 0)) if match else (0, 0)


def make_finding(
    confine: Confine,
    message: str,
    *,
    severity: object = "warning",
    path: str = "",
    line: object = 0,
    column: object = 0,
    end_line: object = 0,
    end_column: object = 0,
    code: str = "",
    snippet: str = "",
    suggestion: str = "",
) -> tuple[Finding, str]:
    """A finding, and a warning when its path was refused: then it is a remark about the whole.

    ``line`` may be a number, text, or a range such as ``12-14``; what is no line is left out.
    """
    kept, warning = _confined(confine, path)
    first, last = _span_of(line)
    finding = Finding(
        message=_text(" ".join(message.split())) or "(no message)",
        severity=severity_of(severity),
        path=kept,
        line=first if kept else 0,
        column=number_of(column) if kept and first else 0,
        end_line=max(last, number_of(end_line)) if kept else 0,
        end_column=number_of(end_column) if kept and first else 0,
        code=_text(code, 100),
        snippet=_text(snippet),
        suggestion=_text(suggestion),
    )
    return finding, warning


def _text(text: str, most: int = MOST_MESSAGE) -> str:
    """Text that every store and client can hold (faults.md R22)."""
    return cut(without_surrogates(text).replace("\0", "\ufffd"), most)


def _confined(confine: Confine, path: str) -> tuple[str, str]:
    if not path.strip():
        return "", ""
    if len(path) > _MOST_PATH:  # not even normalised: that takes quadratic time (see `lines.folded`)
        return "", f"A finding names a path of {len(path)} characters, more than {_MOST_PATH}."
    try:
        return confine(path.strip()), ""
    except PathRefused as error:
        return "", f"A finding names a path that is not taken: {error.message}"
