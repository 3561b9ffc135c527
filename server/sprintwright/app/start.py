"""The verb `workflow.start`: everything that can be refused is refused before anything happens."""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from sprintwright import __version__
from sprintwright.app.active import already_active, one_at_a_time
from sprintwright.app.config import Settings, lowest
from sprintwright.app.consent import consent_items, require_consent
from sprintwright.app.delete import tidy
from sprintwright.app.doctor import problem_of
from sprintwright.app.live import LiveRun, World, remember
from sprintwright.app.places import Places
from sprintwright.app.resolve import Resolved, resolve_roles
from sprintwright.app.supported import refuse_unsupported
from sprintwright.app.user_state import UserState
from sprintwright.definitions.discovery import Catalogue, Entry, builtin_folder, discover
from sprintwright.errors import PathRefused, Refused
from sprintwright.journal.store import RunFolder, make_run_folder
from sprintwright.model.definition import Definition, walk_stages
from sprintwright.model.effects import Outcome
from sprintwright.model.limits import DEFAULTS, Limits
from sprintwright.model.outline import outline_of
from sprintwright.model.records import Noted, RunStarted
from sprintwright.paths import is_folder, is_link, write_atomic
from sprintwright.stops import stop
from sprintwright.text import did_you_mean
from sprintwright.threads import in_thread


@dataclass(frozen=True, slots=True)
class StartRequest:
    """What a user asks for. ``roles`` may hold ``primary`` beside the workflow's roles."""

    workflow: str
    task: str
    folder: Path
    roles: Mapping[str, str] = field(default_factory=dict[str, str])
    vars: Mapping[str, str] = field(default_factory=dict[str, str])
    max_passes: int = 0
    consent: str | None = None
    concurrent: bool = False
    """Start although another run is live in the folder."""
    pause_after: tuple[str, ...] = ()
    """Stages after which the run pauses, beside those that the workflow names."""
    limits: Limits | None = None
    """Limits of this run; they can only be lower than what the configuration allows."""
    token: str = ""
    """Made by a client: the same one again is the same run, however often it is sent (R87)."""
    fixes_run: str = ""
    """The run whose finding this one is to mend, for `finding.fix`."""
    fixes_finding: str = ""
    """Identity of that finding."""
    untrusted: bool = False
    """Take nothing from the folder's own `.sprintwright`: neither workflows nor configuration."""


def catalogue(places: Places, folder: Path | None) -> Catalogue:
    """Every definition that can be seen from a folder."""
    ours = folder / ".sprintwright" if folder is not None else None
    workspace = ours / "workflows" if ours is not None and not is_link(ours) else None
    return discover(builtin_folder(), places.workflows, workspace)


def usable_folder(folder: Path) -> Path:
    """The folder to work in, resolved. Raises `Refused` when it is not there or can't be written."""
    if not is_folder(folder):
        raise Refused("folder_missing", f"There is no folder {str(folder)!r}.", folder=str(folder))
    if not os.access(folder, os.W_OK):
        raise Refused(
            "folder_read_only",
            f"The folder {str(folder.resolve())!r} can't be written: a run keeps its journal there. "
            "Choose another folder.",
            folder=str(folder.resolve()),
        )
    resolved = folder.resolve()
    if not str(resolved).isprintable() or any("\udc80" <= letter <= "\udcff" for letter in str(resolved)):
        raise Refused("bad_argument", f"The name of the folder {str(resolved)!r} is not plain text; rename it first.")
    return resolved


def find_definition(places: Places, folder: Path | None, name: str) -> tuple[Entry, Definition]:
    """The definition of that name, if it can be run. Raises `Refused` with what is wrong."""
    known = catalogue(places, folder)
    entry = known.find(name)
    if entry is None:
        hint = did_you_mean(name, known.names())
        raise Refused(
            "unknown_workflow",
            f"There is no workflow {name!r}.{hint} Known workflows: {', '.join(map(repr, known.names()))}.",
            known=known.names(),
        )
    errors = [p for p in entry.loaded.problems if p.severity == "error"]
    if errors or entry.loaded.value is None:
        lines = [f"{entry.path}:{p.range.line + 1}:{p.range.column + 1}: {p.message}" for p in errors]
        raise Refused(
            "definition_invalid", f"Workflow {name!r} can't be run:\n" + "\n".join(lines), path=str(entry.path)
        )
    refuse_unsupported(entry.loaded.value)
    return entry, entry.loaded.value


@dataclass(frozen=True)
class _Checked:
    """A start that nothing speaks against."""

    folder: Path
    entry: Entry
    definition: Definition
    resolved: Resolved

    @cached_property
    def frozen(self) -> bytes:
        """The copy of the definition that the run goes by."""
        return frozen_text(self.entry, self.definition)

    @property
    def definition_hash(self) -> str:
        """What the copy is known by."""
        return hashlib.sha256(self.frozen).hexdigest()


async def start(request: StartRequest, world: World, settings: Settings) -> LiveRun | Outcome:
    """Start a run and return as soon as it is made; what the user should know about it is its first notes.

    Returns:
        The run; or the effect `alreadyActive` with the run that is live in the folder, or that has the same token.

    Raises:
        Refused: nothing was started, nothing was written.
    """
    checked = await in_thread(_checked, request, world, settings)
    async with one_at_a_time(world.places, checked.folder):  # two starts at the same moment see each other
        active = await in_thread(already_active, request, world.places, checked.folder, checked.definition)
        if active is not None:
            return active
        place = await in_thread(_made, request, world, checked, undo=_unmade)
        try:
            live = await LiveRun.open(place, checked.definition, world)
        except BaseException:
            _unmade(place)
            raise
        live.record("", _started(request, settings, checked, place))
        for notice in checked.resolved.notices:
            live.record("", Noted(code="start", text=notice))
        live.begin()
        live.beside(tidy(live, settings.history_runs, world))
        return live


def _checked(request: StartRequest, world: World, settings: Settings) -> _Checked:
    folder = usable_folder(request.folder)
    entry, definition = find_definition(world.places, None if request.untrusted else folder, request.workflow)
    if not request.task.strip():
        raise Refused("no_task", "There is no task. Say what is to be done, in quotes, or with --task-file FILE.")
    _known_vars(definition, request.vars)
    _known_stages(definition, request.pause_after)
    resolved = resolve_roles(definition, settings, world.registry, request.roles)
    players = [world.registry.get(name) for name in resolved.roles.values()]
    for role, player in zip(resolved.roles, players, strict=True):
        if problem := problem_of(player, folder, world.environment):
            raise Refused("agent_missing", f"Agent {player.name!r} can't play role {role!r}: {problem}", role=role)
    items = consent_items(entry, definition, players, folder)
    require_consent(items, str(folder), request.consent, UserState(world.places.state))
    return _Checked(folder, entry, definition, resolved)


def _made(request: StartRequest, world: World, checked: _Checked) -> RunFolder:
    """The run's folder with its frozen definition, known as the user's own."""
    place = make_run_folder(checked.folder)
    try:
        write_atomic(place.path, "definition.yaml", checked.frozen)
        stop("definition.copied")
        remember(world.places, place, checked.definition_hash, 0)
        if request.token:
            UserState(world.places.state).keep_token(request.token, place.run_id)
    except (OSError, PathRefused) as error:
        _unmade(place)
        why = error.message if isinstance(error, PathRefused) else f"{error.strerror} ({error.filename})"
        raise Refused(
            "folder_read_only",
            f"The run can't be kept in {str(checked.folder)!r} and in your state folder "
            f"{str(world.places.state)!r}: {why}.",
        ) from error
    return place


def _unmade(place: RunFolder) -> None:
    shutil.rmtree(place.path, ignore_errors=True)


def _started(request: StartRequest, settings: Settings, checked: _Checked, place: RunFolder) -> RunStarted:
    definition = checked.definition
    return RunStarted(
        run_id=place.run_id,
        workflow=definition.name,
        origin=checked.entry.origin,
        definition_hash=checked.definition_hash,
        task=_plain(request.task),
        folder=str(checked.folder),
        roles=checked.resolved.roles,
        vars={name: _plain(value) for name, value in request.vars.items()},
        max_passes=request.max_passes,
        limits=_with_defaults(lowest(definition.limits, settings.limits, request.limits)),
        pause_after=request.pause_after,
        outline=outline_of(definition.stages),
        version=__version__,
        fixes_run=request.fixes_run,
        fixes_finding=request.fixes_finding,
    )


def _plain(text: str) -> str:
    """Text from a command line, which may hold bytes that are no text."""
    return text.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("\0", "\ufffd")


def frozen_text(entry: Entry, definition: Definition) -> bytes:
    """The copy that the run goes by: the text itself; JSON, which may have tabs, as JSON without them."""
    if entry.path.suffix == ".json":
        return definition.model_dump_json(by_alias=True, exclude_defaults=True, indent=2).encode()
    return entry.text.encode()


def _known_vars(definition: Definition, given: Mapping[str, str]) -> None:
    for name in given:
        if name not in definition.vars:
            hint = did_you_mean(name, definition.vars)
            known = ", ".join(definition.vars) or "none"
            raise Refused(
                "bad_argument", f"Workflow {definition.name!r} has no variable {name!r}.{hint} Its vars: {known}."
            )


def _known_stages(definition: Definition, given: Iterable[str]) -> None:
    known = [stage.id for _, stage in walk_stages(definition.stages)]
    for name in given:
        if name not in known:
            hint = did_you_mean(name, known)
            raise Refused(
                "bad_argument",
                f"Workflow {definition.name!r} has no stage {name!r} to pause after.{hint} It has: {', '.join(known)}.",
            )


def _with_defaults(limits: Limits) -> Limits:
    return DEFAULTS.model_copy(update=limits.model_dump(exclude_none=True))
