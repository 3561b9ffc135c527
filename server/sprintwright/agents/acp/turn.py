"""One turn of an agent that speaks the protocol."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TypeVar

import acp
from acp import schema

from sprintwright.agents.acp.answer import Heard
from sprintwright.agents.acp.launch import Known, launch_of, preset_of
from sprintwright.agents.acp.pool import Pool
from sprintwright.agents.acp.presets import ASKING, UsageScope
from sprintwright.agents.acp.session import AgentSession
from sprintwright.agents.config import AcpAgentConfig
from sprintwright.engine.ports import Desk, TurnAnswer, TurnRequest
from sprintwright.errors import Operational
from sprintwright.model.usage import Usage
from sprintwright.stops import stop
from sprintwright.threads import in_thread

_Number = TypeVar("_Number", int, float)
_OURS = re.compile(
    r"(?:mcp[_:]{1,3})?sprintwright[_./: ]{1,3}(?P<a>\w+)|(?P<b>\w+) \((?:from )?sprintwright(?: MCP Server)?\)"
)


async def turn(config: AcpAgentConfig, request: TurnRequest, desk: Desk, pool: Pool) -> TurnAnswer:
    """Take one turn with a configured agent. Raises as `converse`."""
    preset = preset_of(config)
    launch = partial(launch_of, request.agent, config, pool.parent, Path(request.folder))
    return await converse(Known(launch, preset.usage, preset.modes, config.model), request, desk, pool)


async def converse(known: Known, request: TurnRequest, desk: Desk, pool: Pool) -> TurnAnswer:
    """Take one turn: continue the session of the request's talk or begin one, ask, and hear the answer out.

    Raises:
        Operational: whatever went wrong with the agent, in words; what it said until then is in the transcript.
    """
    heard = Heard(desk.output, partial(_is_ours, request))
    warnings: list[str] = []
    session = await _session(known, request, desk, pool, warnings)
    try:
        try:
            answer = await session.prompt(request.prompt, desk, heard, request.idle_seconds)
        except acp.RequestError as error:
            # Some answer a load of a session that they don't know as if all were well (agents.md, pydantic-acp).
            await pool.drop(request.run_id, request.talk)
            fresh = request.model_copy(update={"session": ""})
            session = await _session(known, fresh, desk, pool, warnings)
            warnings.append(f"Agent {request.agent!r} did not know its earlier session ({error}); a new one was begun.")
            answer = await _again(session, request, desk, heard)
        heard.close()
        stop("turn.answered")
        used = _usage(session, answer, heard, known.usage)
        text = _text(request, session, heard, answer, used)
    except BaseException as failure:
        if isinstance(failure, Operational) and failure.data.get("usage") is None:
            failure.data["usage"] = _usage(session, None, heard, known.usage)
        await pool.drop(request.run_id, request.talk)
        raise
    if session.tools is not None and not session.tools.connected:
        warnings += pool.bridge.unused(request)
    if session.noise:
        desk.output("note", f"\n{session.noise} lines of its output were no messages of the protocol.\n")
        session.noise = 0
    await pool.keep(request.run_id, request.talk, session)
    return TurnAnswer(
        text=text,
        session=session.id,
        usage=used,
        counted=session.counted if session.counted != Usage() else None,
        warnings=tuple(warnings),
    )


async def _again(session: AgentSession, request: TurnRequest, desk: Desk, heard: Heard) -> schema.PromptResponse:
    try:
        return await session.prompt(request.prompt, desk, heard, request.idle_seconds)
    except acp.RequestError as error:
        raise Operational(
            "protocol", f"Agent {request.agent!r} does not know the session it just began: {error}"
        ) from error


async def _session(known: Known, request: TurnRequest, desk: Desk, pool: Pool, warnings: list[str]) -> AgentSession:
    """A session that may be asked: the live one, or a new process; its mode is set each time."""
    session = pool.take(request.run_id, request.talk, request.session)
    if session is None:
        await pool.drop(request.run_id, request.talk)
        launch = await in_thread(known.launch)
        marks = {
            "SPRINTWRIGHT_RUN": request.run_id,
            "SPRINTWRIGHT_LEAF": request.key,
            "SPRINTWRIGHT_ROLE": request.role,
        }
        launch = replace(launch, env={**launch.env, **marks})  # those of its first turn
        session = await AgentSession.start(launch, partial(pool.leftovers.watch, request.run_id))
        stop("turn.spawned")
        pool.hold(request.run_id, request.talk, session)
        try:
            await session.open(request.session, await pool.servers(request, session))
            if request.counted is not None and session.id == request.session:
                session.counted = request.counted
            await session.tools_seen()
        except BaseException:
            await pool.drop(request.run_id, request.talk)
            raise
        desk.output("note", f"{session.version or request.agent}, session {session.id}\n")
        if session.fresh_because:
            warnings.append(
                f"Agent {request.agent!r} began a new session, for {session.fresh_because}. "
                "It knows of earlier passes what its prompt says."
            )
    try:
        desk.plays(session.version)
        await _prepare(known, request, desk, session, warnings)
    except BaseException:
        await pool.drop(request.run_id, request.talk)
        raise
    return session


async def _prepare(known: Known, request: TurnRequest, desk: Desk, session: AgentSession, warnings: list[str]) -> None:
    session.catalogue = (request.tools, request.verdicts)  # a later pass may have others
    modes = known.modes.get(request.permissions, ())
    mode = await session.set_mode((*modes, *ASKING[request.permissions]))
    if mode:
        desk.output("note", f"mode {mode}\n")
    elif request.permissions != "full":
        desk.output(
            "note", "It offers no mode in which it asks for everything: what it does not ask about, it just does.\n"
        )
    if known.model and not await session.set_model(known.model):
        warnings.append(f"Agent {request.agent!r} does not offer the model {known.model!r}; its own choice is used.")


def _text(
    request: TurnRequest, session: AgentSession, heard: Heard, answer: schema.PromptResponse, used: Usage | None
) -> str:
    """The answer, if the agent came to one."""
    name = request.agent
    match answer.stop_reason:
        case "end_turn":
            return heard.text()
        case "max_tokens":
            what, cause = "The answer of agent {} was cut off at its limit of tokens.", "truncated"
        case "max_turn_requests":
            what, cause = "Agent {} used up its own limit of requests in a turn.", "truncated"
        case "refusal":
            what, cause = "The model of agent {} refused to answer.", "stopped"
        case _ if session.refused:
            raise Operational(
                "permission", f"Agent {name!r} gave up when it was not allowed what it asked for.", usage=used
            )
        case _:
            raise Operational("stopped", f"Agent {name!r} says that its turn was cancelled, and not by us.", usage=used)
    raise Operational(cause, what.format(repr(name)), transient=False, usage=used)


def _usage(
    session: AgentSession, answer: schema.PromptResponse | None, heard: Heard, scope: UsageScope
) -> Usage | None:
    """What this turn used, whatever the agent counts; None when it does not say.

    What an agent counts for its whole session is brought down to the turn. One that counts less than before has begun
    anew, as some do in a new process.
    """
    told = answer.usage if answer is not None else None
    before, cost = session.counted, None
    if heard.cost is not None:
        cost = _since(before.cost or 0.0, heard.cost)
        session.counted = before.model_copy(update={"cost": heard.cost})
    if told is None and heard.read + heard.wrote:
        return Usage(
            input_tokens=heard.read,
            output_tokens=heard.wrote,
            cached_tokens=heard.cached,
            cost=cost,
            precision="lower_bound",
        )
    if told is None:
        return Usage(cost=cost, precision="lower_bound") if cost is not None else None
    used = Usage(
        # Some count what came from a cache apart.
        input_tokens=max(0, told.input_tokens, told.total_tokens - told.output_tokens),
        output_tokens=max(0, told.output_tokens),
        cached_tokens=max(0, told.cached_read_tokens or 0),
        cost=cost,
        precision="lower_bound" if scope == "last_request" else "exact",
    )
    if scope != "session":
        return used
    session.counted = used.model_copy(update={"cost": session.counted.cost})
    return used.model_copy(
        update={
            "input_tokens": _since(before.input_tokens, used.input_tokens),
            "output_tokens": _since(before.output_tokens, used.output_tokens),
            "cached_tokens": _since(before.cached_tokens, used.cached_tokens),
        }
    )


def _since(before: _Number, now: _Number) -> _Number:
    return now - before if now >= before else now


def _is_ours(request: TurnRequest, title: str, kind: str) -> bool:
    """Whether a tool call is one of our tools: by its whole title, for a command can hold any words."""
    found = _OURS.fullmatch(title.strip())
    named = found and (found["a"] or found["b"])
    return kind != "execute" and named in request.tools
