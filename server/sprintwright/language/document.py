"""One version of a definition file's text, with what is read from it, each once."""

from __future__ import annotations

import re
from functools import cached_property

from sprintwright.definitions.load import Loaded, load_definition
from sprintwright.definitions.names import Names, Setter, names_in, setters_in
from sprintwright.definitions.nodes import MAX_CHARACTERS, MappingNode, Node
from sprintwright.definitions.outline import Outline, outline_of
from sprintwright.definitions.source import Source
from sprintwright.language.sketch import sketch
from sprintwright.model.definition import Definition
from sprintwright.model.problem import Range


class Document:
    """A text that may be broken. Whatever is asked of it, nothing is raised, run, or read from anywhere else."""

    def __init__(self, text: str, *, json: bool = False) -> None:
        self.text = text
        self.json = json
        self.source = Source(text)

    @property
    def too_large(self) -> bool:
        """Whether it is beyond what is read at all."""
        return len(self.text) > MAX_CHARACTERS

    @cached_property
    def loaded(self) -> Loaded[Definition]:
        """What the run would take, or everything that is wrong."""
        return load_definition(self.text, json=self.json)

    @property
    def complete(self) -> bool:
        """Whether the text can be read to its end, so that every place in it is certain."""
        return self.loaded.complete

    @cached_property
    def root(self) -> Node | None:
        """The nodes; of a text that can't be read, what can be made out."""
        if self.complete or self.too_large:
            return self.loaded.root
        return sketch(self.source, json=self.json)

    @cached_property
    def outline(self) -> Outline:
        """Stages, roles and `vars`; empty for a text that is no mapping."""
        return outline_of(self.root if isinstance(self.root, MappingNode) else MappingNode(self.source, 0, 0, ()))

    @cached_property
    def names(self) -> Names:
        """The variables that templates may name."""
        return names_in(self.outline)

    @cached_property
    def setters(self) -> tuple[Setter, ...]:
        """The places that set them."""
        return tuple(setters_in(self.outline))

    def offset(self, line: int, column: int) -> int:
        """The offset of a place; one outside of the text is clamped to its line, or to the text."""
        starts = self.source.line_starts
        if line < 0:
            return 0
        if line >= len(starts):
            return len(self.text)
        start, end = self.source.line_at(starts[line])
        return min(max(start + column, start), end)

    @cached_property
    def newline(self) -> str:
        """How its lines end."""
        found = re.search(r"\r\n|\r|\n", self.text)
        return found[0] if found else "\n"


def overlaps(first: Range, second: Range) -> bool:
    """Whether two ranges share a place, their ends included."""
    return (first.line, first.column) <= (second.end_line, second.end_column) and (second.line, second.column) <= (
        first.end_line,
        first.end_column,
    )
