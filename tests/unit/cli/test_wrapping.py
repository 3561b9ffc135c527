"""Prose in a narrow terminal."""

from __future__ import annotations

from sprintwright.cli.wrapping import fitted


def test_lines_are_broken_between_words_and_below_their_own_text() -> None:
    text = [
        "short",
        "",
        "- a list entry that is longer than the terminal",
        "    indented words that are too long for it",
    ]
    assert list(fitted(text, 24)) == [
        "short", "", "- a list entry that is", "  longer than the", "  terminal", "    indented words that",
        "    are too long for it",
    ]  # fmt: skip


def test_a_long_word_stays_whole_and_without_a_terminal_nothing_changes() -> None:
    path = "/a/path/" + "x" * 60
    assert list(fitted([f"see {path}"], 30)) == ["see", path]
    assert list(fitted([f"see {path} and more"], 0)) == [f"see {path} and more"]
