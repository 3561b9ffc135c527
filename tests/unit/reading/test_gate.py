"""Whether an artifact is approved."""

from __future__ import annotations

import pytest

from sprintwright.model.definition import ArtifactSpec
from sprintwright.reading.gate import not_approved

READY = ArtifactSpec(file="plan.md", marker="WORKFLOW_PLAN_STATUS: ready")


@pytest.mark.parametrize(
    "text",
    [
        "The plan\nWORKFLOW_PLAN_STATUS: ready",
        "The plan\nworkflow_plan_status:ready\n",
        "WORKFLOW_PLAN_STATUS   :   READY\n\nAnd an afterword.",
        "**WORKFLOW_PLAN_STATUS: ready**",
        "- `WORKFLOW_PLAN_STATUS: ready`",
        "## WORKFLOW_PLAN_STATUS: **ready**.",
        "WORKFLOW_PLAN_STATUS: draft\nlater\nWORKFLOW_PLAN_STATUS: ready",
        "\ufeffx\r\nWORKFLOW_PLAN_STATUS: ready\r\n",
    ],
)
def test_s013_f1_a_marker_on_its_own_line_is_found_whatever_its_case_blanks_and_emphasis(text: str) -> None:
    assert not_approved(READY, text) == ""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "empty"),
        (" \n\t", "empty"),
        ("Only a plan", "no line 'WORKFLOW_PLAN_STATUS: ready'"),
        ("Do not write WORKFLOW_PLAN_STATUS: ready before it is.", "no line"),
        ("> WORKFLOW_PLAN_STATUS: ready", "no line"),
        ("```\nWORKFLOW_PLAN_STATUS: ready\n```", "no line"),
        ("<!-- WORKFLOW_PLAN_STATUS: ready -->", "no line"),
        ("WORKFLOW_PLAN_STATUS: readyish", "says 'readyish'"),
        ("WORKFLOW_PLAN_STATUS: ready\nlater\nWORKFLOW_PLAN_STATUS: draft", "says 'draft'"),
        ("WORKFLOW_PLAN_STATUS: ready | draft", "says 'ready | draft'"),
        ("MY_WORKFLOW_PLAN_STATUS: ready", "no line"),
    ],
)
def test_s014_f1_a_claim_a_quotation_or_an_earlier_marker_is_none_and_the_reason_names_it(text: str, says: str) -> None:
    assert says in not_approved(READY, text)


def test_a_marker_without_a_colon_is_a_line_and_the_other_rules_hold_too() -> None:
    assert not_approved(ArtifactSpec(file="x", marker="DONE"), "text\n**DONE**") == ""
    assert "DONE" in not_approved(ArtifactSpec(file="x", marker="DONE"), "it is DONE now")
    assert "'## Goal'" in not_approved(ArtifactSpec(file="x", contains="## Goal"), "# Goals")
    assert not_approved(ArtifactSpec(file="x", contains="## Goal"), "a\n## Goal\n") == ""
    assert "3 bytes" in not_approved(ArtifactSpec(file="x", min_bytes=4), "abc")
    assert not_approved(ArtifactSpec(file="x", min_bytes=4), "ab\u00e4") == ""


def test_s015_without_a_rule_any_text_is_good() -> None:
    assert not_approved(ArtifactSpec(file="reuse.md"), "anything") == ""
