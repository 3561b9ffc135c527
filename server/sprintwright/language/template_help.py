"""Inside of `{{ }}`: which variable or word stands at a cursor, and what could."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from sprintwright.definitions.template_rules import FILE_KEYS, TEMPLATE_KEYS
from sprintwright.language.docs import ENTRY_DOCS, TEMPLATE_WORDS
from sprintwright.language.document import Document
from sprintwright.language.place import Place
from sprintwright.language.values import Completion
from sprintwright.language.variables import origins
from sprintwright.prompts.expression import FUNCTIONS

_WORD = re.compile(r"[\w-]*+")
_LAST_WORD = re.compile(r"[\w-]*\Z")
_CONTROL = re.compile(r"(?:-\s)?\s*(?:else\s+)?(if|range)\b")
_BLOCKS = re.compile(r"\{\{-?\s*(if|range|else|end)\b")
_STRAY = re.compile(r'["`]')


class Action(NamedTuple):
    """The action around a cursor: offsets of the word at it, and what stands before that."""

    start: int
    end: int
    before: str
    closed: bool


def at_template(document: Document, place: Place) -> Action | None:
    """The action of a template in which a cursor stands, closed or not; None when it stands in none."""
    if place.role != "value" or not _takes_template(place):
        return None
    text, offset = document.text, place.offset
    line_start, line_end = document.source.line_at(offset)
    opened = text.rfind("{{", max(line_start, place.node_start), offset)
    if opened < 0 or "}}" in text[opened:offset]:
        return None
    before = text[opened + 2 : offset]
    if len(_STRAY.findall(before.replace('\\"', '"'))) % 2:
        return None  # within a quoted text of the action
    start = offset - len((_LAST_WORD.search(before) or [""])[0])
    found = _WORD.match(text, offset)
    end = found.end() if found else offset
    rest = text[end:line_end]
    closing = rest.find("}}")
    closed = closing >= 0 and "{{" not in rest[:closing]
    return Action(start, end, text[opened + 2 : start], closed)


def _takes_template(place: Place) -> bool:
    if place.owner is None:
        return False
    return place.owner.key in TEMPLATE_KEYS or _is_file(place)


def _is_file(place: Place) -> bool:
    return place.owner is not None and place.owner.key in FILE_KEYS


def complete_template(document: Document, place: Place) -> Iterator[Completion]:
    """Variables, each with where it comes from, and the words of the template language."""
    action = at_template(document, place)
    if action is None:
        return
    where = document.source.range(action.start, action.end)
    simple = not action.before.strip(" -.")
    close = "}}" if simple and not action.closed else ""
    numbers = document.names.numbers
    control = _CONTROL.match(action.before)
    ranged = control is not None and control[1] == "range"
    inside = _in_range(document.text[place.node_start : action.start])
    for name, origin in origins(document).items():
        if _is_file(place) and name not in numbers:
            continue
        rank = "1" if ranged and name in document.names.lists else "2"
        yield Completion(name, "variable", name + close, where, origin, "", rank + name)
    if inside:
        for name, text in ENTRY_DOCS.items():
            yield Completion(name, "variable", name + close, where, "of the result in this range", text, "0" + name)
    if not _is_file(place):
        yield from _keywords(document, action, simple)


def _keywords(document: Document, action: Action, simple: bool) -> Iterator[Completion]:
    where = document.source.range(action.start, action.end)
    for word, text in TEMPLATE_WORDS.items():
        if (word in FUNCTIONS) == simple or action.before.rstrip(" -").endswith("."):
            continue
        close = "}}" if word in ("else", "end") and not action.closed else ""
        blank = " " if word not in ("else", "end") else ""
        yield Completion(word, "keyword", word + blank + close, where, "template", text, "3" + word)


def _in_range(before: str) -> bool:
    """Whether what stands before is within a range that is not ended."""
    opened = list[str]()
    for found in _BLOCKS.finditer(before):
        if found[1] in ("if", "range"):
            opened.append(found[1])
        elif found[1] == "end" and opened:
            opened.pop()
    return "range" in opened
