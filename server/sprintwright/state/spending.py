"""What a run used of its models: by turn, summed up to what is around it, by role, and in all."""

from __future__ import annotations

from sprintwright.model.usage import Usage
from sprintwright.state.node import Node
from sprintwright.state.tree import NodeTree


class Spending:
    """Sums of the usage that turns reported. A turn that is done again was paid for twice, and counts twice."""

    def __init__(self, tree: NodeTree) -> None:
        self._tree = tree
        self.total: Usage | None = None
        """None: no agent said anything."""
        self.by_role: dict[str, Usage] = {}

    def take(self, node: Node, value: object) -> None:
        """Count the recorded usage of a finished turn, if it has one."""
        if value is None:
            return
        usage = Usage.model_validate(value)
        self.total = _sum(self.total, usage)
        if node.role:
            self.by_role[node.role] = _sum(self.by_role.get(node.role), usage)
        around: Node | None = node
        while around is not None:
            around.usage = _sum(around.usage, usage)
            self._tree.delta.changed[around.id] = None
            around = self._tree.nodes.get(around.parent)


def _sum(known: Usage | None, more: Usage) -> Usage:
    return more if known is None else known + more


def shown_usage(usage: Usage) -> str:
    """Tokens and cost in a few words: ``12,300 tokens, $0.42``; ``≥`` where some of it is not counted."""
    least = "≥ " if usage.precision == "lower_bound" else ""
    cost = ""
    if usage.cost:
        cost = f", ${usage.cost:.2f}" if usage.cost >= 0.01 else ", under $0.01"
    return f"{least}{usage.tokens:,} tokens{cost}"
