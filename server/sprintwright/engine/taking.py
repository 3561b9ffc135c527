"""One turn as a leaf: its prompt, its agent, what changed meanwhile, and the session that later passes continue."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeAlias

from sprintwright.engine import folder
from sprintwright.engine.desk import TurnDesk
from sprintwright.engine.gate import agree_to_programs
from sprintwright.engine.lane import Lane
from sprintwright.engine.ports import AgentTraits, TurnAnswer, TurnRequest
from sprintwright.engine.retry import with_retry
from sprintwright.engine.run import Run
from sprintwright.engine.silence import Silence, told_after
from sprintwright.engine.slot import Slot
from sprintwright.engine.talk import talk_of
from sprintwright.model.definition import AgentTurn
from sprintwright.model.records import Started
from sprintwright.model.results import Changed, Session, TurnResult

MakePrompt: TypeAlias = Callable[[], Awaitable[str]]
Settle: TypeAlias = Callable[[TurnAnswer, TurnDesk, Changed | None], Awaitable[TurnResult]]


async def take_turn(run: Run, stage: AgentTurn, lane: Lane, key: str, prompt: MakePrompt, settle: Settle) -> TurnResult:
    """The result of one turn, replayed or taken now; ``settle`` makes it of the agent's answer.

    Raises:
        StageFailed, Parked, JournalBroken: as `Run.leaf`.
    """
    agent = run.agent_of(stage.role)
    traits = traits_of(run, stage)
    talk = talk_of(run.definition, stage, key)
    before = folder.Before()
    slot = Slot(None if traits.person else run.ports.slots)
    reads = run.permissions_of(stage.role) == "read_only"

    async def start(attempt: int, after: str) -> Started:
        nonlocal before
        await slot.take(busy)
        await run.calm.wait()
        before = await folder.look(run, reads=reads) if traits.writes else folder.Before()
        return Started(
            after=after,
            what="turn",
            role=stage.role,
            agent=agent,
            permissions=run.permissions_of(stage.role),
            person=traits.person,
            before=before.tree,
            head=before.head,
            said=run.words_for(key),
            attempt=attempt,
        )

    def busy() -> None:
        text = f"{key} waits: as many agents are at work here as may be at the same time."
        run.note(lane, key, "busy", text)

    def warn(seconds: float) -> None:
        text = (
            f"Agent {agent!r} in the role {stage.role!r} has been silent for {seconds:g} seconds in {key}. It may wait "
            "for its service; what it said is in its transcript, and the run can be cancelled and resumed."
        )
        run.note(lane, key, "silent", text)

    async def perform(sequence: int, begun: Started) -> TurnResult:
        with run.beside.at_work(key, reads=reads or not traits.writes) as together:
            began = run.ports.clock.monotonic()
            words = _with_words(await prompt(), begun.said)
            silence = Silence(
                run.ports.clock, None if traits.person else told_after(run.limits.idle_seconds, run.ports.silence), warn
            )
            desk = TurnDesk(run, stage, lane, key, partial(run.ports.output, sequence, key), silence)
            request = _request(run, key, stage, agent, words, talk, desk)
            desk.output("prompt", request.prompt)
            given = run.history.answer_to(key, request.prompt) if traits.person else None
            try:
                async with silence.watched():
                    answer = TurnAnswer(text=given) if given is not None else await run.ports.agents.turn(request, desk)
            finally:
                desk.tools.close()
            changes = (
                await folder.compare(run, before, together(), reads=reads, allowed=desk.allowed)
                if traits.writes
                else None
            )
            if answer.usage is not None:
                run.usage += answer.usage
            result = await settle(answer, desk, changes)
            return result.model_copy(
                update={
                    "seconds": round(run.ports.clock.monotonic() - began, 3),
                    "session": (
                        Session(agent=agent, id=answer.session, counted=answer.counted) if answer.session else None
                    ),
                    "version": desk.version,
                    "usage": answer.usage,
                    "warnings": (*result.warnings, *desk.refused),
                }
            )

    async def in_slot(sequence: int, begun: Started) -> TurnResult:
        try:
            return await perform(sequence, begun)
        finally:
            slot.give()

    try:
        result = await with_retry(run, stage.retry, lane, key, agent, start, in_slot, run.limits.turn_seconds)
    finally:
        slot.give()
    run.talks.took(talk, result.session)
    if result.version:
        run.versions[agent] = result.version
    if result.changes is not None:
        await agree_to_programs(run, lane, key, result.changes.programs)
    return result


def traits_of(run: Run, stage: AgentTurn) -> AgentTraits:
    """What the engine must know of the agent that plays the stage's role."""
    return run.ports.agents.traits(run.agent_of(stage.role))


def _with_words(prompt: str, said: tuple[str, ...]) -> str:
    """The prompt, and behind it what the user has to say meanwhile."""
    return prompt if not said else "\n\n".join((prompt, "The user adds, and it counts more than what is above:", *said))


def _request(run: Run, key: str, stage: AgentTurn, agent: str, prompt: str, talk: str, desk: TurnDesk) -> TurnRequest:
    limits = run.limits
    session = run.talks.session(talk, agent)
    return TurnRequest(
        run_id=run.started.run_id,
        key=key,
        role=stage.role,
        agent=agent,
        prompt=prompt,
        folder=run.started.folder,
        permissions=run.permissions_of(stage.role),
        turn_seconds=limits.turn_seconds,
        idle_seconds=limits.idle_seconds,
        talk=talk,
        session=session.id if session is not None else "",
        counted=session.counted if session is not None else None,
        tools=desk.tools.offered,
        verdicts=desk.tools.verdicts,
    )
