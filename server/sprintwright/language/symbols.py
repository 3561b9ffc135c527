"""The outline of a file: its roles, variables and stages; and the commands above its name."""

from __future__ import annotations

from collections.abc import Iterator

from sprintwright.definitions.nodes import MappingNode, Node, ScalarNode
from sprintwright.definitions.outline import StageView
from sprintwright.language.document import Document
from sprintwright.language.values import Lens, Symbol
from sprintwright.model.problem import Range
from sprintwright.text import one_line

_MOST = 200


def symbols(document: Document) -> tuple[Symbol, ...]:
    """Roles and `vars` as groups, then the stages with what is in them; also of a broken file."""
    outline = document.outline
    found = [
        _group(outline.root, "roles", outline.roles, "role"),
        _group(outline.root, "vars", outline.vars, "variable"),
    ]
    return (*(one for one in found if one), *(_stage(stage) for stage in outline.stages))


def _group(root: MappingNode, key: str, names: tuple[ScalarNode, ...], kind: str) -> Symbol | None:
    node, value = root.key(key), root.get(key)
    if node is None or value is None or not names:
        return None
    children = tuple(_named(name, value, "role" if kind == "role" else "variable") for name in names)
    return Symbol(key, "group", _range(node, value), node.range, "", children)


def _named(name: ScalarNode, around: Node, kind: str) -> Symbol:
    value: Node = name
    if isinstance(around, MappingNode):
        value = next((value for key, value in around.pairs if key is name), name)
    shown = one_line(name.text, _MOST) or "(no name)"
    return Symbol(shown, "role" if kind == "role" else "variable", _range(name, value), name.range)


def _stage(stage: StageView) -> Symbol:
    node = stage.node.get("id")
    name = one_line(stage.id, _MOST) or (f"({stage.kind})" if stage.kind else "(stage)")
    whole = _range(stage.node, stage.node)
    selection = (
        node.range if node is not None and stage.node.start <= node.start <= node.end <= stage.node.end else None
    )
    if selection is None:
        start = stage.node.source.range(stage.node.start, stage.node.start)
        selection = start
    detail = one_line(" ".join(filter(None, (stage.kind, stage.text("role")))), _MOST)
    kind = "loop" if stage.kind in ("loop", "parallel_group") else "stage"
    return Symbol(name, kind, whole, selection, detail, tuple(_stage(child) for child in stage.body))


def _range(first: Node, last: Node) -> Range:
    """From the one to the other; an alias may stand before what it names."""
    return first.source.range(first.start, max(first.end, last.end))


def lenses(document: Document) -> tuple[Lens, ...]:
    """*Run* and *Validate* on the line of the name."""
    return tuple(_lenses(document))


def _lenses(document: Document) -> Iterator[Lens]:
    root = document.outline.root
    node = root.key("name")
    name = root.text("name").strip()
    where = node.range if node else document.source.range(0, 0)
    if name:
        yield Lens(where, "Run", "run", name)
    if name or root.pairs:
        yield Lens(where, "Validate", "validate", name)
