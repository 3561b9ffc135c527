"""The person as an agent: a verdict that was not said is asked for."""

from __future__ import annotations

import pytest

from sprintwright.agents import human
from sprintwright.engine.ports import Answer, Question, TurnRequest
from sprintwright.engine.signals import Parked

KEYS = ("good_to_go", "needs_refinement")


class Typing:
    """Somebody who gives these answers, and none after them."""

    def __init__(self, *answers: str) -> None:
        self._answers = list(answers)
        self.asked: list[Question] = []

    async def ask(self, question: Question) -> Answer | None:
        self.asked.append(question)
        return Answer(text=self._answers.pop(0)) if self._answers else None


def request(*verdicts: str) -> TurnRequest:
    return TurnRequest(
        run_id="r", key="e", role="evaluator", agent="human", prompt="Judge it.", folder="/", permissions="read_only",
        verdicts=verdicts,
    )  # fmt: skip


async def test_a_person_who_gives_no_verdict_is_asked_for_it_with_its_words_and_the_rest_is_kept() -> None:
    somebody = Typing("a.py:1: error: too green", "hm", "needs_refinement")
    answer = await human.turn(request(*KEYS), somebody)
    assert answer.text == "a.py:1: error: too green\n\nneeds_refinement"
    assert [question.choices for question in somebody.asked] == [(), KEYS, KEYS]
    assert "good_to_go or needs_refinement" in somebody.asked[1].text


@pytest.mark.parametrize(
    "text",
    ["needs_refinement", "needs refinement", "Needs-Refinement", "too green\nneeds refinement.", "VERDICT: good_to_go"],
)
async def test_a_verdict_is_understood_as_people_type_it(text: str) -> None:
    somebody = Typing(text)
    assert (await human.turn(request(*KEYS), somebody)).text == text and len(somebody.asked) == 1


async def test_a_turn_that_judges_nothing_is_asked_once() -> None:
    assert (await human.turn(request(), Typing("whatever"))).text == "whatever"


async def test_a_verdict_behind_an_open_fence_counts_alone() -> None:
    assert (await human.turn(request(*KEYS), Typing("```\nx = 1", "good_to_go"))).text == "good_to_go"


async def test_who_goes_away_when_asked_for_the_verdict_has_not_answered() -> None:
    with pytest.raises(Parked):
        await human.turn(request(*KEYS), Typing("no verdict here"))
