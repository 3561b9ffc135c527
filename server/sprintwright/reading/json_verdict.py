"""The JSON of a reply: which objects in it count, and the verdict that they give."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sprintwright.model.value import Json
from sprintwright.model.verdict import UNKNOWN
from sprintwright.reading.json_scan import JsonSpan, spans
from sprintwright.reading.lines import Line, Page
from sprintwright.reading.sentences import Keys
from sprintwright.text import fold

_JSON_FENCES = frozenset({"", "json", "jsonc", "json5", "application/json"})
_DISOWNED = re.compile(
    r"(?<![\w-])(?:not|never|cannot|\w+n't|would|could|should|might|may|must|if|unless|wrong|example|instance|refuse|told)"
    r"(?![\w-])"
)
"""Words around an object that make it a mention. ``no`` is not among them: *no failures found* stands beside many."""
_FIELD = "verdict"
_SHOWN = 100
_LIST_OF_OPTIONS = re.compile(r"[\s,;|/`*]*+(?:or|and)?[\s,;|/`*]*+(?:[-+•]|[0-9]{1,9}[.)])?[ \t`*]*+")
_NOT_A_LINE_END = re.compile(r"[^\n]")
_IN_PLACE_OF_JSON = "\ufffc"


@dataclass(frozen=True, slots=True)
class JsonVerdict:
    """The key that the reply's JSON gives, and the line of the page where it does; ``spans`` is all its JSON."""

    key: str = ""
    line: int = -1
    warning: str = ""
    spans: tuple[JsonSpan, ...] = ()


def json_spans(page: Page) -> list[JsonSpan]:
    """Where a reply has JSON objects: outside quotes, comments, indented code and fences of another language."""
    view = "\n".join(line.text if _may_be_json(line) else " " * len(line.text) for line in page.lines)
    return [span for span in spans(view) if page.lines[_line_at(page, span.start)].kind != "indented"]


def read_json_verdict(page: Page, keys: Keys) -> JsonVerdict:
    """Read the last object with a ``verdict`` field of its own; see `sprintwright.reading.verdict.read_verdict`."""
    found = tuple(json_spans(page))
    speaking = [span for span in found if span.finished and _has_field(span, page)]
    if not speaking:
        return JsonVerdict(spans=found)
    last = speaking[-1]
    if last.value is None:
        return JsonVerdict(spans=found, warning="The last JSON object with a verdict can't be read.")
    if _DISOWNED.search(fold(_around(page, last))):
        return JsonVerdict(spans=found, warning="The sentence around the JSON takes its verdict back.")
    if _is_option(page.text, speaking, keys):
        return JsonVerdict(spans=found, warning="The reply lists JSON objects with different verdicts.")
    said = _said(last.value)
    key = _key(last, keys)
    if not key:
        return JsonVerdict(spans=found, warning=f"The JSON gives {said[:_SHOWN]!r}, which is not a declared key.")
    return JsonVerdict(key, _line_at(page, last.end - 1), spans=found)


def _around(page: Page, span: JsonSpan) -> str:
    """What stands on the lines of an object beside it."""
    before = page.text.rfind("\n", 0, span.start) + 1
    after = page.text.find("\n", span.end)
    return page.text[before : span.start] + " " + page.text[span.end : after if after >= 0 else len(page.text)]


def without_json(page: Page, found: Sequence[JsonSpan]) -> Sequence[Line]:
    """The lines with every JSON object blotted out, also one that is broken or cut off: JSON is no prose."""
    if not found:
        return page.lines
    pieces: list[str] = []
    position = 0
    for span in found:
        blot = _NOT_A_LINE_END.sub(_IN_PLACE_OF_JSON, page.text[span.start : span.end])
        pieces += (page.text[position : span.start], blot)
        position = span.end
    text = "".join([*pieces, page.text[position:]])
    return [Line(start, text[start : start + len(old)], kind, info) for start, old, kind, info in page.lines]


def _line_at(page: Page, position: int) -> int:
    return bisect_right(page.lines, position, key=lambda line: line.start) - 1


def _may_be_json(line: Line) -> bool:
    """Indented lines too: an object that began before a blank line goes on there."""
    return line.kind in ("plain", "indented") or (line.kind == "fence" and line.info.split(" ", 1)[0] in _JSON_FENCES)


def _fields(value: Mapping[str, Json]) -> list[str]:
    return [name for name in value if len(name) < _SHOWN and fold(name).strip() == _FIELD]


def _has_field(span: JsonSpan, page: Page) -> bool:
    if span.value is not None:
        return bool(_fields(span.value))
    return f'"{_FIELD}"' in page.text[span.start : span.end].lower()


def _said(value: Mapping[str, Json]) -> str:
    fields = _fields(value)
    said = value[fields[0]]
    return said if len(fields) == 1 and isinstance(said, str) else f"{said}"


def _key(span: JsonSpan, keys: Keys) -> str:
    """The declared key of an object. Two fields that differ by case alone are as bad as one field twice."""
    fields = _fields(span.value or {})
    said = (span.value or {}).get(fields[0]) if len(fields) == 1 else None
    if not isinstance(said, str) or len(said) > keys.longest * 4 + _SHOWN:
        return ""
    form = fold(said)
    return UNKNOWN if form.strip() == UNKNOWN else keys.exact(form)


def _is_option(text: str, speaking: Sequence[JsonSpan], keys: Keys) -> bool:
    """Whether the last object closes a list of objects that differ: on its line, or as items of one list."""
    last = _key(speaking[-1], keys)
    for before, after in zip(speaking[-2::-1], speaking[:0:-1], strict=False):
        between = text[before.end : after.start]
        if "\n" in between and not (between.strip() and _LIST_OF_OPTIONS.fullmatch(between)):
            return False
        if _key(before, keys) != last:
            return True
    return False
