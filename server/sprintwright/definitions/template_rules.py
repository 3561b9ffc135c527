"""The templates of a definition: their grammar, and the names in them, each on its place inside the text."""

from __future__ import annotations

from collections.abc import Iterator

from sprintwright.definitions.inside import Inside
from sprintwright.definitions.name_rules import artifact_files, scalar_at
from sprintwright.definitions.names import Names
from sprintwright.definitions.nodes import ScalarNode, SequenceNode, problem
from sprintwright.definitions.outline import Outline
from sprintwright.definitions.reporting import rename
from sprintwright.errors import PathRefused
from sprintwright.model.problem import Problem
from sprintwright.paths.names import artifact_name
from sprintwright.prompts.template import NameUse, Template, parse_template
from sprintwright.text import nearest

_TEXTS = (("prompt",), ("on_answer_prompt",), ("artifact", "text"), ("skip_when", "artifact_exists"))

TEMPLATE_KEYS = frozenset(keys[-1] for keys in _TEXTS)
"""Keys whose values are templates."""
FILE_KEYS = frozenset({"file", "artifact", "close_artifacts"})
"""Keys whose values are names of files, in which numbers may be inserted; the last two when they hold a text."""


def templates_in(outline: Outline) -> Iterator[ScalarNode]:
    """Every scalar that is read as a template, file names of artifacts excepted."""
    for stage in outline.every():
        for keys in _TEXTS:
            if node := scalar_at(stage.node, *keys):
                yield node
    closing = outline.root.get("close_artifacts")
    if isinstance(closing, SequenceNode):
        for item in closing.items:
            if node := scalar_at(item, "text"):
                yield node


def check_templates(outline: Outline, names: Names) -> Iterator[Problem]:
    """What is wrong in the prompts and artifacts of a definition."""
    for node in templates_in(outline):
        if "{{" in node.text:
            template, inside = parse_template(node.text), Inside(node)
            yield from _grammar(template, inside)
            yield from _unknown(template, inside, names)
            yield from _ranges(template, inside, names)
    for node in artifact_files(outline):
        yield from _file(node, names)


def _grammar(template: Template, inside: Inside) -> Iterator[Problem]:
    for found in template.problems:
        yield problem(found.code, found.message, inside.range(found.start, found.end), severity=found.severity)


def _unknown(template: Template, inside: Inside, names: Names) -> Iterator[Problem]:
    for use in template.names:
        if not use.field and use.name not in names.known:
            message = f"The variable {use.name[:60]!r} is not known: nothing in this workflow sets it."
            yield _renamed(use, inside, message, names.known)


def _renamed(use: NameUse, inside: Inside, message: str, known: frozenset[str]) -> Problem:
    where = inside.range(use.start, use.end)
    names = sorted(known)
    near = nearest(use.name, names)
    message += f" Did you mean {near!r}?" if near else f" Known: {', '.join(names)}."
    # A text whose places can't be told has the range of all of it: a fix there would replace everything.
    fix = rename(where, near) if near and inside.exact else None
    return problem("unknown_variable", message, where, fix=fix)


def _ranges(template: Template, inside: Inside, names: Names) -> Iterator[Problem]:
    for use in template.names:
        if use.ranged and use.name in names.known and use.name not in names.lists:
            message = (
                f"{use.name!r} is no list, so the range over it has nothing; only results of a parallel_group are."
            )
            yield problem("range_over_text", message, inside.range(use.start, use.end), severity="warning")


def _file(node: ScalarNode, names: Names) -> Iterator[Problem]:
    template, inside = parse_template(node.text), Inside(node)
    yield from _grammar(template, inside)
    for use in template.names:
        if use.name not in names.known:
            yield from _unknown(template, inside, names)
            return
        if use.name not in names.numbers:
            message = f"A file name may hold numbers of sprints and passes only; {use.name!r} is a text."
            yield problem("file_name", message, inside.range(use.start, use.end))
            return
    try:
        artifact_name(template.render(dict.fromkeys(names.numbers, 1)))
    except PathRefused as error:
        yield problem("file_name", f"The artifact can't be called {node.text[:100]!r}. {error.message}", node.range)
