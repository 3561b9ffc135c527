"""The `check` stage: real commands, whose exit status decides."""

from __future__ import annotations

from functools import partial

from sprintwright.engine import act, folder
from sprintwright.engine.lane import Lane
from sprintwright.engine.ports import CheckRequest
from sprintwright.engine.question import storable
from sprintwright.engine.run import Run
from sprintwright.engine.skip import skipped
from sprintwright.engine.turn import act_on
from sprintwright.errors import Operational
from sprintwright.model.definition import Check
from sprintwright.model.records import Started
from sprintwright.model.results import TurnResult
from sprintwright.model.verdict import Action

_FOLDER = "{artifacts}"


async def check(run: Run, stage: Check, lane: Lane, key: str) -> Action | None:
    """Walk one `check`. Without verdict keys a failing one ends the run, unless it is inside a loop or group."""
    if await skipped(run, stage, lane, key):
        return None
    before = folder.Before()

    async def start(after: str) -> Started:
        nonlocal before
        await run.calm.wait()
        before = await folder.look(run)
        return Started(after=after, what="check", permissions="workspace_write", before=before.tree, head=before.head)

    async def perform(sequence: int, _begun: Started) -> TurnResult:
        with run.beside.at_work(key) as together:
            began = run.ports.clock.monotonic()
            request = CheckRequest(
                run_id=run.started.run_id,
                key=key,
                folder=run.started.folder,
                commands=tuple(_with_folder(command, run.ports.artifacts.folder) for command in stage.commands),
                format=stage.format,
                timeout_seconds=stage.timeout_seconds,
            )
            answer = await run.ports.checks.run(request, partial(run.ports.output, sequence, key))
            text = run.ports.mask(storable(answer.text))
            if not answer.passed and not stage.verdict and "[" not in key:
                raise Operational(
                    "exit", f"The check {stage.id!r} failed and nothing can mend it here.\n{text[-2000:]}"
                )
            return TurnResult(
                text=text,
                passed=answer.passed,
                verdict=act.judge(answer, text, stage.verdict, answer.findings) if stage.verdict else None,
                findings=answer.findings,
                changes=await folder.compare(run, before, together()),
                warnings=answer.warnings,
                seconds=round(run.ports.clock.monotonic() - began, 3),
            )

    result = await run.leaf(lane, key, start, perform, TurnResult)
    lane.save(stage.save_as, result.text)
    return act_on(run, stage.id, stage.verdict, lane, key, result.verdict) if result.verdict else None


def _with_folder(command: tuple[str, ...], folder: str) -> tuple[str, ...]:
    """The one thing that is inserted into commands: where this run's artifacts are, which no agent can choose."""
    return tuple(
        folder + word.removeprefix(_FOLDER) if f"{word}/".startswith(f"{_FOLDER}/") else word for word in command
    )
