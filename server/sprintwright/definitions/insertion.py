"""Edits that add a key to a mapping or an item to a list, in the notation in which it is written."""

from __future__ import annotations

import re

from sprintwright.definitions.nodes import MappingNode, Node, ScalarNode, SequenceNode
from sprintwright.definitions.outline import Outline, outline_of
from sprintwright.model.problem import Edit, Fix

_PLAIN = re.compile(r"[A-Za-z_][\w.-]*(?: [\w.-]+)*")
_LINE_END = re.compile(r"\r\n|\r|\n")
_WORDS = frozenset({"null", "true", "false", "yes", "no", "on", "off"})


def as_scalar(text: str, *, json: bool = False) -> str:
    """A text as it is written as a key or value, quoted where it has to be."""
    if json:
        return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS:
        return text
    return "'" + text.replace("'", "''") + "'"


def is_json(node: Node) -> bool:
    """Whether a mapping or list is written as JSON has it, which YAML's brackets take too."""
    return node.source.text.lstrip("\ufeff \t\r\n").startswith(("{", "["))


def add_pair(node: MappingNode, key: str, value: str, *, first: bool = False) -> Edit | None:
    """Add a key with a value, both as they are to be written; None where no place for it can be told.

    It goes behind the keys at the beginning that take a line each, or before all others (``first``).
    """
    source, text = node.source, node.source.text
    if text.startswith("{", node.start):
        if node.pairs:
            end = max(node.pairs[-1][1].end, node.pairs[-1][0].end)
            return Edit(range=source.range(end, end), text=f", {key}: {value}")
        return Edit(range=source.range(node.start + 1, node.start + 1), text=f"{key}: {value}")
    if not node.pairs:
        return None
    newline = _newline(text)
    indent = " " * source.position(node.pairs[0][0].start)[1]
    after = 0 if first else _last_line(node, scalars=True) or _last_line(node, scalars=False)
    if not after:
        start = node.pairs[0][0].start
        return Edit(range=source.range(start, start), text=f"{key}: {value}{newline}{indent}")
    end = source.line_at(after)[1]
    return Edit(range=source.range(end, end), text=f"{newline}{indent}{key}: {value}")


def add_item(node: SequenceNode, value: str) -> Edit | None:
    """Add an item at the end of a list; None for an empty one without brackets."""
    source, text = node.source, node.source.text
    if text.startswith("[", node.start):
        at = node.items[-1].end if node.items else node.start + 1
        return Edit(range=source.range(at, at), text=f", {value}" if node.items else value)
    if not node.items:
        return None
    end = source.line_at(node.items[-1].end)[1]
    return Edit(range=source.range(end, end), text=f"{_newline(text)}{' ' * source.position(node.start)[1]}- {value}")


def add_role(outline: Outline, name: str) -> Fix | None:
    """The fix that adds a role to a workflow."""
    roles = outline.root.get("roles")
    json = is_json(outline.root)
    shown = as_scalar(name, json=json)
    if isinstance(roles, MappingNode):
        edit = add_pair(roles, shown, '{"permissions": "read_only"}' if json else "{permissions: read_only}")
    elif isinstance(roles, SequenceNode):
        edit = add_item(roles, shown)
    elif roles is None:
        edit = add_pair(outline.root, '"roles"' if json else "roles", f"[{shown}]")
    else:
        edit = None
    return Fix(title=f"Add the role {name[:60]!r}", edits=(edit,)) if edit else None


_KIND_OF = (
    ("commands", "check"), ("max_concurrency", "parallel_group"), ("body", "loop"), ("role", "agent_turn"),
    ("prompt", "user_checkpoint"),
)  # fmt: skip
_FIRST = {"prompt": "{{task}}", "name": "my-workflow", "over": "Item", "file": "result.md"}


def first_value(key: str, root: MappingNode, node: MappingNode, name: str) -> str:
    """A value to begin with for a key that is missing in a mapping called ``name``; empty for none."""
    json = is_json(node)
    if key == "commands":
        return '[["python3", "-m", "pytest", "-q"]]' if json else "[[python3, -m, pytest, -q]]"
    if key == "kind":
        text = next((kind for sign, kind in _KIND_OF if node.get(sign) is not None), "")
    elif key == "id":
        text = node.text("role") or node.text("kind")
        taken = {stage.id for stage in outline_of(root).every()}
        text = next((one for one in (text, *(f"{text}-{n}" for n in range(2, 99))) if one and one not in taken), "")
    elif key == "role":
        roles = outline_of(root).roles
        text = roles[0].text if roles else ""
    elif key == "action":
        text = "break" if name in ("good_to_go", "sprint_done", "next_sprint") else "retry"
    else:
        text = _FIRST.get(key, "")
    return as_scalar(text, json=json) if text else ""


def add_key(node: MappingNode, key: str, value: str, *, title: str = "") -> Fix | None:
    """The fix that adds a key; ``value`` is a text, or a switch or mapping as it is to be written."""
    json = is_json(node)
    edit = add_pair(node, as_scalar(key, json=json), value, first=key in ("name", "id"))
    return Fix(title=title or f"Add '{key}: {value}'", edits=(edit,)) if edit else None


def _last_line(node: MappingNode, *, scalars: bool) -> int:
    """The end of the last of the first keys that take a line each; 0 when the first takes several."""
    after = 0
    for key, value in node.pairs:
        if not _one_line(key, value) or (scalars and not isinstance(value, ScalarNode)):
            break
        after = max(value.end, key.end)
    return after


def _one_line(key: ScalarNode, value: Node) -> bool:
    if isinstance(value, ScalarNode) and value.style in ("|", ">"):
        return False
    source = value.source
    return source.position(key.start)[0] == source.position(max(value.end, key.end))[0]


def _newline(text: str) -> str:
    found = _LINE_END.search(text)
    return found[0] if found else "\n"
