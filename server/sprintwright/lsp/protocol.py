"""JSON-RPC and the life of a session over pygls, with its faults overridden: every request gets exactly one answer.

pygls keeps what it is good at: the registry of features, document synchronisation, capabilities, types. What goes in
and out, tasks, cancelling and the end are done here. Everything runs on the loop's thread.
"""

from __future__ import annotations

import asyncio
import enum
import inspect
import logging
from collections.abc import Awaitable, Callable, Generator, Mapping
from typing import TYPE_CHECKING, Any, Literal

from lsprotocol import types
from pygls.exceptions import (
    JsonRpcException,
    JsonRpcInvalidParams,
    JsonRpcInvalidRequest,
    JsonRpcMethodNotFound,
    JsonRpcServerNotInitialized,
)
from pygls.protocol import lsp_method

from sprintwright.lsp.outgoing import SendingProtocol
from sprintwright.lsp.refusals import strict, written, wrong_params
from sprintwright.lsp.transport.messages import Answer, Invalid, MessageId, Notification, Request, Stray, read_message
from sprintwright.lsp.transport.outbox import Outbox
from sprintwright.lsp.transport.wire import RawJson, Unreadable
from sprintwright.text import did_you_mean

if TYPE_CHECKING:
    from cattrs import Converter
    from pygls.lsp.server import LanguageServer

__all__ = ["CommandHandler", "HardenedProtocol", "RawJson"]

_LOG = logging.getLogger(__name__)

CommandHandler = Callable[[Any], Awaitable[Any]]
State = Literal["new", "initializing", "ready", "ending"]

_AT_ONCE = 64
"""Requests that run at the same time; further ones wait in their order and can still be cancelled unseen."""
_MOST_LIVE = 20_000
_CANCEL_SECONDS = 1.0
"""What cancelled requests may take before the runs are ended."""
_CLOSE_SECONDS = 4.0
_PARSE_ERROR = -32700
_SHOWN = 100


class HardenedProtocol(SendingProtocol):
    """The protocol class of our server. `connect` gives it a way out; `receive` takes what came in."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        for kind in (str, int, bool):  # cattrs would make "5" of 5
            converter.register_structure_hook(kind, strict(kind))
        converter.register_unstructure_hook(enum.Enum, written)
        self._state: State = "new"
        self._end_work: Callable[[], Awaitable[None]] | None = None
        self._on_exit: Callable[[], None] = lambda: None
        self._at_once = asyncio.Semaphore(_AT_ONCE)
        self._live: dict[MessageId, asyncio.Task[Any]] = {}
        self._held: list[Request | Notification] = []
        self._background: set[asyncio.Task[Any]] = set()
        self._closing: asyncio.Task[None] | None = None
        self._shutting_down: asyncio.Task[None] | None = None
        super().__init__(server, converter)  # last: it looks at every attribute

    # What the server uses

    def command(self, name: str, handler: CommandHandler) -> None:
        """Register what `workspace/executeCommand` does under a name; it gets the first argument, or None."""
        self.fm.commands[name] = handler

    @property
    def commands(self) -> Mapping[str, CommandHandler]:
        """The registered commands; the client is told their names."""
        return self.fm.commands

    # What serving uses

    def connect(
        self, outbox: Outbox, *, end_work: Callable[[], Awaitable[None]], on_exit: Callable[[], None] = lambda: None
    ) -> None:
        """Give the protocol its way out.

        Args:
            end_work: ends whatever the server does; awaited once, before the answer to `shutdown` or at the end.
            on_exit: called when the client sends `exit`.
        """
        self.send_through(outbox)
        self._end_work, self._on_exit = end_work, on_exit

    @property
    def was_shut_down(self) -> bool:
        """Whether the client has asked for the end in the proper way."""
        return self._shutdown

    async def close(self) -> None:
        """End all requests, then all work, within some five seconds; done once, however often it is called."""
        if self._closing is None:
            self._closing = asyncio.create_task(self._close(), name="close")
        await asyncio.shield(self._closing)
        if self._shutting_down is not None and self._shutting_down is not asyncio.current_task():
            await asyncio.wait({self._shutting_down}, timeout=_CANCEL_SECONDS)

    def receive(self, message: object) -> None:
        """Take one decoded JSON value, or what could not be decoded."""
        if isinstance(message, Unreadable):
            self._refuse(None, JsonRpcException(message.reason, _PARSE_ERROR))
            return
        match read_message(message):
            case Request() as request:
                self._on_request(request)
            case Notification() as notification:
                self._on_notification(notification)
            case Answer() as answer:
                self._on_answer(answer)
            case Invalid() as invalid:
                _LOG.warning("The client sent something invalid: %s", invalid.reason)
                self._refuse(invalid.id, JsonRpcException(invalid.reason, invalid.code))
            case Stray():
                _LOG.warning("The client sent an answer to nothing that was asked.")

    # Requests

    def _on_request(self, request: Request) -> None:
        try:
            self._begin(request)
        except Exception as error:
            self._refuse(request.id, error)

    def _begin(self, request: Request) -> None:
        if request.id in self._live or any(isinstance(one, Request) and one.id == request.id for one in self._held):
            raise JsonRpcInvalidRequest("A request with this id is not answered yet.")
        if self._state == "ending":
            raise JsonRpcInvalidRequest("The server is shutting down.")
        if request.method == types.INITIALIZE:
            if self._state != "new":
                raise JsonRpcInvalidRequest("The server is initialized already.")
        elif self._state == "new":
            raise JsonRpcServerNotInitialized("The first request must be `initialize`.")
        if len(self._live) + len(self._held) >= _MOST_LIVE:
            raise JsonRpcException("Too many requests wait for an answer.", types.LSPErrorCodes.RequestFailed.value)
        if self._state == "initializing":
            self._held.append(request)
        elif request.method == types.SHUTDOWN:
            self._state, self._shutdown = "ending", True
            self._shutting_down = asyncio.create_task(self._shut_down(request.id), name="shutdown")
        else:
            self._start(request)

    def _start(self, request: Request) -> None:
        handler = self._handler(request.method)
        if handler is None:
            raise JsonRpcMethodNotFound(f"There is no method {request.method[:_SHOWN]!r}.")
        params = self._params(request.method, request.params)
        if request.method == types.INITIALIZE:
            self._state = "initializing"
        task = asyncio.create_task(self._perform(request.id, handler, params), name=f"request {request.method}")
        self._live[request.id] = task
        task.add_done_callback(lambda done: self._ended(request, done))

    async def _perform(self, request_id: MessageId, handler: Callable[..., Any], params: Any) -> Any:
        self._ctx_msg_id.set(request_id)
        async with self._at_once:
            try:
                return await self._call(handler, params)
            except (SystemExit, KeyboardInterrupt) as error:  # either would end the loop from within
                raise RuntimeError(f"A handler raised {type(error).__name__}.") from error

    async def _call(self, handler: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Call a coroutine function, a plain one, or one of pygls' own, which yield the calls that they want."""
        result = handler(*args, **kwargs)
        if inspect.isgenerator(result):
            return await self._drive(result)
        return await result if inspect.isawaitable(result) else result

    async def _drive(self, steps: Generator[Any, Any, Any]) -> Any:
        value: Any = None
        try:
            while True:
                handler, args, kwargs = steps.send(value)
                value = await self._call(handler, *args, **(kwargs or {}))
        except StopIteration as stop:
            return stop.value
        finally:
            steps.close()

    def _ended(self, request: Request, task: asyncio.Task[Any]) -> None:
        error = asyncio.CancelledError() if task.cancelled() else task.exception()
        if self._live.get(request.id) is not task:
            return  # answered already, at the end of the session
        del self._live[request.id]
        if error is not None:
            self._refuse(request.id, error)
        else:
            self._answer(request.id, task.result())
        if request.method == types.INITIALIZE and self._state == "initializing":
            self._state = "ready" if error is None else "new"
            held, self._held = self._held, []
            for one in held:
                self._on_request(one) if isinstance(one, Request) else self._on_notification(one)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    async def lsp_workspace__execute_command(self, params: Mapping[str, Any]) -> Any:  # type: ignore[override]
        """Run a registered command with its one argument, as it came."""
        name, arguments = params.get("command"), params.get("arguments")
        if not isinstance(name, str):
            raise JsonRpcInvalidParams("command: not a string.")
        if arguments is not None and not isinstance(arguments, list):
            raise JsonRpcInvalidParams("arguments: not a list.")
        handler = self.fm.commands.get(name)
        if handler is None:
            near = did_you_mean(name, self.fm.commands)
            raise JsonRpcInvalidParams(f"There is no command {name[:_SHOWN]!r}.{near}")
        if arguments and len(arguments) > 1:
            raise JsonRpcInvalidParams(f"The command {name!r} takes one argument, not {len(arguments)}.")
        return await self._call(handler, arguments[0] if arguments else None)

    # Notifications

    def _on_notification(self, notification: Notification) -> None:
        method, params = notification.method, notification.params
        if method == types.EXIT:
            self._on_exit()
        elif method == types.CANCEL_REQUEST:
            self._cancel(params.get("id") if isinstance(params, dict) else None)
        elif self._state == "initializing" and len(self._held) < _MOST_LIVE:
            self._held.append(notification)
        elif self._state == "ready" and (handler := self._handler(method)) is not None:
            try:
                plain = self._params(method, params)
            except JsonRpcException as error:
                _LOG.warning("A notification is ignored. %s", error.message)
                return
            task = asyncio.create_task(self._call(handler, plain), name=f"notification {method}")
            self._background.add(task)
            task.add_done_callback(self._noticed)

    def _noticed(self, task: asyncio.Task[Any]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            _LOG.error("A %s failed.", task.get_name(), exc_info=error)

    def _cancel(self, request_id: Any) -> None:
        if isinstance(request_id, bool) or not isinstance(request_id, int | str):
            return
        if request_id == self._answered:
            return  # for the client it is over: it came too late
        if (task := self._live.get(request_id)) is not None:
            task.cancel()
            return
        for one in self._held:
            if isinstance(one, Request) and one.id == request_id:
                self._held.remove(one)
                self._refuse(request_id, asyncio.CancelledError())
                return

    # The end

    async def _shut_down(self, request_id: MessageId) -> None:
        if (hook := self.fm.features.get(types.SHUTDOWN)) is not None:
            try:
                await self._call(hook, None)
            except Exception:
                _LOG.exception("The hook for `shutdown` failed.")
        await self.close()
        self._answer(request_id, None)

    async def _close(self) -> None:
        loop = asyncio.get_running_loop()
        end = loop.time() + _CLOSE_SECONDS
        if self._state == "initializing":  # what came behind it, perhaps `shutdown`, counts too
            await asyncio.wait({*self._live.values()}, timeout=_CANCEL_SECONDS)
            await asyncio.sleep(0)
        self._state = "ending"
        held, self._held = self._held, []
        for one in held:
            if isinstance(one, Request):
                self._refuse(one.id, asyncio.CancelledError())
        await _cancelled({*self._live.values()}, _CANCEL_SECONDS)
        if self._end_work is not None:
            work = asyncio.ensure_future(self._end_work())
            await asyncio.wait({work}, timeout=max(end - loop.time(), 0.1))
            if not work.done():
                _LOG.error("What the server did could not be ended in time.")
            elif not work.cancelled() and (error := work.exception()) is not None:
                _LOG.error("What the server did could not be ended.", exc_info=error)
        self._give_up_all()
        late, self._live = self._live, {}
        for request_id in late:
            self._refuse(request_id, asyncio.CancelledError())
        await _cancelled(self._background, _CANCEL_SECONDS / 10)

    # Methods and their params

    def _handler(self, method: str) -> Callable[..., Any] | None:
        return self.fm.builtin_features.get(method) or self.fm.features.get(method)

    def _params(self, method: str, params: Any) -> Any:
        """Params as their handler takes them: the protocol's own types for its methods, plain data for ours."""
        known = types.METHOD_TO_TYPES.get(method)
        if known is None:
            return params
        if not isinstance(params, dict | None):
            raise JsonRpcInvalidParams(f"The params of {method!r} must be an object.")
        if method == types.WORKSPACE_EXECUTE_COMMAND:
            return params or {}
        if not isinstance(kind := known[2], type):
            return params
        try:
            return self._converter.structure(params or {}, kind)
        except Exception as error:
            told = wrong_params(method, error)
            raise JsonRpcInvalidParams(told.message) from error


async def _cancelled(tasks: set[asyncio.Task[Any]], seconds: float) -> None:
    tasks = {task for task in tasks if task is not asyncio.current_task()}
    for task in tasks:
        task.cancel()
    if tasks:
        await asyncio.wait(tasks, timeout=seconds)
        await asyncio.sleep(0)  # their answers are sent by callbacks
