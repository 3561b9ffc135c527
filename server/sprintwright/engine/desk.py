"""What a turn reaches of the engine while it is at work: its live output, and the user."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Literal

from sprintwright.engine import permits
from sprintwright.engine.lane import Lane
from sprintwright.engine.ports import Act, Answer, Question, Stream, ToolAnswer
from sprintwright.engine.question import put, storable
from sprintwright.engine.run import Run
from sprintwright.engine.silence import Silence
from sprintwright.engine.tools import TurnTools
from sprintwright.model.definition import AgentTurn
from sprintwright.model.records import Started
from sprintwright.model.results import AnswerResult
from sprintwright.model.value import Json
from sprintwright.paths import relative_inside
from sprintwright.text import one_line

_MOST_REFUSED = 20
"""Refusals that a turn names; the transcript has them all."""


class TurnDesk:
    """Implements `sprintwright.engine.ports.Desk` for one turn.

    Args:
        stage: whose turn it is; its role's permissions hold.
        key: the turn's; its questions are ``<key>/ask-1``, ``<key>/permission-2``, …
        output: takes the turn's live output.
        silence: told of what the agent does.
    """

    def __init__(
        self, run: Run, stage: AgentTurn, lane: Lane, key: str, output: Callable[[Stream, str], None], silence: Silence
    ) -> None:
        self._run, self._role, self._lane, self._key = run, stage.role, lane, key
        self._output, self._silence = output, silence
        self._asked = 0
        self.tools = TurnTools(run, stage, lane, key, self.ask)
        """Our tools, and what the agent said by them."""
        self.refused: list[str] = []
        """Sentences about what the agent was not allowed to do."""
        self.version = ""
        """What plays, as far as that is known."""
        self.allowed: set[str] = set()
        """Files, relative to the folder, that it was allowed to change."""

    def output(self, stream: Stream, text: str) -> None:
        """Pass live output on, masked."""
        self._silence.said(text)
        self._output(stream, self._run.ports.mask(text))

    async def ask(self, kind: Literal["ask", "permission"], text: str, choices: tuple[str, ...] = ()) -> Answer:
        """The user's answer, or the policy's; recorded before it is handed to the agent."""
        self._asked += 1
        key = f"{self._key}/{kind}-{self._asked}"
        run = self._run
        shown = run.ports.mask(storable(text))
        begun = Started(
            after="",
            what="question",
            question=kind,
            role=self._role,
            inner=True,
            person=True,
            text=shown,
            choices=choices,
        )

        async def act() -> AnswerResult:
            by = f"{self._role} ({run.agent_of(self._role)})"
            answer = await put(run, Question(key=key, kind=kind, text=shown, by=by, choices=choices))
            return AnswerResult(text=run.ports.mask(storable(answer.text)), asked=answer.asked)

        with self._silence.asking():
            made = await run.inner(key, begun, act())
        return Answer(text=made.text, asked=made.asked)

    def plays(self, version: str) -> None:
        """Tell the user of an agent that was replaced since its last turn (faults.md R54, R75)."""
        agent = self._run.agent_of(self._role)
        before = self._run.versions.get(agent, "")
        if before and version and version != before:
            text = f"Agent {agent!r} is another one now: {version}; before it was {before}."
            self._run.note(self._lane, self._key, "version", text)
        self.version = version
        self._run.versions[agent] = version or before

    def asking(self) -> AbstractContextManager[None]:
        """While a person is waited for in another way, and it is not the agent that is silent."""
        return self._silence.asking()

    async def permit(self, act: Act) -> bool:
        """By the role's permissions, else by what the user said or says now; the transcript has each answer."""
        run, role = self._run, self._role
        decision, because = permits.decide(run.permissions_of(role), act, Path(run.started.folder))
        words = run.ports.mask(storable(permits.shown(act)))
        if decision == "ask":
            because = "you said no"
            allowed = run.granted.get((role, words))
            if allowed is None:
                answer = await self.ask("permission", words, permits.choices(act))
                allowed = permits.answered(run.granted, role, words, answer.text)
                because = because if answer.asked else "nobody is here to allow it"
        else:
            allowed = decision == "allow"
        if allowed:
            self.allowed.update(relative_inside(path, Path(run.started.folder)) for path in permits.changed_by(act))
            self.output("note", f"allowed: {words}\n")
        else:
            self.output("note", f"not allowed, for {because}: {words}\n")
            if len(self.refused) < _MOST_REFUSED:
                self.refused.append(f"Permission denied, for {because}: {one_line(words, 200)}")
        return allowed

    async def call(self, tool: str, arguments: Mapping[str, Json]) -> ToolAnswer:
        """Carry out a tool of ours; the transcript has the call and what came of it."""
        self._silence.did()
        answer = await self.tools.call(tool, arguments)
        self.output("note", f"{tool}: {one_line(answer.text, 300)}\n")
        return answer
