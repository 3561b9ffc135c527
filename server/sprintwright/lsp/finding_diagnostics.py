"""One file's findings → its diagnostics: read, located, in words. Runs in worker threads and changes nothing.

Agents' words are plain text here, cleaned and capped (X45, X51, X54); no link is made of them (X50).
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from lsprotocol import types

from sprintwright.app.locating import Locator, Place
from sprintwright.errors import PathRefused
from sprintwright.lsp.positions import Positions
from sprintwright.model.finding import Finding, FindingSeverity
from sprintwright.paths import read_beneath, resolve_inside
from sprintwright.text import clean, cut, one_line

SOURCE = "sprintwright"
MOST_BYTES = 4 * 1024 * 1024
MOST_MESSAGE = 1_000
MOST_IN_FILE = 200
MOST_RELATED = 20
CHANGED = "(The text that this means was changed since.)"

_SEVERITIES: dict[FindingSeverity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "info": types.DiagnosticSeverity.Information,
    "hint": types.DiagnosticSeverity.Hint,
}
_LONGEST_LINE = 50_000
"""What is behind it is left out: in a file without line ends each finding would cost as much as the whole file."""
_locating = threading.Lock()
"""One thread at a time: several would be no faster, and the loop would wait for each of them to let it in."""
_MOST_CODE = 100
_MOST_WORD = 60
_PART = re.compile(r"(?P<name>[^\[\]]+)\[(?P<number>[^\[\]]*)\]")


@dataclass(frozen=True, slots=True)
class Shown:
    """An open finding, the run that decides about it, and the leaves that said it."""

    finding: Finding
    identity: str
    run_id: str
    workflow: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FileJob:
    """What is needed to show one file's findings.

    ``places``: for each folder the path in it, already confined, and the findings. ``text``: of the open document;
    None reads the file. ``related``: whether the client takes related information.
    """

    uri: str
    places: tuple[tuple[Path, str, tuple[Shown, ...]], ...]
    text: str | None
    encoding: types.PositionEncodingKind | str
    related: bool = True


def diagnostics_of(job: FileJob) -> list[types.Diagnostic]:
    """The diagnostics of one file; none when it is gone, or links lead out of the folder."""
    shown: list[Shown] = []
    text = job.text
    for folder, path, findings in job.places:
        try:
            inside = _standing(folder, path)
        except (OSError, PathRefused):
            continue
        shown += findings
        if text is None:
            text = _read(folder, inside)
    if not shown:
        return []
    with _locating:
        return list(_located(job, shown, None if text is None else _without_long_lines(text)))


def _standing(folder: Path, path: str) -> str:
    """Where the file is, links resolved. Raises `PathRefused` outside the folder, `OSError` when it is gone."""
    inside = resolve_inside(folder, path)
    (folder.resolve() / inside).lstat()
    return inside


def _read(folder: Path, path: str) -> str | None:
    """A file's text; None for what is no text, or can't be read."""
    try:
        data = read_beneath(folder, path, MOST_BYTES)
    except (OSError, PathRefused):
        return None
    return None if b"\0" in data else data.decode("utf-8-sig", "replace")


def _without_long_lines(text: str) -> str:
    """The text with its very long lines cut; which line is which stays."""
    pieces, start = list[str](), 0
    while len(text) - start > _LONGEST_LINE:
        most = start + _LONGEST_LINE
        last = max(text.rfind("\n", start, most), text.rfind("\r", start, most))
        pieces.append(text[start : last + 1 if last >= 0 else most])
        ends = (last + 1,) if last >= 0 else (at for at in (text.find("\n", most), text.find("\r", most)) if at >= 0)
        start = min(ends, default=len(text))
    return "".join([*pieces, text[start:]])


def _located(job: FileJob, shown: list[Shown], text: str | None) -> Iterator[types.Diagnostic]:
    kept, more = _most_important(shown)
    locator, positions = Locator(text or ""), Positions(text or "", job.encoding)
    for one in kept:
        finding = one.finding if text is not None else Finding(message="")
        place = locator.locate(finding)
        yield _diagnostic(job, one, place, positions.to_range(place.range))
    if more:
        yield types.Diagnostic(
            range=_start_of_file(),
            message=f"and {more:,} more findings in this file",
            severity=types.DiagnosticSeverity.Information,
            source=SOURCE,
        )


def _most_important(shown: list[Shown]) -> tuple[list[Shown], int]:
    """What is shown of a file, and how many are left out: the graver ones first, in the order of their lines."""
    order = list(_SEVERITIES)
    ordered = sorted(shown, key=lambda one: (order.index(one.finding.severity), one.finding.line))
    if len(ordered) <= MOST_IN_FILE:
        return ordered, 0
    return ordered[: MOST_IN_FILE - 1], len(ordered) - (MOST_IN_FILE - 1)


def _diagnostic(job: FileJob, one: Shown, place: Place, where: types.Range) -> types.Diagnostic:
    related = None
    if job.related:
        at = types.Location(job.uri, where)
        related = [types.DiagnosticRelatedInformation(at, words) for words in _said(one)]
    return types.Diagnostic(
        range=where,
        message=_message(one.finding, place),
        severity=_SEVERITIES[one.finding.severity],
        code=one_line(one.finding.code, _MOST_CODE) or None,
        source=SOURCE,
        related_information=related,
        data={"runId": one.run_id, "finding": one.identity},
    )


def _message(finding: Finding, place: Place) -> str:
    text = " ".join(_shown(finding.message).split())
    if finding.suggestion.strip():
        text = f"{_bounded(text, MOST_MESSAGE * 3 // 4)}\nSuggestion: {_shown(finding.suggestion).strip()}"
    mark = f"\n{CHANGED}" if place.found == "clamped" else ""
    return _bounded(text, MOST_MESSAGE - len(mark)) + mark


def _shown(text: str) -> str:
    return clean(text[: MOST_MESSAGE * 2], newlines=True)


def _bounded(text: str, most: int) -> str:
    """At most so many code points: a letter may have many marks."""
    text = cut(text, most)
    return text if len(text) <= most else f"{text[: most - 1]}…"


def _said(one: Shown) -> Iterable[str]:
    """Who said it: ``Run 2026… (dev), sprint 2, pass 1: evaluator said this``."""
    run = f"Run {one.run_id} ({one_line(one.workflow, _MOST_WORD)})"
    for key in one.keys[:MOST_RELATED]:
        *around, last = key.split("/")
        where = "".join(f", {_part(part)}" for part in around if "[" in part)
        yield f"{run}{where}: {_part(last)} said this"


def _part(part: str) -> str:
    """A part of a leaf's key in words: ``sprints[2]`` is ``sprint 2``."""
    match = _PART.fullmatch(part)
    if match is None:
        return one_line(part, _MOST_WORD)
    name = match["name"]
    if name.endswith("s") and len(name) > 3:
        name = name[:-2] if name.endswith(("sses", "xes", "ches")) else name[:-1]
    return one_line(f"{name} {match['number']}", _MOST_WORD)


def _start_of_file() -> types.Range:
    return types.Range(types.Position(0, 0), types.Position(0, 0))
