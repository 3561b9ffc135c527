"""Text -> plain nodes with ranges. No constructors, no types: every scalar is text until a model says otherwise."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

from sprintwright.definitions.source import Source
from sprintwright.model.problem import Fix, Problem, Range, Severity

MAX_CHARACTERS = 1_000_000
MAX_DEPTH = 50
MAX_NODES = 50_000
MAX_ALIASES = 20
MAX_ALIASED_NODES = 10_000


@dataclass(frozen=True, slots=True)
class _Node:
    source: Source = field(repr=False, compare=False)
    start: int
    end: int
    """Offsets in the source's text; the end is exclusive, behind the last character that is not white space."""

    @property
    def range(self) -> Range:
        """Where the node stands."""
        return self.source.range(self.start, self.end)


@dataclass(frozen=True, slots=True)
class ScalarNode(_Node):
    """A text. ``style`` is empty for a plain scalar, else how it is written: ``'``, ``"``, ``|`` or ``>``."""

    text: str
    style: str = ""

    @property
    def absent(self) -> bool:
        """Whether nothing is given: plain and empty, or the plain word `null`."""
        return not self.style and self.text in ("", "null")


@dataclass(frozen=True, slots=True)
class SequenceNode(_Node):
    """A list."""

    items: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class MappingNode(_Node):
    """Keys with values, in order; no two keys are equal when folded."""

    pairs: tuple[tuple[ScalarNode, Node], ...]

    def get(self, key: str) -> Node | None:
        """The value of a key."""
        for name, value in self.pairs:
            if name.text == key:
                return value
        return None

    def key(self, key: str) -> ScalarNode | None:
        """The node of a key itself."""
        return next((name for name, _ in self.pairs if name.text == key), None)

    def text(self, key: str) -> str:
        """The text of a scalar value; empty when it is absent or no scalar."""
        value = self.get(key)
        return value.text if isinstance(value, ScalarNode) and not value.absent else ""


Node: TypeAlias = ScalarNode | SequenceNode | MappingNode


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a text comes to.

    ``complete`` is False when reading stopped early: then ``root`` is what stands before that place, good for finding
    one's way, not for validation.
    """

    source: Source
    root: Node | None
    problems: tuple[Problem, ...] = ()
    complete: bool = True


def problem(
    code: str,
    message: str,
    where: Range,
    *,
    severity: Severity = "error",
    related: tuple[tuple[str, Range], ...] = (),
    fix: Fix | None = None,
) -> Problem:
    """A `Problem`, for the many places that make one."""
    return Problem(code=code, message=message, range=where, severity=severity, related=related, fix=fix)


def parse_nodes(text: str, *, json: bool = False) -> Parsed:
    """Read YAML, or JSON, as nodes. Linear; never raises, whatever the text.

    One document; no merge keys, no tags but the core ones, few aliases, keys at most once (compared without case and
    normal form), and the limits of this module.
    """
    source = Source(text)
    if len(text) > MAX_CHARACTERS or len(text.encode(errors="surrogatepass")) > MAX_CHARACTERS:
        message = f"The file is larger than {MAX_CHARACTERS:,} bytes; split the workflow or shorten its texts."
        return Parsed(source, None, (problem("too_large", message, source.range(0, 0)),), complete=False)
    if json:
        from sprintwright.definitions.json_nodes import parse_json

        return parse_json(source)
    from sprintwright.definitions.yaml_nodes import parse_yaml

    return parse_yaml(source)
