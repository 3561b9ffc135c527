"""The variables that a definition can set anywhere: what its templates may name, and which key sets each of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from sprintwright.definitions.nodes import ScalarNode
from sprintwright.definitions.outline import Outline, StageView

ALWAYS = ("task", "board", "previous", "artifacts")
"""Variables that every run has."""
_SKIPS = ("skip_when", "run_unless_marker_in", "run_unless_contains")
"""What may skip a stage: then its `<id>_skipped` holds the reason, else nothing."""

Holds = Literal["text", "number", "section", "list"]


@dataclass(frozen=True, slots=True)
class Setter:
    """A place that sets a variable."""

    name: str
    holds: Holds
    key: str
    """The key whose value makes the name, such as ``save_as`` or ``id``; ``vars`` for a key of `vars`."""
    node: ScalarNode
    stage: StageView | None = None
    suffix: str = ""
    """What is added to the value of ``id``, such as ``_questions``."""


@dataclass(frozen=True, slots=True)
class Names:
    """Names by what they hold."""

    texts: frozenset[str]
    """What a stage saves, asks or is told, the variables of the file, the task: what `from` may name."""
    numbers: frozenset[str]
    """Numbers of headings, passes and limits: what a file name may hold."""
    sections: frozenset[str]
    lists: frozenset[str]
    """Results of groups: what a range may go over."""

    known: frozenset[str]
    """Every name."""


def names_in(outline: Outline) -> Names:
    """The names that are known everywhere in a definition; whether one is set yet is the run's matter."""
    by_holds: dict[Holds, set[str]] = {"text": {"task", "previous"}, "number": set(), "section": set(), "list": set()}
    for setter in setters_in(outline):
        by_holds[setter.holds].add(setter.name)
    if any(stage.kind == "parallel_group" for stage in outline.every()):
        by_holds["list"].add("previous")
    texts = by_holds["text"] | (by_holds["list"] - {"previous"})
    known = frozenset(texts | by_holds["number"] | by_holds["section"] | set(ALWAYS))
    numbers, sections, lists = (frozenset(by_holds[holds]) for holds in ("number", "section", "list"))
    return Names(frozenset(texts), numbers, sections, lists, known)


def setters_in(outline: Outline) -> Iterator[Setter]:
    """Every place that sets a variable, in the order of the text but for `vars`, which come first."""
    for key in outline.vars:
        yield Setter(key.text, "text", "vars", key)
    for stage in outline.every():
        yield from _saved(stage)
        yield from _numbers(stage)


def _saved(stage: StageView) -> Iterator[Setter]:
    holds: Holds = "list" if stage.kind == "parallel_group" else "text"
    if stage.text("save_as"):
        yield from _setter(stage, "save_as", stage.text("save_as"), holds)
    if not stage.id:
        return
    suffixes = list[str]()
    if stage.text("skip_user_checkpoint_marker"):
        suffixes += ["_questions", "_answer"]
    if any(stage.has(key) for key in _SKIPS):
        suffixes.append("_skipped")
    if stage.kind == "loop" and stage.text("on_exhausted") == "ask":
        suffixes.append("_accepted")
    for suffix in suffixes:
        yield from _setter(stage, "id", stage.id + suffix, "text", suffix)


def _numbers(stage: StageView) -> Iterator[Setter]:
    label = stage.text("over").lower()
    if stage.kind in ("loop", "parallel_group"):
        for key, name in (
            ("over", label),
            ("iteration_var", stage.text("iteration_var")),
            ("max_iterations_from", stage.text("max_iterations_from").lower()),
        ):
            if name:
                yield from _setter(stage, key, name, "number")
    if label:
        yield from _setter(stage, "over", f"{label}_section", "section", "_section")


def _setter(stage: StageView, key: str, name: str, holds: Holds, suffix: str = "") -> Iterator[Setter]:
    node = stage.node.get(key)
    if isinstance(node, ScalarNode):
        yield Setter(name, holds, key, node, stage, suffix)
