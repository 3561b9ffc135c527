"""`sprintwright.text`: text from outside made fit to be shown, and names compared."""

import subprocess
import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprintwright.text import clean, cut, fold, nearest, one_line

FAMILY = "👩‍👩‍👧"


@pytest.mark.parametrize(
    ("dirty", "expected"),
    [
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x9b31mred", "red"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\", "link"),
        ("\x1b]52;c;aGk=\x07x", "x"),
        ("\x1bP1$r\x1b\\x", "x"),
        ("\x1b(Bx", "x"),
        ("a\x08b", "a\\x08b"),
        ("a\x00b", "a\\x00b"),
        ("10%\r20%\r\n", "10%\n20%\n"),
        ("tab\tstays", "tab\tstays"),
        ("rm \u202etxt.exe", "rm \\u{202e}txt.exe"),
        ("a\u200bb", "a\\u{200b}b"),
        ("a\U000e0041b", "a\\u{e0041}b"),
        ("a\ufe0fb", "a\\u{fe0f}b"),
        ("line\u2028end", "line\\u{2028}end"),
        ("\ud800", "\\u{d800}"),
        ("\x1b", "\\x1b"),
    ],
)
def test_what_a_terminal_would_act_on_is_dropped_or_shown(dirty: str, expected: str) -> None:
    assert clean(dirty, newlines=True) == expected


@pytest.mark.parametrize("text", [FAMILY, "❤️", "1️⃣", "می‌خواهم", "क्‍ष", "🏴\U000e0067\U000e0062\U000e007f", "日本語"])
def test_what_emoji_and_scripts_need_is_kept(text: str) -> None:
    kept = "🏴\U000e0067\U000e0062\U000e0065\U000e006e\U000e0067\U000e007f" if text[0] == "🏴" else text
    assert clean(kept, newlines=False) == kept


def test_line_ends_are_shown_where_none_are_wanted() -> None:
    assert clean("a\nb\r\nc", newlines=False) == "a\\nb\\nc"


def test_an_open_string_sequence_swallows_nothing() -> None:
    assert "kept" in clean("\x1b]0;never closed\nkept", newlines=True)


@given(st.text(), st.booleans())
def test_cleaning_twice_changes_nothing(text: str, newlines: bool) -> None:
    once = clean(text, newlines=newlines)
    assert clean(once, newlines=newlines) == once
    once.encode()


@pytest.mark.parametrize(
    "unit",
    ["\x1b]", "\x1b", "\x1b[1;", "\x90", "\x1bP", "\x9b1", "\u200d", "é\u200d", "\ufe0f\u200d", "\U0001f3f4", "\x9d"],
)
def test_cleaning_a_megabyte_of_openings_ends(unit: str) -> None:
    assert clean(unit * (1_000_000 // len(unit)), newlines=False) is not None


@pytest.mark.parametrize(
    ("text", "limit", "expected"),
    [
        ("short", 5, "short"),
        ("longer", 5, "long…"),
        ("longer", 1, "…"),
        ("longer", 0, ""),
        (FAMILY + "abc", 2, FAMILY + "…"),
        (FAMILY + "abc", 4, FAMILY + "abc"),
        ("éabc", 3, "éa…"),
    ],
)
def test_cut_counts_what_a_reader_sees(text: str, limit: int, expected: str) -> None:
    assert cut(text, limit) == expected


@given(st.text(), st.integers(0, 20))
def test_cut_is_a_beginning(text: str, limit: int) -> None:
    result = cut(text, limit)
    assert result == text or text.startswith(result.removesuffix("…"))


def test_cut_bounds_a_letter_with_endless_marks() -> None:
    assert len(cut("e" + "\u0301" * 100_000, 10)) < 1_000


def test_one_line_collapses_white_space() -> None:
    assert one_line("  a\n\n b\tc  ", 10) == "a b c"


@pytest.mark.parametrize(
    ("one", "other"), [("Dev", "dev"), ("é", "e\u0301"), ("STRASSE", "straße"), ("\u212bngstrom", "ångstrom")]
)
def test_names_that_some_system_confuses_fold_alike(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@given(st.text())
def test_fold_is_stable_and_blind_to_case_and_form(name: str) -> None:
    folded = fold(name)
    assert fold(folded) == folded
    assert fold(unicodedata.normalize("NFD", name)) == fold(unicodedata.normalize("NFC", name)) == folded


def test_nearest_returns_the_known_spelling() -> None:
    assert nearest("reveiw", ["Review", "Plan"]) == "Review"
    assert nearest("xyz", ["Review", "Plan"]) is None


def test_ascii_text_never_loads_the_regex_package() -> None:
    code = "import sys; from sprintwright.text import cut; cut('a' * 99, 5); assert 'regex' not in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True)
