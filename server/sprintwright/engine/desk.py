"""What a turn reaches of the engine while it is at work: its live output, and the user."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

from sprintwright.engine.ports import Answer, Question, Stream
from sprintwright.engine.question import put, storable
from sprintwright.engine.run import Run
from sprintwright.engine.silence import Silence
from sprintwright.model.records import Started
from sprintwright.model.results import AnswerResult


class TurnDesk:
    """Implements `sprintwright.engine.ports.Desk` for one turn.

    Args:
        key: the turn's; its questions are ``<key>/ask-1``, ``<key>/permission-2``, …
        output: takes the turn's live output.
        silence: told of what the agent does.
    """

    def __init__(self, run: Run, key: str, output: Callable[[Stream, str], None], silence: Silence) -> None:
        self._run, self._key, self._output, self._silence = run, key, output, silence
        self._asked = 0

    def output(self, stream: Stream, text: str) -> None:
        """Pass live output on, masked."""
        self._silence.heard()
        self._output(stream, self._run.ports.mask(text))

    async def ask(self, kind: Literal["ask", "permission"], text: str, choices: tuple[str, ...] = ()) -> Answer:
        """The user's answer, or the policy's; recorded before it is handed to the agent."""
        self._asked += 1
        key = f"{self._key}/{kind}-{self._asked}"
        run = self._run
        shown = run.ports.mask(storable(text))
        begun = Started(after="", what="question", question=kind, inner=True, person=True, text=shown, choices=choices)

        async def act() -> AnswerResult:
            answer = await put(run, Question(key=key, kind=kind, text=shown, choices=choices))
            return AnswerResult(text=run.ports.mask(storable(answer.text)), asked=answer.asked)

        with self._silence.asking():
            made = await run.inner(key, begun, act())
        return Answer(text=made.text, asked=made.asked)
