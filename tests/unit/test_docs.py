"""docs/writing-workflows.md: its workflows are valid, and it knows every field of every kind of stage."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sprintwright.definitions.load import load_definition
from sprintwright.definitions.shape import fields_of
from sprintwright.model.definition import AgentTurn, Check, Loop, ParallelGroup, Retry, UserCheckpoint
from tests.support.docs import DOCUMENT, workflows

TEXT = DOCUMENT.read_text(encoding="utf-8")
KINDS = {
    "agent_turn": AgentTurn, "check": Check, "loop": Loop, "parallel_group": ParallelGroup,
    "user_checkpoint": UserCheckpoint,
}  # fmt: skip
NOT_TOLD = {"id", "kind", "body", "isolation", "use_memory"}


@pytest.mark.parametrize("name", workflows())
def test_each_workflow_of_the_document_is_valid(name: str) -> None:
    loaded = load_definition(workflows()[name])
    assert loaded.value is not None and loaded.problems == ()


@pytest.mark.parametrize("kind", KINDS)
def test_the_table_of_stages_names_the_fields_of_the_model(kind: str) -> None:
    row = re.search(rf"^\| `{kind}` \|.*\|(.*)\|$", TEXT, re.M)
    assert row is not None
    assert set(re.findall(r"`(\w+)`", row[1])) - {"body"} == set(fields_of(KINDS[kind])) - NOT_TOLD


def test_the_defaults_of_retry_are_those_of_the_model() -> None:
    said = dict(re.findall(r"(\w+): (\d+)", TEXT[TEXT.index("`retry: {attempts") :].partition("}`")[0]))
    assert {name: float(said[name]) for name in ("wait_seconds", "factor", "jitter")} == {
        name: float(getattr(Retry(), name)) for name in ("wait_seconds", "factor", "jitter")
    }
    assert said["attempts"] == "3"


def test_the_readme_links_the_document() -> None:
    assert "docs/writing-workflows.md" in (Path(DOCUMENT).parents[1] / "README.md").read_text(encoding="utf-8")
