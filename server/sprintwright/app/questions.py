"""The open questions of a live run: whoever answers first, here or from elsewhere, counts; the others are told."""

from __future__ import annotations

import asyncio

from sprintwright.engine.ports import Answer, People, Question
from sprintwright.errors import Refused
from sprintwright.text import fold


class OpenQuestions:
    """Implements `sprintwright.engine.ports.People` around the people at this program."""

    def __init__(self, people: People) -> None:
        self._people = people
        self._open: dict[str, tuple[Question, asyncio.Future[Answer | None]]] = {}
        self._answered: dict[str, str] = {}

    async def ask(self, question: Question) -> Answer | None:
        """The first answer, from wherever; None when nobody here can be asked or the run is being paused."""
        future: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self._open[question.key] = (question, future)
        here = asyncio.ensure_future(self._people.ask(question))
        try:
            await asyncio.wait({here, future}, return_when=asyncio.FIRST_COMPLETED)
            if future.done():
                return future.result()
            answer = here.result()
            self._answered[question.key] = "in the program that carries the run on"
            return answer
        finally:
            self._open.pop(question.key, None)
            here.cancel()
            await asyncio.wait({here})

    def answer(self, key: str, text: str) -> str:
        """Answer a question from another program; the key of the one that was meant.

        Args:
            key: which one; empty when there is only one.

        Raises:
            Refused: `no_question`, with those that are open, or who answered first; `bad_argument` for an answer
                that is none of the choices.
        """
        open_keys = [k for k, (_, future) in self._open.items() if not future.done()]
        if not key and len(open_keys) == 1:
            key = open_keys[0]
        if key not in open_keys:
            raise self._none(key, open_keys)
        question, future = self._open[key]
        future.set_result(Answer(text=chosen(question, text)))
        self._answered[key] = "from another program"
        return key

    def was_answered(self, key: str) -> None:
        """Know of an answer that was given before the run was gone on with."""
        self._answered[key] = "from another program"

    def give_up(self) -> None:
        """Nobody answers any more: the run is being paused."""
        for _, future in self._open.values():
            if not future.done():
                future.set_result(None)

    def _none(self, key: str, open_keys: list[str]) -> Refused:
        if key in self._answered:
            return Refused("no_question", f"{key} was already answered, {self._answered[key]}; yours does not count.")
        if open_keys:
            return Refused("no_question", f"Say which question: --question KEY, one of {', '.join(open_keys)}.")
        was = f" {key} is not open." if key else ""
        last = f" The last one was answered {list(self._answered.values())[-1]}." if self._answered else ""
        return Refused("no_question", f"No question of this run is open.{was}{last}")


def chosen(question: Question, text: str) -> str:
    """The answer as it counts. Raises `Refused` when it had to be one of the choices and is none."""
    return one_of(question.choices, text, free=question.kind not in ("exhausted", "pause", "permission", "programs"))


def one_of(choices: tuple[str, ...], text: str, *, free: bool) -> str:
    """The choice that a text names, or with ``free`` the text itself. Raises `Refused`."""
    word = fold(text.strip())
    found = [choice for choice in choices if word and fold(choice).startswith(word)]
    exact = [choice for choice in found if fold(choice) == word]
    if exact or (len(found) == 1 and not free):
        return (exact or found)[0]
    if choices and not free:
        raise Refused("bad_argument", f"The answer is one of: {', '.join(choices)}.")
    return text
