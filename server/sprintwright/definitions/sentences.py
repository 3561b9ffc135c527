"""What the model refuses, in our own words: each of pydantic's errors becomes a sentence with a place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError
from pydantic_core import ErrorDetails

from sprintwright.definitions.insertion import add_key, first_value
from sprintwright.definitions.nodes import MappingNode, Node, ScalarNode, SequenceNode, problem
from sprintwright.model.problem import Edit, Fix, Problem, Range
from sprintwright.text import nearest

_WANTED = (
    ("int", "a whole number"), ("float", "a number"), ("finite", "a number"), ("bool", "true or false"),
    ("string", "a text"), ("tuple", "a list"), ("list", "a list"), ("dict", "a mapping (lines 'key: value')"),
    ("model", "a mapping (lines 'key: value')"), ("mapping", "a mapping (lines 'key: value')"),
)  # fmt: skip
_BOUNDS = {"gt": "more than", "ge": "at least", "lt": "less than", "le": "at most"}
_CODES = {"union_tag_invalid": "unknown_kind", "literal_error": "wrong_value", "value_error": "wrong_value"}
_PLAIN_WORD = re.compile(r"[\w./+][\w./:=@+-]*|--?[\w-]+")
"""What a command line can hold without a shell's help."""
_QUOTED = re.compile(r"'([^']*)'")


@dataclass(frozen=True, slots=True)
class _Place:
    """Where an error points: the node, what it stands in, the keys on the way, the mappings around it."""

    node: Node
    parent: Node
    keys: tuple[str, ...]
    around: tuple[MappingNode, ...]
    """From the outside in; the node itself is the last one if it is a mapping."""
    rest: tuple[str, ...]
    """What of the error's path no node stands for: a key that is missing, names of union members."""


def sentences(error: ValidationError, root: Node) -> list[Problem]:
    """A `Problem` for each thing that is wrong; the members of a union that refuse one value count as one."""
    by_node: dict[tuple[int, str], list[tuple[_Place, ErrorDetails]]] = {}
    for detail in error.errors(include_url=False, include_input=False):
        missing = str(detail["loc"][-1]) if detail["type"] == "missing" else ""
        place = _find(root, detail["loc"][:-1] if missing else detail["loc"])
        if _is_echo(place, detail):
            continue
        by_node.setdefault((id(place.node), missing), []).append((place, detail))
    lacking = {node for node, missing in by_node if missing}
    return [
        _problem(found[0][0], [detail for _, detail in found], missing)
        for (node, missing), found in by_node.items()
        # A mapping of a union that lacks a key is not told that it could have been a word instead.
        if missing or node not in lacking or any(detail["type"] != "literal_error" for _, detail in found)
    ]


def _is_echo(place: _Place, detail: ErrorDetails) -> bool:
    """Whether a list only counts as too short because what is in it was refused; that is told there."""
    return detail["type"] == "too_short" and isinstance(place.node, SequenceNode) and bool(place.node.items)


def _find(root: Node, loc: Iterable[int | str]) -> _Place:
    parent = node = root
    keys, around, rest = list[str](), list[MappingNode](), list[str]()
    if isinstance(root, MappingNode):
        around.append(root)
    for step in loc:
        below: Node | None = None
        if isinstance(node, MappingNode) and isinstance(step, str):
            below = node.get(step)
        elif isinstance(node, SequenceNode) and isinstance(step, int) and step < len(node.items):
            below = node.items[step]
        if below is None:
            rest.append(str(step))
            continue
        parent, node, rest = node, below, []
        keys.append(str(step + 1) if isinstance(step, int) else step)
        if isinstance(node, MappingNode):
            around.append(node)
    return _Place(node, parent, tuple(keys), tuple(around), tuple(rest))


def _problem(place: _Place, details: list[ErrorDetails], missing: str) -> Problem:
    if missing:
        return _missing(place, missing)
    kind = details[0]["type"]
    code = _CODES.get(kind, "wrong_type")
    if code == "unknown_kind" and isinstance(place.node, MappingNode) and not place.node.text("kind"):
        return _missing(place, "kind", _allowed(details[0]))
    subject = subject_of(place.around, place.keys)
    allowed = [name for detail in details for name in _allowed(detail)]
    node = place.node.get("kind") if code == "unknown_kind" and isinstance(place.node, MappingNode) else place.node
    node = node or place.node
    if kind in ("value_error", "assertion_error"):
        return problem(code, f"{subject}: {_context(details[0]).get('error')}", _short_range(node))
    if commands := _no_shell(place, node):
        return commands
    wanted = _one_of([want for detail in details for want in _wanted(detail)])
    message = f"{subject} must be {wanted}, not {_given(node)}."
    if code == "unknown_kind":
        message = f"{subject} has the unknown kind {_given(node)}; known kinds: {', '.join(allowed)}."
    near = nearest(node.text, allowed) if isinstance(node, ScalarNode) else None
    fix = None
    if near:
        message += f" Did you mean {near!r}?"
        fix = Fix(title=f"Change to {near!r}", edits=(Edit(range=node.range, text=near),))
    return problem(code, message, _short_range(node), fix=fix)


def _missing(place: _Place, key: str, allowed: Iterable[str] = ()) -> Problem:
    subject = subject_of(place.around, place.keys, whole=True)
    message = f"{subject} lacks {key!r}; add a line '{key}: …'."
    if allowed:
        message += f" Known: {', '.join(allowed)}."
    return problem("missing_key", message, _short_range(place.node), fix=_supplied(place, key))


def _supplied(place: _Place, key: str) -> Fix | None:
    """The fix that adds a missing key with a value that is a beginning."""
    if not isinstance(place.node, MappingNode):
        return None
    value = first_value(key, place.around[0], place.node, place.keys[-1] if place.keys else "")
    return add_key(place.node, key, value) if value else None


def _no_shell(place: _Place, node: Node) -> Problem | None:
    """A command that is written as one text."""
    if not {"commands", "command"} & set(place.keys) or not isinstance(node, ScalarNode):
        return None
    if place.keys[-1].isdigit() and isinstance(place.parent, SequenceNode) and _one_flat_command(place.parent):
        return _flat_command(place)
    message = (
        f"{subject_of(place.around, place.keys)} must be a list of program and arguments, such as "
        f"[pytest, -q]: there is no shell that could take {_given(node)} apart."
    )
    words = node.text.split()
    fix = None
    if words and all(_PLAIN_WORD.fullmatch(word) for word in words):
        text = f"[{', '.join(words)}]"
        text = f"[{text}]" if place.keys[-1] == "commands" else text
        fix = Fix(title="Write it as a list", edits=(Edit(range=node.range, text=text),))
    return problem("no_shell", message, node.range, fix=fix)


def _one_flat_command(commands: SequenceNode) -> bool:
    words = [item.text for item in commands.items if isinstance(item, ScalarNode)]
    return len(words) == len(commands.items) > 1 and not any(" " in word for word in words[:1])


def _flat_command(place: _Place) -> Problem:
    """Program and arguments where a list of commands should be; told once for all of them."""
    node = place.parent
    written = node.source.text[node.start : node.end]
    subject = subject_of(place.around, place.keys)
    message = f"{subject} is a list of commands, each a list itself; put another pair of brackets around this one."
    fix = None
    if written.startswith("["):
        fix = Fix(title="Put brackets around it", edits=(Edit(range=node.range, text=f"[{written}]"),))
    return problem("no_shell", message, node.range, fix=fix)


def subject_of(around: Iterable[MappingNode], keys: tuple[str, ...], *, whole: bool = False) -> str:
    """What a sentence is about: the stage and workflow by name where there is one, and the key.

    Args:
        whole: it is about the innermost mapping itself.
    """
    mappings = list(around)
    workflow = mappings[0].text("name").strip() if mappings else ""
    of = f" of workflow {workflow!r}" if workflow else ""
    stage = next((node for node in reversed(mappings[1:]) if node.text("id") or _is_stage(node)), None)
    key = next((key for key in reversed(keys) if not key.isdigit()), "")
    if len(keys) > 1 and keys[-2] in ("stages", "body") and keys[-1].isdigit():
        known = stage.text("id") if stage is mappings[-1] and stage else ""
        return f"Stage {known!r}{of}" if known else f"Stage {keys[-1]} in {keys[-2]!r}{of}"
    if stage is not None:
        name = f"Stage {stage.text('id')!r}{of}" if stage.text("id") else f"A stage{of}"
        return name if whole and stage is mappings[-1] else f"{name}: {key!r}"
    if not key:
        return f"Workflow {workflow!r}" if workflow else "The file"
    return f"{'.'.join(keys)!r}{of}"


def _is_stage(node: MappingNode) -> bool:
    return (
        node.get("kind") is not None
        and node.get("stages") is None
        and (node.get("body") or node.get("prompt")) is not None
    )


def _short_range(node: Node) -> Range:
    """A scalar's own range; of more than that, its first key or line."""
    if isinstance(node, MappingNode) and node.pairs:
        return node.pairs[0][0].range
    if isinstance(node, ScalarNode):
        return node.range
    return node.source.range(node.start, min(node.end, node.source.line_at(node.start)[1]))


def _context(detail: ErrorDetails) -> dict[str, Any]:
    return detail.get("ctx") or {}


def _allowed(detail: ErrorDetails) -> list[str]:
    context = _context(detail)
    found = context.get("expected_tags") or (context.get("expected") if detail["type"] == "literal_error" else "")
    return [match[1] for match in _QUOTED.finditer(str(found or ""))]


def _wanted(detail: ErrorDetails) -> list[str]:
    context = _context(detail)
    if names := _allowed(detail):
        return [repr(name) if name else "empty" for name in names]
    for bound, words in _BOUNDS.items():
        if bound in context:
            return [f"{words} {context[bound]:g}"]
    if detail["type"] == "too_short":
        return [f"a list of at least {context.get('min_length', 1)} entry"]
    return [words for sign, words in _WANTED if detail["type"].startswith(sign)]


def _one_of(wanted: list[str]) -> str:
    unique = list(dict.fromkeys(wanted)) or ["something else"]
    return " or ".join([", ".join(unique[:-1]), unique[-1]] if len(unique) > 1 else unique)


def _given(node: Node) -> str:
    match node:
        case ScalarNode():
            shown = node.text if len(node.text) <= 60 else node.text[:59] + "…"
            return "empty" if node.absent else repr(shown)
        case SequenceNode():
            return "a list" if node.items else "an empty list"
        case MappingNode():
            return "a mapping"
