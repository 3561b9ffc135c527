"""Verdict lines with a label of their own, such as ``WORKFLOW_REVIEW_STATUS: clean`` (behaviours-selesai.md 5.4)."""

from __future__ import annotations

import pytest

from sprintwright.model.verdict import UNKNOWN, VerdictRule
from sprintwright.reading.verdict import read_verdict

BREAK, RETRY = VerdictRule(action="break"), VerdictRule(action="retry")
REVIEW = {"clean": BREAK, "blocking": RETRY, "unknown": RETRY}
LABEL = "WORKFLOW_REVIEW_STATUS"
FENCE = "```"


@pytest.mark.parametrize(
    "reply",
    [
        f"{LABEL}: clean", f"{LABEL} :  CLEAN", f"**{LABEL}: clean**", f"**{LABEL}:** clean", f"`{LABEL}: clean`.",
        f"- {LABEL}: clean", f"## {LABEL}: clean", f"{LABEL.lower()}: clean", "Workflow_Review_Status: Clean",
        f"{LABEL}: blocking\nAfter a second look:\n\n{LABEL}: clean", "REVIEW_VERDICT: clean", "REVIEW_2_STATUS: clean",
        f"{LABEL}: clean\r\n", f"Notes:\n- one\n\n{LABEL}: clean\n\nThanks.", f"The tree is fine.\n{LABEL}: clean",
    ],
)  # fmt: skip
def test_s013_a_labelled_line_is_a_verdict_line(reply: str) -> None:
    verdict = read_verdict(reply, REVIEW)
    assert (verdict.key, verdict.source, verdict.warnings) == ("clean", "line", ())


@pytest.mark.parametrize(
    "reply",
    [
        f"> {LABEL}: clean", f"{FENCE}\n{LABEL}: clean\n{FENCE}", f"Example:\n\n    {LABEL}: clean\n",
        f"<!-- {LABEL}: clean -->", f"{LABEL}: clean\n{LABEL}: blocking", f"- {LABEL}: clean\n- {LABEL}: blocking",
        f"{LABEL}: clean | blocking", f"{LABEL}: clean or blocking", f"{LABEL}: <clean>", f"{LABEL}: not clean",
        f"{LABEL}: clean (not tested)", f"{LABEL}:", f"{LABEL}: cleanish", f"{LABEL} clean",
        f"End with {LABEL}: clean or {LABEL}: blocking.", "git_status: clean", "Status: clean", "STATUS_CODE: clean",
        "exit status: clean", f"x{LABEL}x: clean", f"# {LABEL}",
    ],
)  # fmt: skip
def test_f1_what_quotes_echoes_or_denies_a_label_is_no_verdict(reply: str) -> None:
    assert read_verdict(reply, REVIEW).key == UNKNOWN


def test_a_labelled_line_that_blocks_wins_over_an_earlier_clean_one() -> None:
    assert read_verdict(f"{LABEL}: clean\n\nNo, wait.\n\n{LABEL}: blocking", REVIEW).key == "blocking"


def test_a_label_that_belongs_to_a_declared_key_stays_with_it() -> None:
    rules = {f"{LABEL}: clean": BREAK, "unknown": RETRY}
    assert read_verdict(f"{LABEL}: clean", rules).key == f"{LABEL}: clean"


@pytest.mark.parametrize(
    "reply", ["The working tree is clean.", "All in all it is clean!", "The plan is followed and the code is clean"]
)
def test_s032_an_ordinary_word_in_a_sentence_is_no_yes(reply: str) -> None:
    verdict = read_verdict(reply, REVIEW)
    assert verdict.key == UNKNOWN
    assert "'clean'" in verdict.warnings[0]


def test_s032_an_ordinary_word_that_blocks_counts_in_a_sentence_too() -> None:
    assert read_verdict("This is blocking.", REVIEW).key == "blocking"


def test_a_key_of_two_words_is_still_read_from_a_sentence() -> None:
    assert read_verdict("My judgement is good_to_go.", {"good_to_go": BREAK}).key == "good_to_go"
