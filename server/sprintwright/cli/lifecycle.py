"""The life cycle of a workflow in words, from the definition alone: numbered phases, what each writes and waits for."""

from __future__ import annotations

from collections.abc import Iterator

from sprintwright.model.definition import (
    AgentTurn,
    ArtifactExists,
    ArtifactSpec,
    BoardSeed,
    Check,
    Definition,
    Loop,
    ParallelGroup,
    SkipWhen,
    Stage,
    UserCheckpoint,
)
from sprintwright.model.verdict import VerdictRule
from sprintwright.text import one_line

Line = tuple[int, str, str]
"""Depth, mark (a number or empty), text."""

_SKIPS = {"no_git_history": "the folder has no git history", "empty_project": "the folder is empty"}
_USED_UP = {
    "fail": "the run ends as not converged, with its open findings (exit 3)",
    "continue": "the run goes on with what there is",
    "ask": "you are asked: one more round, accept it, or stop",
}


def phases(definition: Definition) -> Iterator[Line]:
    """The stages in order, each with the lines about it one deeper."""
    yield from _stages(definition.stages, "", 0)


def ending(definition: Definition) -> Iterator[str]:
    """How a run of it ends, in sentences."""
    if definition.completion == "explicit":
        yield "When the last phase is done, the run is ready to be ended: it waits for `end`."
    else:
        yield "When the last phase is done, the run is completed."
    for spec in definition.close_artifacts:
        yield f"Before that it needs {_artifact(spec)}."
    if definition.outcome == "required":
        yield "The last phase has to name the outcome (finish_workflow); it is reminded once."


def _stages(stages: tuple[Stage, ...], above: str, depth: int) -> Iterator[Line]:
    for number, stage in enumerate(stages, start=1):
        mark = f"{above}{number}."
        yield depth, mark, f"{one_line(stage.id, 60)}: {_what(stage)}"
        for text in _about(stage):
            yield depth + 1, "", text
        if isinstance(stage, Loop | ParallelGroup):
            yield from _stages(stage.body, mark, depth + 1)
        for text in _behind(stage):
            yield depth + 1, "", text


def _what(stage: Stage) -> str:
    match stage:
        case AgentTurn(role=role):
            return f"the {one_line(role, 40)} takes a turn"
        case Check(commands=commands):
            shown = "; ".join(" ".join(command) for command in commands)
            return f"runs {one_line(shown, 200)}"
        case Loop(over=over) if over:
            return f"for each heading `{one_line(over, 40)} N`{_of(stage.source)}"
        case Loop():
            return _passes(stage)
        case ParallelGroup():
            at_once = max(1, stage.max_concurrency)
            return f"for each heading `{one_line(stage.over, 40)} N`{_of(stage.source)}, {at_once} at the same time"
        case UserCheckpoint():
            return "asks you, and waits for the answer"
        case BoardSeed():
            return f"fills the board from the headings `{one_line(stage.over, 40)} N`{_of(stage.source)}"


def _of(source: str) -> str:
    return f" of {one_line(source, 40)}" if source else ""


def _is_endless(loop: Loop) -> bool:
    return not (loop.max_iterations or loop.max_iterations_from)


def _passes(loop: Loop) -> str:
    goal = f" at {one_line(loop.goal, 60)}" if loop.goal else ""
    if loop.max_iterations_from and loop.source:  # without a text there is nothing that could say it
        line = f"`{one_line(loop.max_iterations_from, 40)}: N`{_of(loop.source)} says"
        without = f" ({loop.max_iterations} when it says nothing)" if loop.max_iterations else ""
        return f"as many passes{goal} as {line}{without}"
    return f"at most {loop.max_iterations} passes{goal}" if loop.max_iterations else f"passes{goal}, without a limit"


def _about(stage: Stage) -> Iterator[str]:
    if (skip := getattr(stage, "skip_when", None)) is not None:
        yield f"skipped when {_skip(skip)}"
    if isinstance(stage, AgentTurn):
        yield from _of_turn(stage)
    if isinstance(stage, AgentTurn) and stage.artifact is not None:
        yield f"writes {_artifact(stage.artifact)}"
    if saved := getattr(stage, "save_as", ""):
        yield f"later prompts know its answer as {one_line(saved, 40)}"
    if verdict := getattr(stage, "verdict", None):
        yield from _verdicts(verdict)


def _behind(stage: Stage) -> Iterator[str]:
    """What follows the body of a loop, or the turn."""
    if isinstance(stage, Loop) and not stage.over and not _is_endless(stage):
        yield f"used up without a good verdict: {_USED_UP[stage.on_exhausted]}"
    if isinstance(stage, Loop) and stage.artifact is not None:
        yield f"at its good end writes {_artifact(stage.artifact)}"
    if isinstance(stage, AgentTurn | Loop) and stage.pause_after:
        yield "then the run pauses, until you `continue`"


def _of_turn(stage: AgentTurn) -> Iterator[str]:
    if stage.run_unless_marker_in:
        line = one_line(stage.run_unless_contains, 60)
        yield f"skipped when {one_line(stage.run_unless_marker_in, 40)} has the line {line}"
    if stage.skip_user_checkpoint_marker:
        marker = one_line(stage.skip_user_checkpoint_marker, 60)
        yield f"asks you first, unless it says {marker} on a line of its own; your answer starts a second turn"
    if stage.empty_output_fallback:
        yield "an empty answer is replaced by what changed in the folder"


def _skip(condition: SkipWhen) -> str:
    if isinstance(condition, ArtifactExists):
        return f"{one_line(condition.artifact_exists, 60)} is there already"
    return _SKIPS[condition]


def _artifact(spec: ArtifactSpec) -> str:
    needs: list[str] = []
    if spec.marker:
        needs.append(f"the line {one_line(spec.marker, 60)}")
    if spec.contains:
        needs.append(f"the text {one_line(spec.contains, 60)!r}")
    if spec.min_bytes:
        needs.append(f"at least {spec.min_bytes} bytes")
    return one_line(spec.file, 80) + (f"; approved only with {' and '.join(needs)}" if needs else "")


def _verdicts(rules: dict[str, VerdictRule]) -> Iterator[str]:
    for action, words in (("break", "ends the loop"), ("retry", "one more pass")):
        keys = [one_line(key, 40) for key, rule in rules.items() if rule.action == action]
        if keys:
            yield f"verdict {' or '.join(keys)}: {words}"
