"""A one-shot command line as an agent: prompt on standard input, answer on standard output."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from sprintwright.agents.config import CliAgentConfig
from sprintwright.agents.failures import classify
from sprintwright.engine.ports import Output, TurnAnswer, TurnRequest
from sprintwright.errors import Operational
from sprintwright.processes import Finished, Leftovers, child_environment, find_program, run_process
from sprintwright.stops import stop
from sprintwright.text import one_line, without_escapes

_ANSWER_CAP = 64 * 1024 * 1024


async def turn(
    config: CliAgentConfig, request: TurnRequest, parent: Mapping[str, str], leftovers: Leftovers, output: Output
) -> TurnAnswer:
    """Run the command once. Escape codes are taken off its answer.

    Raises:
        Operational: it could not be started (`spawn`), took too long (`timeout`), printed more than is kept
            (`truncated`), or exited with another status than 0 (`sign_in`, `rate_limit` with the ``retry_after`` that
            it told, else `exit`); its answer is never read as a success.
    """
    folder = Path(request.folder)
    program = find_program(config.command[0], path=parent.get("PATH"), folder=folder)
    marks = {"SPRINTWRIGHT_RUN": request.run_id, "SPRINTWRIGHT_LEAF": request.key, "SPRINTWRIGHT_ROLE": request.role}
    finished = await run_process(
        [str(program), *config.command[1:]],
        cwd=folder,
        env=child_environment(parent, {**config.env, **marks}),
        stdin=request.prompt.encode("utf-8", "replace"),
        on_output=lambda stream, text: output("error" if stream == "stderr" else "text", text),
        on_phase=lambda phase: stop(f"turn.{phase}"),
        watch=partial(leftovers.watch, request.run_id),
        idle=request.idle_seconds,
        output_cap=_ANSWER_CAP,
    )
    stop("turn.answered")
    if finished.returncode != 0:
        raise _failure(request, finished)
    if finished.dropped:
        raise Operational(
            "truncated", f"Agent {request.agent!r} printed more than {_ANSWER_CAP} bytes; its answer is not whole."
        )
    return TurnAnswer(text=without_escapes(finished.stdout).strip())


def _failure(request: TurnRequest, finished: Finished) -> Operational:
    """What happened, and what to do where that is known."""
    cause, retry_after = classify(finished.returncode, finished.stderr, finished.stdout)
    said = one_line(finished.stderr[-4000:] or finished.stdout[-4000:], 400) or "it printed nothing"
    exited = f"exited with status {finished.returncode}: {said}"
    if cause == "sign_in":
        resume = f"sprintwright resume {request.run_id}"
        message = (
            f"Agent {request.agent!r} is not signed in; it {exited}\n"
            f"Sign in with the agent's own program, then: {resume}"
        )
        return Operational(cause, message)
    if cause == "rate_limit":
        return Operational(cause, f"Agent {request.agent!r} is rate limited; it {exited}", retry_after=retry_after)
    return Operational(cause, f"Agent {request.agent!r} {exited}")
