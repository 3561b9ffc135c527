"""Where the actions of a template are: text -> tokens. One pass; no character is looked at more than a few times."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

TokenKind = Literal["text", "action", "comment", "open"]

_OPEN = re.compile(r"\{\{(?!\{)")
"""Of a longer run of braces the last two open an action; the others are text."""
_PIECE = re.compile(r"""[^"`{}\\]++|"(?:[^"\\\n]|\\.)*+"|`[^`\n]*+`|\{(?!\{)|\}(?!\})""")
"""What an action may be made of. No backslash outside of quotes and no line end inside them: so each place where an
action turns out not to be one is near its start, or is met once a line, and reading stays linear."""
_COMMENT = re.compile(r"(?:-\s)?\s*+/\*")
_COMMENT_END = re.compile(r"\*/(?:\s+-)?\s*+\}\}")
_TRIM_LEFT = re.compile(r"-\s")
_TRIM_RIGHT = re.compile(r"\s-\Z")


@dataclass(frozen=True, slots=True)
class Token:
    """A stretch of a template, ``start`` to ``end``.

    ``body_start`` to ``body_end`` is what stands between the braces and trim marks of an action. ``open`` is a `{{`
    that nothing closes: text, but worth a warning.
    """

    kind: TokenKind
    start: int
    end: int
    body_start: int = 0
    body_end: int = 0
    trim_left: bool = False
    trim_right: bool = False


def tokens(text: str) -> Iterator[Token]:
    """The tokens of a template, in order and without gaps."""
    done = 0
    comments = True
    while opened := _OPEN.search(text, done):
        if opened.start() > done:
            yield Token("text", done, opened.start())
        token = _comment(text, opened) if comments and _COMMENT.match(text, opened.end()) else None
        if token is None:
            token = _action(text, opened)
        elif token.kind == "open":
            comments = False  # nothing behind this place ends a comment: never look again
        yield token
        done = token.end
    if done < len(text):
        yield Token("text", done, len(text))


def _comment(text: str, opened: re.Match[str]) -> Token:
    end = text.find("*/", opened.end())
    if end < 0:
        return Token("open", opened.start(), opened.end())
    closed = _COMMENT_END.match(text, end)
    if closed is None:
        return Token("open", opened.start(), end + 2)
    left = bool(_TRIM_LEFT.match(text, opened.end()))
    return Token("comment", opened.start(), closed.end(), trim_left=left, trim_right="-" in closed[0])


def _action(text: str, opened: re.Match[str]) -> Token:
    position = opened.end()
    while piece := _PIECE.match(text, position):
        position = piece.end()
    if not text.startswith("}}", position):
        return Token("open", opened.start(), _next_text(text, position))
    start, end = opened.end(), position
    left = bool(_TRIM_LEFT.match(text, start, end))
    right = bool(_TRIM_RIGHT.search(text, max(start + 2 * left, end - 2), end))
    start, end = start + 2 * left, end - 2 * right
    inside = text[start:end]
    start += len(inside) - len(inside.lstrip())
    end = max(start, end - (len(inside) - len(inside.rstrip())))
    return Token("action", opened.start(), position + 2, start, end, left, right)


def _next_text(text: str, position: int) -> int:
    """Behind the character that can't be part of an action, unless it opens the next one."""
    return position if text.startswith("{{", position) or position >= len(text) else position + 1
