"""The nodes of a definition as stages: what the rules and the editor go by, also when much of the file is wrong."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sprintwright.definitions.nodes import MappingNode, Node, ScalarNode, SequenceNode


@dataclass(frozen=True, slots=True)
class StageView:
    """A stage as it is written."""

    node: MappingNode
    kind: str
    id: str
    body: tuple[StageView, ...]

    def text(self, key: str) -> str:
        """The text of a key; empty when it is not given."""
        return self.node.text(key)

    def has(self, key: str) -> bool:
        """Whether a key is given a value, of whatever kind."""
        value = self.node.get(key)
        return value is not None and not (isinstance(value, ScalarNode) and value.absent)

    @property
    def title(self) -> str:
        """The stage as sentences name it."""
        return f"Stage {self.id!r}" if self.id else f"A stage of kind {self.kind!r}"

    @property
    def bounded(self) -> bool:
        """Whether it is a loop that counts passes instead of going over headings."""
        return self.kind == "loop" and not self.text("over")


@dataclass(frozen=True, slots=True)
class Outline:
    """A definition as it is written."""

    root: MappingNode
    stages: tuple[StageView, ...]
    roles: tuple[ScalarNode, ...]
    vars: tuple[ScalarNode, ...]

    def every(self) -> Iterator[StageView]:
        """All stages at any depth, in order, outer ones first."""
        waiting = list(reversed(self.stages))
        while waiting:
            stage = waiting.pop()
            yield stage
            waiting.extend(reversed(stage.body))

    def siblings(self) -> Iterator[tuple[StageView, ...]]:
        """Each list of stages that stand beside each other."""
        yield self.stages
        yield from (stage.body for stage in self.every() if stage.body)


def outline_of(root: MappingNode) -> Outline:
    """The outline of a definition's nodes; what is no stage where one should be is left out."""
    roles = root.get("roles")
    if isinstance(roles, MappingNode):
        names = tuple(key for key, _ in roles.pairs)
    elif isinstance(roles, SequenceNode):
        names = tuple(item for item in roles.items if isinstance(item, ScalarNode) and not item.absent)
    else:
        names = ()
    variables = root.get("vars")
    keys = tuple(key for key, _ in variables.pairs) if isinstance(variables, MappingNode) else ()
    return Outline(root, _stages(root.get("stages")), names, keys)


def _stages(node: Node | None) -> tuple[StageView, ...]:
    if not isinstance(node, SequenceNode):
        return ()
    return tuple(
        StageView(item, item.text("kind"), item.text("id"), _stages(item.get("body")))
        for item in node.items
        if isinstance(item, MappingNode)
    )
