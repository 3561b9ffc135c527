"""Nodes put together from a flat stream of events, with the limits that both notations share."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from sprintwright.definitions.nodes import (
    MAX_ALIASED_NODES,
    MAX_ALIASES,
    MAX_DEPTH,
    MAX_NODES,
    MappingNode,
    Node,
    ScalarNode,
    SequenceNode,
    problem,
)
from sprintwright.definitions.source import Source
from sprintwright.model.problem import Problem, Range
from sprintwright.text import fold, nearest

_MOST_PROBLEMS = 200
"""More of one file help nobody, and making them takes longer than reading it."""

Related: TypeAlias = tuple[tuple[str, Range], ...]


class StopReading(Exception):
    """What follows can't be made sense of; the problem is already noted."""


@dataclass(slots=True)
class _Open:
    """A list or mapping whose end has not come yet."""

    start: int
    mapping: bool
    anchor: str = ""
    items: list[Node] = field(default_factory=list[Node])
    pairs: dict[str, tuple[ScalarNode, Node]] = field(default_factory=dict[str, tuple[ScalarNode, Node]])
    key: ScalarNode | None = None
    skipped: bool = False
    """The key that waits for its value is one that can't be kept."""
    size: int = 1
    height: int = 1


class Builder:
    """Takes events in document order; `root` is what they come to, also when they end too early."""

    def __init__(self, source: Source) -> None:
        self.problems: list[Problem] = []
        self._source = source
        self._stack: list[_Open] = []
        self._root: Node | None = None
        self._anchors: dict[str, tuple[Node, int, int] | None] = {}
        self._count = self._aliases = self._aliased = 0
        self.documents = 0

    @property
    def at_key(self) -> bool:
        """Whether the next node is the key of a mapping."""
        return bool(self._stack) and self._stack[-1].mapping and self._stack[-1].key is None

    def root(self) -> Node | None:
        """The document; what is still open is closed where it stands."""
        while self._stack:
            last = self._stack[-1]
            self.close(
                max((node.end for node in (*last.items, *(v for _, v in last.pairs.values()))), default=last.start)
            )
        return self._root

    def report(self, code: str, message: str, start: int, end: int) -> None:
        """Note a problem between two offsets."""
        self._note(code, message, start, end)

    def _note(self, code: str, message: str, start: int, end: int, related: Related = ()) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            where = self._source.range(start, end)
            self.problems.append(problem(code, message, where, related=related))

    def stop(self, code: str, message: str, start: int, end: int) -> StopReading:
        """Note a problem behind which nothing is read; raise the answer."""
        self.problems.append(problem(code, message, self._source.range(start, end)))
        return StopReading()

    def scalar(self, start: int, end: int, text: str, style: str, anchor: str = "") -> None:
        """A scalar: an item, a value, or a key."""
        node = ScalarNode(self._source, start, end, text, style)
        self._counted(start)
        if self.at_key:
            self._take_key(node)
            if anchor:
                self._anchors[anchor] = (node, 1, 0)
        else:
            self._finish(node, 1, 0, anchor)

    def open(self, start: int, *, mapping: bool, anchor: str = "") -> None:
        """A list or mapping begins."""
        if self.at_key:
            raise self.stop(
                "complex_key",
                "A key must be plain text here; put quotes around a text with brackets.",
                start,
                start + 1,
            )
        if len(self._stack) >= MAX_DEPTH:
            raise self.stop(
                "too_deep", f"This is nested more than {MAX_DEPTH} deep; make it flatter.", start, start + 1
            )
        self._counted(start)
        if anchor:
            self._anchors[anchor] = None
        self._stack.append(_Open(start, mapping, anchor))

    def close(self, end: int) -> None:
        """The innermost list or mapping ends."""
        last = self._stack.pop()
        end = last.start + len(self._source.text[last.start : end].rstrip()) if end > last.start else last.start
        node: Node
        if last.mapping:
            node = MappingNode(self._source, last.start, end, tuple(last.pairs.values()))
        else:
            node = SequenceNode(self._source, last.start, end, tuple(last.items))
        self._finish(node, last.size, last.height, last.anchor)

    def alias(self, start: int, end: int, name: str) -> None:
        """A copy of an earlier node, counted as if it were written out."""
        self._aliases += 1
        if self._aliases > MAX_ALIASES:
            raise self.stop(
                "too_many_aliases", f"There are more than {MAX_ALIASES} aliases; write them out.", start, end
            )
        if name not in self._anchors:
            near = nearest(name, self._anchors)
            hint = f" Did you mean '*{near}'?" if near else " If it is meant as text, put it in quotes."
            raise self.stop(
                "unknown_alias", f"'*{name}' refers to '&{name}', which is nowhere above.{hint}", start, end
            )
        anchored = self._anchors[name]
        if anchored is None:
            raise self.stop("alias_in_itself", f"'*{name}' stands inside of '&{name}': that has no end.", start, end)
        node, size, height = anchored
        self._aliased += size
        if self._aliased > MAX_ALIASED_NODES:
            limit = f"{MAX_ALIASED_NODES:,}"
            raise self.stop("alias_bomb", f"The aliases stand for more than {limit} values; write less.", start, end)
        if len(self._stack) + height > MAX_DEPTH:
            raise self.stop("too_deep", f"With '*{name}' this is nested more than {MAX_DEPTH} deep.", start, end)
        if not self.at_key:
            self._finish(node, size, height, "")
        elif isinstance(node, ScalarNode):
            self._take_key(ScalarNode(self._source, start, end, node.text, node.style))
        else:
            raise self.stop("complex_key", f"'*{name}' is no text, so it can't be a key.", start, end)

    def _counted(self, start: int) -> None:
        self._count += 1
        if self._count > MAX_NODES:
            raise self.stop("too_large", f"There are more than {MAX_NODES:,} values in the file.", start, start + 1)

    def _take_key(self, node: ScalarNode) -> None:
        last = self._stack[-1]
        last.key, last.skipped = node, False
        if node.text == "<<" and not node.style:
            self.report("merge_key", "Merge keys ('<<') are not known here; write the keys out.", node.start, node.end)
            last.skipped = True
        elif not node.text.strip():
            self.report("empty_key", "A key is missing before the colon.", node.start, max(node.end, node.start + 1))
            last.skipped = True
        elif found := last.pairs.get(fold(node.text)):
            self._report_twice(found[0], node)
            last.skipped = True

    def _report_twice(self, first: ScalarNode, second: ScalarNode) -> None:
        if first.text == second.text:
            message = f"The key {second.text!r} stands here a second time; keep one of them."
        else:
            message = f"The keys {first.text!r} and {second.text!r} differ only in case or form; rename or remove one."
        related = ((f"the first {first.text!r}", first.range),)
        self._note("duplicate_key", message, second.start, second.end, related)

    def _finish(self, node: Node, size: int, height: int, anchor: str) -> None:
        if anchor:
            self._anchors[anchor] = (node, size, height)
        if not self._stack:
            self._root = node
            return
        last = self._stack[-1]
        last.size, last.height = last.size + size, max(last.height, height + 1)
        if not last.mapping:
            last.items.append(node)
            return
        if last.key is not None and not last.skipped:
            last.pairs[fold(last.key.text)] = (last.key, node)
        last.key = None
