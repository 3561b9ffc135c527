"""Leaves that a person answers."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from sprintwright.engine.lane import Lane
from sprintwright.engine.ports import Question, QuestionKind
from sprintwright.engine.prompt import rendered
from sprintwright.engine.run import Run
from sprintwright.model.definition import UserCheckpoint
from sprintwright.model.records import Started
from sprintwright.model.results import AnswerResult
from sprintwright.model.verdict import Action


async def user_checkpoint(run: Run, stage: UserCheckpoint, lane: Lane, key: str) -> Action | None:
    """Ask, wait, and keep the answer; an empty answer is an answer."""
    answer = await ask(run, lane, key, "checkpoint", lambda: rendered(run, stage.prompt, lane))
    lane.save(stage.save_as, answer)
    return None


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
    """

    async def start(after: str) -> Started:
        text = run.ports.mask(await make_text())
        return Started(after=after, what="question", person=True, text=text, choices=choices)

    async def perform(_sequence: int, begun: Started) -> AnswerResult:
        answer = await run.ports.people.ask(Question(key=key, kind=kind, text=begun.text, choices=choices))
        if answer is None:
            raise run.park(key, "A question waits for your answer.", "question")
        return AnswerResult(text=run.ports.mask(storable(answer.text)), asked=answer.asked)

    result = await run.leaf(lane, key, start, perform, AnswerResult)
    return result.text


def storable(text: str) -> str:
    """Text that every JSON reader takes: lone surrogates and NUL become U+FFFD (R22)."""
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").replace("\0", "\ufffd")
