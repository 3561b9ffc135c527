"""What a verb does to a run where it stands: the table of behaviours-selesai.md 2.3, pure, without files or tasks."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sprintwright.app.artifacts import ArtifactChoice, Difference, decide
from sprintwright.model.definition import Definition
from sprintwright.model.effects import Effect, Outcome
from sprintwright.model.records import Decided, Ended, Payload
from sprintwright.reading.gate import not_approved
from sprintwright.state.fold import RunState

Decisions = list[tuple[str, Payload]]


@dataclass(frozen=True, slots=True)
class Situation:
    """A run that nobody owns, as a verb finds it."""

    run_id: str
    state: RunState
    definition: Definition
    differences: list[Difference]
    read: Callable[[str], str | None]
    """The artifact of that name as it is now."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a verb answers; with ``walks`` the run goes on, after these decisions."""

    outcome: Outcome
    walks: bool = False
    decisions: Decisions | None = None


def standing(run_id: str, state: RunState, definition: Definition) -> Outcome:
    """The effect that a run's present state stands for; also what an artifact that just landed led to."""
    match state.status:
        case "completed":
            return _say(run_id, state, definition, "closed", "The run is completed.")
        case "terminal_ready":
            text = f"Everything is there. End it: sprintwright end {run_id}"
            return _say(run_id, state, definition, "terminalReady", text)
        case "paused" if state.code == "needs_artifacts":
            return _say(run_id, state, definition, "terminalNeedsArtifacts", state.reason)
        case "paused" if state.code == "blocked":
            text = (
                f"{state.reason} Mend the file and continue, or have it written again: "
                f"sprintwright rerun {run_id} {state.stage}"
            )
            return _say(run_id, state, definition, "blocked", text)
        case _:
            return _say(run_id, state, definition, "advanced", "")


def on_continue(situation: Situation, choice: ArtifactChoice | None) -> Step:
    """`run.continue`. Raises `Refused` (`needs_choice`) where files are not as the run left them."""
    state, run = situation.state, situation.run_id
    if state.status == "completed":
        return _stay(situation, "idle", "The run is completed; there is nothing to continue.")
    if state.status == "terminal_ready":
        return Step(standing(run, state, situation.definition))
    if state.status != "paused":
        text = f"The run does not pause. Go on with it: sprintwright resume {run}"
        return _stay(situation, "noOp", text, reason=state.status)
    match state.code:
        case "question" if state.questions:
            return _stay(
                situation, "noOp", f"A question waits for you: sprintwright answer {run} TEXT", reason="question"
            )
        case "limit":
            return _stay(situation, "noOp", state.reason, reason="limit")
        case "needs_artifacts":
            return _at_the_end(situation, choice)
        case "blocked":
            return _at_the_gate(situation, choice)
        case _:
            decisions = decide(situation.differences, choice)
            if state.code == "pause_after":
                decisions.append((state.stage, Decided(what="answer", text="continue")))
            return Step(_after(situation), walks=True, decisions=decisions)


def on_end(situation: Situation, choice: ArtifactChoice | None) -> Step:
    """`workflow.end`: only the close artifacts count, looked at anew. Raises `Refused` (`needs_choice`)."""
    state, definition = situation.state, situation.definition
    if state.status == "completed":
        return _stay(situation, "idle", "The run is completed already.")
    if not (state.status == "terminal_ready" or (state.status == "paused" and state.code == "needs_artifacts")):
        phase, step = _phase(state, definition)
        last = definition.stages[-1].id
        where = f"The run is at step {step} of {len(definition.stages)} ({phase})"
        text = f"{where}; it can be ended behind the last one, {last}."
        return _stay(situation, "endBlocked", text, missing=last)
    if (problem := _missing(situation)) is not None:
        return _stay(situation, "endBlocked", f"{problem[0]} is needed: {problem[1] or 'it is not there.'}", *problem)
    close = {spec.file for spec in definition.close_artifacts}
    decisions = decide([one for one in situation.differences if one.name in close], choice)
    return Step(
        _say(situation.run_id, state, definition, "closed", "The run is completed."),
        decisions=[*decisions, ("", Ended(status="completed"))],
    )


def _at_the_end(situation: Situation, choice: ArtifactChoice | None) -> Step:
    if (problem := _missing(situation)) is not None:
        outcome = standing(situation.run_id, situation.state, situation.definition)
        return Step(outcome.model_copy(update={"missing": problem[0], "reason": problem[1]}))
    decisions = decide(situation.differences, choice)
    done = _say(situation.run_id, situation.state, situation.definition, "terminalReady", "Everything is there.")
    return Step(done.model_copy(update={"missing": "", "reason": ""}), walks=True, decisions=decisions)


def _at_the_gate(situation: Situation, choice: ArtifactChoice | None) -> Step:
    decisions = decide(situation.differences, choice)
    own = next((one for one in situation.differences if one.name == situation.state.missing), None)
    if own is None or choice == "back" or own.what == "deleted":
        outcome = standing(situation.run_id, situation.state, situation.definition)
        return Step(outcome, walks=own is not None and own.what == "deleted" and choice == "mine", decisions=decisions)
    if own.gate:
        text = f"{own.name} is still not approved: {own.gate} Mend it, and continue."
        return _stay(situation, "blocked", text, own.name, own.gate)
    return Step(_after(situation), walks=True, decisions=decisions)


def _missing(situation: Situation) -> tuple[str, str] | None:
    """The first close artifact that is missing, or not approved with its reason."""
    for spec in situation.definition.close_artifacts:
        text = situation.read(spec.file)
        if text is None:
            return spec.file, ""
        if reason := not_approved(spec, text):
            return spec.file, reason
    return None


def _after(situation: Situation) -> Outcome:
    """Where the run goes on: behind the stage that paused it, or in the one that it stopped in."""
    state, definition = situation.state, situation.definition
    phase, step = _phase(state, definition)
    if state.code in ("pause_after", "blocked") and step < len(definition.stages):
        phase, step = definition.stages[step].id, step + 1
    return Outcome(
        effect="advanced", run_id=situation.run_id, phase=phase, step=step, total=len(definition.stages),
        message=f"The run goes on with {phase} (step {step} of {len(definition.stages)}).",
    )  # fmt: skip


def _phase(state: RunState, definition: Definition) -> tuple[str, int]:
    """The stage of the run itself that it stands in, and its place from 1: the last one that has begun."""
    ids = [stage.id for stage in definition.stages]
    at = state.stage.partition("/")[0].partition("[")[0]
    if at in ids:
        return at, ids.index(at) + 1
    begun = [place for place, one in enumerate(ids) if (node := state.nodes.get(one)) and node.status != "not_started"]
    place = begun[-1] if begun else 0
    return ids[place], place + 1


def _say(run_id: str, state: RunState, definition: Definition, effect: Effect, text: str) -> Outcome:
    phase, step = _phase(state, definition)
    before = state.nodes.get(definition.stages[step - 2].id) if step > 1 else None
    return Outcome(
        effect=effect, run_id=run_id, phase=phase, step=step, total=len(definition.stages), missing=state.missing,
        reason=state.gates[phase].reason if effect == "blocked" and phase in state.gates else "",
        skipped=before.id if before is not None and before.status == "skipped" else "", message=text,
    )  # fmt: skip


def _stay(situation: Situation, effect: Effect, text: str, missing: str = "", reason: str = "") -> Step:
    outcome = _say(situation.run_id, situation.state, situation.definition, effect, text)
    return Step(outcome.model_copy(update={"missing": missing, "reason": reason}))
