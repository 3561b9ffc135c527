"""Text -> a model's value, or every problem at once. Nothing is executed, nothing is raised."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Generic, TypeVar

from pydantic import BaseModel, ValidationError

from sprintwright.definitions.nodes import MAX_CHARACTERS, MappingNode, Node, Parsed, ScalarNode, parse_nodes, problem
from sprintwright.definitions.rules import check_rules
from sprintwright.definitions.sentences import sentences
from sprintwright.definitions.shape import Shaper
from sprintwright.definitions.source import Source
from sprintwright.model.definition import Definition
from sprintwright.model.problem import Problem

_Model = TypeVar("_Model", bound=BaseModel)
_SMALL = 64 * 1024
"""Bytes of a file whose reading is remembered: larger ones would fill the memory."""
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


@dataclass(frozen=True, slots=True)
class Loaded(Generic[_Model]):
    """What a text comes to. ``value`` is None exactly when there is an error among the problems."""

    value: _Model | None
    problems: tuple[Problem, ...]
    root: Node | None
    """The nodes, also of a text with errors; good for finding one's way."""
    complete: bool = True
    """Whether the text could be read to its end."""

    @property
    def errors(self) -> tuple[Problem, ...]:
        """The problems for which there is no value."""
        return tuple(one for one in self.problems if one.severity == "error")


def decode(data: bytes) -> tuple[str, tuple[Problem, ...]]:
    """Bytes of a file -> text; what is no UTF-8 is replaced and reported. A byte order mark is taken off."""
    if data.startswith(_UTF16) or b"\0" in data[:2]:
        text = data[: MAX_CHARACTERS * 2].decode("utf-16", errors="replace")
        message = "The file looks like UTF-16; save it as UTF-8."
        return text, (problem("encoding", message, Source(text).range(0, 0)),)
    if len(data) > MAX_CHARACTERS:
        return data.decode(errors="replace"), ()  # too large, which is told when it is read
    try:
        return data.decode("utf-8-sig"), ()
    except UnicodeDecodeError as error:
        before = data[: error.start].decode("utf-8-sig", errors="replace")
        text = data.decode("utf-8-sig", errors="replace")
        bad = f"0x{data[error.start]:02x}" if error.start < len(data) else "at the end"
        message = f"The file is not UTF-8 here (byte {bad}); save it as UTF-8."
        return text, (problem("encoding", message, Source(text).range(len(before), len(before) + 1)),)


def load_model(text: str, model: type[_Model], *, json: bool = False) -> Loaded[_Model]:
    """Read a text as a model: unknown keys are warnings, everything else that does not fit is an error.

    An empty text is a model without any key.
    """
    parsed = parse_nodes(text, json=json)
    if not parsed.complete:
        return _loaded(None, parsed.problems, parsed.root, complete=False)
    value, problems = _validated(parsed, model)
    return _loaded(value, (*parsed.problems, *problems), parsed.root)


def load_definition(text: str, *, json: bool = False) -> Loaded[Definition]:
    """Read a workflow: the `Definition`, or everything that is wrong with it, each with its place."""
    parsed = parse_nodes(text, json=json)
    if not parsed.complete:
        return _loaded(None, parsed.problems, parsed.root, complete=False)
    value, problems = _checked(parsed)
    if value is not None:
        value = value.model_copy(update={"name": value.name.strip()})
    return _loaded(value, (*parsed.problems, *problems), parsed.root)


def check_nodes(parsed: Parsed) -> tuple[Problem, ...]:
    """What is wrong with a workflow's nodes, however they were come by, in the order of the text."""
    value, problems = _checked(parsed)
    return _loaded(value, problems, parsed.root).problems


def _checked(parsed: Parsed) -> tuple[Definition | None, list[Problem]]:
    root = parsed.root
    if root is None or (isinstance(root, ScalarNode) and root.absent):
        message = "There is no workflow in this file; it needs at least 'name' and 'stages'."
        return None, [problem("empty", message, parsed.source.range(0, 0))]
    value, problems = _validated(parsed, Definition)
    if isinstance(root, MappingNode):
        problems.extend(check_rules(root))
    return value, problems


def load_bytes(data: bytes, *, json: bool = False) -> tuple[str, Loaded[Definition]]:
    """Read a workflow's file: its text, and what that comes to. The same bytes are parsed once."""
    return (_load_known if len(data) <= _SMALL else _load_bytes)(data, json=json)


def _load_bytes(data: bytes, *, json: bool) -> tuple[str, Loaded[Definition]]:
    text, problems = decode(data)
    loaded = load_definition(text, json=json)
    if not problems:
        return text, loaded
    return text, _loaded(loaded.value, (*problems, *loaded.problems), loaded.root, complete=loaded.complete)


_load_known = lru_cache(maxsize=64)(_load_bytes)  # a server reads all of them for each list and each start


def _validated(parsed: Parsed, model: type[_Model]) -> tuple[_Model | None, list[Problem]]:
    root = parsed.root
    if root is None or (isinstance(root, ScalarNode) and root.absent):
        root = MappingNode(parsed.source, 0, 0, ())
    shaper = Shaper()
    data = shaper.plain(root, model)
    try:
        return model.model_validate(data), shaper.problems
    except ValidationError as error:
        return None, [*shaper.problems, *sentences(error, root)]


def _loaded(
    value: _Model | None, problems: Iterable[Problem], root: Node | None, *, complete: bool = True
) -> Loaded[_Model]:
    """In the order of the text, each once: an alias shows the same place several times."""
    unique = {(one.code, one.message, one.range.line, one.range.column): one for one in problems}
    ordered = sorted(unique.values(), key=lambda one: (one.range.line, one.range.column))
    broken = any(one.severity == "error" for one in ordered)
    return Loaded(None if broken else value, tuple(ordered), root, complete)
