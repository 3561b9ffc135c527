"""The person as an agent: the prompt is shown, the answer is the turn."""

from __future__ import annotations

from sprintwright.engine.ports import People, Question, TurnAnswer, TurnRequest
from sprintwright.engine.signals import Parked


async def turn(request: TurnRequest, people: People) -> TurnAnswer:
    """Ask for the turn. Raises `Parked` when nobody is there or the policy would answer: it can't play a role."""
    answer = await people.ask(Question(key=request.key, kind="turn", text=request.prompt))
    if answer is None or not answer.asked:
        raise Parked(request.key, f"Role {request.role!r} is played by you, and there was no answer.", "question")
    return TurnAnswer(text=answer.text)
