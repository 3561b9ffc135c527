"""The person as an agent: the prompt is shown, the answer is the turn."""

from __future__ import annotations

from sprintwright.engine.ports import People, Question, TurnAnswer, TurnRequest
from sprintwright.engine.signals import Parked
from sprintwright.reading.typed import holds_verdict


async def turn(request: TurnRequest, people: People) -> TurnAnswer:
    """Ask for the turn, and for its verdict where that is wanted and was not said.

    Raises:
        Parked: nobody is there, or the policy would answer: it can't play a role.
    """
    text = await _ask(request, people, request.prompt)
    keys = request.verdicts
    if keys and not holds_verdict(text, keys):
        verdict = ""
        while not holds_verdict(verdict, keys):
            words = f"What you said holds no verdict. Which one is it: {' or '.join(keys)}? The rest is kept."
            verdict = await _ask(request, people, words, keys)
        whole = f"{text}\n\n{verdict}"
        text = whole if holds_verdict(whole, keys) else verdict  # behind an open fence it would not be read
    return TurnAnswer(text=text)


async def _ask(request: TurnRequest, people: People, text: str, choices: tuple[str, ...] = ()) -> str:
    answer = await people.ask(Question(key=request.key, kind="turn", text=text, choices=choices))
    if answer is None or not answer.asked:
        raise Parked(request.key, f"Role {request.role!r} is played by you, and there was no answer.", "question")
    return answer.text
