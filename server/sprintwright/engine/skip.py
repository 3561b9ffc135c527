"""Whether a stage is skipped. A skip is a leaf and names its reason; a stage that runs leaves none behind,
except where the outside had to be looked at (`skip_when`)."""

from __future__ import annotations

from sprintwright.engine.lane import Lane
from sprintwright.engine.run import Run
from sprintwright.errors import WorkspaceError
from sprintwright.model.definition import AgentTurn, ArtifactExists, Check, SkipWhen
from sprintwright.model.records import Started
from sprintwright.model.results import SkipResult
from sprintwright.prompts.template import parse_template
from sprintwright.reading.marker import has_line


async def skipped(run: Run, stage: AgentTurn | Check, lane: Lane, key: str) -> bool:
    """Look, record if there is something to record, and say whether the stage is skipped.

    Of the stages of the run itself the first and the last are never skipped by `skip_when`, and of two neighbours
    only the first one is (behaviours-selesai.md 2.3, note 3).
    """
    lane.vars[f"{stage.id}_skipped"] = ""
    if isinstance(stage, AgentTurn) and stage.run_unless_marker_in:
        text = str(lane.vars.get(stage.run_unless_marker_in, ""))
        if has_line(text, stage.run_unless_contains):
            reason = f"{stage.run_unless_marker_in!r} has the line {stage.run_unless_contains!r}."
            return await skip(run, lane, key, reason)
    if stage.skip_when is None or _must_run(run, lane, key):
        return False
    condition = stage.skip_when

    async def perform(_sequence: int, _begun: Started) -> SkipResult:
        reason = await _met(run, condition, lane)
        return SkipResult(skipped=bool(reason), reason=reason)

    return _remember(lane, key, await run.leaf(lane, f"{key}/skip", _start, perform, SkipResult))


def _must_run(run: Run, lane: Lane, key: str) -> bool:
    ids = [stage.id for stage in run.definition.stages]
    if key not in ids:  # a stage in a body
        return False
    place = ids.index(key)
    before = ids[place - 1] if place else ""
    return place in (0, len(ids) - 1) or bool(lane.vars.get(f"{before}_skipped"))


def _remember(lane: Lane, key: str, result: SkipResult) -> bool:
    lane.vars[f"{key.rpartition('/')[2]}_skipped"] = result.reason if result.skipped else ""
    return result.skipped


async def skip(run: Run, lane: Lane, key: str, reason: str) -> bool:
    """Record that a stage is skipped; always True."""

    async def perform(_sequence: int, _begun: Started) -> SkipResult:
        return SkipResult(skipped=True, reason=reason)

    return _remember(lane, key, await run.leaf(lane, f"{key}/skip", _start, perform, SkipResult))


async def _start(after: str) -> Started:
    return Started(after=after, what="skip")


async def _met(run: Run, condition: SkipWhen, lane: Lane) -> str:
    if isinstance(condition, ArtifactExists):
        name = parse_template(condition.artifact_exists).render(lane.vars)
        return f"The artifact {name!r} is there already." if run.ports.artifacts.exists(name) else ""
    if condition == "no_git_history":
        try:
            return "" if await run.ports.workspace.has_history() else "The folder has no git history."
        except WorkspaceError as error:
            return f"The folder's git history can't be read: {error.message}"
    return "The project is empty." if await run.ports.workspace.is_empty() else ""
