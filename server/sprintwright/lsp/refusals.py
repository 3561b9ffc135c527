"""Errors → what the client is told: the one place where a failure becomes a JSON-RPC error."""

from __future__ import annotations

import asyncio
import contextlib
import enum
import logging
import re
from collections.abc import Sequence
from typing import Any

from cattrs import transform_error
from lsprotocol import types
from pydantic import ValidationError
from pygls.exceptions import JsonRpcException

from sprintwright.errors import SprintwrightError

_LOG = logging.getLogger(__name__)

INTERNAL = "Something went wrong in the server; its log has the details."
CANCELLED = "The request was cancelled."
_MOST_SENTENCES = 10
_MOST_MESSAGE = 2_000
_SNAKE = re.compile(r"_([a-z0-9])")
_KINDS = {"str": "a string", "int": "a whole number", "float": "a number", "bool": "true or false", "list": "a list"}


class WrongType(ValueError):
    """A plain value of another type than the protocol has there; the message is a phrase for people."""


def to_response_error(error: BaseException) -> types.ResponseError:
    """What the client is told. Errors that nobody foresaw are logged here, and nothing of them leaves the server."""
    match error:
        case SprintwrightError():
            data = {"code": error.code, **error.data}
            return types.ResponseError(types.LSPErrorCodes.RequestFailed.value, error.message, data)
        case ValidationError():
            return _invalid(_sentences(error))
        case asyncio.CancelledError():
            return types.ResponseError(types.LSPErrorCodes.RequestCancelled.value, CANCELLED)
        case JsonRpcException():
            return types.ResponseError(error.code, error.message, error.data)
        case _:
            _LOG.error("A request failed.", exc_info=error)
            return types.ResponseError(types.ErrorCodes.InternalError.value, INTERNAL)


def wrong_params(method: str, error: Exception) -> types.ResponseError:
    """Params of a standard method that cattrs could not read: what is wrong, and where, in the wire's names."""
    try:
        found = transform_error(error, path="", format_exception=_phrase)
    except Exception:
        found = ["not as the protocol has it"]
    said = [_placed(one) for one in found]
    return _invalid([f"The params of {method!r} are wrong. {said[0]}", *said[1:]])


def strict(kind: type) -> Any:
    """A structure hook for cattrs that takes a plain type as it is and converts nothing to it.

    The protocol's enumerations of that type become their members; a value that a newer protocol may have stays plain.
    """

    def structure(value: Any, wanted: Any) -> Any:
        if isinstance(value, bool) and kind is not bool:
            raise WrongType(f"not {_KINDS[kind.__name__]}")
        if not (isinstance(value, kind) or (kind is float and isinstance(value, int))):
            raise WrongType(f"not {_KINDS[kind.__name__]}")
        if isinstance(wanted, type) and issubclass(wanted, enum.Enum):
            with contextlib.suppress(ValueError):
                return wanted(value)
        return value

    return structure


def written(value: enum.Enum | int | str) -> int | str:
    """An unstructure hook for cattrs: what `strict` made of an enumeration's value, as it came."""
    return value.value if isinstance(value, enum.Enum) else value


def _invalid(sentences: Sequence[str]) -> types.ResponseError:
    text = " ".join(sentences[:_MOST_SENTENCES])
    if more := len(sentences[_MOST_SENTENCES:]):
        text += f" And {more} more."
    return types.ResponseError(types.ErrorCodes.InvalidParams.value, text[:_MOST_MESSAGE])


def _sentences(error: ValidationError) -> list[str]:
    found: list[str] = []
    for one in error.errors(include_url=False, include_context=False, include_input=False):
        place = ".".join(str(part) for part in one["loc"])
        found.append(f"{place or 'The argument'}: {one['msg']}.")
    return found


def _phrase(error: BaseException, kind: type | None) -> str:
    match error:
        case WrongType():
            return str(error)
        case KeyError():
            return "missing"
        case ValueError() if str(error):
            return str(error).split("\n", 1)[0].rstrip(".")
        case _:
            name = getattr(kind, "__name__", "")
            if name in _KINDS:
                return f"not {_KINDS[name]}"
            return f"not of the type {name}" if hasattr(types, name) else "not as the protocol has it"


def _placed(found: str) -> str:
    """`not a string @ .text_document.uri` → `textDocument.uri: not a string.`"""
    phrase, _, place = found.rpartition(" @ ")
    place = _SNAKE.sub(lambda match: match[1].upper(), place.removeprefix(".")) or "params"
    return f"{place}: {phrase}."
