"""The artifacts of a run: which stage has to leave one, who wrote it last, and whether it is approved."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from sprintwright.model.records import Outline
from sprintwright.state.node import Gate


class Gates:
    """Gates by stage: those that the outline names from the beginning, others when they are written."""

    def __init__(self) -> None:
        self.by_stage: dict[str, Gate] = {}
        self.written: dict[str, tuple[str, str]] = {}
        """Artifact to the leaf that wrote it last, and the SHA-256 of what it wrote."""

    def outline(self, outlines: Iterable[Outline]) -> None:
        """Know the artifacts of the run's own stages before they are there."""
        for outline in outlines:
            if outline.artifact and outline.id not in self.by_stage:
                self.by_stage[outline.id] = Gate(outline.artifact)

    def finished(self, key: str, value: dict[str, Any]) -> str:
        """Take in what a leaf left; the stage whose gate changed, or nothing."""
        artifact = value.get("artifact")
        if artifact is None:
            return ""
        name, reason = str(artifact["name"]), str(value.get("gate", ""))
        self.by_stage[stage_of(key)] = Gate(name, "not_approved" if reason else "open", reason)
        self.written[name] = (key, str(artifact["sha256"]))
        return stage_of(key)

    def skipped(self, stage: str, reason: str) -> None:
        """A stage that is skipped leaves nothing."""
        if (gate := self.by_stage.get(stage)) is not None:
            self.by_stage[stage] = Gate(gate.file, "skipped", reason)

    def set_aside(self, key: str) -> None:
        """What a leaf left does not count any more: it is written again."""
        stage = stage_of(key.removesuffix("/skip"))
        if (gate := self.by_stage.get(stage)) is not None:
            self.by_stage[stage] = Gate(gate.file)
            if self.written.get(gate.file, ("", ""))[0] == key:
                del self.written[gate.file]


def stage_of(key: str) -> str:
    """The stage whose artifact a leaf writes."""
    return key.removesuffix("/artifact").removesuffix("/second_turn")
