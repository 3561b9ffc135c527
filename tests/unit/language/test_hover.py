"""Hover: our words about keys and words, and what the file says about names, which is never Markdown."""

from __future__ import annotations

import pytest

from sprintwright.language.docs import describe_key, stage_models
from sprintwright.language.values import Known
from tests.unit.language.support import PLAN, told

_TURN = stage_models()["agent_turn"]


@pytest.mark.parametrize(
    "marked",
    [
        "stages:\n  - kind: agent_turn\n    ^role: x",
        "stages:\n  - kind: agent_turn\n    ro^le: x",
        "stages:\n  - kind: agent_turn\n    role^: x\n    br'oken: {",
    ],
)
def test_a_key_is_told_in_the_words_of_the_model(marked: str) -> None:
    found = told(marked)
    assert found and not found.plain
    assert found.text == describe_key(_TURN, "role")
    assert (found.range.line, found.range.column, found.range.end_column) == (2, 4, 8)


def test_a_key_says_what_it_takes_and_what_counts_without_it() -> None:
    assert "`continue`, `fresh`" in describe_key(_TURN, "session") and "Without it: `continue`." in describe_key(
        _TURN, "session"
    )
    assert describe_key(_TURN, "prompt").endswith("Required.")
    assert "`true` or `false`." in describe_key(_TURN, "pause_after")


@pytest.mark.parametrize(
    ("marked", "part"),
    [
        ("stages:\n  - kind: lo^op\n", "Repeats its body: once per heading"),
        ("roles: {a: {permissions: read_^only}}", "Reads the folder"),
        ("stages:\n  - kind: check\n    verdict: {ok: {action: bre^ak}}", "`break` ends the loop"),
        ("stages:\n  - kind: check\n    verdict: {good_^to_go: {}}", "The work is good"),
        ("completion: expl^icit", "waits for `end`"),
        ("stages:\n  - kind: user_checkpoint\n    prompt: '{{i^f task}}'", "not empty"),
    ],
)
def test_words_are_told(marked: str, part: str) -> None:
    found = told(marked)
    assert found and part in found.text and not found.plain


@pytest.mark.parametrize(
    ("marked", "text"),
    [
        (PLAN.replace("{{task}}", "{{ta^sk}}"), "task: What the user asked for."),
        (PLAN.replace("{{account}}", "{{acc^ount}}"), "account: what stage 'build' came to"),
        (PLAN.replace(".plan_answer", ".plan_an^swer"), "plan_answer: what the user answered to 'plan'"),
        (PLAN.replace("from: plan", "from: pl^an"), "plan: what stage 'plan' came to"),
    ],
)
def test_a_variable_is_told_by_what_sets_it(marked: str, text: str) -> None:
    found = told(marked)
    assert found and found.text == text and found.plain


def test_x049_the_words_of_the_file_are_plain() -> None:
    found = told(PLAN.replace("role: dev", "role: d^ev", 1), known=Known(roles={"dev": "claude"}))
    assert found and found.plain
    assert found.text == "Role dev\nBuilds <b>it</b>.\nPermissions: workspace_write\nAgent: claude"


@pytest.mark.parametrize(
    "marked", ["# na^me", "name: x^x", "unkn^own: x", "stages:\n  - kind: no^ne", "vars: {a^: b}", "^"]
)
def test_nothing_is_told_where_nothing_is_known(marked: str) -> None:
    assert told(marked) is None
