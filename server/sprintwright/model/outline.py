"""The stages of a definition as the tree shows them before they start."""

from __future__ import annotations

from sprintwright.model.definition import AgentTurn, Loop, ParallelGroup, Stage
from sprintwright.model.records import Outline


def outline_of(stages: tuple[Stage, ...]) -> tuple[Outline, ...]:
    """Ids, kinds and roles, bodies included."""
    return tuple(
        Outline(
            id=stage.id,
            kind=stage.kind,
            role=stage.role if isinstance(stage, AgentTurn) else "",
            artifact=stage.artifact.file if isinstance(stage, AgentTurn | Loop) and stage.artifact else "",
            body=outline_of(stage.body) if isinstance(stage, Loop | ParallelGroup) else (),
        )
        for stage in stages
    )
