"""The commands: each takes its wire model and calls its verb in `app/`. No policy here."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from typing import Any, TypeVar

from pydantic import BaseModel

from sprintwright.app import acting
from sprintwright.app.again import Wish, carry_out, done_again, plan_rerun, plan_resume
from sprintwright.app.changes import end_of, file_at, span_of
from sprintwright.app.delete import delete
from sprintwright.app.demo import make_demo, start_demo
from sprintwright.app.findings import find_finding, fix_request
from sprintwright.app.live import LiveRun
from sprintwright.app.look import see
from sprintwright.app.restore import preview_restore, restore
from sprintwright.app.runs import require_unowned
from sprintwright.app.start import StartRequest, start
from sprintwright.app.starter import create_workflow
from sprintwright.journal.store import RunFolder
from sprintwright.lsp import arguments, looking, methods, shapes, wire
from sprintwright.lsp.protocol import RawJson
from sprintwright.lsp.session import RunAbout, Session
from sprintwright.lsp.uris import to_uri
from sprintwright.model.effects import Effect, Outcome
from sprintwright.threads import in_thread

A = TypeVar("A", bound=BaseModel)
Result = BaseModel | RawJson
Handler = Callable[[Any], Awaitable[Result]]


def handlers(session: Session) -> dict[str, Handler]:
    """Every command by its name, behind the one guard; wrong arguments raise pydantic's `ValidationError`."""

    def guarded(kind: type[A], verb: Callable[[Session, A], Awaitable[Result]]) -> Handler:
        async def handle(argument: Any) -> Result:
            session.require_trust()
            given = {} if argument is None else argument
            return await verb(session, kind.model_validate(given, by_alias=True, by_name=False))

        return handle

    return {
        methods.WORKFLOW_LIST: guarded(arguments.NoArguments, looking.workflows),
        methods.WORKFLOW_CREATE: guarded(arguments.CreateArguments, workflow_create),
        methods.WORKFLOW_START: guarded(arguments.StartArguments, workflow_start),
        methods.WORKFLOW_RESUME: guarded(arguments.ResumeArguments, workflow_resume),
        methods.WORKFLOW_END: guarded(arguments.EndArguments, workflow_end),
        methods.RUN_CONTINUE: guarded(arguments.GoOnArguments, run_continue),
        methods.RUN_ANSWER: guarded(arguments.AnswerArguments, run_answer),
        methods.RUN_SAY: guarded(arguments.SayArguments, run_say),
        methods.RUN_PAUSE: guarded(arguments.RunArguments, run_pause),
        methods.RUN_CANCEL: guarded(arguments.RunArguments, run_cancel),
        methods.RUN_RECONFIGURE: guarded(arguments.ReconfigureArguments, run_reconfigure),
        methods.RUN_RERUN: guarded(arguments.RerunArguments, run_rerun),
        methods.RUN_RESTORE: guarded(arguments.RestoreArguments, run_restore),
        methods.RUN_DELETE: guarded(arguments.RunArguments, run_delete),
        methods.RUN_LIST: guarded(arguments.NoArguments, looking.runs),
        methods.RUN_GET: guarded(arguments.RunArguments, looking.run),
        methods.RUN_CHANGES: guarded(arguments.ChangesArguments, run_changes),
        methods.RUN_FILE_AT: guarded(arguments.FileAtArguments, run_file_at),
        methods.AGENTS_LIST: guarded(arguments.NoArguments, looking.agents),
        methods.FINDING_DISMISS: guarded(arguments.FindingArguments, finding_dismiss),
        methods.FINDING_FIX: guarded(arguments.FixArguments, finding_fix),
        methods.DEMO_START: guarded(arguments.NoArguments, demo_start),
    }


async def workflow_create(session: Session, given: arguments.CreateArguments) -> wire.WorkflowFileResult:
    """`workflow.create`"""
    folder = session.folder(given.folder)
    path = await in_thread(partial(create_workflow, session.places, folder, given.name, copy=given.copy_known))
    await session.learn_names()
    return wire.WorkflowFileResult(uri=to_uri(path))


async def workflow_start(session: Session, given: arguments.StartArguments) -> wire.OutcomeResult:
    """`workflow.start`"""
    request = StartRequest(
        workflow=given.workflow,
        task=given.task,
        folder=session.folder(given.folder),
        roles=given.roles,
        vars=given.vars,
        max_passes=given.max_passes,
        consent=given.consent,
        concurrent=given.concurrent,
        pause_after=given.pause_after,
        limits=given.limits.limits() if given.limits else None,
        token=given.start_token,
    )
    return await _started(session, request)


async def demo_start(session: Session, _given: arguments.NoArguments) -> wire.OutcomeResult:
    """`demo.start`: on a sample project of its own, so that it needs no folder and no agent."""
    request = await make_demo()
    settings = await in_thread(session.settings, request.folder)
    about = RunAbout()
    begun = await start_demo(request, session.world(request.folder, settings, about), settings)
    return _told(session, begun, about, "started")


async def _started(session: Session, request: StartRequest) -> wire.OutcomeResult:
    settings = await in_thread(session.settings, request.folder)
    about = RunAbout()
    begun = await start(request, session.world(request.folder, settings, about), settings)
    return _told(session, begun, about, "started")


async def workflow_resume(session: Session, given: arguments.ResumeArguments) -> Result:
    """`workflow.resume`"""
    wish = Wish(
        definition=given.definition,
        interrupted=given.interrupted,
        artifacts=given.artifacts,
        max_passes=given.max_passes,
        limits=given.limits.limits() if given.limits else None,
        consent=given.consent,
        concurrent=given.concurrent,
        accept_shorter=given.accept_shorter,
    )
    place, world, about = await _here(session, given.run_id)
    plan = await plan_resume(place, world, wish)
    if given.preview:
        return wire.PreviewResult(run_id=place.run_id, again=tuple(await done_again(plan, world)))
    return _told(session, await carry_out(plan, world, wish), about, "advanced")


async def run_rerun(session: Session, given: arguments.RerunArguments) -> Result:
    """`run.rerun`"""
    wish = Wish(
        interrupted=given.interrupted, artifacts=given.artifacts, consent=given.consent, concurrent=given.concurrent
    )
    place, world, about = await _here(session, given.run_id)
    plan = await plan_rerun(place, world, given.leaf, wish)
    if given.preview:
        return wire.PreviewResult(run_id=place.run_id, again=tuple(await done_again(plan, world)))
    return _told(session, await carry_out(plan, world, wish), about, "advanced")


async def workflow_end(session: Session, given: arguments.EndArguments) -> wire.OutcomeResult:
    """`workflow.end`"""
    place, world, _ = await _here(session, given.run_id)
    return shapes.outcome(await acting.end(place, world, artifacts=given.artifacts))


async def run_continue(session: Session, given: arguments.GoOnArguments) -> wire.OutcomeResult:
    """`run.continue`"""
    place, world, about = await _here(session, given.run_id)
    begun = await acting.continue_run(
        place, world, artifacts=given.artifacts, consent=given.consent, concurrent=given.concurrent
    )
    return _told(session, begun, about, "advanced")


async def run_answer(session: Session, given: arguments.AnswerArguments) -> wire.OutcomeResult:
    """`run.answer`"""
    place, world, about = await _here(session, given.run_id)
    begun = await acting.answer(
        place,
        world,
        given.text,
        question=given.question,
        artifacts=given.artifacts,
        consent=given.consent,
        concurrent=given.concurrent,
    )
    return _told(session, begun, about, "advanced")


async def run_say(session: Session, given: arguments.SayArguments) -> wire.StatusResult:
    """`run.say`"""
    place, world, _ = await _here(session, given.run_id)
    await acting.say(place, world, given.text, lane=given.lane)
    return await looking.status(session, place)


async def run_pause(session: Session, given: arguments.RunArguments) -> wire.StatusResult:
    """`run.pause`"""
    place = await in_thread(session.find, given.run_id)
    await in_thread(acting.pause, session.places, place)
    return await looking.status(session, place)


async def run_cancel(session: Session, given: arguments.RunArguments) -> wire.StatusResult:
    """`run.cancel`"""
    place = await in_thread(session.find, given.run_id)
    await in_thread(acting.cancel, session.places, place)
    return await looking.status(session, place)


async def run_reconfigure(session: Session, given: arguments.ReconfigureArguments) -> wire.ReconfigureResult:
    """`run.reconfigure`"""
    place, world, _ = await _here(session, given.run_id)
    roles = await acting.reconfigure(place, world, given.roles)
    now = await looking.status(session, place)
    return wire.ReconfigureResult(run_id=now.run_id, status=now.status, roles=roles)


async def run_restore(session: Session, given: arguments.RestoreArguments) -> wire.RestoreResult:
    """`run.restore`"""
    place, world, _ = await _here(session, given.run_id)
    done = await restore(place, given.to, world) if given.apply else None
    preview = done.preview if done is not None else await preview_restore(place, given.to, world)
    now = await looking.status(session, place)
    return wire.RestoreResult(
        run_id=place.run_id,
        status=now.status,
        applied=done is not None and bool(done.key),
        to=preview.to,
        changes=shapes.files(preview.plan.changes),
        left=tuple(preview.plan.left),
        conflicts=tuple(preview.plan.conflicts),
        undo=done.undo if done is not None else "",
    )


async def run_delete(session: Session, given: arguments.RunArguments) -> wire.DeleteResult:
    """`run.delete`"""
    place, world, _ = await _here(session, given.run_id)
    await in_thread(require_unowned, session.places, place)
    problems = await delete(place, world)
    await session.runs.look()
    return wire.DeleteResult(run_id=place.run_id, problems=tuple(problems))


async def run_changes(session: Session, given: arguments.ChangesArguments) -> wire.ChangesResult:
    """`run.changes`"""
    place, world, _ = await _here(session, given.run_id)
    seen = await in_thread(see, session.places, place)
    span = span_of(seen, given.leaf)
    end = await end_of(span, world.workspace)
    return wire.ChangesResult(
        run_id=place.run_id,
        leaf=given.leaf,
        before=span.before,
        after=span.after,
        files=shapes.files(await world.workspace.changes(span.before, end)),
        diff=await world.workspace.diff(span.before, end) if given.diff else "",
    )


async def run_file_at(session: Session, given: arguments.FileAtArguments) -> wire.FileAtResult:
    """`run.fileAt`"""
    place, world, _ = await _here(session, given.run_id)
    seen = await in_thread(see, session.places, place)
    text = await file_at(seen, given.tree, given.path, world.workspace)
    return wire.FileAtResult(run_id=place.run_id, tree=given.tree, path=given.path, text=text)


async def finding_dismiss(session: Session, given: arguments.FindingArguments) -> wire.StatusResult:
    """`finding.dismiss`"""
    place, world, _ = await _here(session, given.run_id)
    tracked = find_finding(await in_thread(see, session.places, place), given.finding)
    await acting.dismiss(place, world, tracked.finding.identity)
    return await looking.status(session, place)


async def finding_fix(session: Session, given: arguments.FixArguments) -> wire.OutcomeResult:
    """`finding.fix`"""
    place = await in_thread(session.find, given.run_id)
    tracked = find_finding(await in_thread(see, session.places, place), given.finding)
    session.folder(str(place.folder))
    request = replace(
        fix_request(place, tracked.finding, given.roles),
        consent=given.consent,
        concurrent=given.concurrent,
        token=given.start_token,
    )
    return await _started(session, request)


async def _here(session: Session, run_id: str) -> tuple[RunFolder, Any, RunAbout]:
    """The run, and the world in which this server would go on with it."""
    place = await in_thread(session.find, run_id)
    settings = await in_thread(session.settings, place.folder)
    about = RunAbout(place.run_id, str(place.folder))
    return place, session.world(place.folder, settings, about), about


def _told(session: Session, begun: LiveRun | Outcome, about: RunAbout, effect: Effect) -> wire.OutcomeResult:
    """What was begun is carried on here; what was not is told."""
    if isinstance(begun, Outcome):
        return shapes.outcome(begun)
    session.adopt(begun, about)
    return wire.OutcomeResult(effect=effect, run_id=begun.place.run_id)
