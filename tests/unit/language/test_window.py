"""A long text is cut down to what a place depends on: with the same answers."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprintwright.definitions.source import Source
from sprintwright.language import window as module
from sprintwright.language.completion import complete
from sprintwright.language.document import Document
from sprintwright.language.place import find_place
from sprintwright.language.window import window
from tests.unit.language.support import ALL, PLAN, SHIPPED

_LINES = [
    "a: b",
    "- a: b",
    "  - c: d",
    "    e: f",
    "  - |",
    "      - x",
    "# y",
    "",
    "{",
    "k:",
    "\ufeffz: 1",
    "- ",
    "    - {g: h,",
    "      i: j}",
]


def _answers(text: str, offset: int) -> object:
    document = Document(text)
    line, column = document.source.position(offset)
    place = find_place(document, line, column)
    if place is None:
        return None
    keys = tuple(step for step in place.path if isinstance(step, str))
    there = {key.text for key, _ in place.mapping.pairs} if place.mapping else None
    return keys, place.role, place.owner, place.word, place.start, place.end, there, complete(document, line, column)


@pytest.mark.parametrize("path", [*SHIPPED, *ALL[-1:]], ids=lambda path: path.stem)
def test_the_answers_of_a_cut_text_are_those_of_the_whole(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = path.read_text("utf-8")
    for offset in range(0, len(text), max(1, len(text) // 40)):
        monkeypatch.setattr(module, "_LONG", 10**9)
        whole = _answers(text, offset)
        monkeypatch.setattr(module, "_LONG", 0)
        assert _answers(text, offset) == whole


@given(st.lists(st.sampled_from(_LINES), max_size=15), st.sampled_from(["\n", "\r\n", "\r"]), st.data())
def test_offsets_stay_whatever_the_text(lines: list[str], newline: str, data: st.DataObject) -> None:
    text = newline.join(lines)
    offset = data.draw(st.integers(0, len(text)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_LONG", 0)
        cut = window(Source(text), offset)
    assert len(cut) == len(text)
    start, end = Source(text).line_at(offset)
    assert cut[start:end] == text[start:end]
    assert all(one in (other, " ", "\n") for one, other in zip(cut, text, strict=True))


def test_of_a_long_list_one_item_is_left() -> None:
    text = PLAN.replace(
        "  - id: plan", "".join(f"  - {{id: s{n}, kind: check}}\n" for n in range(500)) + "  - id: plan"
    )
    cut = window(Source(text), text.index("id: rounds"))
    assert len(cut.split()) < 80 and "id: build" in cut and "roles:" in cut and "s499" not in cut
