"""What goes out: answers, notifications and requests of ours, encoded here and queued for the writing thread."""

from __future__ import annotations

import asyncio
import enum
import logging
import uuid
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import attrs
from lsprotocol import types
from pydantic import BaseModel
from pygls.exceptions import JsonRpcException, JsonRpcInvalidParams
from pygls.protocol import LanguageServerProtocol

from sprintwright.lsp.refusals import to_response_error
from sprintwright.lsp.transport.messages import Answer, MessageId
from sprintwright.lsp.transport.outbox import Outbox
from sprintwright.lsp.transport.wire import RawJson, encode_json, framed

if TYPE_CHECKING:
    from cattrs import Converter
    from pygls.lsp.server import LanguageServer

_LOG = logging.getLogger(__name__)


class SendingProtocol(LanguageServerProtocol):
    """The half of the protocol that speaks. Everything runs on the loop's thread."""

    def __init__(self, server: LanguageServer, converter: Converter) -> None:
        self._outbox: Outbox | None = None
        self._want_room: list[Callable[[], None]] = []
        self._answered: MessageId | None = None
        super().__init__(server, converter)  # last: it looks at every attribute

    def send_through(self, outbox: Outbox) -> None:
        """Give the protocol its way out; before that nothing can be sent."""
        self._outbox = outbox

    def answered_already(self, request_id: MessageId) -> None:
        """A request whose answer was sent before we were here: work it off without another one."""
        self._answered = request_id

    @property
    def room(self) -> bool:
        """False while the client does not read: what can wait or be dropped should not be sent now."""
        return self._outbox is None or self._outbox.room

    def when_room(self, callback: Callable[[], None]) -> None:
        """Call back once, on the loop, when there is room again; soon, if there is."""
        self._want_room.append(callback)
        if self.room:
            asyncio.get_running_loop().call_soon(self.room_again)

    def room_again(self) -> None:
        """Called on the loop when the client has read."""
        waiting, self._want_room = self._want_room, []
        for index, callback in enumerate(waiting):
            if not self.room:
                self._want_room = [*waiting[index:], *self._want_room]
                return
            try:
                callback()
            except Exception:
                _LOG.exception("What waited for room failed.")

    def notify(self, method: str, params: Any | None = None) -> None:
        """Send a notification; params may be what a command's result may be."""
        self._send({"jsonrpc": self.VERSION, "method": method}, "params", params)

    def send_request(
        self,
        method: str,
        params: Any | None = None,
        callback: Callable[[Any], None] | None = None,
        msg_id: MessageId | None = None,
    ) -> Future[Any]:
        """Ask the client. A future that is cancelled tells the client so; all are cancelled at the end."""
        request_id = str(uuid.uuid4()) if msg_id is None else msg_id
        future: Future[Any] = Future()
        if callback is not None:
            future.add_done_callback(lambda done: callback(done.result()) if not done.cancelled() else None)
        future.add_done_callback(lambda done: self._given_up(request_id) if done.cancelled() else None)
        self._request_futures[request_id] = future
        self._result_types[request_id] = self.get_result_type(method)
        self._send({"jsonrpc": self.VERSION, "id": request_id, "method": method}, "params", params)
        return future

    def _given_up(self, request_id: MessageId) -> None:
        if self._request_futures.pop(request_id, None) is not None:
            self._result_types.pop(request_id, None)
            self.notify(types.CANCEL_REQUEST, {"id": request_id})

    def _give_up_all(self) -> None:
        for future in [*self._request_futures.values()]:
            future.cancel()

    def _answer(self, request_id: MessageId, result: Any) -> None:
        if self._is_answered(request_id):
            return
        try:
            self._send({"jsonrpc": self.VERSION, "id": request_id}, "result", result)
        except Exception as error:
            self._refuse(request_id, error)

    def _refuse(self, request_id: MessageId | None, error: BaseException) -> None:
        """The one way to say no; the error's data is given up when it can't be written."""
        if request_id is not None and self._is_answered(request_id):
            _LOG.error("What was answered early failed: %s", error)
            return
        told = to_response_error(error)
        plain: dict[str, Any] = {"code": int(told.code), "message": told.message}
        head = {"jsonrpc": self.VERSION, "id": request_id}
        try:
            self._send(head, "error", plain if told.data is None else {**plain, "data": told.data})
        except Exception:
            _LOG.exception("The data of an error could not be sent.")
            self._send(head, "error", plain)

    def _is_answered(self, request_id: MessageId) -> bool:
        """Whether this is the one answered early; asked once, for the client may use the id again."""
        if request_id != self._answered:
            return False
        self._answered = None
        return True

    def _send(self, head: dict[str, Any], name: str, value: Any) -> None:
        body = envelope(self._converter, head, name, value)
        if self._outbox is None:
            raise RuntimeError("The protocol has no way out: call `connect` first.")
        self._outbox.put(framed(body))

    def _send_data(self, data: Any) -> None:
        """Called by what is left of pygls."""
        raise NotImplementedError("Send with `notify` or `send_request`.")

    def _on_answer(self, answer: Answer) -> None:
        future = self._request_futures.pop(answer.id, None)
        kind = self._result_types.pop(answer.id, None)
        if future is None or not future.set_running_or_notify_cancel():
            return  # nobody waits for it any more
        try:
            if answer.error is not None:
                future.set_exception(_client_error(answer.error))
                return
            whole = {"jsonrpc": self.VERSION, "id": answer.id, "result": answer.result}
            future.set_result(answer.result if kind is None else self._converter.structure(whole, kind).result)
        except Exception as error:
            _LOG.warning("An answer of the client can't be read: %r", error)
            future.set_exception(JsonRpcInvalidParams("The client's answer can't be read."))


def envelope(converter: Converter, head: dict[str, Any], name: str, value: Any) -> bytes:
    """A message: its head, and ``name`` with the value. No params is none; no result is null.

    Args:
        value: plain JSON, a type of the protocol, a pydantic model, or `RawJson`; but for the last also nested.

    Raises:
        TypeError, ValueError, RecursionError: the value can't be written as JSON.
    """
    if isinstance(value, RawJson):
        return encode_json(head)[:-1] + b"," + encode_json(name) + b":" + value.data + b"}"
    if value is not None or name != "params":
        head = {**head, name: value}
    return encode_json(head, lambda one: plain(converter, one))


def plain(converter: Converter, value: Any) -> Any:
    """Plain data of one value that JSON does not know."""
    match value:
        case BaseModel():
            return value.model_dump(by_alias=True, mode="json")
        case enum.Enum():
            return value.value
        case PurePath():
            return str(value)
        case set() | frozenset():
            return sorted(value, key=repr)
        case _ if attrs.has(type(value)):
            return converter.unstructure(value)
        case _:
            raise TypeError(f"A {type(value).__name__} can't be written as JSON.")


def _client_error(error: Any) -> JsonRpcException:
    found: dict[str, Any] = error if isinstance(error, dict) else {}
    code, message = found.get("code"), found.get("message")
    if not isinstance(code, int) or isinstance(code, bool) or abs(code) >= 2**31:
        code = types.ErrorCodes.UnknownErrorCode.value
    said = message if isinstance(message, str) else "The client gave no reason."
    return JsonRpcException.from_error(types.ResponseError(code, said, found.get("data")))
