"""One turn of a role's agent: skip, prompt, answer, marker and second turn, verdict and reminder."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial

from sprintwright.engine import act
from sprintwright.engine.desk import TurnDesk
from sprintwright.engine.gate import pass_gate
from sprintwright.engine.lane import Lane
from sprintwright.engine.ports import AgentTraits, TurnAnswer, TurnRequest
from sprintwright.engine.prompt import rendered
from sprintwright.engine.question import ask, storable
from sprintwright.engine.retry import with_retry
from sprintwright.engine.run import Run
from sprintwright.engine.silence import Silence
from sprintwright.engine.skip import skipped
from sprintwright.errors import Operational
from sprintwright.model.definition import AgentTurn
from sprintwright.model.finding import Finding
from sprintwright.model.records import Started
from sprintwright.model.results import Changed, TurnResult
from sprintwright.model.verdict import UNKNOWN, Action, Verdict
from sprintwright.reading.marker import after_marker

MakePrompt = Callable[[], Awaitable[str]]
_QUOTED = 12_000


async def agent_turn(run: Run, stage: AgentTurn, lane: Lane, key: str) -> Action | None:
    """Walk one `agent_turn`; the action of its verdict, if it has one."""
    if await skipped(run, stage, lane, key):
        return None
    result = await _turn(run, stage, lane, key, partial(rendered, run, stage.prompt, lane))
    if result.questions:
        result = await _after_questions(run, stage, lane, key, result.text)
    lane.save(stage.save_as, result.text)
    action: Action | None = None
    if stage.verdict:
        verdict = result.verdict or Verdict()
        if verdict.key == UNKNOWN and _traits(run, stage).reminded:
            verdict = await _remind(run, stage, lane, key, result)
        action = act_on(run, stage.id, stage.verdict, lane, key, verdict)
    if action != "retry":  # else the loop goes on, and this stage writes its artifact anew
        pass_gate(run, key, result.artifact, result.gate)
    return action


def act_on(run: Run, stage_id: str, rules: act.Rules, lane: Lane, key: str, verdict: Verdict) -> Action | None:
    """The action of a verdict; a rule with ``warn`` says so first."""
    rule = rules.get(verdict.key)
    if rule is None:
        return None
    if rule.warn:
        text = f"Stage {stage_id!r} gave the verdict {verdict.key!r}; the loop goes on with {rule.action!r}."
        run.note(lane, key, "verdict_warning", text)
    return rule.action


async def _after_questions(run: Run, stage: AgentTurn, lane: Lane, key: str, questions: str) -> TurnResult:
    async def text() -> str:
        return questions

    lane.vars[f"{stage.id}_questions"] = questions
    answer = await ask(run, lane, f"{key}/question", "questions", text)
    lane.vars[f"{stage.id}_answer"] = answer
    template = stage.on_answer_prompt or _answered(stage)
    prompt = partial(rendered, run, template, lane)
    return await _turn(run, stage, lane, f"{key}/second_turn", prompt, final=True)


def _answered(stage: AgentTurn) -> str:
    """A second prompt for a stage that has none: an empty one would say nothing."""
    told = f"You asked:\n{{{{{stage.id}_questions}}}}\n\nThe answer:\n{{{{{stage.id}_answer}}}}"
    return f"{stage.prompt}\n\n{told}\n\nAsk nothing more; use your own judgement where the answer is silent."


async def _turn(
    run: Run, stage: AgentTurn, lane: Lane, key: str, prompt: MakePrompt, *, final: bool = False
) -> TurnResult:
    async def settle(answer: TurnAnswer, changes: Changed | None) -> TurnResult:
        return await _settle(run, stage, lane, key, answer, changes, final)

    return await _leaf(run, stage, lane, key, prompt, settle)


async def _leaf(
    run: Run,
    stage: AgentTurn,
    lane: Lane,
    key: str,
    prompt: MakePrompt,
    settle: Callable[[TurnAnswer, Changed | None], Awaitable[TurnResult]],
) -> TurnResult:
    agent = run.agent_of(stage.role)
    traits = _traits(run, stage)
    before = act.Before()

    async def start(attempt: int, after: str) -> Started:
        nonlocal before
        before = await act.look(run) if traits.writes else act.Before()
        return Started(
            after=after,
            what="turn",
            role=stage.role,
            agent=agent,
            permissions=run.permissions_of(stage.role),
            person=traits.person,
            before=before.tree,
            said=run.words_for(key),
            attempt=attempt,
        )

    def warn(seconds: float) -> None:
        text = f"Agent {agent!r} in the role {stage.role!r} has been silent for {seconds:g} seconds in {key}."
        run.note(lane, key, "silent", text)

    async def perform(sequence: int, begun: Started) -> TurnResult:
        with run.beside.at_work(key) as together:
            began = run.ports.clock.monotonic()
            request = _request(run, key, stage, agent, _with_words(await prompt(), begun.said))
            silence = Silence(run.ports.clock, None if traits.person else run.limits.idle_seconds, warn)
            desk = TurnDesk(run, key, partial(run.ports.output, sequence, key), silence)
            desk.output("prompt", request.prompt)
            given = run.history.answer_to(key, request.prompt) if traits.person else None
            async with silence.watched():
                answer = TurnAnswer(text=given) if given is not None else await run.ports.agents.turn(request, desk)
            changes = await act.compare(run, key, before.tree, before.note, together()) if traits.writes else None
            result = await settle(answer, changes)
            return result.model_copy(update={"seconds": round(run.ports.clock.monotonic() - began, 3)})

    return await with_retry(run, stage.retry, lane, key, agent, start, perform, run.limits.turn_seconds)


def _traits(run: Run, stage: AgentTurn) -> AgentTraits:
    return run.ports.agents.traits(run.agent_of(stage.role))


def _with_words(prompt: str, said: tuple[str, ...]) -> str:
    """The prompt, and behind it what the user has to say meanwhile."""
    return prompt if not said else "\n\n".join((prompt, "The user adds, and it counts more than what is above:", *said))


def _request(run: Run, key: str, stage: AgentTurn, agent: str, prompt: str) -> TurnRequest:
    limits = run.limits
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
    )


async def _settle(
    run: Run, stage: AgentTurn, lane: Lane, key: str, answer: TurnAnswer, changes: Changed | None, final: bool
) -> TurnResult:
    """Marker, fall-back, findings, verdict and artifact, in this order (behaviours-milk.md section 6.3)."""
    text = run.ports.mask(storable(answer.text))
    if stage.skip_user_checkpoint_marker and not final:
        if not text.strip():
            raise _empty(stage, "It was to ask its questions or to give its answer")
        behind = after_marker(text, stage.skip_user_checkpoint_marker)
        if behind is None:
            return TurnResult(text=text, questions=True, changes=changes, warnings=answer.warnings)
        if not behind and stage.save_as:
            raise _nothing_behind(stage)
        text = behind
    text = await _never_empty(run, stage, text, changes)
    findings, warnings = _findings(run, stage, answer, text)
    verdict = act.judge(answer, text, stage.verdict, findings) if stage.verdict else None
    if verdict is not None and verdict.key == UNKNOWN and not _traits(run, stage).reminded:
        _must_have_rule(stage)
    artifact, gate = None, ""
    if stage.artifact:
        artifact, gate = await act.write_artifact(run, stage.artifact, lane, stage.save_as, text, key)
    return TurnResult(
        text=text,
        passed=answer.passed,
        verdict=verdict,
        findings=findings,
        artifact=artifact,
        gate=gate,
        changes=changes,
        warnings=(*warnings, *act.read_only_warnings(run.permissions_of(stage.role), changes)),
    )


async def _never_empty(run: Run, stage: AgentTurn, text: str, changes: Changed | None) -> str:
    """The text that goes on: an empty one becomes what the turn changed, or is an error where it is needed."""
    if text.strip():
        return text
    if stage.empty_output_fallback:
        return run.ports.mask(storable(await act.shown_changes(run, changes)))
    if not stage.verdict and (stage.save_as or stage.artifact):
        needed = stage.artifact.file if stage.artifact else stage.save_as
        raise _empty(stage, f"Its text was to become {needed!r}")
    # A review without words is one without a verdict, and its file says so.
    return f"(Role {stage.role!r} gave an empty answer.)" if stage.verdict and stage.artifact else text


def _findings(run: Run, stage: AgentTurn, answer: TurnAnswer, text: str) -> tuple[tuple[Finding, ...], tuple[str, ...]]:
    """Findings of real commands, or those in the words of whoever judges or only reads."""
    if answer.passed is not None or not (stage.verdict or run.permissions_of(stage.role) == "read_only"):
        return answer.findings, answer.warnings
    findings, warnings = act.read_answer_findings(run, text)
    return findings, (*answer.warnings, *warnings)


async def _remind(run: Run, stage: AgentTurn, lane: Lane, key: str, result: TurnResult) -> Verdict:
    """One reminder that asks for the verdict alone. It is not a pass."""
    keys = [name for name in stage.verdict if name != UNKNOWN]

    async def prompt() -> str:
        review = result.text if len(result.text) <= _QUOTED else result.text[-_QUOTED:]
        quoted = "\n".join(f"> {line}" for line in review.splitlines()) or "> (empty)"
        return (
            f"This review was given without a verdict:\n\n{quoted}\n\n"
            f"Do not review again. Reply with one line and nothing else, your verdict on what was reviewed:\n"
            f"VERDICT: <one of {', '.join(keys)}>"
        )

    async def settle(answer: TurnAnswer, changes: Changed | None) -> TurnResult:
        text = run.ports.mask(storable(answer.text))
        verdict = act.judge(answer, text, stage.verdict, result.findings)
        if verdict.key == UNKNOWN:
            _must_have_rule(stage)
        return TurnResult(text=text, verdict=verdict, changes=changes, warnings=answer.warnings)

    reminded = await _leaf(run, stage, lane, f"{key}/reminder", prompt, settle)
    return reminded.verdict or Verdict()


def _must_have_rule(stage: AgentTurn) -> None:
    if UNKNOWN not in stage.verdict:
        keys = ", ".join(repr(name) for name in stage.verdict)
        raise Operational(
            "protocol",
            f"Stage {stage.id!r} gave none of its verdicts ({keys}). Resume to ask again, "
            "or give the stage a rule for 'unknown'.",
            transient=False,
        )


def _nothing_behind(stage: AgentTurn) -> Operational:
    return Operational(
        "empty_answer",
        f"Role {stage.role!r} wrote the line {stage.skip_user_checkpoint_marker!r} in stage {stage.id!r}, and nothing "
        "behind it: what stands behind that line is the answer. Resume to try it again.",
    )


def _empty(stage: AgentTurn, meant: str) -> Operational:
    return Operational(
        "empty_answer",
        f"Role {stage.role!r} gave an empty answer in stage {stage.id!r}. {meant}. Resume to try it again.",
    )
