"""A run that this process carries on: its journal, its state, its task, its control socket."""

from __future__ import annotations

import asyncio
import contextlib
import datetime
import logging
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any

from sprintwright.agents.registry import Registry
from sprintwright.app.control import ControlSocket
from sprintwright.app.files import RunFiles, Transcripts, write_reports
from sprintwright.app.keeping import Keeper
from sprintwright.app.places import Places
from sprintwright.app.questions import OpenQuestions
from sprintwright.app.serving import Serving
from sprintwright.app.user_state import OwnRun, UserState
from sprintwright.engine.history import History
from sprintwright.engine.ports import Checks, Journal, People, Ports, Stream
from sprintwright.engine.run import Run
from sprintwright.engine.walk import walk_run
from sprintwright.errors import JournalError, PathRefused, Refused, SprintwrightError
from sprintwright.journal.owner import OwnedRun, TakenRun
from sprintwright.journal.store import RunFolder
from sprintwright.model.definition import Definition
from sprintwright.model.records import Decided, Failed, Finished, Noted, Payload, Record, Started
from sprintwright.processes import Leftovers
from sprintwright.secrets import Masker
from sprintwright.state.fold import RunState, fold
from sprintwright.state.reports import findings_report, summary_report
from sprintwright.state.tree import Delta
from sprintwright.threads import in_thread
from sprintwright.workspace.snapshots import Snapshots

log = logging.getLogger(__name__)
_SILENCE_SECONDS = 60.0
"""After which a user is told that an agent says nothing."""
MOST_AT_WORK = 16
"""Agents that are at work at the same time, of all runs that this program carries on."""
OnRecord = Callable[[Record, Delta, RunState], None]
OnOutput = Callable[[str, Stream, str], None]


@dataclass(frozen=True, slots=True)
class World:
    """What the caller provides for its runs: who can be asked, what runs commands, who is told.

    ``on_record`` is called for each record that is on disk, ``on_output`` with live output; both on the loop.
    """

    environment: Mapping[str, str]
    places: Places
    people: People
    registry: Registry
    checks: Checks
    leftovers: Leftovers
    workspace: Snapshots
    slots: asyncio.Semaphore | None = None
    """Places for agents at work; None: any number."""
    on_record: OnRecord = lambda _record, _delta, _state: None
    on_output: OnOutput = lambda _key, _stream, _text: None


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A run that was taken, with what its records come to."""

    taken: TakenRun
    history: History
    state: RunState

    @classmethod
    def of(cls, place: RunFolder) -> _Loaded:
        taken = TakenRun(place)
        try:
            history = History.load(taken.loaded.records)
            history.ended = None  # this owner's walk says anew how it ended, be it the same as before
            return cls(taken, history, fold(taken.loaded.records))
        except BaseException:
            taken.give_back()
            raise


class LiveRun:
    """One run with an owner: this process."""

    def __init__(self, definition: Definition, world: World, loaded: _Loaded) -> None:
        self.place = place = loaded.taken.place
        self.definition = definition
        self.problem: SprintwrightError | None = None
        """Why the walk could not even record its end."""
        self._world = world
        self._owned = OwnedRun(place, self._durable, loaded.taken)
        self._history, self.state = loaded.history, loaded.state
        self._transcripts = Transcripts(place)
        self._keeper = Keeper(world.workspace, place.run_id)
        self._leaves: dict[str, int] = {}
        self._task: asyncio.Task[None] | None = None
        self._control: ControlSocket | None = None
        self._beside: list[asyncio.Task[object]] = []
        self._leaving = False
        self.run: Run | None = None
        """The walk, while it is going on."""
        self.questions = OpenQuestions(world.people)

    @classmethod
    async def open(cls, place: RunFolder, definition: Definition, world: World) -> LiveRun:
        """Take a run and load it, in a thread: the loop does not wait for the disk.

        Raises:
            Refused: `run_owned`, `run_unreadable`, `folder_read_only`.
            RunUnreadable: the journal can't be believed.
        """
        return cls(definition, world, await in_thread(_Loaded.of, place, undo=lambda loaded: loaded.taken.give_back()))

    def record(self, key: str, payload: Payload) -> None:
        """Record what comes before the walk: the start, and the user's decisions."""
        self._owned.journal.append(key, payload)
        self._history.apply(key, payload)
        if isinstance(payload, Decided) and payload.what == "answer":
            self.questions.was_answered(key)

    def begin(self) -> None:
        """Start walking; returns at once."""
        try:  # at once, so that the run counts as alive before anybody else can look
            self._control = ControlSocket.bind(self._world.places.runtime, self.place.run_id)
        except OSError as error:
            self._owned.abandon()
            where = str(self._world.places.runtime)
            raise Refused("folder_read_only", f"The run's socket can't be made in {where!r}: {error}.") from error
        self._task = asyncio.create_task(self._go(), name=f"run {self.place.run_id}")

    async def wait(self) -> None:
        """Return when the run has ended, was parked or cancelled, and everything of it is closed."""
        assert self._task is not None, "begin() comes first"
        while not self._task.done():
            try:
                await asyncio.shield(self._task)
            except asyncio.CancelledError:  # of the one who waits, too: nobody would be left to close the run
                self.cancel()

    def cancel(self) -> None:
        """End it, keeping what is finished; a second call skips the grace time of the agents."""
        if self._task is not None:  # soon, so that a task that was only just made has begun and can close in order
            asyncio.get_running_loop().call_soon(self._task.cancel)

    def leave(self) -> None:
        """Give the run up because this program ends: *interrupted*; *paused* where it only waits for a person."""
        questions = self.state.questions.values()
        if self.run is not None and self.state.status == "waiting" and not any(one.inner for one in questions):
            self.pause()
            return
        self._leaving = True
        if self.run is not None:
            self.run.leaving = True
        self.cancel()

    def pause(self) -> None:
        """Park it as soon as the turns in hand have ended, and give it up; nobody waits for an answer any more."""
        if self.run is not None:
            self.run.park("", "Paused by you.", "paused")
            self.questions.give_up()

    def turn_pids(self) -> frozenset[int]:
        """Programs that turns of this run have at work."""
        return self._world.leftovers.live_pids(self.place.run_id)

    def note(self, code: str, text: str) -> None:
        """Record something that the user should know."""
        self._owned.journal.append("", Noted(code=code, text=text))

    def beside(self, work: Coroutine[Any, Any, object]) -> None:
        """Do something meanwhile that is no part of the run; the run's end waits for it, and its faults are logged."""
        self._beside.append(asyncio.create_task(work, name=f"beside {self.place.run_id}"))

    async def close(self) -> None:
        """Give up a run whose decisions were only recorded, in order."""
        await self._close_in_any_case()

    @property
    def loaded_last(self) -> int:
        """Number of the last record that earlier owners left."""
        return self._owned.loaded.last

    def abandon(self) -> None:
        """Give up a run that was opened but will not be walked; nothing is recorded of it."""
        self._owned.abandon()

    async def _go(self) -> None:
        try:
            assert self._control is not None, "begin() comes first"
            await self._control.serve(Serving(self).handle)
            await self._remember()  # where the owner listens may depend on its environment
            started = self._history.started
            assert started is not None, "record() the start before begin()"
            ports = ports_of(self._world, self.place, self._owned.journal, self.questions, self._output)
            self.run = Run(self.definition, started, ports, self._history)
            self.run.leaving = self._leaving
            await walk_run(self.run)
        except JournalError as error:
            self.problem = error
        except OSError as error:
            self.problem = SprintwrightError(f"The run could not go on: {error}", code="io")
        finally:
            await self._close_in_any_case()

    async def _close_in_any_case(self) -> None:
        """Close, however often somebody cancels meanwhile: the journal's last record is worth the moment."""
        closing = asyncio.create_task(self._close(), name=f"close {self.place.run_id}")
        while not closing.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.shield(closing)
        closing.result()

    async def _close(self) -> None:
        self._transcripts.close()
        try:
            await self._keeper.close()
            await self._world.registry.leave(self.place.run_id)
            for fault in await asyncio.gather(*self._beside, return_exceptions=True):
                if isinstance(fault, BaseException):
                    log.error("beside run %s", self.place.run_id, exc_info=fault)
            if self.problem is None:
                await asyncio.to_thread(self._reports)
        except (OSError, SprintwrightError):
            log.exception("reports of run %s", self.place.run_id)
        await self._owned.release()
        if self._control is not None:
            await self._control.close()
        await self._remember()

    async def _remember(self) -> None:
        if (started := self.state.started) is None:
            return
        known = (self._world.places, self.place, started.definition_hash, self.state.revision)
        try:
            await asyncio.to_thread(remember, *known)
        except (OSError, SprintwrightError):
            log.exception("the list of own runs could not be written")

    def _reports(self) -> None:
        write_reports(
            self.place, {"findings.md": findings_report(self.state), "summary.md": summary_report(self.state)}
        )

    def _output(self, sequence: int, key: str, stream: Stream, text: str) -> None:
        self._leaves[key] = sequence
        try:
            self._transcripts.write(sequence, key, stream, text)
        except (OSError, PathRefused) as error:
            log.warning("the transcript of %s is not whole: %s", key, error)
        self._world.on_output(key, stream, text)

    def _durable(self, records: list[Record]) -> None:
        for record in records:
            if isinstance(record.payload, Finished | Failed) and record.key in self._leaves:
                self._transcripts.end(self._leaves.pop(record.key))
            for tree in trees_of(record):
                self._keeper.keep(tree)
            try:
                self._world.on_record(record, self.state.apply(record), self.state)
            except Exception:  # R45: a fault in what shows the run never reaches the run
                log.exception("run %s, record %s", self.place.run_id, record.seq)


def ports_of(
    world: World,
    place: RunFolder,
    journal: Journal,
    people: People,
    output: Callable[[int, str, Stream, str], None] = lambda _sequence, _key, _stream, _text: None,
) -> Ports:
    """What the engine needs for one run of a world."""
    return Ports(
        journal=journal,
        agents=world.registry.asking(people),
        checks=world.checks,
        people=people,
        workspace=world.workspace,
        artifacts=RunFiles(place),
        clock=LoopClock(),
        output=output,
        mask=Masker(world.environment).mask,
        silence=_SILENCE_SECONDS,
        slots=world.slots,
    )


class LoopClock:
    """Implements `sprintwright.engine.ports.Clock` with the running loop's time."""

    def now(self) -> datetime.datetime:
        """The system's time of day."""
        return datetime.datetime.now(datetime.UTC)

    def monotonic(self) -> float:
        """Seconds of the loop's clock."""
        return asyncio.get_running_loop().time()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


def remember(places: Places, place: RunFolder, definition_hash: str, last_seq: int) -> None:
    """Keep in the user's state that the run is the user's own, and how far it was seen. Raises `OSError`."""
    own = OwnRun(
        run_id=place.run_id,
        folder=str(place.folder),
        definition_hash=definition_hash,
        last_seq=last_seq,
        socket=str(places.runtime / f"{place.run_id}.sock"),
    )
    UserState(places.state).remember(own)


def trees_of(record: Record) -> list[str]:
    """The snapshots that a record names and no earlier record did."""
    if isinstance(record.payload, Started):
        return [record.payload.before] if record.payload.before else []
    changes = record.payload.value.get("changes") if isinstance(record.payload, Finished) else None
    after = changes.get("after") if isinstance(changes, dict) else None
    return [after] if isinstance(after, str) and after else []
