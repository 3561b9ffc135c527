"""The commands that only look. They run nothing of the folders; what takes a while is done, and written, in threads."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

from sprintwright.app import owners
from sprintwright.app.doctor import ALIASES, problem_of, unknown_names
from sprintwright.app.look import Head, list_runs, see
from sprintwright.app.start import catalogue
from sprintwright.definitions.discovery import Entry
from sprintwright.journal.store import RunFolder
from sprintwright.lsp import arguments, shapes, wire
from sprintwright.lsp.protocol import RawJson
from sprintwright.lsp.session import Session
from sprintwright.lsp.uris import to_uri
from sprintwright.model.definition import stage_to_review
from sprintwright.threads import in_thread

_MOST_RUNS = 500


async def workflows(session: Session, given: arguments.NoArguments) -> wire.WorkflowsResult:
    """`workflow.list`"""
    return await in_thread(_workflows, session, _folders(session, given))


async def runs(session: Session, given: arguments.NoArguments) -> wire.RunsResult:
    """`run.list`"""
    return await in_thread(_runs, session, _folders(session, given))


async def run(session: Session, given: arguments.RunArguments) -> RawJson:
    """`run.get`; read from the disk: what it says is durable, and a long run holds nobody up."""
    return await in_thread(_run, session, given.run_id)


async def agents(session: Session, given: arguments.NoArguments) -> wire.AgentsResult:
    """`agents.list`"""
    folders = _folders(session, given)
    return await in_thread(_agents, session, folders[0] if folders else None)


async def status(session: Session, place: RunFolder) -> wire.StatusResult:
    """How a run stands now."""
    seen = await in_thread(see, session.places, place)
    return wire.StatusResult(run_id=place.run_id, status=seen.state.status)


def _folders(session: Session, given: arguments.NoArguments) -> list[Path]:
    return [session.folder(given.folder)] if given.folder is not None else session.open_folders()


def _workflows(session: Session, folders: list[Path]) -> wire.WorkflowsResult:
    found: dict[tuple[str, Path], wire.WorkflowResult] = {}
    for folder in folders or [None]:
        for entry in catalogue(session.places, folder).entries:
            own = str(folder) if folder is not None and entry.origin == "workspace" else ""
            found.setdefault((entry.name, entry.path), _workflow(entry, own))
    return wire.WorkflowsResult(workflows=tuple(found.values()))


def _workflow(entry: Entry, folder: str) -> wire.WorkflowResult:
    definition = entry.loaded.value
    return wire.WorkflowResult(
        name=entry.name,
        title=definition.title if definition else "",
        description=definition.description if definition else "",
        origin=entry.origin,
        replaces=entry.replaces or "",
        uri=to_uri(entry.path),
        folder=folder,
        roles=tuple(
            wire.RoleResult(name=name, description=role.description, permissions=role.permissions)
            for name, role in (definition.roles.items() if definition else ())
        ),
        vars=dict(definition.vars) if definition else {},
        review_after=stage.id if definition and (stage := stage_to_review(definition)) else "",
        problems=tuple(
            wire.ProblemResult(
                code=one.code, message=one.message, severity=one.severity, line=one.range.line, column=one.range.column
            )
            for one in entry.loaded.problems
        ),
    )


def _runs(session: Session, folders: list[Path]) -> wire.RunsResult:
    heads: dict[str, Head] = {}
    more = False
    for folder in folders:
        found = list(islice(list_runs(session.places, folder), _MOST_RUNS + 1))
        more = more or len(found) > _MOST_RUNS
        heads.update({one.place.run_id: one for one in found[:_MOST_RUNS]})
    newest = sorted(heads.values(), key=lambda one: one.place.run_id, reverse=True)
    return wire.RunsResult(runs=tuple(shapes.head(one, _owner(session, one.place)) for one in newest), more=more)


def _owner(session: Session, place: RunFolder) -> wire.Owner:
    if place.run_id in session.runs.live:
        return "here"
    return "elsewhere" if owners.is_alive(session.places, place.run_id) else "none"


def _run(session: Session, run_id: str) -> RawJson:
    place = session.find(run_id)
    seen = see(session.places, place)
    return RawJson(shapes.run(seen, _owner(session, place)).model_dump_json(by_alias=True).encode())


def _agents(session: Session, folder: Path | None) -> wire.AgentsResult:
    settings = session.settings(folder)
    found: list[wire.AgentResult] = []
    for agent in settings.agents.values():
        plays = [alias for alias in ALIASES if getattr(settings, alias).casefold() == agent.name.casefold()]
        plays += [role for role, name in settings.roles.items() if name.casefold() == agent.name.casefold()]
        found.append(
            wire.AgentResult(
                name=agent.name,
                kind=agent.config.kind,
                origin=agent.origin,
                description=agent.config.description,
                plays=tuple(plays),
                problem=problem_of(agent, folder or Path("/"), session.environment),
            )
        )
    return wire.AgentsResult(agents=tuple(found), problems=(*settings.warnings, *unknown_names(settings)))
