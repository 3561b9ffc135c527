"""Problems on the nodes of a stage or file, in the forms that the rules share."""

from __future__ import annotations

from collections.abc import Iterable

from sprintwright.definitions.nodes import MappingNode, Node, ScalarNode, problem
from sprintwright.model.problem import Edit, Fix, Problem, Range, Severity
from sprintwright.text import nearest


def place_of(node: MappingNode, *keys: str) -> Range:
    """The first of the keys' scalar values, else the key, else the first key of the mapping."""
    for key in keys:
        value, name = node.get(key), node.key(key)
        if isinstance(value, ScalarNode) and not value.absent:
            return value.range
        if name is not None:
            return name.range
    return node.pairs[0][0].range if node.pairs else node.range


def on_key(node: MappingNode, key: str, code: str, message: str, severity: Severity = "error") -> Problem:
    """A problem on a key with its value."""
    return problem(code, message, place_of(node, key), severity=severity)


def unknown_name(
    node: Node,
    name: str,
    message: str,
    known: Iterable[str],
    code: str,
    severity: Severity = "error",
    otherwise: Fix | None = None,
) -> Problem:
    """A name that refers to nothing, with the nearest that does, or all of them; ``otherwise`` mends the latter."""
    names = sorted(known)
    near = nearest(name, names)
    if near is None:
        listed = f" Known: {', '.join(names)}." if names else ""
        return problem(code, message + listed, node.range, severity=severity, fix=otherwise)
    return problem(
        code, f"{message} Did you mean {near!r}?", node.range, severity=severity, fix=rename(node.range, near)
    )


def rename(where: Range, name: str) -> Fix:
    """The fix that writes another name."""
    return Fix(title=f"Change to {name!r}", edits=(Edit(range=where, text=name),))
