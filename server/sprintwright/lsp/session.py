"""One client's session: whether it is trusted, its folders and settings, its runs, and how each run's world is made."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any

from lsprotocol import types
from pydantic import ValidationError
from pygls.lsp.server import LanguageServer

from sprintwright import __version__
from sprintwright.agents.config import Config
from sprintwright.app.callers import require_user
from sprintwright.app.compose import make_world, settings_of
from sprintwright.app.config import Settings
from sprintwright.app.findings import mended_run, settle_fix
from sprintwright.app.live import MOST_AT_WORK, LiveRun, World
from sprintwright.app.places import Places
from sprintwright.app.runs import find_run
from sprintwright.app.start import catalogue
from sprintwright.engine.ports import Answer, People, Question, Stream
from sprintwright.errors import Refused, SprintwrightError
from sprintwright.journal.store import RunFolder
from sprintwright.language.values import Known
from sprintwright.lsp import methods
from sprintwright.lsp.definition_files import DefinitionFiles
from sprintwright.lsp.findings import FindingBoard, RunFindings
from sprintwright.lsp.language_models import LanguageModels
from sprintwright.lsp.output import Output
from sprintwright.lsp.plain import plain_text
from sprintwright.lsp.progress import Progress
from sprintwright.lsp.protocol import HardenedProtocol
from sprintwright.lsp.publisher import Publisher
from sprintwright.lsp.questions import Asker
from sprintwright.lsp.runs import Runs, Shown
from sprintwright.lsp.uris import to_path
from sprintwright.model.records import Record
from sprintwright.state.fold import RunState
from sprintwright.state.tree import Delta
from sprintwright.threads import in_thread

log = logging.getLogger(__name__)


class Session:
    """What the handlers work with. On the loop."""

    def __init__(self, server: LanguageServer, environment: Mapping[str, str]) -> None:
        self.server = server
        self.environment = environment
        self.places = Places.of(environment)
        self.trusted = False
        self._within_turn: Refused | None = None
        self.mismatch = ""
        """Why this client and this server don't understand each other; empty when they do."""
        self.folders: dict[str, Path] = {}
        """Open folders, by the URI that the client gave."""
        self.known = Known()
        self.board: FindingBoard | None = None
        self.files: DefinitionFiles | None = None
        self.runs = Runs(self.places, self)
        assert isinstance(server.protocol, HardenedProtocol)
        self.publisher = Publisher(server.protocol, self._pushed)
        self.output = Output(server.protocol)
        self.progress = Progress(server, self._cancel)
        self._editor: Config | None = None
        self._custom_questions = self._has_models = False
        self.models = LanguageModels(server)
        self._slots = asyncio.Semaphore(MOST_AT_WORK)  # for all runs of this server
        self._tasks: set[asyncio.Task[Any]] = set()
        self._findings: dict[str, int] = {}

    # The beginning and the end

    def initialize(self, params: types.InitializeParams) -> None:
        """Take in what the client says of itself."""
        given: Any = params.initialization_options
        options: dict[str, Any] = given if isinstance(given, dict) else {}
        self.trusted = options.get("trusted") is True
        self._custom_questions = options.get("questions") is True
        self._has_models = options.get("languageModel") is True
        theirs: object = options.get("protocol", methods.PROTOCOL)
        if theirs != methods.PROTOCOL or isinstance(theirs, bool):
            self.mismatch = (
                f"This editor's extension speaks version {theirs!r} of Sprintwright's protocol, and the server "
                f"(sprintwright {__version__}) version {methods.PROTOCOL}. Update the older one of the two."
            )
        try:
            require_user(self.environment)  # once: it looks at every ancestor, and those of a process stay
        except Refused as error:
            self._within_turn = error
        folders = params.workspace_folders or []
        if not folders and params.root_uri:
            folders = [types.WorkspaceFolder(params.root_uri, "")]
        self.change_folders(folders, [])

    async def begin(self) -> None:
        """Once the client is ready: settings, and the runs that are there."""
        if self.mismatch:
            self.say(self.mismatch, types.MessageType.Error)
        if self.trusted and not self.mismatch:
            self.spawn(self.runs.watch())
        await self.learn_names()
        if self.trusted and not self.mismatch and await self.fetch_settings():
            await self.learn_names()

    async def close(self) -> None:
        """Leave every run, resumable, and end everything that was begun for the client."""
        await self.runs.close()
        self.publisher.close()
        self.progress.close()
        if self.files is not None:
            await self.files.close()
        for task in list(self._tasks):
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=1)

    def spawn(self, work: Coroutine[Any, Any, Any]) -> asyncio.Task[Any]:
        """Do something beside; it is cancelled at the end, and its faults are logged."""
        task = asyncio.create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._done)
        return task

    def _done(self, task: asyncio.Task[Any]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            log.error("something beside the requests failed", exc_info=error)

    def say(self, text: str, kind: types.MessageType = types.MessageType.Info) -> None:
        """Tell the user something, plainly."""
        shown = types.ShowMessageParams(type=kind, message=plain_text(text, 1000))
        self.server.protocol.notify(types.WINDOW_SHOW_MESSAGE, shown)

    # What may be done, and where

    def require_trust(self) -> None:
        """The one guard before every verb (X1). Raises `Refused` (`untrusted`, `protocol_mismatch`, `within_turn`)."""
        if not self.trusted:
            raise Refused(
                "untrusted",
                "This workspace is not trusted, so Sprintwright starts, shows and changes no runs in it. Trust the "
                "workspace (in other editors: set initializationOptions.trusted to true) and start the server again.",
            )
        if self.mismatch:
            raise Refused("protocol_mismatch", self.mismatch)
        if self._within_turn is not None:
            raise self._within_turn

    def change_folders(self, added: Sequence[types.WorkspaceFolder], removed: Sequence[types.WorkspaceFolder]) -> None:
        """The client opened or closed folders. A link to a folder, and a folder that is open twice, are one."""
        for one in removed:
            gone = self.folders.pop(one.uri, None)
            if gone is not None and gone not in self.folders.values() and self.board is not None:
                self.board.remove_folder(gone)
        for one in added:
            path = to_path(one.uri)
            if path is None:
                continue
            folder = self.folders[one.uri] = _resolved(path)
            if self.board is not None:
                self.board.add_folder(folder)
        self.runs.look_in(dict.fromkeys(self.folders.values()))

    def open_folders(self) -> list[Path]:
        """The open folders, each once."""
        return list(dict.fromkeys(self.folders.values()))

    def folder(self, given: str | None) -> Path:
        """The open folder that is meant: by path or URI; the only one when nothing is said (X4). Raises `Refused`."""
        known = self.open_folders()
        names = ", ".join(repr(str(folder)) for folder in known) or "none"
        if given is None:
            if len(known) == 1:
                return known[0]
            raise Refused("bad_argument", f"Say in which folder: open are {names}.", folders=[str(f) for f in known])
        path = to_path(given) if given.startswith("file:") else Path(given)
        if path is None or not path.is_absolute() or (folder := _resolved(path)) not in known:
            raise Refused(
                "bad_argument", f"{given!r} is not an open folder; open are: {names}.", folders=[str(f) for f in known]
            )
        return folder

    def find(self, run_id: str) -> RunFolder:
        """A run by its whole id, or, in the open folders, by a part of it or `last`. Raises `Refused`."""
        if (shown := self.runs.find(run_id)) is not None:
            return shown.place
        refused: Refused | None = None
        for folder in self.open_folders() or [None]:
            try:
                return find_run(self.places, folder, run_id)
            except Refused as error:
                refused = refused or error
        assert refused is not None
        raise refused

    # Settings and names

    async def fetch_settings(self) -> bool:
        """Ask the client for its settings; wrong ones are told and left out. Whether there are any."""
        workspace = self.server.client_capabilities.workspace
        if not self.trusted or not (workspace and workspace.configuration):
            return False
        params = types.ConfigurationParams([types.ConfigurationItem(section=methods.SECTION)])
        try:
            found = await self.server.protocol.send_request_async(types.WORKSPACE_CONFIGURATION, params)
        except Exception as error:
            log.warning("the client gave no settings: %s", error)
            return False
        given = found[0] if isinstance(found, list | tuple) and found else None
        if not isinstance(given, dict):
            return False
        ours = {name: value for name, value in given.items() if name in Config.model_fields and value is not None}
        try:
            self._editor = Config.model_validate(ours)
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in ("sprintwright", *first["loc"]))
            self.say(f"The setting {where} can't be used and is left out: {first['msg']}.", types.MessageType.Warning)
            return False
        return bool(ours)

    def settings(self, folder: Path | None) -> Settings:
        """What is in force in a folder; reads files. Raises `Refused` (`config_invalid`)."""
        return settings_of(self.environment, folder, self._editor)

    async def learn_names(self) -> None:
        """Names of workflows and agents, for completion. In an untrusted workspace nothing of its folders."""
        folders = self.open_folders() if self.trusted else []
        self.known = await in_thread(self._names, folders)

    def _names(self, folders: list[Path]) -> Known:
        workflows: dict[str, str] = {}
        for folder in folders or [None]:
            for entry in catalogue(self.places, folder).entries:
                workflows[entry.name] = entry.loaded.value.title if entry.loaded.value else ""
        agents: dict[str, None] = {}
        roles: dict[str, str] = {}
        for folder in folders or [None]:
            try:
                settings = self.settings(folder)
            except SprintwrightError:
                continue
            agents.update(dict.fromkeys(settings.agents))
            roles.update(settings.roles)
        return Known(workflows, tuple(agents), roles)

    # Runs of this server

    def world(self, folder: Path, settings: Settings, about: RunAbout) -> World:
        """The world of one run that this server carries on, or of a verb that only records."""

        def on_record(_record: Record, delta: Delta, _state: RunState) -> None:
            self.runs.told(about.run_id, delta)

        def on_output(key: str, stream: Stream, text: str) -> None:
            self.output.add(about.run_id, key, stream, text)

        return make_world(
            self.environment,
            folder,
            settings,
            _People(self, about),
            models=self.models if self._has_models else None,
            slots=self._slots,
            on_record=on_record,
            on_output=on_output,
        )

    def adopt(self, live: LiveRun, about: RunAbout) -> None:
        """Carry a run on that was begun in the world made for it."""
        about.run_id, about.folder = live.place.run_id, str(live.place.folder)
        self.runs.adopt(live)
        if (shown := self.runs.find(about.run_id)) is not None:
            self.spawn(self.progress.begin(shown))

    def asker(self, about: RunAbout) -> People:
        """Who is asked by a run of this server."""
        shown = self.runs.find(about.run_id)
        started = shown.state.started if shown is not None else None
        named = {"run_id": about.run_id, "workflow": started.workflow if started else "", "folder": about.folder}
        return Asker(self.server, named, custom=self._custom_questions)

    def _cancel(self, run_id: str) -> None:
        if (live := self.runs.live.get(run_id)) is not None:
            live.cancel()

    # What the table of runs tells

    def changed(self, run: Shown, delta: Delta) -> None:
        """Implements `sprintwright.lsp.runs.Viewers`."""
        self.publisher.changed(run, delta)

    def ended(self, live: LiveRun) -> None:
        """Implements `sprintwright.lsp.runs.Viewers`."""
        self.spawn(self._settle_fix(live))

    async def _settle_fix(self, live: LiveRun) -> None:
        if (place := mended_run(live)) is not None:
            settings = await in_thread(self.settings, place.folder)
            await settle_fix(live, self.world(place.folder, settings, RunAbout(place.run_id, str(place.folder))))

    def deleted(self, run_id: str) -> None:
        """Implements `sprintwright.lsp.runs.Viewers`."""
        self.output.ended(run_id)
        self.progress.forget(run_id)
        self.publisher.deleted(run_id)
        self._findings.pop(run_id, None)
        if self.board is not None:
            self.board.set_run(None, run_id)

    def _pushed(self, run: Shown) -> None:
        run_id = run.place.run_id
        if run.owner == "here":
            self.progress.report(run)
        else:
            self.progress.end(run)
            self.output.ended(run_id)
        ledger = run.state.ledger
        if run.own and self.board is not None and self._findings.get(run_id, 0) != ledger.revision:
            self._findings[run_id] = ledger.revision
            self.board.set_run(RunFindings.of(run.place, run.state), run_id)


def _resolved(path: Path) -> Path:
    """Without links; as it is when no file can be meant by it, such as a link to itself."""
    try:
        return path.resolve()
    except (OSError, RuntimeError, ValueError):
        return path


class RunAbout:
    """Which run a world was made for; known once it is begun."""

    def __init__(self, run_id: str = "", folder: str = "") -> None:
        self.run_id, self.folder = run_id, folder


class _People:
    """Asks through the session, with what is known of the run by then."""

    def __init__(self, session: Session, about: RunAbout) -> None:
        self._session, self._about = session, about

    async def ask(self, question: Question) -> Answer | None:
        """Implements `sprintwright.engine.ports.People`."""
        return await self._session.asker(self._about).ask(question)
