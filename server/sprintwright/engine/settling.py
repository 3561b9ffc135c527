"""What a turn's answer comes to: marker, text, findings, verdict, artifact."""

from __future__ import annotations

from sprintwright.engine import act, folder
from sprintwright.engine.desk import TurnDesk
from sprintwright.engine.lane import Lane
from sprintwright.engine.ports import TurnAnswer
from sprintwright.engine.question import storable
from sprintwright.engine.run import Run
from sprintwright.engine.taking import traits_of
from sprintwright.errors import Operational
from sprintwright.model.definition import AgentTurn
from sprintwright.model.finding import Finding
from sprintwright.model.results import Changed, TurnResult
from sprintwright.model.verdict import UNKNOWN
from sprintwright.reading.marker import after_marker


async def settle_turn(
    run: Run,
    stage: AgentTurn,
    lane: Lane,
    key: str,
    answer: TurnAnswer,
    desk: TurnDesk,
    changes: Changed | None,
    final: bool,
) -> TurnResult:
    """Marker, fall-back, findings, verdict and artifact, in this order (behaviours-milk.md section 6.3)."""
    text = run.ports.mask(storable(answer.text))
    if stage.skip_user_checkpoint_marker and not final:
        if not text.strip():
            raise _empty(stage, "It was to ask its questions or to give its answer")
        behind = after_marker(text, stage.skip_user_checkpoint_marker)
        if behind is None:
            return TurnResult(
                text=text,
                questions=True,
                findings=desk.tools.findings,
                changes=changes,
                warnings=answer.warnings,
                report=desk.tools.report,
            )
        if not behind and stage.save_as:
            raise _nothing_behind(stage)
        text = behind
    text = await _never_empty(run, stage, text, changes)
    findings, warnings = _findings(run, stage, answer, text)
    findings = (*findings, *desk.tools.findings)
    verdict = act.judge(answer, text, stage.verdict, findings, desk.tools.verdict) if stage.verdict else None
    if verdict is not None and verdict.key == UNKNOWN and not traits_of(run, stage).reminded:
        must_have_rule(stage)
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
        warnings=(*warnings, *folder.read_only_warnings(changes)),
        exits=desk.tools.exits,
        report=desk.tools.report,
    )


async def _never_empty(run: Run, stage: AgentTurn, text: str, changes: Changed | None) -> str:
    """The text that goes on: an empty one becomes what the turn changed, or is an error where it is needed."""
    if text.strip():
        return text
    if stage.empty_output_fallback:
        return run.ports.mask(storable(await folder.shown_changes(run, changes)))
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


def must_have_rule(stage: AgentTurn) -> None:
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
