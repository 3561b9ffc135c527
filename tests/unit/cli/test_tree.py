"""The lines below the live tree."""

from __future__ import annotations

from sprintwright.cli.tree import Speech

KEY = "sprints[1]/passes[1]/generator"


def test_the_line_that_an_agent_is_at_is_shown_whole_however_it_came() -> None:
    speech = Speech()
    for piece in ("I read", " the", " code.\nNow I", " wri", "te it"):
        speech.add(KEY, "text", piece)
    assert speech.lines() == ["generator says: Now I write it"]
    speech.add(KEY, "text", "\n\n")
    assert speech.lines() == ["generator says: Now I write it"]


def test_an_error_begins_on_a_line_of_its_own() -> None:
    speech = Speech()
    speech.add(KEY, "text", "half a sen")
    speech.add(KEY, "error", "warning: slow")
    assert speech.lines() == ["generator says: warning: slow"]


def test_agents_at_the_same_time_have_a_line_each_and_one_that_is_done_has_none() -> None:
    speech = Speech()
    speech.add("items[1]/build", "text", "one")
    speech.add("items[2]/build", "text", "two")
    assert speech.lines() == ["items[1]/build says: one", "items[2]/build says: two"]
    speech.forget("items[1]/build")
    assert speech.lines() == ["build says: two"]


def test_only_the_end_of_a_long_speech_is_kept() -> None:
    speech = Speech()
    for _ in range(100):
        speech.add(KEY, "text", "word " * 1_000)
    (line,) = speech.lines()
    assert len(line) < 300 and len(speech._ends[KEY][1]) <= 2_000  # pyright: ignore[reportPrivateUsage]


def test_an_escape_sequence_that_comes_in_two_pieces_is_dropped() -> None:
    speech = Speech()
    speech.add(KEY, "text", "\x1b[3")
    speech.add(KEY, "text", "1mred")
    assert speech.lines() == ["generator says: red"]
