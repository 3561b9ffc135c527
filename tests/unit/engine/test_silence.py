"""M88: an agent that is silent beyond half of its limit is told of, once a silence."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

from sprintwright.engine.doubles import ScriptedPeople
from sprintwright.engine.ports import AgentTraits, Answer, Desk, Question
from sprintwright.engine.silence import told_after
from sprintwright.model.records import Noted
from tests.unit.engine.lab import Lab, settle
from tests.unit.engine.support import define, turn


def notes(lab: Lab) -> list[str]:
    return [record.payload.text for record in lab.journal.records if isinstance(record.payload, Noted)]


def lab_of(act: Callable[[Desk], Any], traits: AgentTraits | None = None) -> Lab:
    lab = Lab(define(turn("a"), limits={"idle_seconds": 60}), lambda _request: act)
    if traits is not None:
        lab.agents = Lab(lab.definition, lab.script, traits=traits).agents
    return lab


def test_r053_noise_ends_no_silence() -> None:
    async def act() -> None:
        done = asyncio.Event()
        desks: list[Desk] = []

        async def spins(desk: Desk) -> str:
            desks.append(desk)
            await done.wait()
            return "ok"

        lab = lab_of(spins)
        walk = lab.walk()
        for second in range(29):
            await lab.clock.to(second)
            desks[0].output("text", f"\r| {second}")
        assert not notes(lab)
        await lab.clock.to(30)
        assert len(notes(lab)) == 1
        done.set()
        assert (await walk).status == "completed"

    asyncio.run(act())


def test_m088_each_silence_has_one_warning_with_agent_and_role() -> None:
    async def act() -> None:
        spoke, done = asyncio.Event(), asyncio.Event()

        async def slow(desk: Desk) -> str:
            await spoke.wait()
            desk.output("text", "here")
            await done.wait()
            return "ok"

        lab = lab_of(slow)
        walk = lab.walk()
        await lab.clock.to(29)
        assert not notes(lab)
        await lab.clock.to(30)
        said = [
            "Agent 'a' in the role 'w' has been silent for 30 seconds in a. It may wait for its service; what it said is "
            "in its transcript, and the run can be cancelled and resumed."
        ]
        assert notes(lab) == said
        await lab.clock.to(55)
        assert notes(lab) == said
        spoke.set()
        await lab.clock.to(84)
        assert notes(lab) == said
        await lab.clock.to(90)
        assert notes(lab) == said * 2
        done.set()
        assert (await walk).status == "completed" and len(asyncio.all_tasks()) == 1

    asyncio.run(act())


def test_m088_nothing_is_said_while_the_user_is_asked() -> None:
    async def act() -> None:
        answered, done = asyncio.Event(), asyncio.Event()

        class Slow(ScriptedPeople):
            async def ask(self, question: Question) -> Answer | None:
                await answered.wait()
                return Answer(text="yes")

        async def asks(desk: Desk) -> str:
            await desk.ask("ask", "May I?")
            await done.wait()
            return "ok"

        lab = lab_of(asks)
        lab.people = Slow()
        walk = lab.walk()
        await lab.clock.to(1000)
        assert not notes(lab)
        answered.set()
        await lab.clock.to(1029)
        assert not notes(lab)
        await lab.clock.to(1060)
        assert len(notes(lab)) == 1
        done.set()
        assert (await walk).status == "completed"

    asyncio.run(act())


def test_m088_a_person_may_be_silent() -> None:
    async def act() -> None:
        done = asyncio.Event()

        async def person(_desk: Desk) -> str:
            await done.wait()
            return "ok"

        lab = lab_of(person, AgentTraits(person=True, writes=False))
        walk = lab.walk()
        await lab.clock.to(1000)
        await settle()
        assert not notes(lab) and not lab.clock.sleeping()
        done.set()
        assert (await walk).status == "completed"

    asyncio.run(act())


def test_b085_a_silence_is_told_of_after_a_minute_at_most_whatever_ends_the_turn() -> None:
    assert [told_after(idle, 60) for idle in (None, 600, 90)] == [60, 60, 45]
    assert told_after(None, None) is None
