"""Questions within a turn, and words of the user for the next prompt."""

from __future__ import annotations

import asyncio

from sprintwright.app.policy import NOBODY, answer_for
from sprintwright.engine.doubles import Act, ScriptedPeople
from sprintwright.engine.ports import Answer, Desk, Question, TurnAnswer, TurnRequest
from sprintwright.engine.walk import walk_run
from sprintwright.model.records import Finished, Said, SetAside, Started
from tests.unit.engine.support import Bench, define, turn


class Policy(ScriptedPeople):
    """Nobody is there, or said `--yes`."""

    def __init__(self, *, agreed: bool) -> None:
        super().__init__()
        self._agreed = agreed

    async def ask(self, question: Question) -> Answer | None:
        self.questions.append(question)
        return answer_for(question, agreed=self._agreed)


def asks(kind: str, text: str, choices: tuple[str, ...] = ()) -> Act:
    async def act(desk: Desk) -> TurnAnswer | str:
        assert kind in ("ask", "permission")
        return (await desk.ask("permission" if kind == "permission" else "ask", text, choices)).text

    return act


def test_k052_a_question_of_a_turn_without_a_person_is_answered_at_once_and_recorded_as_not_asked() -> None:
    for agreed in (False, True):
        bench = Bench(define(turn("a", save_as="a"), turn("b", "{{a}}")), people=Policy(agreed=agreed))
        bench.script = lambda request: asks("ask", "which?") if request.key == "a" else "ok"
        assert bench.run().status == "completed" and bench.prompt("b") == NOBODY
        answer = next(r.payload.value for r in bench.records if r.key == "a/ask-1" and isinstance(r.payload, Finished))
        assert answer == {"text": NOBODY, "asked": False}


def test_k053_x035_a_permission_without_a_person_is_denied_whatever_yes_says() -> None:
    for agreed in (False, True):
        bench = Bench(define(turn("a")), people=Policy(agreed=agreed))
        bench.script = lambda _request: asks("permission", "run rm?", ("allow", "deny"))
        bench.run()
        assert bench.value("a")["text"] == "deny"


def test_a_question_of_a_turn_is_recorded_before_it_is_asked_and_its_answer_before_the_agent_has_it() -> None:
    seen: list[int] = []
    bench = Bench(define(turn("a")))

    def script(_request: TurnRequest) -> Act:
        async def act(desk: Desk) -> TurnAnswer | str:
            answer = await desk.ask("ask", "which?")
            seen.append(bench.journal.durable)
            return answer.text

        return act

    bench.script = script
    bench.people = ScriptedPeople(lambda _q: "blue")
    bench.run()
    keys = [(record.payload.kind, record.key) for record in bench.records]
    asked, answered = keys.index(("started", "a/ask-1")), keys.index(("finished", "a/ask-1"))
    assert asked < answered < keys.index(("finished", "a")) and seen == [answered + 1]


def test_b054_the_questions_of_a_turn_fall_with_it_and_a_finished_turn_is_replayed_without_them() -> None:
    bench = Bench(define(turn("a"), turn("b")), people=ScriptedPeople(lambda _q: "blue"))
    bench.script = lambda request: asks("ask", "which?") if request.key == "a" else "ok"
    bench.run()
    size = len(bench.records)
    bench.run()
    assert len(bench.records) == size and len(bench.people.questions) == 1
    cut = next(n for n, r in enumerate(bench.records) if r.key == "a" and isinstance(r.payload, Finished))
    again = Bench(bench.definition, bench.script, people=bench.people, records=bench.records[:cut])
    again.run()
    assert len(bench.people.questions) == 2, "the turn is done again, and asks again"
    aside = [r.payload for r in again.records if isinstance(r.payload, SetAside)]
    assert aside == []


def test_the_tree_shows_the_question_under_its_turn_and_the_run_waits() -> None:
    states: list[tuple[str, str, str]] = []
    bench = Bench(define(turn("a")))

    def answer(_question: Question) -> str:
        bench.records = list(bench.journal.records)
        state = bench.state
        states.append((state.status, state.nodes["a"].status, state.nodes["a/ask-1"].status))
        assert state.questions["a/ask-1"].inner and state.questions["a/ask-1"].choices == ("x", "y")
        return "x"

    bench.people = ScriptedPeople(answer)
    bench.script = lambda _request: asks("ask", "which?", ("x", "y"))
    bench.run()
    assert states == [("waiting", "running", "waiting")]
    assert bench.state.nodes["a"].status == "done" and not bench.state.questions


def test_b104_the_users_words_reach_the_next_prompt_of_the_lane_once_and_again_when_that_turn_is_done_again() -> None:
    bench = Bench(define(turn("a", "A"), turn("b", "B"), turn("c", "C")))
    bench.decide("", Said(text="mind the gap"))
    bench.run()
    assert "mind the gap" in bench.prompt("a")
    assert bench.prompt("b") == "B" and bench.prompt("c") == "C"
    bench.decide("a", SetAside(keys=("a",), reason="rerun"))
    bench.run()
    assert [r.prompt for r in bench.agents.requests].count("A") == 0, "both prompts of `a` have the words"


def test_words_for_one_item_wait_for_it_and_no_other_prompt_has_them() -> None:
    group = {
        "id": "items",
        "kind": "parallel_group",
        "over": "Item",
        "from": "task",
        "body": [turn("w", "do {{item}}")],
    }
    bench = Bench(define(group), task="## Item 1: a\n\n## Item 10: b\n\n## Item 2: c\n")
    bench.decide("items[1]", Said(text="only you"))
    bench.run()
    assert {key: "only you" in bench.prompt(key) for key in bench.keys} == {
        "items[1]/w": True, "items[10]/w": False, "items[2]/w": False,
    }  # fmt: skip


def test_r022_words_that_come_while_a_turn_works_reach_the_next_one_even_if_the_run_dies_between() -> None:
    bench = Bench(define(turn("a", "A"), turn("b", "B")))

    def script(request: TurnRequest) -> str:
        if request.key == "a":
            run.say("", "late words")
        return "ok"

    bench.script = script
    run = bench.make()
    asyncio.run(walk_run(run))
    assert bench.prompt("a") == "A"
    cut = next(n for n, r in enumerate(bench.journal.records) if r.key == "b" and isinstance(r.payload, Started))
    again = Bench(bench.definition, records=bench.journal.records[:cut])
    again.run()
    assert "late words" in again.prompt("b")
