"""R53: noise does not count as output, however fast it comes; and what an agent does counts, however little it is."""

from __future__ import annotations

import pytest

from sprintwright.pulse import Pulse


class Heard:
    """A pulse that a clock of the test's own goes by."""

    def __init__(self) -> None:
        self.now = 0.0
        self.pulse = Pulse(lambda: self.now)

    def say(self, *pieces: str) -> list[bool]:
        found: list[bool] = []
        for piece in pieces:
            self.now += 1
            self.pulse.hear(piece)
            found.append(self.pulse.at == self.now)
        return found


SPINNERS = {
    "signs": [f"\r{sign}" for sign in "⠋⠙⠹⠸" * 5],
    "signs and lines": [f"{sign}\n" for sign in "|/-\\" * 5],
    "backspaces": [f"\b{sign}" for sign in "|/-\\" * 5],
    "blank lines": ["\n", "  \n", "\r\n", "\t\n"] * 5,
    "dots": ["."] * 20,
    "the same line": ["still at work\n"] * 20,
    "two lines in turn": ["thinking\n", "waiting\n"] * 10,
    "seconds that are drawn anew": [f"\r⠋ Thinking… ({seconds}s)" for seconds in range(20)],
    "seconds behind a cursor move": [f"\x1b[1G\x1b[2KThinking {seconds}s" for seconds in range(20)],
    "colours": [f"\x1b[3{colour}m*\x1b[0m" for colour in range(8)] * 3,
    "words that grow dots": ["\rWorking", ".", ".", "."] * 5,
}


@pytest.mark.parametrize("kind", SPINNERS)
def test_r053_a_display_that_only_moves_is_noise_after_its_first_rounds(kind: str) -> None:
    heard = Heard()
    heard.say(*SPINNERS[kind])
    assert heard.pulse.at <= 4 and heard.pulse.noise >= len(SPINNERS[kind]) - 4


@pytest.mark.parametrize(
    "pieces",
    [
        ["one\n", "two\n", "three\n"],
        ["Ep", "och", " begins"],
        ["Epoch 1 of 9\n", "Epoch 2 of 9\n", "Epoch 3 of 9\n"],
        ["\rReading a.py", "\rReading b.py", "\rWriting c.py"],
        ["読む", "書く\n", "走る\n"],
        ["\n[1/9] Compiling module", "\n[2/9] Compiling module\n", "[3/9] Compiling module\n"],
    ],
)
def test_r053_what_says_something_new_is_none(pieces: list[str]) -> None:
    heard = Heard()
    assert heard.say(*pieces) == [True] * len(pieces)
    assert (heard.pulse.at, heard.pulse.noise) == (len(pieces), 0)


def test_r053_noise_is_counted_from_the_last_word_on() -> None:
    heard = Heard()
    heard.say("a word\n", ".", ".", ".")
    assert (heard.pulse.at, heard.pulse.noise) == (1, 3)
    heard.pulse.beat()
    assert (heard.pulse.at, heard.pulse.noise) == (4, 0)


def test_r053_a_flood_costs_no_more_than_its_end() -> None:
    heard = Heard()
    assert heard.say("x" * 10_000_000, " " * 10_000_000, "\n" * 10_000_000) == [True, False, False]


def test_r053_lines_whose_end_comes_later_than_their_text_are_told_of_one_by_one() -> None:
    heard = Heard()
    for number in range(20):
        heard.say(f"\n[{number}/900] Compiling module")
        heard.say(f"Epoch {number}/50 ", ".", ".", "\n")
    assert heard.now - heard.pulse.at <= 5
