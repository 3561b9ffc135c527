"""Places on the wire: whatever stands before them on the line, and however far outside of the text they are."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from sprintwright.lsp.positions import Positions
from sprintwright.model.problem import Range

ENCODINGS = ["utf-8", "utf-16", "utf-32"]


@pytest.mark.parametrize(("encoding", "expected"), [("utf-8", 9), ("utf-16", 5), ("utf-32", 3)])
def test_b141_a_column_behind_an_emoji_and_cjk_extension_b_is_exact(encoding: str, expected: int) -> None:
    positions = Positions("ok\n😀𠀀x: 1\n", encoding)
    assert positions.to_position(1, 3) == types.Position(1, expected)
    assert positions.from_position(types.Position(1, expected)) == (1, 3)


@pytest.mark.parametrize("encoding", ENCODINGS)
@given(text=st.text(max_size=60), line=st.integers(-3, 70), column=st.integers(-3, 70))
def test_a_place_is_clamped_into_the_text_and_comes_back(encoding: str, text: str, line: int, column: int) -> None:
    positions = Positions(text, encoding)
    there = positions.to_position(line, column)
    back = positions.from_position(there)
    assert 0 <= back[0] < positions.lines
    assert 0 <= back[1] <= len(positions.line(back[0]))
    assert positions.to_position(*back) == there


def test_a_place_inside_of_a_character_is_its_start() -> None:
    assert Positions("a😀b", "utf-16").from_position(types.Position(0, 2)) == (0, 1)


def test_a_range_over_lines_with_carriage_returns_keeps_its_lines() -> None:
    positions = Positions("one\r\ntwo\rthree")
    where = Range(line=1, column=1, end_line=2, end_column=99)
    assert positions.to_range(where) == types.Range(types.Position(1, 1), types.Position(2, 5))
    assert positions.from_range(types.Range(types.Position(7, 0), types.Position(9, 9))).line == 2
