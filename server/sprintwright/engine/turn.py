"""One turn of a role's agent: skip, prompt, answer, marker and second turn, verdict and reminder."""

from __future__ import annotations

from functools import partial

from sprintwright.engine import act
from sprintwright.engine.desk import TurnDesk
from sprintwright.engine.gate import pass_gate
from sprintwright.engine.lane import Lane
from sprintwright.engine.ports import TurnAnswer
from sprintwright.engine.prompt import rendered
from sprintwright.engine.question import ask, storable
from sprintwright.engine.run import Run
from sprintwright.engine.settling import must_have_rule, settle_turn
from sprintwright.engine.skip import skipped
from sprintwright.engine.taking import MakePrompt, take_turn, traits_of
from sprintwright.engine.talk import talk_of
from sprintwright.engine.tool_offer import offered
from sprintwright.model.definition import AgentTurn
from sprintwright.model.results import Changed, TurnResult
from sprintwright.model.verdict import UNKNOWN, Action, Verdict
from sprintwright.reading.typed import as_key

_QUOTED = 12_000


async def agent_turn(run: Run, stage: AgentTurn, lane: Lane, key: str) -> Action | None:
    """Walk one `agent_turn`; the action of its verdict, if it has one."""
    if await skipped(run, stage, lane, key):
        return None
    result = await _turn(run, stage, lane, key, partial(rendered, run, stage.prompt, lane))
    if result.questions:
        result = await _after_questions(run, stage, lane, key, result.text)
    lane.save(stage.save_as, result.text)
    action: Action | None = "break" if result.exits else None
    if stage.verdict:
        verdict = result.verdict or Verdict()
        if verdict.key == UNKNOWN and traits_of(run, stage).reminded:
            verdict = await _remind(run, stage, lane, key, result)
        action = act_on(run, stage.id, stage.verdict, lane, key, verdict)
    if action == "break" or "[" not in key:  # else more passes may come
        await _report(run, stage, lane, key, result)
    if talk_of(run.definition, stage, key) == key:  # no later pass continues it
        await run.ports.agents.leave(run.started.run_id, key)
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


async def _report(run: Run, stage: AgentTurn, lane: Lane, key: str, result: TurnResult) -> None:
    """Where an outcome is required and the last turn told none: one reminder, then a note (behaviours-ask.md K31)."""
    wanted = run.definition.outcome == "required" and "finish_workflow" in offered(run.definition, stage, key)
    if not wanted or result.report is not None:
        return

    async def prompt() -> str:
        return (
            "Your work is done, and its outcome was not reported. Do nothing more but call `finish_workflow` with a "
            "summary and with a link to every pull request, issue or page that came of it."
        )

    async def settle(answer: TurnAnswer, desk: TurnDesk, changes: Changed | None) -> TurnResult:
        text = run.ports.mask(storable(answer.text))
        return TurnResult(text=text, report=desk.tools.report, changes=changes, warnings=answer.warnings)

    reminded = await take_turn(run, stage, lane, f"{key}/outcome", prompt, settle)
    if reminded.report is None:
        run.note(lane, key, "no_outcome", f"No outcome was reported: stage {stage.id!r} did not call finish_workflow.")


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
    async def settle(answer: TurnAnswer, desk: TurnDesk, changes: Changed | None) -> TurnResult:
        return await settle_turn(run, stage, lane, key, _as_meant(run, stage, answer), desk, changes, final)

    return await take_turn(run, stage, lane, key, prompt, settle)


def _as_meant(run: Run, stage: AgentTurn, answer: TurnAnswer) -> TurnAnswer:
    """An answer, with a person's verdict spelt as it is declared."""
    if not traits_of(run, stage).person:
        return answer
    return answer.model_copy(update={"text": as_key(answer.text, stage.verdict)})


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

    async def settle(answer: TurnAnswer, desk: TurnDesk, changes: Changed | None) -> TurnResult:
        text = run.ports.mask(storable(answer.text))
        verdict = act.judge(answer, text, stage.verdict, result.findings, desk.tools.verdict)
        if verdict.key == UNKNOWN:
            must_have_rule(stage)
        return TurnResult(text=text, verdict=verdict, changes=changes, warnings=answer.warnings)

    reminded = await take_turn(run, stage, lane, f"{key}/reminder", prompt, settle)
    return reminded.verdict or Verdict()
