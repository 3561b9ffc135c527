"""One session's tools: which are offered, whose turn it is, and who is at the other end."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from typing import TypeAlias

from sprintwright.engine.ports import Tool, ToolAnswer
from sprintwright.engine.tool_arguments import Schema, schema_for
from sprintwright.engine.tools import OVER
from sprintwright.model.value import Json

Call: TypeAlias = Callable[[str, Mapping[str, Json]], Awaitable[ToolAnswer]]
"""`sprintwright.engine.ports.Desk.call`."""
Catalogue: TypeAlias = tuple[tuple[Tool, ...], tuple[str, ...]]
"""What is offered: tools, and the keys of `give_verdict`."""
_TELL_SECONDS = 1.0


class Connection:
    """The tools of one session of an agent. Made by `ToolBridge.open`.

    Attributes:
        command: program and arguments that the agent starts as its tool server.
    """

    def __init__(
        self, command: tuple[str, ...], secret: bytes, catalogue: Catalogue, close: Callable[[], None]
    ) -> None:
        self.command = command
        self.secret = secret
        self.link: asyncio.Task[None] | None = None
        """The one connection that the secret is bound to at present."""
        self.tell_changed: Callable[[], Awaitable[None]] | None = None
        """Tells the agent that there are other tools now; None as long as it has not asked for them."""
        self._catalogue = self._shown = catalogue
        self._turn: _OpenTurn | None = None
        self._connected = False
        self.seen = asyncio.Event()
        """Set once the agent has asked which tools there are."""
        self._close = close

    @property
    def connected(self) -> bool:
        """Whether the agent has asked for our tools: in the turn that is open, or before it and is still there."""
        return self._connected

    @contextlib.asynccontextmanager
    async def turn(self, call: Call, tools: tuple[Tool, ...], verdicts: tuple[str, ...]) -> AsyncGenerator[None]:
        """Calls of the agent go to ``call`` as long as the context lasts; before and after it the turn is over.

        Calls that are still at work at its end are cancelled. What ``call`` raises, such as `Parked`, cancels what
        the context is in the middle of and is raised from it.
        """
        assert self._turn is None, "a session has one turn at a time"
        opened = self._turn = _OpenTurn(call)
        self._catalogue = (tools, verdicts)
        self._connected = self.link is not None and self._connected
        try:
            if self._catalogue != self._shown and self.tell_changed is not None:
                with contextlib.suppress(TimeoutError):  # one that does not read learns it by what is refused
                    async with asyncio.timeout(_TELL_SECONDS):
                        await self.tell_changed()
            yield
        except asyncio.CancelledError:
            opened.raise_failure()
            raise
        finally:
            self._turn = None
            await opened.end()
        opened.raise_failure()

    async def close(self) -> None:
        """The session is over: its secret opens nothing any more and its file is gone."""
        self._close()
        if self.link is not None:
            self.link.cancel()
            await asyncio.wait({self.link})

    def shown(self) -> list[tuple[Tool, str, Schema]]:
        """The tools as the agent is to see them."""
        self._connected, self._shown = True, self._catalogue
        self.seen.set()
        tools, verdicts = self._catalogue
        return [(tool, *schema_for(tool, verdicts)) for tool in tools]

    async def call(self, tool: str, arguments: Mapping[str, Json]) -> ToolAnswer:
        """A call of the agent."""
        self._connected = True
        return OVER if self._turn is None else await self._turn.carry_out(tool, arguments)


class _OpenTurn:
    """A turn and the calls that are at work in it. Belongs to the task that makes it."""

    def __init__(self, call: Call) -> None:
        self._call = call
        task = asyncio.current_task()
        assert task is not None
        self._owner, self._cancelling = task, task.cancelling()
        self._at_work: set[asyncio.Future[ToolAnswer]] = set()
        self._failure: BaseException | None = None
        self._ended = False

    async def carry_out(self, tool: str, arguments: Mapping[str, Json]) -> ToolAnswer:
        """The answer of a call, in a task of its own: the agent may give it up, and so may the turn."""
        task = asyncio.ensure_future(self._call(tool, arguments))
        self._at_work.add(task)
        try:
            await asyncio.wait({task})
        finally:
            self._at_work.discard(task)
            if not task.done():
                task.cancel()
                task.add_done_callback(lambda one: one.cancelled() or one.exception())  # looked at: nobody waits for it
        if task.cancelled():
            return OVER
        if (failure := task.exception()) is not None:
            if self._failure is None and not self._ended:
                self._failure = failure
                self._owner.cancel()
            return OVER
        return task.result()

    async def end(self) -> None:
        """Give up what is at work."""
        self._ended = True
        for task in self._at_work:
            task.cancel()
        if self._at_work:
            await asyncio.wait(self._at_work)

    def raise_failure(self) -> None:
        """What a call raised, in place of the cancellation by which the turn was told; a foreign one goes first."""
        if self._failure is not None and self._owner.uncancel() <= self._cancelling:
            raise self._failure
