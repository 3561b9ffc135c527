"""Which of our tools a turn may call, by the place of its stage in the workflow alone (faults.md X57)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import TypeAlias

from sprintwright.engine.loop import has_verdict
from sprintwright.engine.ports import Tool
from sprintwright.model.definition import (
    AgentTurn,
    ArtifactExists,
    Check,
    Definition,
    Loop,
    ParallelGroup,
    Stage,
    walk_stages,
)
from sprintwright.text import fold

REMINDER = "reminder"
"""Last part of the key of a turn that asks for a verdict alone."""
_EVERYWHERE: tuple[Tool, ...] = ("report_finding", "ask_user", "save_artifact", "load_artifact", "list_artifacts")
_VARIABLE = re.compile(r"\{\{.*?\}\}")

_Path: TypeAlias = tuple[str, ...]


def offered(definition: Definition, stage: AgentTurn, key: str) -> tuple[Tool, ...]:
    """The tools of a turn, in a fixed order. What is not among them is neither mentioned nor carried out. Pure.

    Args:
        stage: whose turn it is.
        key: the turn's, such as ``sprints[2]/passes[3]/evaluator``.
    """
    path, around, rest = _place(definition, key)
    verdict: tuple[Tool, ...] = ("give_verdict",) if stage.verdict else ()
    if rest == (REMINDER,):  # it is asked for the verdict alone, and nothing else of it is kept
        return verdict
    in_group = any(isinstance(one, ParallelGroup) for one in around)  # D8: items never have what follows
    ends_loop: tuple[Tool, ...] = ("exit_loop",) if not in_group and _ends_loop(stage, around) else ()
    is_final = not in_group and path == _last_turn(definition.stages)  # K6, K7, K9
    ends_workflow: tuple[Tool, ...] = ("finish_workflow",) if is_final else ()
    return (*verdict, *_EVERYWHERE, *ends_loop, *ends_workflow)


def _ends_loop(stage: AgentTurn, around: Sequence[Loop | ParallelGroup]) -> bool:
    """Whether the stage is the tail of the innermost loop (K6, K7, K39), which counts passes and has no judge (D8)."""
    inner = around[-1] if around else None
    if not isinstance(inner, Loop) or inner.over or has_verdict(inner.body):
        return False
    return _last_turn(inner.body) == (stage.id,)


def _last_turn(stages: Sequence[Stage]) -> _Path | None:
    """The last `agent_turn` on the sequential path, inner loops included and items of groups not (D8)."""
    for stage in reversed(stages):
        if isinstance(stage, AgentTurn):
            return (stage.id,)
        if isinstance(stage, Loop) and (within := _last_turn(stage.body)) is not None:
            return (stage.id, *within)
    return None


def _place(definition: Definition, key: str) -> tuple[_Path, list[Loop | ParallelGroup], _Path]:
    """The ids down to the turn's stage, what is around it, and what its key has behind the stage."""
    names = tuple(part.partition("[")[0] for part in key.split("/"))
    around: list[Loop | ParallelGroup] = []
    stages: Sequence[Stage] = definition.stages
    for number, name in enumerate(names, start=1):
        found = next((one for one in stages if one.id == name), None)
        if not isinstance(found, Loop | ParallelGroup):
            return names[:number], around, names[number:]
        around.append(found)
        stages = found.body
    return names, around, ()


def is_written_by_us(definition: Definition, name: str) -> bool:
    """Whether an artifact of that name is one of the definition's: what a gate or a `skip_when` looks at.

    Only the engine writes those; else a turn could talk its way through a gate.
    """
    return any(pattern.fullmatch(fold(name)) for pattern in _patterns(tuple(sorted(set(_files(definition))))))


def _files(definition: Definition) -> Iterator[str]:
    for spec in definition.close_artifacts:
        yield spec.file
    for _, stage in walk_stages(definition.stages):
        if isinstance(stage, AgentTurn | Loop) and stage.artifact is not None:
            yield stage.artifact.file
        if isinstance(stage, AgentTurn | Check) and isinstance(stage.skip_when, ArtifactExists):
            yield stage.skip_when.artifact_exists


@lru_cache(maxsize=16)
def _patterns(files: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    """A name may hold variables, as in ``loop-review-{{pass}}.md``: they stand for anything."""
    return tuple(re.compile(".*".join(re.escape(fold(part)) for part in _VARIABLE.split(file))) for file in files)
