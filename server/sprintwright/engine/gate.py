"""Gates: what stops a run until an artifact is good, and the pauses that a definition or the user asks for."""

from __future__ import annotations

from sprintwright.engine import act
from sprintwright.engine.lane import Lane
from sprintwright.engine.question import ask
from sprintwright.engine.run import Run
from sprintwright.model.definition import AgentTurn, ArtifactSpec, Loop, Stage
from sprintwright.model.records import Ended, Started
from sprintwright.model.results import ArtifactResult, ArtifactVersion
from sprintwright.prompts.template import parse_template
from sprintwright.reading.gate import not_approved
from sprintwright.text import one_line

CONTINUE, STOP = "continue", "stop"


def pass_gate(run: Run, key: str, artifact: ArtifactVersion | None, reason: str) -> None:
    """Go on, or park because the artifact of a stage is not approved. No repair turn is started by itself."""
    if artifact is not None and reason:
        raise run.park(
            key, f"{artifact.name} was written, but is not approved: {reason}", "blocked", missing=artifact.name
        )


async def write_loop_artifact(run: Run, spec: ArtifactSpec, lane: Lane, key: str) -> None:
    """The artifact of a loop that came to a good end; only the engine writes it. Its gate may park the run."""

    async def start(after: str) -> Started:
        return Started(after=after, what="artifact")

    async def perform(_sequence: int, _begun: Started) -> ArtifactResult:
        version, reason = await act.write_artifact(run, spec, lane, "", str(lane.vars["previous"]), key)
        return ArtifactResult(artifact=version, gate=reason)

    result = await run.leaf(lane, f"{key}/artifact", start, perform, ArtifactResult)
    if result.text:  # the variable that the file was made of follows the user's change
        lane.vars[parse_template(spec.text or "").sole_name or "previous"] = result.text
    pass_gate(run, key, result.artifact, result.gate)


async def agree_to_programs(run: Run, lane: Lane, key: str, names: tuple[str, ...]) -> None:
    """Before anything else runs: does the user want what a turn changed by which programs run here (X33)?"""
    if not names:
        return

    async def text() -> str:
        listed = "\n".join(f"- {one_line(name, 200)}" for name in names)
        return (
            f"Nobody agreed to these changes of {key}, and by them programs can run on this machine:\n\n{listed}\n\n"
            "Look at them, or put them back as they were; nothing else runs before you say so."
        )

    with run.alarmed():
        await ask(run, lane, f"{key}/programs", "programs", text, (CONTINUE, STOP))


async def pause_after(run: Run, stage: Stage, lane: Lane, key: str) -> None:
    """Wait for the user's word to go on, where the definition or the start asked for it."""
    if not (getattr(stage, "pause_after", False) or stage.id in run.started.pause_after):
        return

    async def text() -> str:
        place = [other.id for other in run.definition.stages].index(key) + 1 if "/" not in key and "[" not in key else 0
        step = f" (step {place} of {len(run.definition.stages)})" if place else ""
        spec = stage.artifact if isinstance(stage, AgentTurn | Loop) else None
        left = f" It left {run.ports.artifacts.folder}/{parse_template(spec.file).render(lane.vars)}." if spec else ""
        return f"{key}{step} is done.{left} Look at it, then go on."

    await ask(run, lane, f"{key}/pause", "pause", text, (CONTINUE, STOP))


def close(run: Run, lane: Lane) -> Ended:
    """How a run ends whose stages are all done: the close artifacts are looked at anew, in their order."""
    for spec in run.definition.close_artifacts:
        name = parse_template(spec.file).render(lane.vars)
        content = run.ports.artifacts.read(name)
        reason = "it is not there." if content is None else not_approved(spec, content)
        if reason:
            return Ended(
                status="paused",
                code="needs_artifacts",
                missing=name,
                reason=f"{name} is needed to end the run: {reason}",
            )
    return Ended(status="terminal_ready" if run.definition.completion == "explicit" else "completed")
