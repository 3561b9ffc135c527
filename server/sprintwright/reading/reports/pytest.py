"""pytest's terminal output, in any of its traceback styles."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from sprintwright.model.finding import Finding
from sprintwright.reading.places import Confine, make_finding

_MOST_LINE = 4_000
_SUMMARY = re.compile(r"(?:FAILED|ERROR) (?P<path>[^\n]{1,400}?\.py)(?:::(?P<test>[^\n]{1,400}?))?(?: - (?P<said>.*))?")
_TITLE = re.compile(r"_{2,} (?P<title>\S.{0,300}) _{2,}")
_PLACE = re.compile(r"(?P<path>[^\s:][^:\n]{0,400}?\.\w{1,8}):(?P<line>[0-9]{1,9}): ?(?P<said>.*)")
_NATIVE = re.compile(r' {0,8}File "(?P<path>[^"\n]{1,400})", line (?P<line>[0-9]{1,9}), in .*')
_RULE = re.compile(r"=+ .{1,200} =+")


@dataclass(slots=True)
class _Section:
    """What pytest prints about one failure."""

    title: str
    places: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    said: str = ""


def read(text: str, confine: Confine) -> Iterator[tuple[Finding, str]]:
    """One finding a failed test: at the line of the test where it failed, with what the summary says."""
    sections, summaries = _parts(text)
    for number, summary in enumerate(summaries):
        path, test, said = summary["path"], summary["test"] or "", summary["said"] or ""
        section = _section_of(sections, path, test, number, len(summaries))
        line = _line_in(section, path)
        name = test.rpartition("::")[2] or path
        said = said or (section.said if section else "")
        yield make_finding(confine, f"{name}: {said}" if said else name, severity="error", path=path, line=line)
    if not summaries:
        for section in sections:
            path, line = section.places[-1] if section.places else ("", "")
            yield make_finding(confine, f"{section.title}: {section.said}", severity="error", path=path, line=line)


def _parts(text: str) -> tuple[list[_Section], list[re.Match[str]]]:
    sections: list[_Section] = []
    summaries: list[re.Match[str]] = []
    for line in text.splitlines():
        if len(line) > _MOST_LINE:
            continue
        if (title := _TITLE.fullmatch(line)) is not None:
            sections.append(_Section(title["title"]))
        elif (summary := _SUMMARY.fullmatch(line)) is not None:
            summaries.append(summary)
        elif (place := _PLACE.fullmatch(line) or _NATIVE.fullmatch(line)) is not None:
            if not sections or _RULE.fullmatch(line):
                sections.append(_Section(""))  # `--tb=line` has no titles
            sections[-1].places.append((place["path"], place["line"]))
        elif line.startswith("E  ") and sections and not sections[-1].said:
            sections[-1].said = line[1:].strip()
    return sections, summaries


def _section_of(sections: list[_Section], path: str, test: str, number: int, count: int) -> _Section | None:
    title = test.replace("::", ".") if test else path
    for section in sections:
        if section.title == title or (section.title.endswith(title) and section.title[: -len(title)][-1:] in (" ", "")):
            return section
    untitled = [section for section in sections if not section.title]
    if len(untitled) == 1:
        places = [place for place in untitled[0].places if _same(place[0], path)]
        if len(untitled[0].places) == count:
            return _Section("", [untitled[0].places[number]])
        return _Section("", places)
    return None


def _line_in(section: _Section | None, path: str) -> str:
    """The last place within the test's own file: deeper ones are in what it called."""
    if section is None:
        return ""
    return next((line for at, line in reversed(section.places) if _same(at, path)), "")


def _same(place: str, path: str) -> bool:
    return place == path or place.endswith(f"/{path}")
