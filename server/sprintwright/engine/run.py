"""A run: the one function through which everything goes that is done to the outside or learned from it.

    value = await run.leaf(lane, key, start, perform, TurnResult)

The rules of the replay are design.md section 3; each is held by `tests/unit/engine/test_replay.py`.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Generator, Mapping
from contextlib import contextmanager
from typing import TypeVar

from sprintwright.engine.beside import Beside
from sprintwright.engine.history import History, hears
from sprintwright.engine.lane import Lane
from sprintwright.engine.limits import check_limits, limits_in_force
from sprintwright.engine.permits import Granted
from sprintwright.engine.ports import Ports
from sprintwright.engine.signals import Parked, StageFailed
from sprintwright.engine.talk import Talks
from sprintwright.engine.waiting import Breaker, Waits
from sprintwright.errors import Operational
from sprintwright.model.definition import Definition, Permissions
from sprintwright.model.records import (
    EndStatus,
    Entered,
    Failed,
    Finished,
    Left,
    Noted,
    Payload,
    RunStarted,
    Said,
    SetAside,
    Started,
)
from sprintwright.model.results import AnswerResult
from sprintwright.model.value import Value
from sprintwright.text import fold

R = TypeVar("R", bound=Value)

CANCEL_GRACE_SECONDS = 5.0
KEPT = "This turn was interrupted; its changes were kept by your decision."


class Run:
    """The state of one walk over one definition: history, ports, and who is at work.

    Args:
        definition: what is walked; the frozen copy or, by the user's decision, the edited one.
        started: the run's first record: task, roles, variables.
        ports: the world.
        history: what earlier owners recorded; empty for a fresh run.
    """

    def __init__(self, definition: Definition, started: RunStarted, ports: Ports, history: History) -> None:
        self.definition = definition
        self.started = started
        self.ports = ports
        self.history = history
        self._agents = {fold(role): agent for role, agent in {**started.roles, **history.roles}.items()}
        self._permissions: dict[str, Permissions] = {
            fold(name): role.permissions for name, role in definition.roles.items()
        }
        self.max_passes = history.max_passes or started.max_passes
        self.turns = history.turns
        self.usage = history.usage
        self.warned: set[str] = set()
        """Limits that the user was warned of."""
        self.talks = Talks()
        self.versions: dict[str, str] = {}
        """Agent to what played at its last turn."""
        self.left_at = history.head
        """Where the repository stood when an earlier owner looked at it last; empty once this walk has looked, too."""
        self.granted: Granted = dict(history.granted)
        self.saved: dict[str, int] = {}
        """How often agents saved an artifact under a name, as names are compared."""
        self.parking: Parked | None = None
        self.leaving = False
        """The owner goes, and not by the user's wish: a cancellation is not recorded as the run's end."""
        self.parked = asyncio.Event()
        """Set as soon as the run is being parked: whoever only waits gives up then."""
        self.forced: list[str] = []
        """Keys of leaves that did not end within the grace time of a cancellation."""
        self.beside = Beside()
        self.calm = asyncio.Event()
        """Clear while the user is asked about something that may run by itself: no turn or check starts then."""
        self.calm.set()
        self._alarms = 0
        self._suspected: set[tuple[str, str]] = set()
        self.limits = limits_in_force(definition, started, history)
        self.waits = Waits(history.waits.items())
        self.breaker = Breaker()
        self._opened = ports.clock.monotonic()

    async def leaf(
        self,
        lane: Lane,
        key: str,
        start: Callable[[str], Awaitable[Started]],
        perform: Callable[[int, Started], Awaitable[R]],
        result: type[R],
        *,
        seconds: float | None = None,
        is_final: Callable[[Operational], bool] = lambda _error: True,
    ) -> R:
        """The value of a leaf: the recorded one if it still counts, else performed now and recorded.

        Args:
            start: makes the `Started` record (given the key of the leaf before); may look at the outside.
            perform: the act itself, given the `Started` record and its number; renders its prompt inside.
            result: class of the value.
            seconds: longest time of the act.
            is_final: told an operational failure, says whether it is the leaf's end.

        Raises:
            StageFailed: the act failed for an operational reason; that is recorded.
            Parked: the run is being parked; nothing was started.
            JournalBroken: nothing can be recorded any more.
        """
        after, lane.last = lane.last, key
        if key in self.history.mine:
            return self._take_mine(lane, key, after, result)
        if not lane.live:
            if (value := self.history.take(key, after)) is not None:
                return result.model_validate(self.ports.journal.resolve(value))
            self._go_live(lane, key)
        if self.parking is not None:
            raise self.parking
        if key in self.history.kept:
            return self._keep(key, after, result)
        self.history.open.pop(key, None)  # performed anew: no longer a loose end of an earlier owner
        begun = await start(after)
        if self.parking is not None:  # somebody paused while the outside was looked at
            raise self.parking
        self._allow(key, begun)
        sequence = self.ports.journal.append(key, begun)
        await self.ports.journal.sync()
        try:
            made, cancelled = await self._perform(key, perform(sequence, begun), seconds)
        except Operational as error:
            lane.last = after
            used = error.data.get("usage")
            if used is not None:
                self.usage += used
            failed = Failed(cause=error.cause, message=error.message, final=is_final(error), usage=used)
            self.ports.journal.append(key, failed)
            raise StageFailed(key, error.message, error.cause) from error
        # No await from here to the record: finishing and cancelling cannot both win.
        value = made.model_dump(mode="json", exclude_defaults=True)
        self.ports.journal.append(key, Finished(after=after, value=value))
        if cancelled:
            raise asyncio.CancelledError
        return made

    def agent_of(self, role: str) -> str:
        """The agent that plays a role, resolved when the run was started."""
        return self._agents[fold(role)]

    def permissions_of(self, role: str) -> Permissions:
        """What a role's agent may do."""
        return self._permissions[fold(role)]

    def active_seconds(self) -> float:
        """How long the run has been at work, under all its owners."""
        return self.history.active.seconds + self.ports.clock.monotonic() - self._opened

    def enter(self, lane: Lane, key: str, payload: Entered) -> None:
        """Record that a loop or group begins, once."""
        self._announce(lane, key, payload)

    def leave(self, lane: Lane, key: str, payload: Left) -> None:
        """Record how a loop, a group or an item ended, once."""
        self._announce(lane, key, payload)

    def note(self, lane: Lane, key: str, code: str, text: str) -> None:
        """Record something that the user should know; a replay does not repeat it."""
        if lane.live:
            self.ports.journal.append(key, Noted(code=code, text=text))

    def park(
        self, key: str, reason: str, code: str = "needs_you", *, status: EndStatus = "paused", missing: str = ""
    ) -> Parked:
        """From now on no leaf starts anywhere; turns in hand end. The exception to raise."""
        self.parking = self.parking or Parked(key, reason, code, status=status, missing=missing)
        self.parked.set()
        return self.parking

    def unpark(self) -> bool:
        """Take a pause back that the user asked for, if the turn in hand has not ended yet."""
        if self.parking is None or self.parking.code != "paused":
            return False
        self.parking = None
        self.parked.clear()
        return True

    def suspect(self, states: Mapping[str, str]) -> tuple[str, ...]:
        """Those names whose state is not known of yet: of turns side by side only one asks about a change."""
        new = {item for item in states.items() if item not in self._suspected}
        self._suspected.update(new)
        return tuple(sorted(name for name, _ in new))

    @contextmanager
    def alarmed(self) -> Generator[None]:
        """While the user is asked about something that may run by itself."""
        self._alarms += 1
        self.calm.clear()
        try:
            yield
        finally:
            self._alarms -= 1
            if not self._alarms:
                self.calm.set()

    def say(self, lane: str, text: str) -> None:
        """The user's words for the next prompt of a lane; empty: of any."""
        self.ports.journal.append(lane, Said(text=text))
        self.history.said.append((lane, text))

    def words_for(self, key: str) -> tuple[str, ...]:
        """The user's words that a prompt of this leaf has to hold: new ones, and those it had before."""
        new = [entry for entry in self.history.said if hears(entry[0], key)]
        self.history.said = [entry for entry in self.history.said if entry not in new]
        words = (*self.history.given.get(key, ()), *(text for _, text in new))
        if words:
            self.history.given[key] = words
        return words

    async def inner(self, key: str, begun: Started, act: Awaitable[AnswerResult]) -> AnswerResult:
        """A question within a turn: recorded before and after, never replayed; it falls with the turn."""
        self.ports.journal.append(key, begun)
        await self.ports.journal.sync()
        made = await act
        self.ports.journal.append(key, Finished(after="", value=made.model_dump(mode="json", exclude_defaults=True)))
        await self.ports.journal.sync()
        return made

    def _announce(self, lane: Lane, key: str, payload: Payload) -> None:
        if lane.live or self.history.scopes.get((payload.kind, key)) != payload:
            self.ports.journal.append(key, payload)

    def _go_live(self, lane: Lane, key: str) -> None:
        lane.live = True
        loaded = [*self.history.finished, *(k for k in self.history.open if k != key)]
        stale = dict.fromkeys(k for k in loaded if not lane.is_siblings(k))
        if stale:
            self.ports.journal.append(key, SetAside(keys=tuple(stale)))
            for k in stale:
                self.history.finished.pop(k, None)
                self.history.open.pop(k, None)

    def _keep(self, key: str, after: str, result: type[R]) -> R:
        """By the user's decision an interrupted leaf counts as finished, with nothing to say."""
        del self.history.kept[key]
        made = result.model_validate({"text": "", "warnings": [KEPT]})
        value = made.model_dump(mode="json", exclude_defaults=True)
        self.ports.journal.append(key, Finished(after=after, value=value))
        return made

    def _take_mine(self, lane: Lane, key: str, after: str, result: type[R]) -> R:
        """By the user's decision their own version of an artifact is the leaf's; what follows is done anew."""
        mine = self.history.mine.pop(key)
        old = None if lane.live else self.history.take(key, after)
        value = dict(self.ports.journal.resolve(old)) if old is not None else {}
        if not lane.live:
            self._go_live(lane, key)
        if self.parking is not None:
            raise self.parking
        self.history.open.pop(key, None)
        assert mine.artifact is not None, "a decision for one's own version names it"
        if "text" in result.model_fields and mine.number:
            value["text"] = mine.text
        if "warnings" in result.model_fields:
            who = "by you" if old is not None else "by you; no turn of this run wrote it"
            value["warnings"] = [f"{mine.artifact.name} was written {who}."]
        value.pop("usage", None)  # counted with the turn that wrote it
        value |= {"artifact": mine.artifact.model_dump(mode="json"), "gate": mine.gate}
        made = result.model_validate(value)
        value = made.model_dump(mode="json", exclude_defaults=True)
        self.ports.journal.append(key, Finished(after=after, value=value))
        return made

    def _allow(self, key: str, begun: Started) -> None:
        if begun.what != "turn":
            return
        check_limits(self, key)
        self.turns += 1

    async def _perform(self, key: str, act: Awaitable[R], seconds: float | None) -> tuple[R, bool]:
        """The act's value, and whether a cancellation came when it was already there.

        The act is a task of its own, so that one that swallows its cancellation cannot hold the run back.
        """
        task = asyncio.ensure_future(act)
        try:
            await _done(task, seconds)
        except asyncio.CancelledError:
            if task.done() and not task.cancelled() and task.exception() is None:
                return task.result(), True
            await self._end(key, task)
            raise
        if not task.done():
            await self._end(key, task)
            raise Operational("timeout", f"The turn took longer than {seconds:g} seconds and was ended.")
        return task.result(), False

    async def _end(self, key: str, task: asyncio.Future[R]) -> None:
        task.cancel()
        await asyncio.wait({task}, timeout=CANCEL_GRACE_SECONDS)
        if not task.done():
            self.forced.append(key)
        elif not task.cancelled():
            task.exception()  # a late answer or a late error: looked at, so that asyncio does not complain


async def _done(task: asyncio.Future[R], seconds: float | None) -> None:
    """Return when the task is done, whatever came of it, or when the time is up."""
    if seconds is not None:
        await asyncio.wait({task}, timeout=seconds)
        return
    waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
    task.add_done_callback(lambda _: None if waiter.done() else waiter.set_result(None))
    await waiter
