"""A fence around a whole answer."""

from __future__ import annotations

import pytest

from sprintwright.reading.fence import without_fence


@pytest.mark.parametrize("text", ["```yaml\nname: x\n```", "\n~~~\nname: x\n~~~\n", "````yml\nname: x\n````"])
def test_a_fence_around_the_whole_answer_is_taken_off(text: str) -> None:
    assert without_fence(text) == "name: x\n"


@pytest.mark.parametrize(
    "text",
    ["name: x", "```\na\n```\nand\n```\nb\n```", "Here:\n```\na\n```", "```\na", "```yaml name\nx\n```", "``\na\n``"],
)
def test_anything_else_stays_as_it_is(text: str) -> None:
    assert without_fence(text) == text
