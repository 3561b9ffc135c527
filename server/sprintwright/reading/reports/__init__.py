"""What real commands print -> findings. One module a format; the format can be told from the text."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib import import_module

from sprintwright.model.definition import CheckFormat
from sprintwright.model.finding import Finding
from sprintwright.reading.lines import LIMIT
from sprintwright.reading.places import MOST_FINDINGS, Confine
from sprintwright.text import clean

Made = Iterable[tuple[Finding, str]]
Read = Callable[[str, Confine], Made]
_PYTEST = re.compile(
    r"^(?:(?:FAILED|ERROR) \S++(?:::| - |$)|=++ (?:FAILURES|ERRORS|short test summary info) =|"
    r"[0-9]+ (?:passed|failed|errors?)\b[^\n]{0,200}+ in [0-9.]+s)",
    re.MULTILINE,
)
_RUFF = re.compile(r"^ ++--> [^\n:]++:[0-9]++:[0-9]++$", re.MULTILINE)

_BLANK = "\ufeff \t\r\n"
_LAST_SIGN = {"junit": ">", "sarif": "}"}


@dataclass(frozen=True, slots=True)
class Report:
    """The findings of one command, at most 500, and the format that they were read in."""

    findings: tuple[Finding, ...]
    format: CheckFormat


def read_report(text: str, wanted: CheckFormat, confine: Confine) -> Report:
    """Read a command's output. Never raises for what is in it; a format that does not fit finds nothing.

    Colours and other control sequences of a terminal are dropped. A document may stand within other output:
    standard error follows it.

    Args:
        wanted: ``auto`` tells the format from the text.
        confine: as in `sprintwright.reading.findings.read_findings`.
    """
    known = detect(text) if wanted == "auto" else wanted
    bare = text.lstrip(_BLANK)
    document = known in ("junit", "sarif") or (known == "ruff" and bare.startswith("["))
    body = bare[: bare.rfind(_LAST_SIGN.get(known, "]")) + 1] if document else _printed(text)
    read: Read = import_module(f"sprintwright.reading.reports.{known}").read
    findings: dict[Finding, None] = {}
    for finding, _ in read(body, confine):
        findings[finding] = None
        if len(findings) == MOST_FINDINGS:
            break
    return Report(tuple(findings), known)


def detect(text: str) -> CheckFormat:
    """The format that a text is probably in."""
    start = text.lstrip(_BLANK)[:2_000]
    if start.startswith("<") and "<testsuite" in start:
        return "junit"
    if start.startswith("{") and '"runs"' in text:
        return "sarif"
    if start.startswith("[") and '"filename"' in start:
        return "ruff"
    tail = _printed(text)
    if _PYTEST.search(tail):
        return "pytest"
    return "ruff" if _RUFF.search(tail) else "gcc"


def _printed(text: str) -> str:
    return clean(text[-LIMIT:], newlines=True)
