"""A decoded JSON value → a request, a notification, an answer, or why it is none of them. Pure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias, cast

INVALID_REQUEST = -32600
INVALID_PARAMS = -32602
PARSE_ERROR = -32700

MessageId: TypeAlias = int | str

_MOST_ID_CHARACTERS = 1_000
_MOST_ID = 2**53
"""The largest whole number that every JSON reader keeps as it is."""
_MOST_METHOD_CHARACTERS = 1_000


@dataclass(frozen=True)
class Request:
    """Wants exactly one answer."""

    id: MessageId
    method: str
    params: Any


@dataclass(frozen=True)
class Notification:
    """Wants none."""

    method: str
    params: Any


@dataclass(frozen=True)
class Answer:
    """What the client says to a request of ours."""

    id: MessageId
    result: Any
    error: Any


@dataclass(frozen=True)
class Invalid:
    """Is told to the sender, under the id if that can be used."""

    id: MessageId | None
    code: int
    reason: str


@dataclass(frozen=True)
class Stray:
    """An answer to nothing that we could have asked: an answer to it would only go round in circles."""


Message: TypeAlias = Request | Notification | Answer | Invalid | Stray


def read_message(value: Any) -> Message:
    """What a value is. Params stay plain data at any depth; null params are none."""
    if isinstance(value, list):
        return Invalid(None, INVALID_REQUEST, "Batches are not part of this protocol: send one message a frame.")
    if not isinstance(value, dict):
        return Invalid(None, INVALID_REQUEST, "A message must be an object.")
    message = cast("dict[str, Any]", value)
    has_id = "id" in message
    name = _usable_id(message.get("id"))
    is_answer = "method" not in message and ("result" in message or "error" in message)
    if is_answer and (name is None or message.get("jsonrpc") != "2.0"):
        return Stray()
    if message.get("jsonrpc") != "2.0":
        return Invalid(name, INVALID_REQUEST, 'A message must have "jsonrpc": "2.0".')
    if has_id and name is None:
        return Invalid(None, INVALID_REQUEST, "The id must be a whole number or a string of at most 1,000 letters.")
    if is_answer and name is not None:
        return Answer(name, message.get("result"), message.get("error"))
    method, params = message.get("method"), message.get("params")
    if not isinstance(method, str) or not 0 < len(method) <= _MOST_METHOD_CHARACTERS:
        return Invalid(name, INVALID_REQUEST, "The method must be a string of at most 1,000 letters.")
    if params is not None and not isinstance(params, dict | list):
        if name is None:
            params = None  # nobody waits for an answer; what the method is for decides
        else:
            return Invalid(name, INVALID_PARAMS, "The params must be an object or a list.")
    return Notification(method, params) if name is None else Request(name, method, params)


def _usable_id(value: Any) -> MessageId | None:
    match value:
        case bool():
            return None
        case int() if -_MOST_ID <= value <= _MOST_ID:
            return value
        case str() if len(value) <= _MOST_ID_CHARACTERS:
            return value
        case _:
            return None
