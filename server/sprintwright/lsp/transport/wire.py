"""JSON as it goes over the wire: strict in both directions (no NaN, no half characters), framed by length."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn, cast

_MAYBE_SURROGATE = re.compile(rb"\\u[dD][89a-fA-F]")


@dataclass(frozen=True)
class Unreadable:
    """A body that is not a message. The stream goes on behind it."""

    reason: str


@dataclass(frozen=True)
class RawJson:
    """A result or params that are JSON already, as UTF-8; made by `encode_json`, in a thread when it is big."""

    data: bytes


def decode_body(body: bytes) -> Any:
    """One decoded JSON value, or `Unreadable`. Never raises for any bytes."""
    try:
        value = json.loads(body.decode("utf-8"), parse_constant=_no_constant, parse_float=_finite)
        if _MAYBE_SURROGATE.search(body):
            json.dumps(value, ensure_ascii=False).encode("utf-8")
    except UnicodeDecodeError as error:
        return Unreadable(f"The message is not UTF-8 (byte {error.start}).")
    except UnicodeEncodeError:
        return Unreadable("The message has half a character (a lone surrogate) in it.")
    except RecursionError:
        return Unreadable("The message is nested too deep.")
    except json.JSONDecodeError as error:
        return Unreadable(f"The message is not JSON: {error.msg} (character {error.pos}).")
    except ValueError as error:
        return Unreadable(f"The message has a number that can't be read: {str(error)[:100]}.")
    return value


def encode_json(value: Any, default: Callable[[Any], Any] | None = None) -> bytes:
    """A value as JSON that every client can read: NaN and infinities become null, lone surrogates U+FFFD.

    Args:
        default: makes plain data of what JSON does not know.

    Raises:
        TypeError, ValueError, RecursionError: the value can't be written as JSON.
    """
    try:
        text = json.dumps(value, default=default, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    except ValueError as error:
        if "Circular" in str(error):
            raise
        text = json.dumps(_finite_only(value, default), ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode("utf-8")


def framed(body: bytes) -> bytes:
    """The body with its header."""
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


def _no_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"{text[:20]} is too large")
    return number


def _finite_only(value: Any, default: Callable[[Any], Any] | None) -> Any:
    match value:
        case float():
            return value if math.isfinite(value) else None
        case None | str() | int():
            return value
        case Mapping():
            items = cast("Mapping[Any, Any]", value).items()
            return {key: _finite_only(one, default) for key, one in items}
        case Sequence() if isinstance(value, list | tuple):
            return [_finite_only(one, default) for one in cast("Sequence[Any]", value)]
        case _ if default is not None:
            return _finite_only(default(value), default)
        case _:
            return value
