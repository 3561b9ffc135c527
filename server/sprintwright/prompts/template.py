"""Prompt templates: `{{name}}`, conditions, ranges over results. Values are inserted once and never read as templates.

The dialect is that of behaviours-milk.md section 2. There is no code, no attribute access and no format string; what
stands between double braces and belongs to none of it stays text.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from sprintwright.prompts.expression import Name
from sprintwright.prompts.parser import Block, Parser
from sprintwright.prompts.pieces import Piece, pieces_of

__all__ = ["ENTRY_FIELDS", "NameUse", "Template", "TemplateProblem", "parse_template"]

ENTRY_FIELDS = ("Index", "Label", "Status", "Output", "Err")
"""What `{{range .results}}` knows of an entry, beside the variables."""


@dataclass(frozen=True, slots=True)
class TemplateProblem:
    """What is wrong, at offsets of the template's text."""

    code: Literal["template_syntax", "template_text"]
    message: str
    start: int
    end: int
    severity: Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class NameUse:
    """A name in a template; the offsets are those of the name without its dot.

    ``field``: it stands inside a range and is a field of the entry, not a variable. ``ranged``: what a range goes over.
    """

    name: str
    start: int
    end: int
    field: bool = False
    ranged: bool = False


@dataclass(frozen=True, slots=True)
class Template:
    """A parsed template. It can be rendered even with problems: what is not understood is text."""

    text: str
    body: Block
    names: tuple[NameUse, ...]
    problems: tuple[TemplateProblem, ...]

    @property
    def sole_name(self) -> str:
        """The one variable that the template consists of; empty when there is anything else in it."""
        return self.body[0].name if len(self.body) == 1 and isinstance(self.body[0], Name) else ""

    def render(self, values: Mapping[str, object]) -> str:
        """The text with values put in; unset names are empty. Never raises, runs nothing.

        Args:
            values: a text, a number, or a sequence of mappings with the keys `ENTRY_FIELDS`, by name.
        """
        return "".join(piece.text for piece in self.pieces(values))

    def pieces(self, values: Mapping[str, object]) -> list[Piece]:
        """What `render` joins, so that inserted text can be told from the template's own."""
        return pieces_of(self.body, values)


@lru_cache(maxsize=512)
def parse_template(text: str) -> Template:
    """Parse a template; what is wrong with it is in ``problems``. Linear, never raises."""
    parser = Parser(text)
    body = parser.parse()
    names = tuple(_use(name, in_range, ranged) for name, in_range, ranged in parser.names)
    problems = tuple(
        TemplateProblem("template_text", message, start, end, "warning")
        if warning
        else TemplateProblem("template_syntax", message, start, end, "error")
        for message, start, end, warning in parser.problems
    )
    return Template(text, body, names, problems)


def _use(name: Name, in_range: bool, ranged: bool) -> NameUse:
    start = name.end - len(name.name)
    return NameUse(name.name, start, name.end, in_range and name.name in ENTRY_FIELDS, ranged)
