"""Rules about names: what they may be, what they refer to, and that no two of them collide on any system."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sprintwright.definitions.insertion import add_role
from sprintwright.definitions.names import ALWAYS, Names
from sprintwright.definitions.nodes import MappingNode, Node, ScalarNode, SequenceNode, problem
from sprintwright.definitions.outline import Outline, StageView
from sprintwright.definitions.reporting import on_key, unknown_name
from sprintwright.model.problem import Problem
from sprintwright.text import fold

_SLUG = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")


def check_names(outline: Outline, names: Names) -> Iterator[Problem]:
    """Everything about the names of a definition, its templates excepted."""
    yield from _workflow(outline.root)
    yield from _roles(outline)
    for stages in outline.siblings():
        yield from _ids(stages)
    yield from _artifacts(outline)
    yield from _hidden_vars(outline)
    for stage in outline.every():
        yield from _references(stage, outline, names)
        yield from _hidden(stage)


def artifact_files(outline: Outline) -> Iterator[ScalarNode]:
    """The file name of every artifact of a definition."""
    specs = [stage.node.get("artifact") for stage in outline.every()]
    closing = outline.root.get("close_artifacts")
    if isinstance(closing, SequenceNode):
        specs.extend(closing.items)
    for spec in specs:
        file = spec.get("file") if isinstance(spec, MappingNode) else spec
        if isinstance(file, ScalarNode) and not file.absent:
            yield file


def _workflow(root: MappingNode) -> Iterator[Problem]:
    node = root.get("name")
    if not isinstance(node, ScalarNode) or node.absent:
        return
    name = node.text.strip()
    if not name:
        yield on_key(root, "name", "empty_value", "The workflow has an empty 'name'; give it one.")
    elif _CONTROL.search(name):
        yield on_key(
            root, "name", "workflow_name", f"The name {name!r} has a line end or control character; remove it."
        )
    elif not _SLUG.fullmatch(name):
        message = f"The name {name!r} is easier to type as small letters, digits and '-'."
        yield on_key(root, "name", "workflow_name", message, "warning")


def _roles(outline: Outline) -> Iterator[Problem]:
    roles = outline.root.get("roles")
    if isinstance(roles, SequenceNode):
        for item in roles.items:
            if not isinstance(item, ScalarNode) or item.absent:
                message = (
                    "A role in a list is its name alone; for permissions write 'roles' as a mapping, without dashes."
                )
                yield problem("wrong_type", message, item.range)
    for role in outline.roles:
        if not role.text.strip():
            yield problem("empty_value", "A role has an empty name; give it one.", role.range)
    yield from _collisions(outline.roles, "role")


def _ids(stages: Iterable[StageView]) -> Iterator[Problem]:
    nodes = [node for stage in stages if isinstance(node := stage.node.get("id"), ScalarNode) and not node.absent]
    yield from _collisions(nodes, "id", code="duplicate_id", advice="stages beside each other need ids of their own")


def _artifacts(outline: Outline) -> Iterator[Problem]:
    first_of: dict[str, ScalarNode] = {}
    for file in artifact_files(outline):
        first = first_of.setdefault(fold(file.text), file)
        if first.text != file.text:
            yield _collision(first, file, "artifact", "name_collision", "some systems can't hold both")


def _collisions(
    nodes: Iterable[ScalarNode], what: str, *, code: str = "name_collision", advice: str = "keep one of them"
) -> Iterator[Problem]:
    first_of: dict[str, ScalarNode] = {}
    for node in nodes:
        first = first_of.setdefault(fold(node.text.strip()), node)
        if first is not node:
            yield _collision(first, node, what, code, advice)


def _collision(first: ScalarNode, second: ScalarNode, what: str, code: str, advice: str) -> Problem:
    if first.text == second.text:
        message = f"The {what} {second.text!r} stands here a second time; {advice}."
    else:
        message = f"The {what}s {first.text!r} and {second.text!r} differ only in case or form; {advice}."
    return problem(code, message, second.range, related=((f"the first {first.text!r}", first.range),))


def _references(stage: StageView, outline: Outline, names: Names) -> Iterator[Problem]:
    role = scalar_at(stage.node, "role")
    roles = {fold(node.text.strip()): node.text for node in outline.roles}
    if stage.kind == "agent_turn" and role and role.text.strip() and fold(role.text.strip()) not in roles:
        message = f"{stage.title} has the role {role.text!r}, which is not in 'roles'."
        added = add_role(outline, role.text.strip())
        yield unknown_name(role, role.text, message, roles.values(), "unknown_role", otherwise=added)
    for key in ("from", "run_unless_marker_in"):
        node = stage.node.get(key)
        if isinstance(node, ScalarNode) and stage.text(key) and stage.text(key) not in names.texts:
            # Without its variable a stage runs always; a loop or group without one does nothing of what it says.
            severity = "error" if key == "from" else "warning"
            message = f"{stage.title} has {key!r}: {node.text!r}, which nothing ever saves."
            yield unknown_name(node, node.text, message, names.texts, "unknown_source", severity)


def _hidden(stage: StageView) -> Iterator[Problem]:
    for key in ("save_as", "iteration_var", "over", "max_iterations_from"):
        name = stage.text(key)
        name = name.lower() if key in ("over", "max_iterations_from") else name
        if name in ALWAYS and stage.has(key):
            message = (
                f"{stage.title} has {key!r}: {stage.text(key)!r}, which hides the variable {name!r}; choose another."
            )
            yield on_key(stage.node, key, "hides_variable", message, "warning")


def _hidden_vars(outline: Outline) -> Iterator[Problem]:
    for key in outline.vars:
        if key.text in ALWAYS:
            message = f"The run sets {key.text!r} itself, so this value is never seen; choose another name."
            yield problem("hides_variable", message, key.range, severity="warning")


def scalar_at(node: Node | None, *keys: str) -> ScalarNode | None:
    """The scalar below a chain of keys, if there is one."""
    for key in keys:
        node = node.get(key) if isinstance(node, MappingNode) else None
    return node if isinstance(node, ScalarNode) and not node.absent else None
