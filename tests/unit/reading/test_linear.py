"""Time grows with the text and not faster: the doubling test of faults.md X69, for every reader."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from sprintwright.model.verdict import VerdictRule
from sprintwright.paths import relative_inside
from sprintwright.reading.collection import read_collection, read_scalar, waves
from sprintwright.reading.findings import read_findings
from sprintwright.reading.json_scan import JsonRefused, objects, parse_json
from sprintwright.reading.lines import LIMIT
from sprintwright.reading.marker import after_marker
from sprintwright.reading.reports import read_report
from sprintwright.reading.verdict import read_verdict

RULES = {"good_to_go": VerdictRule(action="break"), "needs_refinement": VerdictRule(action="retry")}
MOST_GROWTH = 2.5
SIZE = 20_000
"""Characters of the shorter text; the longer one has twice as many, far below the cap of a million."""
FLOOR = 0.002
"""Seconds; what takes less is too short to be compared and far from a stall."""


def confine(path: str) -> str:
    return relative_inside(path, Path("/work/project"))


def repeated(unit: str, *, before: str = "", after: str = "") -> Callable[[int], str]:
    return lambda size: before + unit * (size // len(unit)) + after


def half_and_half(first: str, second: str) -> Callable[[int], str]:
    return lambda size: first * (size // 2 // len(first)) + second * (size // 2 // len(second))


SHAPES: dict[str, Callable[[int], str]] = {
    "one_letter": repeated("a"),
    "near_misses": repeated("good_to_g "),
    "open_braces": repeated("{"),
    "open_objects": repeated('{"a":'),
    "open_keys": repeated('{"'),
    "objects_in_strings": repeated('{"a":"\\",'),
    "balanced": half_and_half('{"a":[', "]}"),
    "many_verdicts": repeated('{"verdict":"good_to_go"} '),
    "verdicts_in_list": repeated('- {"verdict":"x"}\n'),
    "backslashes": repeated("\\", before='{"a":"', after='"}'),
    "quotes": repeated('"good_to_go '),
    "apostrophes": repeated("'a "),
    "sentences": repeated("It is good_to_go. "),
    "abbreviations": repeated("e.g. "),
    "full_stops": repeated("."),
    "labels": repeated("A_STATUS: good_to_go\n"),
    "long_label": repeated("A_STATUS", after=": good_to_go"),
    "label_parts": repeated("_status"),
    "underscores": repeated("_"),
    "stars": repeated("*", after="good_to_go"),
    "blanks": repeated(" ", after="x"),
    "empty_lines": repeated("\n"),
    "list_marks": repeated("- "),
    "nested_quotes": repeated("> "),
    "keys_in_lines": repeated("good_to_go\n\n"),
    "fences": repeated("```\n"),
    "fences_with_language": repeated("```a\n"),
    "backticks": repeated("`"),
    "comments": repeated("<!-- "),
    "headings": lambda size: "\n".join(f"## I {n} (depends_on: {n + 1})" for n in range(size // 24)),
    "headings_alike": repeated("## I 1 (depends_on: 1)\n"),
    "parentheses": repeated("(depends_on:", before="## I 1 "),
    "colons": repeated("a:1:"),
    "places": repeated("a.py:1: \n"),
    "placed_errors": lambda size: "\n".join(f"a{n}.py:1:1: error: {n}" for n in range(size // 20)),
    "paths_in_line": repeated("a.py:1:1: error: ["),
    "pytest_titles": lambda size: "\n".join(f"____ t{n} ____" for n in range(size // 16)),
    "pytest_failed": lambda size: "\n".join(f"FAILED a.py::t{n} - x" for n in range(size // 20)),
    "equals": repeated("= "),
    "marks_sorted_badly": lambda size: "a" + "\u0301" * (size // 2) + "\u0327" * (size // 2),
    "marks_in_a_list": repeated("e\u0301\u0327 "),
    "xml": repeated("<a>", before="<testsuite>"),
    "xml_attributes": repeated(' a="', before="<testsuite"),
    "escapes": repeated("\x1b["),
}
READERS: dict[str, Callable[[str], object]] = {
    "verdict": lambda text: read_verdict(text, RULES),
    "marker": lambda text: after_marker(text, "NO_QUESTIONS"),
    "findings": lambda text: read_findings(text, confine),
    "collection": lambda text: waves(read_collection(text, "I").items),
    "scalar": lambda text: read_scalar(text, "max_passes"),
    "objects": objects,
    "report": lambda text: read_report(text, "auto", confine),
    "pytest": lambda text: read_report(text, "pytest", confine),
    "junit": lambda text: read_report(text, "junit", confine),
    "ruff": lambda text: read_report(text, "ruff", confine),
}


def seconds(read: Callable[[str], object], text: str, rounds: int, clock: Callable[[], float]) -> float:
    """The best of some rounds of the clock; the collector is off, for its pauses are not the reader's."""
    best = float("inf")
    gc.disable()
    try:
        for _ in range(rounds):
            begun = clock()
            read(text)
            best = min(best, clock() - begun)
            if best < FLOOR:
                break
    finally:
        gc.enable()
    return best


def grows_in_step(
    read: Callable[[str], object], shape: Callable[[int], str], clock: Callable[[], float] = time.process_time
) -> bool:
    """Whether twice the text takes at most `MOST_GROWTH` times as long; noise gets two more chances."""
    for rounds in (1, 3, 6):
        double = seconds(read, shape(2 * SIZE), rounds, clock)
        if double <= FLOOR or double <= MOST_GROWTH * seconds(read, shape(SIZE), rounds, clock):
            return True
    return False


@pytest.mark.parametrize("reader", READERS)
def test_x069_twice_the_text_takes_at_most_two_and_a_half_times_as_long(reader: str) -> None:
    slow = [name for name, shape in SHAPES.items() if not grows_in_step(READERS[reader], shape)]
    assert slow == []


def test_x068_deep_json_is_refused_in_time_that_grows_with_it() -> None:
    def read(text: str) -> None:
        with pytest.raises(JsonRefused):
            parse_json(text)

    assert grows_in_step(read, SHAPES["open_objects"])
    assert grows_in_step(read, SHAPES["open_keys"])


@pytest.mark.parametrize("shape", ["one_letter", "empty_lines", "fences", "quotes"])
def test_x069_a_reply_beyond_the_cap_takes_time_in_step_with_its_size(shape: str) -> None:
    def cost(size: int) -> float:
        text = SHAPES[shape](size) + "\nVERDICT: good_to_go"
        return seconds(lambda reply: read_verdict(reply, RULES), text, 2, time.process_time)

    assert cost(2 * LIMIT) <= max(FLOOR * 10, MOST_GROWTH * cost(LIMIT))


@pytest.mark.parametrize(("power", "in_step"), [(1, True), (2, False)])
def test_the_doubling_test_finds_a_reader_that_is_quadratic(power: int, in_step: bool) -> None:
    """The clock counts the reader's steps, for a busy machine can hide a real one's growth."""
    now = 0.0

    def read(text: str) -> None:
        nonlocal now
        now += float(len(text)) ** power

    assert grows_in_step(read, SHAPES["one_letter"], lambda: now) is in_step
