"""What the language service answers: plain values, in code points, that know nothing of the editor's protocol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sprintwright.model.problem import Edit, Range

CompletionKind = Literal["key", "kind", "value", "role", "variable", "keyword", "stage", "file", "name", "snippet"]


@dataclass(frozen=True, slots=True)
class Known:
    """What is known outside of the file."""

    workflows: Mapping[str, str] = field(default_factory=dict[str, str])
    """Name -> title of every workflow that can be started."""
    agents: tuple[str, ...] = ()
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    """Role -> agent, as the configuration has it."""


@dataclass(frozen=True, slots=True)
class Completion:
    """One thing that can be put in place of ``range``.

    ``insert`` has places to fill in (``$1``, ``${2:word}``, ``$0``) when ``snippet`` is set. ``documentation`` is ours
    and may be shown as Markdown; ``detail`` and ``label`` may hold words of the file and are plain.
    """

    label: str
    kind: CompletionKind
    insert: str
    range: Range
    detail: str = ""
    documentation: str = ""
    sort: str = ""
    filter: str = ""
    snippet: bool = False


@dataclass(frozen=True, slots=True)
class Hover:
    """A text about a range. ``plain``: words of the file are in it, so it must not be shown as Markdown."""

    text: str
    range: Range
    plain: bool = False


@dataclass(frozen=True, slots=True)
class Symbol:
    """A part of the file for the outline; ``selection`` is its name."""

    name: str
    kind: Literal["group", "role", "variable", "stage", "loop"]
    range: Range
    selection: Range
    detail: str = ""
    children: tuple[Symbol, ...] = ()


@dataclass(frozen=True, slots=True)
class Lens:
    """A line of commands above a range."""

    range: Range
    title: str
    action: Literal["run", "validate"]
    name: str


@dataclass(frozen=True, slots=True)
class Renaming:
    """The edits of a rename, or why there are none."""

    edits: tuple[Edit, ...] = ()
    refusal: str = ""
