"""Leaves that a person answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sprintwright.engine.lane import Lane
from sprintwright.engine.ports import Answer, Question
from sprintwright.engine.prompt import rendered
from sprintwright.engine.run import Run
from sprintwright.errors import Operational
from sprintwright.model.definition import UserCheckpoint
from sprintwright.model.records import QuestionKind, Started
from sprintwright.model.results import AnswerResult
from sprintwright.model.verdict import UNKNOWN, Action
from sprintwright.text import fold

MORE, ACCEPT, STOP = "more", "accept", "stop"
"""What can be done with a loop whose passes are used up."""


async def user_checkpoint(run: Run, stage: UserCheckpoint, lane: Lane, key: str) -> Action | None:
    """Ask, wait, and keep the answer; an empty answer is an answer. With verdict keys the answer is a verdict."""
    choices = tuple(name for name in stage.verdict if name != UNKNOWN)
    answer = await ask(run, lane, key, "checkpoint", lambda: rendered(run, stage.prompt, lane), choices)
    chosen = named(answer, choices)
    lane.save(stage.save_as, "" if chosen else answer)
    if not choices:
        return None
    if chosen:
        return stage.verdict[chosen].action
    return "retry"


def named(answer: str, choices: tuple[str, ...]) -> str:
    """The choice that an answer names by its whole name; empty when it is something else."""
    word = fold(answer.strip().strip("*`_.! "))
    return next((choice for choice in choices if fold(choice) == word), "")


async def ask(
    run: Run,
    lane: Lane,
    key: str,
    kind: QuestionKind,
    make_text: Callable[[], Awaitable[str]],
    choices: tuple[str, ...] = (),
) -> str:
    """The recorded or given answer. With nobody there the run parks and the question stays open.

    Args:
        make_text: the question; called only when it is really asked.
        choices: the answers to choose from; empty for free text.

    Raises:
        StageFailed: a used-up loop was stopped; nothing is finished by that, so a resume asks again.
    """

    async def start(after: str) -> Started:
        text = run.ports.mask(await make_text())
        return Started(after=after, what="question", question=kind, person=True, text=text, choices=choices)

    async def perform(_sequence: int, begun: Started) -> AnswerResult:
        answer = await put(run, Question(key=key, kind=kind, text=begun.text, choices=choices))
        if kind == "exhausted" and answer.text not in (MORE, ACCEPT):
            raise Operational("stopped", "Stopped by you." if answer.asked else "Nobody could be asked: it stops here.")
        if kind in ("pause", "programs") and answer.text == STOP:
            raise run.park(key, "You stopped here.", "pause_after")
        return AnswerResult(text=run.ports.mask(storable(answer.text)), asked=answer.asked)

    result = await run.leaf(lane, key, start, perform, AnswerResult)
    return result.text


async def put(run: Run, question: Question) -> Answer:
    """The answer that the user gave before the walk, or gives now. Parks the run when there is none."""
    given = run.history.answer_to(question.key, question.text)
    answer = Answer(text=given) if given is not None else await run.ports.people.ask(question)
    if answer is None:
        if question.kind == "pause":
            raise run.park(question.key, f"{question.text} Nothing goes on before you say so.", "pause_after")
        raise run.park(question.key, "A question waits for your answer.", "question")
    return answer


def storable(text: str) -> str:
    """Text that every JSON reader takes: lone surrogates and NUL become U+FFFD (R22)."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "\ufffd")
