"""Every place in a file that names something else in it: roles, variables, stages, artifacts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sprintwright.definitions.inside import Inside
from sprintwright.definitions.name_rules import artifact_files, scalar_at
from sprintwright.definitions.nodes import ScalarNode
from sprintwright.definitions.outline import Outline
from sprintwright.definitions.template_rules import templates_in
from sprintwright.language.document import Document
from sprintwright.model.problem import Range
from sprintwright.prompts.template import parse_template
from sprintwright.text import fold

Kind = Literal["role", "variable", "stage", "artifact"]


@dataclass(frozen=True, slots=True)
class Occurrence:
    """A place that sets a name, or uses it."""

    kind: Kind
    name: str
    """The name; of a role or artifact folded, of a stage the offset of its id."""
    range: Range
    sets: bool
    node: ScalarNode | None = None
    """The scalar that is the name as a whole; None inside of a template."""
    exact: bool = True
    """Whether the range is that of the name alone."""
    derived: str = ""
    """How the name comes from the scalar: what is added to an id, ``over`` for a label."""


def occurrences(document: Document) -> Iterator[Occurrence]:
    """All of them, what sets a name before what uses it."""
    outline = document.outline
    yield from _roles(outline)
    yield from _variables(document)
    for stage in outline.every():
        node = scalar_at(stage.node, "id")
        if node:
            yield Occurrence("stage", str(node.start), node.range, True, node)
    for node in artifact_files(outline):
        yield Occurrence("artifact", fold(node.text), node.range, True, node)
    for stage in outline.every():
        if node := scalar_at(stage.node, "skip_when", "artifact_exists"):
            yield Occurrence("artifact", fold(node.text), node.range, False, node)


def _roles(outline: Outline) -> Iterator[Occurrence]:
    for node in outline.roles:
        yield Occurrence("role", fold(node.text.strip()), node.range, True, node)
    for stage in outline.every():
        node = scalar_at(stage.node, "role")
        if node and stage.kind == "agent_turn":
            yield Occurrence("role", fold(node.text.strip()), node.range, False, node)


def _variables(document: Document) -> Iterator[Occurrence]:
    for setter in document.setters:
        derived = setter.suffix or ("label" if setter.key in ("over", "max_iterations_from") else "")
        yield Occurrence("variable", setter.name, setter.node.range, True, setter.node, derived=derived)
    outline = document.outline
    for stage in outline.every():
        for key in ("from", "run_unless_marker_in"):
            if node := scalar_at(stage.node, key):
                yield Occurrence("variable", node.text, node.range, False, node)
    for node in (*templates_in(outline), *artifact_files(outline)):
        if "{{" not in node.text:
            continue
        inside = Inside(node)
        for use in parse_template(node.text).names:
            if not use.field:
                where = inside.range(use.start, use.end)
                yield Occurrence("variable", use.name, where, False, exact=inside.exact)


def at_cursor(document: Document, line: int, column: int) -> tuple[Occurrence, ...]:
    """What stands at a place; several when one scalar names several things, the narrowest first."""
    found = [one for one in occurrences(document) if _holds(one.range, line, column)]
    return tuple(sorted(found, key=lambda one: (_size(one.range), bool(one.derived))))


def same(document: Document, one: Occurrence) -> tuple[Occurrence, ...]:
    """Every occurrence of the same thing."""
    return tuple(other for other in occurrences(document) if (other.kind, other.name) == (one.kind, one.name))


def _holds(where: Range, line: int, column: int) -> bool:
    return (where.line, where.column) <= (line, column) <= (where.end_line, where.end_column)


def _size(where: Range) -> tuple[int, int]:
    return where.end_line - where.line, where.end_column - where.column
