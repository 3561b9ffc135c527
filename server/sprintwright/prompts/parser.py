"""Template text -> a tree of blocks."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple, TypeAlias

from sprintwright.prompts.expression import (
    DEPTH,
    FUNCTIONS,
    NAME,
    Expression,
    Name,
    NotAnExpression,
    names_of,
    parse_expression,
    unquoted,
)
from sprintwright.prompts.lexer import Token, tokens

_MOST_PROBLEMS = 100
_SPACE = " \t\r\n"
_WORD = re.compile(r"(?:if|else|end|range)(?![\w.-])")
_QUOTED = re.compile(r"""(?:"(?:[^"\\\n]|\\.)*+"|`[^`\n]*+`)\Z""")
_INSERT = re.compile(rf"\.?{NAME}\Z")
_ELSE_IF = re.compile(r"if(?![\w.-])\s*")

Block: TypeAlias = "tuple[Part, ...]"


@dataclass(frozen=True, slots=True)
class If:
    """The first branch whose condition holds; a branch without condition is the `else`."""

    branches: tuple[tuple[Expression | None, Block], ...]


@dataclass(frozen=True, slots=True)
class Range:
    """``body`` once per entry; ``otherwise`` when there is none."""

    name: str
    body: Block
    otherwise: Block


Part: TypeAlias = str | Name | If | Range


class Complaint(NamedTuple):
    """A sentence, its place, and whether the text is good all the same."""

    message: str
    start: int
    end: int
    warning: bool = False


@dataclass(slots=True)
class _Open:
    """A block that waits for its `end`."""

    token: Token | None
    ranged: Name | None = None
    condition: Expression | None = None
    closed_by_else: bool = False
    branches: list[tuple[Expression | None, Block]] = field(default_factory=list[tuple[Expression | None, "Block"]])
    parts: list[Part] = field(default_factory=list["Part"])

    def next_branch(self, condition: Expression | None) -> None:
        self.branches.append((self.condition, tuple(self.parts)))
        self.condition, self.closed_by_else, self.parts = condition, condition is None, []

    def part(self) -> Part:
        self.next_branch(None)
        if self.ranged is None:
            return If(tuple(self.branches))
        otherwise = self.branches[1][1] if len(self.branches) > 1 else ()
        return Range(self.ranged.name, self.branches[0][1], otherwise)


class Parser:
    """One reading of one template. ``names``: each with whether it stands in a range, or is what one goes over."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._stack = [_Open(None)]
        self._trim = False
        self._too_deep = 0
        self.names: list[tuple[Name, bool, bool]] = []
        self.problems: list[Complaint] = []

    def parse(self) -> Block:
        """The tree; blocks that nothing ends go on to the end of the text."""
        for token in tokens(self._text):
            if token.kind == "action" and not self._action(token):
                self._stay_text(token)
            elif token.kind == "open":
                self._warn(token, "is closed nowhere")
                self._add_text(self._text[token.start : token.end])
            elif token.kind == "text":
                self._add_text(self._text[token.start : token.end])
            elif token.kind == "comment":
                self._trim_marks(token)
        while len(self._stack) > 1:
            opened = self._stack.pop()
            if opened.token:
                self._error(
                    opened.token, f"{self._shown(opened.token)} has no {{{{end}}}}; put one where its text ends."
                )
            self._stack[-1].parts.append(opened.part())
        return tuple(self._stack[0].parts)

    def _action(self, token: Token) -> bool:
        """Take an action into the tree; False when it is none."""
        body = self._text[token.body_start : token.body_end]
        if word := _WORD.match(body):
            try:
                self._control(word[0], token, token.body_start + word.end())
            except NotAnExpression as error:
                self._error(token, f"{self._shown(token)} can't be read: {error}")
                return self._recover(word[0], token)
            return True
        part: Part
        if _QUOTED.match(body):
            part = unquoted(body)
        elif _INSERT.match(body) and body not in FUNCTIONS:
            part = Name(body.removeprefix("."), token.body_start, token.body_end)
            self.names.append((part, self._in_range(), False))
        else:
            return False
        self._trim_marks(token)
        self._stack[-1].parts.append(part)
        return True

    def _control(self, word: str, token: Token, rest: int) -> None:
        if word in ("if", "range"):
            self._open(word, token, rest)
        elif self._too_deep:
            self._too_deep -= word == "end"
        elif len(self._stack) == 1:
            raise NotAnExpression(f"there is no open 'if' or 'range' that this {word!r} could belong to.")
        elif word == "else":
            self._else(token, rest)
        elif self._text[rest : token.body_end].strip():
            raise NotAnExpression("'end' stands alone.")
        else:
            self._trim_marks(token)
            part = self._stack.pop().part()
            self._stack[-1].parts.append(part)

    def _open(self, word: str, token: Token, rest: int) -> None:
        if len(self._stack) > DEPTH:
            self._too_deep += 1
            if self._too_deep == 1:
                self._error(token, f"Blocks may be nested {DEPTH} deep; this one is left out.")
            return
        condition = parse_expression(self._text, rest, token.body_end)
        opened = _Open(token, condition=condition)
        if word == "range":
            if not isinstance(condition, Name):
                raise NotAnExpression("a range goes over one name, as in {{range .results}}.")
            if self._in_range():
                # Two levels multiply: a short template could grow beyond all bounds.
                raise NotAnExpression("a range can't stand inside another one.")
            opened.ranged, opened.condition = condition, None
            self.names.append((condition, False, True))
        else:
            self._note_names(condition)
        self._trim_marks(token)
        self._stack.append(opened)

    def _else(self, token: Token, rest: int) -> None:
        opened = self._stack[-1]
        if opened.closed_by_else:
            raise NotAnExpression("this block already has its 'else'.")
        tail = self._text[rest : token.body_end].lstrip()
        condition = None
        if more := _ELSE_IF.match(tail):
            if opened.ranged:
                raise NotAnExpression("a range has a plain 'else' only.")
            condition = parse_expression(self._text, token.body_end - len(tail) + more.end(), token.body_end)
            self._note_names(condition)
        elif tail:
            raise NotAnExpression("behind 'else' only 'if' and a condition may stand.")
        self._trim_marks(token)
        opened.next_branch(condition)

    def _recover(self, word: str, token: Token) -> bool:
        """Keep the blocks paired after a bad `if` or `range`, so that its `end` is not reported too."""
        if word in ("if", "range"):
            self._stack.append(_Open(None, condition=Name("", token.start, token.start)))
        return True

    def _note_names(self, condition: Expression) -> None:
        self.names.extend((name, self._in_range(), False) for name in names_of(condition))

    def _in_range(self) -> bool:
        return any(opened.ranged and not opened.closed_by_else for opened in self._stack)

    def _add_text(self, text: str) -> None:
        if self._trim:
            text = text.lstrip(_SPACE)
            self._trim = not text
        if text:
            self._stack[-1].parts.append(text)

    def _trim_marks(self, token: Token) -> None:
        parts = self._stack[-1].parts
        if (
            token.trim_left
            and parts
            and isinstance(parts[-1], str)
            and self._text[token.start - 1 : token.start] in _SPACE
        ):
            parts[-1] = parts[-1].rstrip(_SPACE)
        self._trim = token.trim_right

    def _stay_text(self, token: Token) -> None:
        self._warn(token, "is neither a name nor one of if, else, range, end")
        self._trim = False
        self._add_text(self._text[token.start : token.end])

    def _warn(self, token: Token, why: str) -> None:
        if len(self.problems) >= _MOST_PROBLEMS:
            return
        advice = 'A literal {{ is written {{"{{"}}.'
        self._complain(token, f"{self._shown(token)} {why}: it stays text. {advice}", warning=True)

    def _error(self, token: Token, message: str) -> None:
        self._complain(token, message)

    def _complain(self, token: Token, message: str, *, warning: bool = False) -> None:
        if len(self.problems) < _MOST_PROBLEMS:
            self.problems.append(Complaint(message, token.start, token.end, warning))

    def _shown(self, token: Token) -> str:
        text = self._text[token.start : min(token.end, token.start + 60)]
        return repr(text + "…" if token.end > token.start + 60 else text)
