"""`task`, `quick` and `prototype` for tests: what behaviours-selesai.md says of them, and walks with scripted answers."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from sprintwright.definitions.discovery import builtin_folder
from sprintwright.definitions.load import load_definition
from sprintwright.engine.doubles import InMemoryWorkspace, ScriptedPeople
from sprintwright.engine.ports import Question, TurnRequest
from sprintwright.model.definition import Definition
from tests.unit.engine.support import Bench

PHASES = {
    "prototype": ["grilling", "research", "plan", "reuse", "handoff", "loop", "audit"],
    "quick": ["grilling", "plan", "reuse", "handoff", "loop", "audit"],
    "task": ["plan", "reuse", "handoff", "loop"],
}
ARTIFACTS = {
    "grilling": ("requirements.md", None),
    "research": ("research.md", None),
    "plan": ("plan.md", "WORKFLOW_PLAN_STATUS: ready"),
    "reuse": ("reuse.md", None),
    "handoff": ("handoff.md", "WORKFLOW_HANDOFF_STATUS: ready"),
    "loop": ("loop-complete.md", "WORKFLOW_LOOP_STATUS: clean"),
    "audit": ("review.md", None),
}
CLEAN, BLOCKING = "WORKFLOW_REVIEW_STATUS: clean", "WORKFLOW_REVIEW_STATUS: blocking"
ANSWERS = {
    "interview": "REQUIREMENTS_CLEAR\n## Goal\nA flag.",
    "research": "No research was needed.",
    "plan": "Do it.\n\nWORKFLOW_PLAN_STATUS: ready",
    "reuse": "REUSE_DECIDED\n`report.py`, lines 3 to 9, can be called.",
    "handoff": "The briefing.\n\nWORKFLOW_HANDOFF_STATUS: ready",
    "build": "It is built.",
    "review": f"## Validation\nAll of it.\n\n{CLEAN}",
    "mend": "It is mended.",
    "verify": f"## Validation\nAll of it.\n\n{CLEAN}",
}
OWN_FILE = {
    "interview": "requirements.md", "research": "research.md", "plan": "plan.md", "reuse": "reuse.md",
    "handoff": "handoff.md", "verify": "review.md",
}  # fmt: skip
"""The file that a stage's answer becomes, which its prompt names before it is there."""
NAMES = sorted(PHASES)


class NoHistory(InMemoryWorkspace):
    """A folder without a commit."""

    async def has_history(self) -> bool:
        """No."""
        return False


def text_of(name: str) -> str:
    return (builtin_folder() / f"{name}.yaml").read_text(encoding="utf-8")


def load(text: str) -> Definition:
    loaded = load_definition(text)
    assert loaded.value is not None and loaded.problems == ()
    return loaded.value


def changed(name: str, change: Callable[[dict[str, Any]], object]) -> Definition:
    """A built-in with something else in its data."""
    data = yaml.safe_load(text_of(name))
    change(data)
    return Definition.model_validate(data)


def agreeable(question: Question) -> str | None:
    """A person who approves, goes on, and stops a used-up loop."""
    return {"checkpoint": "approve", "pause": "continue", "exhausted": "stop"}[question.kind]


@dataclass
class Walk(Bench):
    """A bench whose agents answer by the key of the turn, or by its last part."""

    answers: Mapping[str, str] = field(default_factory=dict[str, str])

    named: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    """Files that a prompt named though they were not there."""

    def __post_init__(self) -> None:
        super().__post_init__()
        self.script = self._answer
        roles = dict.fromkeys(self.definition.roles, "a")
        self.started = self.started.model_copy(update={"roles": roles})

    def _answer(self, request: TurnRequest) -> str:
        own = OWN_FILE.get(request.key.removesuffix("/second_turn").rpartition("/")[2], "")
        own = own or f"loop-review-{request.key.removeprefix('loop[').partition(']')[0]}.md"
        named = set(re.findall(r"artifacts/([\w.-]+\.md)", request.prompt)) - {own, *self.artifacts.texts}
        self.named.extend((request.key, name) for name in named)
        said = {**ANSWERS, **self.answers}
        answer = said.get(request.key)
        return said[request.key.removesuffix("/second_turn").rpartition("/")[2]] if answer is None else answer

    @property
    def written(self) -> dict[str, str]:
        return self.artifacts.texts

    def phase(self) -> str:
        """The top-level stage that the run stands in: the first that is not done."""
        nodes = self.state.nodes
        return next((s.id for s in self.definition.stages if nodes[s.id].status not in ("done", "skipped")), "")


def walk(
    name: str | Definition,
    answers: Mapping[str, str] | None = None,
    *,
    people: Callable[[Question], str | None] = agreeable,
    workspace: InMemoryWorkspace | None = None,
) -> Walk:
    definition = name if isinstance(name, Definition) else load(text_of(name))
    return Walk(
        definition, people=ScriptedPeople(people), answers=answers or {}, workspace=workspace or InMemoryWorkspace()
    )


def unless(kind: str, text: str | None = None) -> Callable[[Question], str | None]:
    """Agreeable, but for questions of one kind; None: nobody is there for those."""
    return lambda question: text if question.kind == kind else agreeable(question)
