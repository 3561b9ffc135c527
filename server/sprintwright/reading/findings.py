"""Findings in an evaluator's reply: from its JSON, else from ``path:line:column: severity: message`` lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from sprintwright.model.finding import Finding
from sprintwright.reading.json_verdict import json_spans
from sprintwright.reading.lines import LIST_MARK, read_page
from sprintwright.reading.places import MOST_FINDINGS, Confine, make_finding
from sprintwright.reading.reports.gcc import read_line


@dataclass(frozen=True, slots=True)
class FindingsReading:
    """What was found, and sentences about what could not be placed or was left out."""

    findings: tuple[Finding, ...] = ()
    warnings: tuple[str, ...] = ()


def read_findings(text: str, confine: Confine) -> FindingsReading:
    """Read the findings of a reply (design.md section 4). Never raises; linear; at most 500 findings.

    The last JSON object with a list ``findings`` counts, outside quotes and code of another language; without
    one, lines outside of code blocks and quotes.

    Args:
        confine: a path to its form relative to the folder; a refused one leaves a finding without a place.
    """
    page = read_page(text)
    values = (span.value for span in json_spans(page) if span.value is not None)
    lists = [found for value in values if isinstance(found := value.get("findings"), list)]
    if lists:
        return _collected(_from_json(cast("list[Any]", lists[-1]), confine))
    plain = (line.text for line in page.lines if line.kind == "plain")
    return _collected(_from_lines(plain, confine))


def _collected(made: Iterable[tuple[Finding, str]]) -> FindingsReading:
    findings: list[Finding] = []
    warnings: dict[str, None] = {}
    left_out = 0
    for finding, warning in made:
        if len(findings) == MOST_FINDINGS:
            left_out += 1
            continue
        findings.append(finding)
        if warning and len(warnings) < 20:
            warnings[warning] = None
    if left_out:
        warnings[f"{left_out} findings beyond the first {MOST_FINDINGS} were left out."] = None
    return FindingsReading(tuple(findings), tuple(warnings))


def _from_json(items: list[Any], confine: Confine) -> Iterator[tuple[Finding, str]]:
    for item in items:
        if isinstance(item, str):
            yield _from_line(item, confine) or make_finding(confine, item)
        elif isinstance(item, Mapping):
            yield _from_object(cast("Mapping[str, Any]", item), confine)


def _from_object(item: Mapping[str, Any], confine: Confine) -> tuple[Finding, str]:
    def text(*names: str) -> str:
        return next((str(item[name]) for name in names if isinstance(item.get(name), str | int)), "")

    path, line = text("path", "file", "filename"), item.get("line", item.get("range", 0))
    if isinstance(line, list | Mapping):
        line = 0
    return make_finding(
        confine,
        text("message", "description", "text", "title"),
        severity=text("severity", "level") or "warning",
        path=path,
        line=line,
        column=item.get("column", item.get("col", 0)),
        end_line=item.get("end_line", item.get("endLine", 0)),
        end_column=item.get("end_column", item.get("endColumn", 0)),
        code=text("code", "rule"),
        snippet=text("snippet"),
        suggestion=text("suggestion", "fix"),
    )


def _from_lines(lines: Iterable[str], confine: Confine) -> Iterator[tuple[Finding, str]]:
    for line in lines:
        if (made := _from_line(line, confine)) is not None:
            yield made


def _from_line(line: str, confine: Confine) -> tuple[Finding, str] | None:
    bare = line.strip()
    if (mark := LIST_MARK.match(bare)) is not None:
        bare = bare[mark.end() :]
    bare = bare.replace("**", "").replace("`", "", 2)
    return read_line(bare, confine, notes=True)
