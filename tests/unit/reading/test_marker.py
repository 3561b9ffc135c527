"""Marker lines (behaviours-milk.md 6.3)."""

from __future__ import annotations

import pytest

from sprintwright.reading.marker import after_marker, has_line

MARKER = "NO_QUESTIONS"


def test_m049_what_follows_the_first_marker_line_is_the_output() -> None:
    assert after_marker("text\n no_questions \nplan", MARKER) == "plan"
    assert (
        after_marker("a\r\nNO_QUESTIONS\r\n\r\nplan\r\nNO_QUESTIONS\r\nmore\r\n", MARKER) == "plan\nNO_QUESTIONS\nmore"
    )


@pytest.mark.parametrize(
    "text",
    [
        "I have NO_QUESTIONS.",
        "NO_QUESTIONS about it",
        "```\nNO_QUESTIONS\n```",
        "~~~\nNO_QUESTIONS",
        "> NO_QUESTIONS",
        "<!-- NO_QUESTIONS -->",
        "<!--\nNO_QUESTIONS\n-->",
        '"NO_QUESTIONS"',
        "NO_QUESTIONS?",
        "NO QUESTIONS",
        "",
    ],
)
def test_m050_a_marker_that_is_mentioned_shown_or_quoted_does_not_count(text: str) -> None:
    assert after_marker(text, MARKER) is None
    assert not has_line(text, MARKER)


@pytest.mark.parametrize(
    "line",
    ["**NO_QUESTIONS**", "`NO_QUESTIONS`", "__NO_QUESTIONS__", "- NO_QUESTIONS", "## NO_QUESTIONS", "No_Questions.",
     "    NO_QUESTIONS", "\tno_questions\t", "1. **NO_QUESTIONS**"],
)  # fmt: skip
def test_m049_decoration_and_blanks_around_a_marker_are_ignored(line: str) -> None:
    assert after_marker(f"{line}\nplan", MARKER) == "plan"


def test_m049_nothing_behind_the_marker_is_an_empty_output() -> None:
    assert after_marker("NO_QUESTIONS", MARKER) == ""


def test_m061_a_gate_line_is_found_anywhere() -> None:
    assert has_line("Looked at all.\nNO_ISSUES\nBye", "no_issues")
    assert not has_line("There are NO_ISSUES here", "NO_ISSUES")


@pytest.mark.parametrize("marker", ["", "  ", "\n"])
def test_an_empty_marker_is_on_no_line(marker: str) -> None:
    assert after_marker("\n\n", marker) is None


@pytest.mark.parametrize("marker", ["**", "# done #", "- x", "geprüft.", "two  words"])
def test_a_marker_made_of_marks_is_found_as_it_is(marker: str) -> None:
    assert after_marker(f"a\n{marker}\nplan", marker) == "plan"
