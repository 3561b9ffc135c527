"""Whatever the text and wherever the cursor: nothing raises, and every range is inside of the text."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sprintwright.language.completion import complete
from sprintwright.language.diagnosis import diagnose
from sprintwright.language.document import Document
from sprintwright.language.fixes import fixes
from sprintwright.language.hover import hover
from sprintwright.language.navigation import definition, references
from sprintwright.language.renaming import prepare_rename, rename
from sprintwright.language.symbols import lenses, symbols
from sprintwright.model.problem import Range
from tests.unit.language.support import ALL, PLAN, SHIPPED

_PIECES = [
    *("name", "stages", "roles", "vars", "kind", "id", "prompt", "loop", "agent_turn", "check", "body", "verdict", "from"),
    *("{{task}}", "{{if", "x}}", "{{end}}", "{{", "}}", "[", "]", "{", "}", ",", "'", '"', "&a", "*a", "<<", "!!str", "#"),
    *(": ", ":", "- ", "-", "\n", "\n  ", "\n    ", "\t", "|\n", ">\n", "---\n", "...\n", "\r\n", "\r", "\\", "?", "%"),
    *("\ufeff", "\0", "\x85", "\u2028", "\ud800", "\ue000", "é", "😀"),
]  # fmt: skip
_TEXT = st.one_of(st.text(), st.lists(st.sampled_from(_PIECES), max_size=40).map("".join))
_GOOD = st.sampled_from(ALL).map(lambda path: path.read_text("utf-8"))


def _inside(document: Document, ranges: Iterable[Range]) -> None:
    source = document.source
    lines = [source.line_at(start)[1] - start for start in source.line_starts]
    for where in ranges:
        assert (0, 0) <= (where.line, where.column) <= (where.end_line, where.end_column)
        assert where.end_line < len(lines) and where.end_column <= lines[where.end_line] + 1


def _ask(document: Document, line: int, column: int) -> None:
    """Everything that depends on a place."""
    here = [one.range for one in complete(document, line, column)]
    _inside(document, here)
    assert all(
        (one.line, one.column) <= (max(line, 0), max(column, 0))
        for one in here
        if line < len(document.source.line_starts)
    )
    found = hover(document, line, column)
    _inside(document, [found.range] if found else [])


def _ask_all(document: Document, line: int, column: int) -> None:
    _ask(document, line, column)
    _inside(document, [one.range for one in diagnose(document)])
    whole = Range(line=0, column=0, end_line=10_000, end_column=0)
    _inside(document, [edit.range for _, fix in fixes(document, whole) for edit in fix.edits])
    _inside(document, (*definition(document, line, column), *references(document, line, column)))
    prepare_rename(document, line, column)
    _inside(document, [edit.range for edit in rename(document, line, column, "other").edits])
    _inside(document, [one.range for one in symbols(document)])
    _inside(document, [one.range for one in lenses(document)])


@given(_TEXT, st.booleans(), st.data())
@example("{{", False, None)
@example("\ue000: \ue000", False, None)
@example('{"a": "', True, None)
@example("- ", False, None)
@example("&", False, None)
@example("stages:\n- \r- {", False, None)
def test_x067_no_text_raises(text: str, json: bool, data: st.DataObject | None) -> None:
    document = Document(text, json=json)
    lines = len(document.source.line_starts)
    line = data.draw(st.integers(-1, lines)) if data else lines - 1
    column = data.draw(st.integers(-1, 60)) if data else 1_000
    _ask_all(document, line, column)


@given(_GOOD, st.data())
def test_a_good_file_with_a_stretch_replaced_never_raises(text: str, data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = min(len(text), start + data.draw(st.integers(0, 40)))
    typed = data.draw(_TEXT)
    document = Document(text[:start] + typed + text[end:])
    _ask_all(document, *document.source.position(start + len(typed)))


def test_every_place_of_a_file_can_be_asked() -> None:
    document = Document(PLAN)
    for offset in range(len(PLAN) + 1):
        _ask(document, *document.source.position(offset))


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_beginning_of_a_file_can_be_asked_while_it_is_typed(path: Path) -> None:
    text = path.read_text("utf-8")
    for end in range(0, len(text), max(1, len(text) // 40)):
        document = Document(text[:end])
        _ask_all(document, *document.source.position(end))


@pytest.mark.exhaustive
@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
def test_every_place_of_the_shipped_files_can_be_asked(path: Path) -> None:
    text = path.read_text("utf-8")
    whole = Document(text)
    for offset in range(0, len(text) + 1, 3):
        place = whole.source.position(offset)
        _ask(whole, *place)
        if offset % 60 == 0:
            _ask_all(Document(text[:offset]), *place)
