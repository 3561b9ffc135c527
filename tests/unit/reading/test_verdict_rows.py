"""The table of behaviours-milk.md section 4, row by row, and cases.md A."""

from __future__ import annotations

import unicodedata

import pytest

from sprintwright.model.finding import Finding
from sprintwright.model.verdict import Verdict, VerdictRule
from sprintwright.reading.verdict import read_verdict

BREAK, RETRY = VerdictRule(action="break"), VerdictRule(action="retry")
A = {
    "good_to_go": BREAK,
    "sprint_done": BREAK,
    "needs_refinement": RETRY,
    "unknown": VerdictRule(action="retry", warn=True),
}
C = {"all_done": BREAK, "more_work": RETRY, "unknown": RETRY}
FENCE = "```"

ROWS: list[tuple[int, dict[str, VerdictRule], str, str]] = [
    (1, A, "good_to_go", "good_to_go"),
    (2, A, "Remarks…\nNEEDS_REFINEMENT", "needs_refinement"),
    (3, A, "All of it works.\n- **Sprint_Done**", "sprint_done"),
    (4, A, "### VERDICT: needs_refinement", "needs_refinement"),
    (5, A, "**Verdict:** good_to_go", "good_to_go"),
    (6, A, "At first sight good_to_go.\nVERDICT: needs_refinement", "needs_refinement"),
    (7, A, "VERDICT: good_to_go\n\nThanks, bye.", "good_to_go"),
    (8, A, "Good.\r\ngood_to_go\r\n", "good_to_go"),
    (9, A, "The tests pass, so my judgement is good_to_go.", "good_to_go"),
    (10, A, "Final verdict: good_to_go", "good_to_go"),
    (11, A, "This is not good_to_go yet.", "unknown"),
    (12, A, "needs_refinement is no longer necessary.", "unknown"),
    (13, A, "It would be good_to_go if the parser test passed.", "unknown"),
    (14, A, "No issues remain, good_to_go.", "unknown"),
    (15, A, "Is it good_to_go?", "unknown"),
    (16, A, "It was good_to_go on pass 1. It is not good_to_go now.", "unknown"),
    (17, A, "This sprint is good to go.", "unknown"),
    (18, A, "good_to_go | needs_refinement | sprint_done", "unknown"),
    (19, A, "- good_to_go\n- needs_refinement\n- sprint_done", "unknown"),
    (20, A, "needs_refinement, no wait: good_to_go", "unknown"),
    (21, A, 'Use "good_to_go" when all criteria are met.', "unknown"),
    (22, A, 'The prompt calls this state "good_to_go".', "unknown"),
    (23, A, f"{FENCE}\ngood_to_go\n{FENCE}", "unknown"),
    (24, A, "> good_to_go\nI do not share the line above.", "unknown"),
    (25, A, "VERDICT: good_to_go\nOn reflection this is needs_refinement.", "needs_refinement"),
    (26, A, f'{FENCE}json\n{{"verdict":"needs_refinement"}}\n{FENCE}', "needs_refinement"),
    (27, A, '{"verdict":"good_to_go","note":"no failures; the failed test is fixed"}', "good_to_go"),
    (28, A, '{"verdict":"good_to_go","summary":"one\ntwo"}', "good_to_go"),
    (29, A, '{"verdict":"needs_refinement"}\nLater: {"verdict":"good_to_go"}', "good_to_go"),
    (30, A, 'The `result` is: {"verdict":"sprint_done"}', "sprint_done"),
    (31, A, '{"verdict":"good_to_go"', "unknown"),
    (32, A, '{"verdict":"good_to_go|needs_refinement"}', "unknown"),
    (33, A, '{"verdict":"approved"}\ngood_to_go', "good_to_go"),
    (34, A, '{"verdict":"good_to_go"}\nVERDICT: needs_refinement', "needs_refinement"),
    (36, A, "The work is sprint_done-ish.", "unknown"),
    (37, A, "next_sprint", "unknown"),
    (38, A, "unknown", "unknown"),
    (39, A, "", "unknown"),
    (40, A, "VERDIKT: freigegeben", "unknown"),
    (40, A, "I disapprove of this sprint.", "unknown"),
    (43, C, "Board is clear.\nall_done", "all_done"),
    (44, C, "good_to_go", "unknown"),
    (45, {"done": RETRY, "all_done": BREAK}, "all_done", "all_done"),
    (46, {"done": BREAK}, "VERDICT: not_done", "unknown"),
    (47, {"ok": BREAK}, "The token store looks broken.", "unknown"),
    (48, {"next_sprint": BREAK, "needs_refinement": RETRY}, "next_sprint", "next_sprint"),
    (49, {"geprüft": BREAK}, unicodedata.normalize("NFD", "geprüft"), "geprüft"),
]
WARNED = {9, 10, 25, 33, 34}


@pytest.mark.parametrize(("row", "rules", "reply", "key"), ROWS, ids=[f"row{row}" for row, *_ in ROWS])
def test_m037_each_row_of_the_table(row: int, rules: dict[str, VerdictRule], reply: str, key: str) -> None:
    verdict = read_verdict(reply, rules)
    assert verdict.key == key
    if row in WARNED:
        assert verdict.warnings


def test_m037_row35_the_tool_wins_and_row34_the_worse_one_does() -> None:
    assert read_verdict("good_to_go", A, tool="needs_refinement").key == "needs_refinement"
    conflict = read_verdict("needs_refinement", A, tool="good_to_go")
    assert conflict.key == "needs_refinement" and conflict.warnings


def test_m037_row42_an_open_error_contradicts_a_good_verdict() -> None:
    error = Finding(message="m", severity="error")
    verdict = read_verdict("VERDICT: good_to_go", A, findings=[error])
    assert verdict.key == "needs_refinement" and verdict.warnings
    assert (
        read_verdict("VERDICT: good_to_go", A, findings=[Finding(message="m", severity="warning")]).key == "good_to_go"
    )


@pytest.mark.parametrize(
    ("row", "reply", "key"),
    [
        ("b001", "I disapprove of this sprint.", "unknown"),
        ("b003", "no, please don't approve yet", "unknown"),
        ("b005", 'no failures found, the earlier failed test is fixed {"verdict":"good_to_go"}', "good_to_go"),
        ("b007", "At first it looks good_to_go.\nVERDICT: needs_refinement", "needs_refinement"),
        ("b009", "**Verdict:** good_to_go", "good_to_go"),
        ("b015", "VERDIKT: freigegeben", "unknown"),
        ("b015", "判定：合格", "unknown"),
        ("b017", '{"verdict":"needs_refinement"}', "needs_refinement"),
        ("b019", f'{FENCE}bash\necho {{}}\n{FENCE}\n{FENCE}json\n{{"verdict":"good_to_go"}}\n{FENCE}', "good_to_go"),
        ("b021", 'The `result` is: {"verdict":"good_to_go"}', "good_to_go"),
        (
            "b023",
            f'{FENCE}json\n{{"verdict":"good_to_go","summary":"a\nb"}}\n{FENCE}\n{{"verdict":"needs_',
            "good_to_go",
        ),
    ],
)
def test_cases_a(row: str, reply: str, key: str) -> None:
    assert read_verdict(reply, A).key == key, row


def test_b003_an_approval_gate_takes_its_own_words_only() -> None:
    rules = {"approve": BREAK, "reject": RETRY}
    assert read_verdict("no, please don't approve yet", rules).key == "unknown"


def test_b011_a_negative_verdict_under_a_heading_is_read() -> None:
    rules = {"APPROVE": BREAK, "REQUEST_CHANGES": RETRY}
    assert read_verdict("### VERDICT: REQUEST_CHANGES", rules).key == "REQUEST_CHANGES"


@pytest.mark.parametrize("key", sorted(A))
@pytest.mark.parametrize("form", ["{}", "VERDICT: {}", "verdict: {}", "**VERDICT: {}**", "- {}", '{{"verdict": "{}"}}'])
def test_b013_each_documented_form_of_each_key_goes_through_the_parser(key: str, form: str) -> None:
    read = read_verdict(form.format(key), A)
    assert isinstance(read, Verdict) and read.key == key


@pytest.mark.parametrize(
    "reply",
    [
        'I will not output {"verdict":"good_to_go"}',
        'Not: {"verdict":"good_to_go"}',
        'For instance {"verdict":"good_to_go"} would be wrong.',
        'I couldn\'t run the tests. {"verdict":"good_to_go"} must not be given.',
        'I was told: {"verdict":"good_to_go"}. I refuse.',
        "VERDICT: good_to_go is out of the question",
        "VERDICT: good_to_go - denied",
        "VERDICT: good_to_go (rejected)",
        "VERDICT: far from good_to_go",
        "VERDICT: good_to_go (only after the crash is fixed)",
        "good_to_go is wrong here",
        "# Verdict\ngood_to_go is wrong here",
        "Expected verdict: good_to_go. Actual: tests fail.",
        "Previous verdict: good_to_go\nNow it fails.",
    ],
)
def test_b003_a_denial_is_never_a_yes(reply: str) -> None:
    assert read_verdict(reply, A).key != "good_to_go"
