"""JSON from outside: strict, with limits, and found in prose. Never a `RecursionError`, never quadratic (X68, X69)."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import NoReturn, cast

from sprintwright.model.value import Json

SIZE = 64 * 1024 * 1024
"""Characters of one message."""
DEPTH = 200
"""Brackets within brackets."""
_DIGITS = 20
"""Integers with more digits become text: no reader agrees with another about them."""

_DEPTH_TOKEN = re.compile(r'"(?:[^"\\]|\\.)*+"?|[\[{]|[\]}]', re.DOTALL)
_SURROGATE = re.compile("[\ud800-\udfff]")
_TOKEN = re.compile(
    r"""[ \t\r\n]*+(?:
        (?P<string>"(?:[^"\\]|\\.)*+")
      | (?P<punctuation>[{}\[\]:,])
      | (?P<atom>true|false|null|NaN|-?Infinity|-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?+(?:[eE][+-]?[0-9]++)?+)
    )""",
    re.VERBOSE | re.DOTALL,
)
_BLANK = re.compile(r"[ \t\r\n]*+")


class JsonRefused(ValueError):
    """Text that is no JSON, or JSON that is not taken; the message says which."""


def parse_json(text: str, *, lenient: bool = False, size: int = SIZE, depth: int = DEPTH) -> Json:
    """Read one JSON text from outside.

    Lone surrogates become U+FFFD, and integers of more than 20 digits (or numbers that no float can hold) become
    text.

    Args:
        lenient: accept control characters such as line ends within strings; models write them (cases.md B023).
        size: most characters.
        depth: most brackets within brackets.

    Raises:
        JsonRefused: not JSON, too big, too deep, a key twice in one object, NaN or Infinity.
    """
    if len(text) > size:
        raise JsonRefused(f"The text has {len(text)} characters, more than {size}.")
    _check_depth(text, depth)
    decoder = json.JSONDecoder(
        object_pairs_hook=_object,
        parse_constant=_refuse_constant,
        parse_int=_integer,
        parse_float=_number,
        strict=not lenient,
    )
    try:
        return _storable(cast(Json, decoder.decode(text)))
    except JsonRefused:
        raise
    except (ValueError, RecursionError) as error:
        raise JsonRefused(f"The text is not JSON: {error}.") from error


@dataclass(frozen=True, slots=True)
class JsonSpan:
    """A stretch of a text that begins as a JSON object.

    ``value`` is None when it is not one after all: cut off (``finished`` is False), broken, or refused by
    `parse_json`. ``end`` is exclusive, and for a broken one the place where it broke.
    """

    start: int
    end: int
    value: Mapping[str, Json] | None
    finished: bool = True


def spans(text: str) -> list[JsonSpan]:
    """Everything in a text that begins as a JSON object, outermost only, in order.

    A scan that breaks is taken up again behind the break, never within what it passed: linear, and objects
    inside something broken are not found. Control characters in strings are accepted.
    """
    found: list[JsonSpan] = []
    position = text.find("{")
    while position >= 0:
        end, state = _Scan(text).run(position)
        if state == "complete":
            found.append(JsonSpan(position, end, _value(text[position:end])))
        elif state == "unfinished":
            found.append(JsonSpan(position, len(text), None, finished=False))
            end = len(text)
        elif end > position + 1:
            found.append(JsonSpan(position, end, None))
        position = text.find("{", max(end, position + 1))
    return found


def objects(text: str) -> list[Mapping[str, Json]]:
    """The complete top-level JSON objects that stand in a text, in order."""
    return [span.value for span in spans(text) if span.value is not None]


def without_surrogates(text: str) -> str:
    """Text that can be written as UTF-8: lone surrogates are replaced by U+FFFD."""
    return text if text.isascii() else _SURROGATE.sub("\ufffd", text)


def _value(text: str) -> Mapping[str, Json] | None:
    try:
        value = parse_json(text, lenient=True)
    except JsonRefused:
        return None
    return value if isinstance(value, dict) else None


class _Scan:
    """A pushdown automaton over tokens; checks the grammar without building values."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._open: list[str] = []
        self._expect = "value"

    def run(self, start: int) -> tuple[int, str]:
        """Where the scan ended, and whether the object there is complete, unfinished or broken."""
        position = start
        while match := _TOKEN.match(self._text, position):
            if not self._take(match):
                return position, "broken"
            position = match.end()
            if not self._open:
                return position, "complete"
        blank = _BLANK.match(self._text, position)
        rest = blank.end() if blank else position
        # No token fits: the text is over, or it ends within a string.
        if rest == len(self._text) or self._text[rest] == '"':
            return rest, "unfinished"
        return position, "broken"

    def _take(self, match: re.Match[str]) -> bool:
        expect = self._expect
        if match["string"] is not None:
            if expect.startswith("key"):
                self._expect = "colon"
                return True
            return self._value_ends()
        if match["atom"] is not None:
            return self._value_ends()
        sign = match["punctuation"]
        if sign in "{[":
            return self._opens(sign)
        if sign in "}]":
            return self._closes(sign)
        if sign == ":":
            self._expect = "value"
            return expect == "colon"
        self._expect = "key" if self._open[-1] == "{" else "value"
        return expect == "next"

    def _value_ends(self) -> bool:
        fits = self._expect.startswith("value")
        self._expect = "next"
        return fits

    def _opens(self, sign: str) -> bool:
        fits = self._expect.startswith("value")
        self._open.append(sign)
        self._expect = "key or end" if sign == "{" else "value or end"
        return fits

    def _closes(self, sign: str) -> bool:
        fits = self._expect == "next" or self._expect.endswith("or end")
        opened = self._open.pop()
        self._expect = "next"
        return fits and opened + sign in ("{}", "[]")


def _check_depth(text: str, most: int) -> None:
    depth = 0
    for match in _DEPTH_TOKEN.finditer(text):
        if match[0] in "[{":
            depth += 1
            if depth > most:
                raise JsonRefused(f"The text has more than {most} brackets within brackets.")
        elif match[0] in "]}":
            depth -= 1


def _object(pairs: list[tuple[str, Json]]) -> dict[str, Json]:
    result: dict[str, Json] = {}
    for key, value in pairs:
        # Compared as they will be kept: two keys may differ in nothing but their lone surrogates.
        kept = without_surrogates(key)
        if kept in result:
            raise JsonRefused(f"The key {kept[:100]!r} stands twice in one object.")
        result[kept] = value
    return result


def _refuse_constant(name: str) -> NoReturn:
    raise JsonRefused(f"{name} is not JSON.")


def _integer(digits: str) -> int | str:
    return int(digits) if len(digits.lstrip("-")) <= _DIGITS else digits


def _number(digits: str) -> float | str:
    value = float(digits)
    return value if math.isfinite(value) else digits


def _storable(value: Json) -> Json:
    """The value with every string fit for UTF-8. Recursion is bounded by `DEPTH`."""
    if isinstance(value, str):
        return without_surrogates(value)
    if isinstance(value, list):
        return [_storable(one) for one in value]
    if isinstance(value, dict):
        return {key: _storable(one) for key, one in value.items()}
    return value
