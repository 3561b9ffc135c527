"""The nodes of a run: made on first sight, their ancestors first; what changed is remembered."""

from __future__ import annotations

from dataclasses import dataclass, field

from sprintwright.model.records import Outline
from sprintwright.state.node import Node, NodeKind, NodeStatus, parent_of

KINDS: dict[str, NodeKind] = {
    "agent_turn": "turn", "check": "check", "loop": "loop", "parallel_group": "group", "user_checkpoint": "question",
}  # fmt: skip
AT_WORK = ("running", "waiting")


@dataclass(slots=True)
class Delta:
    """What one record changed."""

    changed: dict[str, None] = field(default_factory=dict[str, None])
    """Ids in the order of their first change, so that new nodes are in the order of their making, parents first."""
    removed: set[str] = field(default_factory=set[str])


class NodeTree:
    """Flat nodes by id, the order of their children, and which are at work."""

    def __init__(self) -> None:
        self.nodes: dict[str, Node] = {}
        self.children: dict[str, list[str]] = {"": []}
        self.at_work: set[str] = set()
        self.waiting: set[str] = set()
        self.held: set[str] = set()
        """Those among the waiting for which no person has to act."""
        self.bounded: set[str] = set()
        """Loops that have passes instead of sprints."""
        self.delta = Delta()
        self._outlines: dict[str, Outline] = {}

    def take_outlines(self, outlines: tuple[Outline, ...]) -> None:
        """The stages of a definition: the outer ones are shown at once, a body when its pass or item begins."""
        self._outlines.clear()
        self._remember(outlines, "")
        self._make_children("", outlines)

    def node(self, key: str, kind: NodeKind, label: str = "") -> Node:
        """The node of that id; made, with its ancestors, if it is not there."""
        if (node := self.nodes.get(key)) is None:
            parent = parent_of(key)
            if parent and parent not in self.nodes:
                self._make_container(parent)
            node = self.nodes.get(key)  # making a pass makes the nodes of its body
            if node is None:
                node = self.nodes[key] = Node(key, parent, kind, label or key.rpartition("/")[2])
                self.children.setdefault(parent, []).append(key)
        self.delta.changed[key] = None
        return node

    def set(self, key: str, status: NodeStatus, detail: str | None = None) -> None:
        """Give a node its status; one that is not there is passed over."""
        node = self.nodes.get(key)
        if node is None:
            return
        node.status, node.until = status, ""
        self.held.discard(key)
        if detail is not None:
            node.detail = detail
        (self.at_work.add if status in AT_WORK else self.at_work.discard)(key)
        (self.waiting.add if status == "waiting" else self.waiting.discard)(key)
        self.delta.changed[key] = None

    def hold(self, key: str, until: str, detail: str) -> None:
        """A node waits until a moment and goes on by itself then."""
        self.set(key, "waiting", detail)
        self.nodes[key].until = until
        self.held.add(key)

    def remove(self, key: str) -> None:
        """Take a node and all below it away."""
        for child in list(self.children.get(key, [])):
            self.remove(child)
        self.children.pop(key, None)
        self.children[parent_of(key)].remove(key)
        del self.nodes[key]
        self.at_work.discard(key)
        self.waiting.discard(key)
        self.held.discard(key)
        self.delta.changed.pop(key, None)
        self.delta.removed.add(key)

    def is_told_by_its_children(self, key: str) -> bool:
        """Whether a loop or group is no line of its own: its sprints, items or passes say it all.

        The passes of a stage of the run itself do not: among other stages they would have no name.
        """
        node = self.nodes[key]
        if node.kind not in ("loop", "group") or node.status == "not_started" or not self.children.get(key):
            return False
        return bool(node.parent) or key not in self.bounded

    def fill(self, key: str) -> None:
        """Show the stages of a pass, sprint or item, not started, if they are not there."""
        outline = self._outlines.get(without_numbers(parent_of(key)))
        if outline is not None and not self.children.get(key):
            self._make_children(key, outline.body)

    def _remember(self, outlines: tuple[Outline, ...], path: str) -> None:
        for outline in outlines:
            here = f"{path}/{outline.id}" if path else outline.id
            self._outlines[here] = outline
            self._remember(outline.body, here)

    def _make_children(self, parent: str, outlines: tuple[Outline, ...]) -> None:
        for outline in outlines:
            key = f"{parent}/{outline.id}" if parent else outline.id
            self.node(key, KINDS.get(outline.kind, "stage"), outline.label or outline.id).role = outline.role

    def _make_container(self, key: str) -> None:
        if not key.endswith("]"):
            self.node(key, "stage")
            return
        loop = parent_of(key)
        number = key[len(loop) + 1 : -1]
        if loop in self.bounded:
            self.node(key, "pass", f"Pass {number}")
        else:
            self.node(key, "entry", f"Item {number}")
        self.fill(key)


def ancestors(key: str) -> list[str]:
    """Ids of the nodes around a node, the nearest first."""
    found: list[str] = []
    while key := parent_of(key):
        found.append(key)
    return found


def on_one_line(one: str, other: str) -> bool:
    """Whether two nodes are the same, or one is inside the other."""
    return one == other or one in ancestors(other) or other in ancestors(one)


def without_numbers(key: str) -> str:
    """Path of ids in the definition: ``sprints[2]/passes`` -> ``sprints/passes``."""
    return "/".join(part.partition("[")[0] for part in key.split("/"))
