"""A text with its cursor written as `^`, and what the language service says there."""

from __future__ import annotations

from sprintwright.language.completion import complete
from sprintwright.language.document import Document
from sprintwright.language.hover import hover
from sprintwright.language.values import Completion, Hover, Known
from sprintwright.lsp.definition_answers import without_stops
from sprintwright.model.problem import Edit
from tests.unit.definitions.support import EXAMPLES, REPOSITORY

SHIPPED = sorted((REPOSITORY / "definitions").glob("*.yaml"))
ALL = [*SHIPPED, *sorted(EXAMPLES.glob("*.yaml"))]

PLAN = """\
name: trial
roles:
  dev: {description: "Builds <b>it</b>.", permissions: workspace_write}
  judge: {permissions: read_only}
vars:
  house: rules
stages:
  - id: plan
    kind: agent_turn
    role: dev
    save_as: plan
    prompt: "Plan {{task}} by {{house}}"
    artifact: plan.md
    skip_user_checkpoint_marker: NO_QUESTIONS
    on_answer_prompt: "{{plan_questions}} {{.plan_answer}}"
  - id: rounds
    kind: loop
    max_iterations: 3
    iteration_var: pass
    from: plan
    body:
      - id: build
        kind: agent_turn
        role: dev
        save_as: account
        prompt: |-
          {{if and (gt pass 1) account}}again: {{account}}{{end}}
          {{plan}}
"""


def place(marked: str, *, json: bool = False) -> tuple[Document, int, int]:
    """The document, line and column of a text with a `^` in it."""
    before, _, behind = marked.partition("^")
    document = Document(before + behind, json=json)
    return (document, *document.source.position(len(before)))


def completions(marked: str, *, json: bool = False, known: Known | None = None) -> list[Completion]:
    """What is offered at the `^`, in the order in which editors show it."""
    return sorted(complete(*place(marked, json=json), known), key=lambda one: one.sort or one.label)


def labels(marked: str, *, json: bool = False, known: Known | None = None) -> list[str]:
    """The labels of it."""
    return [one.label for one in completions(marked, json=json, known=known)]


def taken(marked: str, label: str, *, json: bool = False) -> str:
    """The text after one completion is taken as an editor does it, its places to fill in left empty."""
    document, line, _ = place(marked, json=json)
    [one] = [one for one in completions(marked, json=json) if one.label == label]
    text = document.text
    start, _ = document.source.line_at(document.source.line_starts[line])
    indent = text[start : len(text) - len(text[start:].lstrip(" \t"))]
    insert = without_stops(one.insert) if one.snippet else one.insert
    return applied(text, [Edit(range=one.range, text=insert.replace("\n", "\n" + indent))])


def told(marked: str, *, json: bool = False, known: Known | None = None) -> Hover | None:
    """The hover at the `^`."""
    return hover(*place(marked, json=json), known)


def applied(text: str, edits: list[Edit]) -> str:
    """A text after edits that do not overlap."""
    starts = Document(text).source.line_starts
    for edit in sorted(edits, key=lambda one: (one.range.line, one.range.column), reverse=True):
        start = starts[edit.range.line] + edit.range.column
        end = starts[edit.range.end_line] + edit.range.end_column
        text = text[:start] + edit.text + text[end:]
    return text
