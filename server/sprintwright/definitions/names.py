"""The variables that a definition can set anywhere: what its templates may name."""

from __future__ import annotations

from dataclasses import dataclass

from sprintwright.definitions.outline import Outline, StageView

ALWAYS = ("task", "board", "previous", "artifacts")
"""Variables that every run has."""
_SKIPS = ("skip_when", "run_unless_marker_in", "run_unless_contains")
"""What may skip a stage: then its `<id>_skipped` holds the reason, else nothing."""


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
    texts = {"task", "previous", *(key.text for key in outline.vars)}
    numbers, sections, lists = set[str](), set[str](), set[str]()
    for stage in outline.every():
        texts.update(_saved(stage))
        numbers.update(_numbers(stage))
        if stage.text("over"):
            sections.add(f"{stage.text('over').lower()}_section")
        if stage.kind == "parallel_group":
            lists.update({stage.text("save_as"), "previous"} - {""})
    known = frozenset(texts | numbers | sections | set(ALWAYS))
    return Names(frozenset(texts), frozenset(numbers), frozenset(sections), frozenset(lists), known)


def _saved(stage: StageView) -> set[str]:
    names = {stage.text("save_as")}
    if stage.text("skip_user_checkpoint_marker") and stage.id:
        names |= {f"{stage.id}_questions", f"{stage.id}_answer"}
    if stage.id and any(stage.has(key) for key in _SKIPS):
        names.add(f"{stage.id}_skipped")
    if stage.id and stage.kind == "loop" and stage.text("on_exhausted") == "ask":
        names.add(f"{stage.id}_accepted")
    return names - {""}


def _numbers(stage: StageView) -> set[str]:
    if stage.kind not in ("loop", "parallel_group"):
        return set()
    return {stage.text("over").lower(), stage.text("iteration_var"), stage.text("max_iterations_from").lower()} - {""}
