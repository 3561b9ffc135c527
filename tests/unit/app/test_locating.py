"""Findings in texts that were edited since, with every line, column and snippet that an agent may name."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprintwright.app.locating import Locator, locate
from sprintwright.model.finding import Finding

TEXT = "import os\n\ndef main():\n    value = read(1)\n    return value  # done\n"


def spot(text: str = TEXT, **named: Any) -> tuple[str, tuple[int, int, int, int]]:
    """How a finding is found, and where."""
    place = locate(Finding.model_validate({"message": "m", "path": "a.py", **named}), text)
    where = place.range
    return place.found, (where.line, where.column, where.end_line, where.end_column)


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ({}, ("file", (0, 0, 0, 0))),
        ({"line": 0}, ("file", (0, 0, 0, 0))),
        ({"line": -1, "column": -5, "end_line": -2, "end_column": -1}, ("file", (0, 0, 0, 0))),
        ({"line": 1}, ("exact", (0, 0, 0, 9))),
        ({"line": 4}, ("exact", (3, 4, 3, 19))),
        ({"line": 2}, ("exact", (1, 0, 1, 0))),
        ({"line": 900}, ("clamped", (5, 0, 5, 0))),
        ({"line": 10**30, "column": 10**30}, ("clamped", (5, 0, 5, 0))),
        ({"line": 4, "column": 5}, ("exact", (3, 4, 3, 9))),
        ({"line": 4, "column": 11}, ("exact", (3, 10, 3, 11))),
        ({"line": 4, "column": 13, "end_column": 20}, ("exact", (3, 12, 3, 19))),
        ({"line": 4, "column": 13, "end_line": 5, "end_column": 11}, ("exact", (3, 12, 4, 10))),
        ({"line": 3, "end_line": 5}, ("exact", (2, 0, 4, 24))),
        ({"line": 3, "end_line": 99}, ("exact", (2, 0, 5, 0))),
        ({"line": 4, "end_line": 2}, ("exact", (3, 4, 3, 19))),
        ({"line": 4, "column": 99}, ("exact", (3, 4, 3, 19))),
        ({"line": 4, "column": 13, "end_column": 5}, ("exact", (3, 12, 3, 16))),
        ({"line": 4, "column": 13, "end_column": 500}, ("exact", (3, 12, 3, 16))),
    ],
)
def test_b147_lines_and_columns_become_a_range_inside_of_the_text(
    named: dict[str, Any], expected: tuple[str, tuple[int, int, int, int]]
) -> None:
    assert spot(**named) == expected


@pytest.mark.parametrize(
    ("named", "expected"),
    [
        ({"line": 4, "snippet": "value   =\tread(1)"}, ("exact", (3, 4, 3, 19))),
        ({"line": 1, "snippet": "    value = read(1)"}, ("moved", (3, 4, 3, 19))),
        ({"line": 400, "snippet": "value = read(1)"}, ("moved", (3, 4, 3, 19))),
        ({"line": 0, "snippet": "value = read(1)"}, ("exact", (3, 4, 3, 19))),
        ({"line": 5, "snippet": "return value"}, ("exact", (4, 4, 4, 24))),
        ({"line": 2, "snippet": "return value"}, ("moved", (4, 4, 4, 24))),
        ({"line": 1, "snippet": "\n  def main():\n    value = read(1)\n\n"}, ("moved", (2, 0, 3, 19))),
        ({"line": 3, "snippet": "def main():\n    value = write(1)"}, ("clamped", (2, 0, 2, 11))),
        ({"line": 4, "column": 13, "snippet": "gone()"}, ("clamped", (3, 4, 3, 19))),
        ({"line": 77, "snippet": "gone()"}, ("clamped", (5, 0, 5, 0))),
        ({"line": 0, "snippet": "gone()"}, ("file", (0, 0, 0, 0))),
        ({"line": 3, "snippet": " \n\t\n"}, ("exact", (2, 0, 2, 11))),
        ({"line": 1, "column": 9, "end_column": 13, "snippet": "value = read(1)"}, ("moved", (3, 8, 3, 12))),
        ({"line": 1, "column": 9, "end_column": 13, "snippet": "  value = read(1)"}, ("moved", (3, 10, 3, 14))),
    ],
)
def test_b147_a_snippet_is_found_where_it_stands_now(
    named: dict[str, Any], expected: tuple[str, tuple[int, int, int, int]]
) -> None:
    assert spot(**named) == expected


@pytest.mark.parametrize(("line", "expected"), [(1, 0), (2, 0), (3, 3), (4, 3), (6, 6), (99, 6)])
def test_of_equal_lines_the_nearest_is_meant(line: int, expected: int) -> None:
    text = "same()\n\n\nsame()\n\n\nsame()"
    assert spot(text, line=line, snippet="same()")[1][0] == expected


def test_a_short_snippet_is_no_part_of_longer_lines() -> None:
    assert spot("if a:\n    b()\n", line=2, snippet="a:")[0] == "clamped"


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_editors_end_them(end: str) -> None:
    text = end.join(["a\u2028b\x0cc", "two", "three"])
    assert spot(text, line=2) == ("exact", (1, 0, 1, 3))
    assert spot(text, line=1, snippet="three") == ("moved", (2, 0, 2, 5))


def test_a_column_is_counted_in_code_points() -> None:
    assert spot("😀𠀀x: 1", line=1, column=3) == ("exact", (0, 2, 0, 3))


TEXTS = st.text(st.sampled_from("ab (){}\t\r\n\u2028\ud800😀é"), max_size=80)
NUMBERS = st.integers(-3, 12) | st.integers()


@given(text=TEXTS, snippet=TEXTS, numbers=st.tuples(NUMBERS, NUMBERS, NUMBERS, NUMBERS))
def test_b147_no_finding_and_no_text_raises_and_the_range_is_inside(
    text: str, snippet: str, numbers: tuple[int, int, int, int]
) -> None:
    line, column, end_line, end_column = numbers
    finding = Finding(message="m", line=line, column=column, end_line=end_line, end_column=end_column, snippet=snippet)
    where = locate(finding, text).range
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    assert 0 <= where.line <= where.end_line < len(lines)
    assert 0 <= where.column <= len(lines[where.line])
    assert 0 <= where.end_column <= len(lines[where.end_line])
    assert (where.line, where.column) <= (where.end_line, where.end_column)


@given(lines=st.lists(st.text("abc(){} \t", min_size=1, max_size=8), min_size=1, max_size=12), data=st.data())
def test_a_snippet_that_stands_in_the_text_is_found(lines: list[str], data: st.DataObject) -> None:
    at = data.draw(st.integers(0, len(lines) - 1))
    told = data.draw(st.integers(1, 20))
    place = locate(Finding(message="m", line=told, snippet=lines[at]), "\n".join(lines))
    if wanted := lines[at].split():
        assert place.found in ("exact", "moved")
        assert lines[place.range.line].split() == wanted or " ".join(wanted) in " ".join(
            lines[place.range.line].split()
        )


@pytest.mark.parametrize(
    ("line", "snippet"), [("value_{} = 1", "value_{} = 1"), ("value_{} = 1", "nothing_{} = 1"), ("}}", "}}\nend {}")]
)
def test_what_is_looked_at_for_a_finding_does_not_grow_with_the_text(
    monkeypatch: pytest.MonkeyPatch, line: str, snippet: str
) -> None:
    count, looked = 2_000, 0
    whole = Locator._bare

    def counted(self: Locator, number: int) -> str:
        nonlocal looked
        looked += 1
        return whole(self, number)

    monkeypatch.setattr(Locator, "_bare", counted)
    locator = Locator("\n".join(line.format(number) for number in range(count)))
    for number in range(count):
        locator.locate(Finding(message="m", line=count - number, snippet=snippet.format(number)))
    assert looked < 50 * count


def test_of_very_many_places_where_a_snippet_may_begin_the_nearest_are_tried() -> None:
    text = "a\nb\n" * 5_000 + "b"
    assert spot(text, line=9_990, snippet="b\nb")[1][0] == 9_999
    assert spot(text, line=1, snippet="b\nb")[0] == "clamped"
