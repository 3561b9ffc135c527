"""A small bench for the engine: a definition in, what happened out."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from typing import Any

from sprintwright.engine.doubles import (
    InMemoryArtifacts,
    InMemoryWorkspace,
    Script,
    ScriptedAgents,
    ScriptedChecks,
    ScriptedPeople,
    scripted_ports,
)
from sprintwright.engine.history import History
from sprintwright.engine.ports import AgentTraits
from sprintwright.engine.run import Run
from sprintwright.engine.walk import walk_run
from sprintwright.journal.memory import InMemoryJournal
from sprintwright.model.definition import Definition
from sprintwright.model.outline import outline_of
from sprintwright.model.records import Ended, Failed, Left, Noted, Payload, Record, RunStarted
from sprintwright.model.value import Json
from sprintwright.state.fold import RunState, fold

JUDGE = {"good": {"action": "break"}, "again": {"action": "retry"}, "unknown": {"action": "retry", "warn": True}}


def turn(stage_id: str, prompt: str = "do", **more: Any) -> dict[str, Any]:
    return {"id": stage_id, "kind": "agent_turn", "role": "w", "prompt": prompt, **more}


def define(*stages: dict[str, Any], **more: Any) -> Definition:
    return Definition.model_validate({"name": "x", "roles": ["w"], "stages": list(stages), **more})


@dataclass
class Bench:
    """One run over any number of processes."""

    definition: Definition
    script: Script = lambda _request: "ok"
    people: ScriptedPeople = field(default_factory=ScriptedPeople)
    checks: ScriptedChecks | None = None
    workspace: InMemoryWorkspace = field(default_factory=InMemoryWorkspace)
    artifacts: InMemoryArtifacts = field(default_factory=InMemoryArtifacts)
    traits: AgentTraits | None = None
    task: str = "the task"
    max_passes: int = 0
    pause_after: tuple[str, ...] = ()
    records: list[Record] = field(default_factory=list[Record])

    def __post_init__(self) -> None:
        self.agents = ScriptedAgents(lambda request: self.script(request), self.traits)
        self.started = RunStarted(
            run_id="r", workflow="x", origin="o", definition_hash="", task=self.task, folder="/work", roles={"w": "a"},
            max_passes=self.max_passes, pause_after=self.pause_after, outline=outline_of(self.definition.stages),
        )  # fmt: skip
        if not self.records:
            self.records = [Record(1, "", "", self.started)]

    def make(self) -> Run:
        self.journal = InMemoryJournal(self.records)
        ports = scripted_ports(
            self.journal, self.agents, people=self.people, checks=self.checks, workspace=self.workspace,
            artifacts=self.artifacts,
        )  # fmt: skip
        return Run(self.definition, self.started, ports, History.load(self.records))

    def run(self) -> Ended:
        """Walk to the end; the agents' calls are in ``keys``."""
        run = self.make()
        try:
            return asyncio.run(walk_run(run))
        finally:
            self.records = self.journal.records

    def decide(self, key: str, payload: Payload) -> None:
        """Record a decision of the user before the next walk."""
        self.records.append(Record(len(self.records) + 1, "", key, payload))

    @property
    def keys(self) -> list[str]:
        return [request.key for request in self.agents.requests]

    def prompt(self, key: str) -> str:
        return next(request.prompt for request in reversed(self.agents.requests) if request.key == key)

    def value(self, key: str) -> dict[str, Json]:
        return History.load(self.records).finished[key].value

    @property
    def state(self) -> RunState:
        return fold(self.records)

    def notes(self) -> list[str]:
        return [record.payload.text for record in self.records if isinstance(record.payload, Noted)]

    def left(self) -> dict[str, str]:
        return {record.key: record.payload.outcome for record in self.records if isinstance(record.payload, Left)}

    def failures(self) -> list[Failed]:
        return [record.payload for record in self.records if isinstance(record.payload, Failed)]
