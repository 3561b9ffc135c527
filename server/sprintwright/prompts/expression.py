"""Conditions of templates: `.name`, numbers, quoted text, and calls in prefix form. Nothing is executed."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

FUNCTIONS = frozenset({"and", "or", "not", "eq", "ne", "lt", "le", "gt", "ge"})
NAME = r"[^\W\d][\w-]*+"
DEPTH = 50

_TOKEN = re.compile(
    rf"""\s*+(?:(?P<paren>[()])|(?P<text>"(?:[^"\\\n]|\\.)*+"|`[^`\n]*+`)
    |(?P<number>-?[0-9]{{1,15}}(?:\.[0-9]{{1,15}})?(?![\w.]))|(?P<name>\.?{NAME})(?![\w.]))""",
    re.VERBOSE,
)
_ESCAPE = re.compile(r"\\(.)")
_ESCAPED = {"n": "\n", "t": "\t", "r": "\r"}
_NUMBER = re.compile(r"-?[0-9]{1,15}(?:\.[0-9]{1,15})?")
_ORDER: dict[str, Callable[[float | str, float | str], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "lt": operator.lt, "le": operator.le, "gt": operator.gt, "ge": operator.ge,
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Name:
    """A variable or, inside a range, a field of the entry; offsets are those of the name in the template."""

    name: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Constant:
    """A number or a quoted text."""

    value: str | int | float


@dataclass(frozen=True, slots=True)
class Call:
    """A function on its arguments."""

    function: str
    arguments: tuple[Expression, ...]


Expression: TypeAlias = Name | Constant | Call
Lookup: TypeAlias = Callable[[str], object]


class NotAnExpression(Exception):
    """What stands there is none; the message is a sentence for the author of the template."""


def unquoted(text: str) -> str:
    """The text between quotes or backquotes, escapes resolved."""
    if text.startswith("`"):
        return text[1:-1]
    return _ESCAPE.sub(lambda match: _ESCAPED.get(match[1], match[1]), text[1:-1])


def parse_expression(text: str, start: int, end: int) -> Expression:
    """Read a condition. Raises `NotAnExpression`."""
    return _Reader(text, start, end).whole()


class _Reader:
    def __init__(self, text: str, start: int, end: int) -> None:
        self._text, self._position, self._end = text, start, end

    def whole(self) -> Expression:
        found = self._expression(0)
        if rest := self._text[self._position : self._end].strip():
            raise NotAnExpression(f"{_short(rest)} is too much here.")
        return found

    def _next(self) -> re.Match[str] | None:
        return _TOKEN.match(self._text, self._position, self._end)

    def _expression(self, depth: int) -> Expression:
        token = self._next()
        if token and token["name"] in FUNCTIONS:
            self._position = token.end()
            return self._call(token["name"], depth)
        if (operand := self._operand(depth)) is None:
            raise NotAnExpression(self._missing("A condition is missing"))
        return operand

    def _call(self, function: str, depth: int) -> Call:
        arguments: list[Expression] = []
        while (operand := self._operand(depth)) is not None:
            arguments.append(operand)
        least, most = {"not": (1, 1), "and": (1, None), "or": (1, None), "eq": (2, None)}.get(function, (2, 2))
        if len(arguments) < least or (most is not None and len(arguments) > most):
            wanted = f"{least}" if most == least else f"at least {least}"
            raise NotAnExpression(f"{function!r} takes {wanted} value(s), here are {len(arguments)}.")
        return Call(function, tuple(arguments))

    def _operand(self, depth: int) -> Expression | None:
        token = self._next()
        if token is None or token["paren"] == ")":
            return None
        self._position = token.end()
        if token["paren"]:
            return self._grouped(depth + 1)
        if token["text"]:
            return Constant(unquoted(token["text"]))
        if number := token["number"]:
            return Constant(float(number) if "." in number else int(number))
        if token["name"] in FUNCTIONS:
            raise NotAnExpression(f"Put the call of {token['name']!r} in parentheses.")
        return Name(token["name"].removeprefix("."), token.start("name"), token.end("name"))

    def _grouped(self, depth: int) -> Expression:
        if depth > DEPTH:
            raise NotAnExpression(f"Parentheses may be nested {DEPTH} deep.")
        inner = self._expression(depth)
        closing = self._next()
        if closing is None or closing["paren"] != ")":
            raise NotAnExpression(self._missing("A closing parenthesis is missing"))
        self._position = closing.end()
        return inner

    def _missing(self, what: str) -> str:
        rest = self._text[self._position : self._end].strip()
        return f"{what}; here is {_short(rest)}." if rest else f"{what}."


def _short(text: str) -> str:
    return repr(text if len(text) <= 40 else text[:39] + "…")


def names_of(expression: Expression) -> list[Name]:
    """Every name in a condition, in order."""
    if isinstance(expression, Call):
        return [name for argument in expression.arguments for name in names_of(argument)]
    return [expression] if isinstance(expression, Name) else []


def evaluate(expression: Expression, lookup: Lookup) -> object:
    """The value of a condition; what is unset is None. Never raises."""
    match expression:
        case Name():
            return lookup(expression.name)
        case Constant():
            return expression.value
        case Call("and" | "or" as function):
            value: object = None
            for argument in expression.arguments:
                value = evaluate(argument, lookup)
                if bool(value) is (function == "or"):
                    break
            return value
        case Call("not"):
            return not evaluate(expression.arguments[0], lookup)
        case Call():
            first, *others = (evaluate(argument, lookup) for argument in expression.arguments)
            return any(_compare(expression.function, first, other) for other in others)


def _compare(function: str, left: object, right: object) -> bool:
    if not isinstance(left, str | int | float) or not isinstance(right, str | int | float):
        return False  # unset, or a list: comparing those is false, whichever way it is asked
    one, other = _as_number(left), _as_number(right)
    if one is not None and other is not None:
        return _ORDER[function](one, other)
    if isinstance(left, str) and isinstance(right, str):
        return _ORDER[function](left, right)
    return function == "ne"


def _as_number(value: str | int | float) -> float | None:
    if isinstance(value, str):
        return float(value) if _NUMBER.fullmatch(value) else None
    return value
