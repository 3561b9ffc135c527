"""A one-shot command line as an agent: prompt on standard input, answer on standard output.

A command is any program; what it prints is the answer. A preset is a known one: it is told what the role may do, its
events are read as they come (`reading.py`), and its session can be gone on with.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from sprintwright.agents.bridge.shared import SharedBridge
from sprintwright.agents.cli.presets import call_of, is_session, takes_tools, with_tools
from sprintwright.agents.cli.reading import Reading, ThreadTotals
from sprintwright.agents.config import CliAgentConfig, Preset, command_setting
from sprintwright.agents.failures import classify, ending
from sprintwright.engine.ports import Desk, Output, TurnAnswer, TurnRequest
from sprintwright.errors import Operational
from sprintwright.processes import Finished, Leftovers, child_environment, find_program, run_process
from sprintwright.processes.run import OnOutput
from sprintwright.pulse import Pulse
from sprintwright.stops import stop
from sprintwright.text import one_line, without_escapes
from sprintwright.threads import in_thread

_ANSWER_CAP = 64 * 1024 * 1024
_TAIL_CAP = 256 * 1024
"""Of a preset's output only the end is kept, to say why something failed: its events are read as they come."""

_totals = ThreadTotals()
"""For as long as this process lives; of a session that an earlier one began, a lower bound is known."""


async def turn(
    config: CliAgentConfig,
    request: TurnRequest,
    desk: Desk,
    parent: Mapping[str, str],
    leftovers: Leftovers,
    bridge: SharedBridge,
) -> TurnAnswer:
    """Run the command once. Escape codes are taken off its answer.

    A preset that does not have the session of the request any more is called once again with a new one; the answer
    then has a warning.

    Raises:
        Operational: it could not be started (`spawn`), took too long (`timeout`), printed more than is kept or was
            cut off by its model (`truncated`), printed a line that is too long (`protocol`), ended its turn because it
            may not do something (`permission`), or failed (`sign_in`, `rate_limit` with the ``retry_after`` that it
            told, else `exit`): exited with another status than 0, or, a preset, did not say that its turn is over.
    """
    desk.plays(_version(await _program(config, request, parent)))
    if config.preset:
        call = partial(_turn_of_preset, config, config.preset, request, parent, leftovers, desk.output)
        if not (request.tools and takes_tools(config.preset, config.env)):
            return await call(())
        tools = await bridge.open(request)
        try:
            async with tools.turn(desk.call, request.tools, request.verdicts):
                answer = await call(tools.command)
            missed = () if tools.connected else bridge.unused(request)
            return answer.model_copy(update={"warnings": (*answer.warnings, *missed)})
        finally:
            await bridge.close(tools)
    finished = await _run(
        config, (), {}, request, parent, leftovers, _ANSWER_CAP,
        lambda stream, text: desk.output("error" if stream == "stderr" else "text", text),
    )  # fmt: skip
    stop("turn.answered")
    if finished.returncode != 0:
        raise _failure(request, finished)
    if finished.dropped:
        raise Operational(
            "truncated", f"Agent {request.agent!r} printed more than {_ANSWER_CAP} bytes; its answer is not whole."
        )
    return TurnAnswer(text=without_escapes(finished.stdout).strip())


async def _turn_of_preset(
    config: CliAgentConfig,
    preset: Preset,
    request: TurnRequest,
    parent: Mapping[str, str],
    leftovers: Leftovers,
    output: Output,
    tools: tuple[str, ...],
) -> TurnAnswer:
    session = request.session if is_session(request.session) else ""
    reading, finished = await _call(config, preset, request, session, parent, leftovers, output, tools)
    if session and reading.misses_session(finished.stderr):
        session = ""
        reading, finished = await _call(config, preset, request, session, parent, leftovers, output, tools)
    stop("turn.answered")
    usage = reading.usage
    if reading.whole_thread:
        usage = _totals.of_turn(reading.session, usage, resumed=bool(session))
    if finished.returncode != 0 or reading.end.kind != "final":
        failure = _failure_of_preset(request, finished, reading)
        failure.data["usage"] = usage
        raise failure
    lost = request.session and not session
    warning = f"Agent {request.agent!r} no longer has the session of its earlier turn; it began a new one."
    return TurnAnswer(text=reading.answer, session=reading.session, usage=usage, warnings=(warning,) if lost else ())


async def _call(
    config: CliAgentConfig,
    preset: Preset,
    request: TurnRequest,
    session: str,
    parent: Mapping[str, str],
    leftovers: Leftovers,
    output: Output,
    tools: tuple[str, ...],
) -> tuple[Reading, Finished]:
    """Call the program once, and read it to its end; ``tools``: how it starts our tool server, if it is to."""
    call = call_of(preset, request.permissions, session=session, model=config.model)
    if tools:
        call = with_tools(preset, call, tools, request.tools, config.env)
    reading = Reading(preset, f"Agent {request.agent!r}", output)
    finished = await _run(
        config, call.arguments, call.env, request, parent, leftovers, _TAIL_CAP,
        lambda stream, text: output("error", text) if stream == "stderr" else reading.feed(text), reading.pulse,
    )  # fmt: skip
    reading.finish()
    return reading, finished


async def _run(
    config: CliAgentConfig,
    arguments: Sequence[str],
    env: Mapping[str, str],
    request: TurnRequest,
    parent: Mapping[str, str],
    leftovers: Leftovers,
    cap: int,
    on_output: OnOutput,
    pulse: Pulse | None = None,
) -> Finished:
    folder = Path(request.folder)
    found = await _program(config, request, parent)
    marks = {"SPRINTWRIGHT_RUN": request.run_id, "SPRINTWRIGHT_LEAF": request.key, "SPRINTWRIGHT_ROLE": request.role}
    return await run_process(
        [str(found), *config.words[1:], *arguments],
        cwd=folder,
        env=child_environment(parent, {**config.env, **env, **marks}),
        stdin=request.prompt.encode("utf-8", "replace"),
        on_output=on_output,
        on_phase=lambda phase: stop(f"turn.{phase}"),
        watch=partial(leftovers.watch, request.run_id),
        idle=request.idle_seconds,
        pulse=pulse,
        output_cap=cap,
    )


async def _program(config: CliAgentConfig, request: TurnRequest, parent: Mapping[str, str]) -> Path:
    setting = command_setting(request.agent)
    find = partial(find_program, path=parent.get("PATH"), folder=Path(request.folder), setting=setting)
    return await in_thread(find, config.words[0])


def _version(program: Path) -> str:
    """Which program that is, and since when: what of it is known without starting it."""
    try:
        real = program.resolve()
        written = datetime.fromtimestamp(real.stat().st_mtime, UTC)
    except (OSError, RuntimeError, OverflowError, ValueError):
        return ""
    return f"{real} of {written:%Y-%m-%d %H:%M:%S}"


def _failure(request: TurnRequest, finished: Finished) -> Operational:
    """What happened, and what to do where that is known."""
    cause, retry_after = classify(finished.returncode, finished.stderr, finished.stdout)
    said = one_line(finished.stderr[-4000:] or finished.stdout[-4000:], 400) or "it printed nothing"
    return _operational(request, cause, retry_after, f"{ending(finished.returncode)}: {said}")


def _failure_of_preset(request: TurnRequest, finished: Finished, reading: Reading) -> Operational:
    """The agent's own words count first; its exit status may be 0 all the same."""
    name, end, code = repr(request.agent), reading.end, finished.returncode
    if end.kind == "cut":
        return Operational("truncated", f"Agent {name} was cut off at its model's limit; its answer is not whole.")
    if end.kind != "failed" and reading.refused and code == 0:
        why = one_line(reading.refused, 200)
        return Operational(
            "permission", f"Agent {name} ended its turn because of something that its role may not do: {why}"
        )
    cause, retry_after = classify(code, end.text, "")
    if cause == "exit":
        cause, retry_after = classify(code, finished.stderr, finished.stdout)
    said = one_line(end.text[-4000:] or finished.stderr[-4000:], 400) or "it did not say why"
    if code < 0:
        what = f"{ending(code)}: {said}"
    elif end.kind == "failed":
        what = f"failed (exit status {code}): {said}"
    elif end.kind == "final":
        what = f"exited with status {code}: {said}"
    else:
        what = f"stopped before its turn was over (exit status {code}): {said}"
    return _operational(request, cause, retry_after, what)


def _operational(request: TurnRequest, cause: str, retry_after: float | None, what: str) -> Operational:
    name = repr(request.agent)
    if cause == "sign_in":
        resume = f"sprintwright resume {request.run_id}"
        message = f"Agent {name} is not signed in; it {what}\nSign in with the agent's own program, then: {resume}"
        return Operational("sign_in", message)
    if cause == "rate_limit":
        return Operational("rate_limit", f"Agent {name} is rate limited; it {what}", retry_after=retry_after)
    return Operational("exit", f"Agent {name} {what}")
