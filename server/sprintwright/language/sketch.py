"""YAML or JSON read by lines and indentation, for text that is being typed: whatever the text, there is a tree.

For text that YAML takes, the tree is that of `parse_nodes`, but aliases stay as they are written. Where YAML gives up,
this goes on: a word without a colon is a key, an open quote ends with its line, an open bracket where the indentation
says so, and a key may stand in a mapping twice.
"""

from __future__ import annotations

import re

from sprintwright.definitions.nodes import MAX_DEPTH, MappingNode, Node, ScalarNode, SequenceNode
from sprintwright.definitions.source import Source
from sprintwright.language.flow import CURSOR, FlowReader, line_end, quoted_end, scalar_text

__all__ = ["CURSOR", "sketch"]

_BLANKS = re.compile(r"[ \t]*+")
_DASH = re.compile(rf"-(?:[ \t]++|(?=[\r\n{CURSOR}]|\Z))")
_PROPERTIES = re.compile(r"(?:[&!][^\s,\[\]{}]*+(?:[ \t]++|(?=[\r\n])|\Z))*+")
_HEADER = re.compile(r"[|>][+\-0-9]{0,2}[ \t]*+(?:(?<=[ \t])\#[^\r\n]*+)?(?=[\r\n]|\Z)")
_KEY = re.compile(
    rf"""(?P<key>"(?:[^"\\\r\n]|\\.)*+"|'(?:[^'\r\n]|'')*+'
    |(?:[^\s\-?:,\[\]{{}}\#&*!|>'"%@`]|[-?:](?=[^\s:]))(?:[^:\#\r\n]|:(?![\s{CURSOR}]|\Z)|(?<=\S)\#)*+)
    [ \t]*+:(?=[\s{CURSOR}]|\Z)""",
    re.VERBOSE,
)
_COMMENT = re.compile(r"(?<=[ \t])#")
_MARKS = ("---", "...", "%")


def sketch(source: Source, *, json: bool = False) -> Node | None:
    """The nodes of a text, as far as they can be made out. Never raises.

    A `CURSOR` in the text is a letter of the word at which it stands, and a word where there is none.
    """
    if json:
        return FlowReader(source, 1 if source.text.startswith("\ufeff") else 0, len(source.text), json=True).read()
    return _Reader(source).read()


class _Reader:
    """`at` is the content that is read next, on `line`; what is behind the last line is at the end of the text."""

    def __init__(self, source: Source) -> None:
        self._source, self._text = source, source.text
        self._starts = list(source.line_starts)
        if self._text.startswith("\ufeff"):
            self._starts[0] = 1
        self._line: int = -1
        self._at: int = 0
        self._depth: int = 0
        self._next_line()

    def read(self) -> Node | None:
        return None if self._done else self._block(-1)

    @property
    def _done(self) -> bool:
        return self._line >= len(self._starts)

    @property
    def _column(self) -> int:
        """Where the next content stands; -1 when there is none."""
        return -1 if self._done else self._at - self._starts[self._line]

    def _next_line(self) -> None:
        """Go to the next line with content."""
        self._line += 1
        while not self._done:
            start = self._starts[self._line]
            found = _BLANKS.match(self._text, start)
            self._at = found.end() if found else start
            if self._text[self._at : self._at + 1] not in ("", "#", "\r", "\n") and not (
                self._at == start and self._text.startswith(_MARKS, start)
            ):
                return
            self._line += 1
        self._at = len(self._text)

    def _leave(self, offset: int) -> None:
        """Go on with the line behind the one of an offset."""
        self._line = self._source.position(offset)[0]
        self._next_line()

    def _is_dash(self) -> bool:
        return bool(_DASH.match(self._text, self._at))

    def _limit(self, parent: int) -> int:
        """Where a value ends at the latest that begins here: before the next line that is not indented more."""
        if parent < 0:
            return len(self._text)
        for number in range(self._line + 1, len(self._starts)):
            start = self._starts[number]
            found = _BLANKS.match(self._text, start)
            content = found.end() if found else start
            character = self._text[content : content + 1]
            if character not in ("", "\r", "\n", "}", "]", ",") and content - start <= parent:
                return start
        return len(self._text)

    def _block(self, parent: int) -> Node:
        """The node whose content is next; it stands deeper than the column of its parent."""
        found = _PROPERTIES.match(self._text, self._at)
        if found and self._text[found.end() : found.end() + 1] not in ("", "\r", "\n"):
            self._at = found.end()
        if self._depth >= MAX_DEPTH:
            return self._inline(parent)
        self._depth += 1
        try:
            if self._is_dash():
                return self._sequence(self._column, parent)
            if _KEY.match(self._text, self._at):
                return self._mapping(parent)
            return self._bare(parent)
        finally:
            self._depth -= 1

    def _bare(self, parent: int) -> Node:
        """A value, or the first key of a mapping when the lines that follow it are keys."""
        start, line, column = self._at, self._line, self._column
        if self._text[start] not in "'\"[{|>&*!" and self._next_is_key(column):
            self._line, self._at = line, start
            return self._mapping(parent)
        return self._inline(parent)

    def _next_is_key(self, column: int) -> bool:
        """Whether the next line with content is a key at this column."""
        line, at = self._line, self._at
        self._next_line()
        found = self._column == column and bool(_KEY.match(self._text, self._at))
        self._line, self._at = line, at
        return found

    def _sequence(self, column: int, parent: int) -> SequenceNode:
        start = self._at
        items = list[Node]()
        while not self._done and (self._column >= column or self._column > parent):
            dash = _DASH.match(self._text, self._at)
            if dash is None:
                if self._column <= parent or self._column < column:
                    break
                items.append(self._block(max(parent, column - 1)))  # a word whose dash is not typed yet
                continue
            items.append(self._item(dash.end()))
        return SequenceNode(self._source, start, items[-1].end if items else start, tuple(items))

    def _item(self, behind: int) -> Node:
        column = self._column
        rest = self._text[behind : behind + 1]
        if rest in ("", "\r", "\n") or rest == "#":
            nothing = self._nothing(behind)
            self._next_line()
            return self._block(column) if self._column > column else nothing
        self._at = behind
        return self._block(column)

    def _mapping(self, parent: int) -> Node:
        start, end = self._at, self._at
        pairs = list[tuple[ScalarNode, Node]]()
        while not self._done and self._column > parent:
            if self._is_dash():
                stray = self._sequence(self._column, parent)
                end = max(end, stray.end)
                if pairs:
                    key, value = pairs[-1]
                    pairs[-1] = (key, self._joined(value, stray))
                continue
            key, value = self._pair()
            end = max(end, key.end, value.end)
            pairs.append((key, value))
        return MappingNode(self._source, start, end, tuple(pairs))

    def _joined(self, value: Node, stray: SequenceNode) -> Node:
        """A list that something half typed cut off from its first items."""
        if isinstance(value, ScalarNode) and value.absent:
            return stray
        items = value.items if isinstance(value, SequenceNode) else (value,)
        return SequenceNode(self._source, value.start, stray.end, (*items, *stray.items))

    def _pair(self) -> tuple[ScalarNode, Node]:
        column, start = self._column, self._at
        found = _KEY.match(self._text, start)
        if found is None:
            key = self._lone_word()
            return key, self._value(column, key.end)
        text, style = scalar_text(found["key"].rstrip())
        key = ScalarNode(self._source, start, start + len(found["key"].rstrip()), text, style)
        return key, self._value(column, found.end())

    def _lone_word(self) -> ScalarNode:
        start = self._at
        end = line_end(self._text, start)
        comment = _COMMENT.search(self._text, start, end)
        end = start + len(self._text[start : comment.start() if comment else end].rstrip())
        text, style = scalar_text(self._text[start:end])
        return ScalarNode(self._source, start, end, text, style)

    def _value(self, column: int, behind: int) -> Node:
        """What stands behind a key whose own column is given."""
        found = _BLANKS.match(self._text, behind)
        at = found.end() if found else behind
        properties = _PROPERTIES.match(self._text, at)
        at = properties.end() if properties else at
        if self._text[at : at + 1] not in ("", "\r", "\n") and not self._text.startswith("#", at):
            self._at = at
            return self._inline(column)
        self._next_line()
        if self._column > column:
            return self._block(column)
        if self._column == column and self._is_dash():
            return self._sequence(column, column)
        return self._nothing(behind)

    def _nothing(self, at: int) -> ScalarNode:
        return ScalarNode(self._source, at, at, "")

    def _inline(self, parent: int) -> Node:
        """A value that begins on this line and is no mapping or list of lines."""
        text, start = self._text, self._at
        if _HEADER.match(text, start):
            return self._text_block(parent)
        if text[start] in "[{" and not text.startswith("{{", start):
            reader = FlowReader(self._source, start, self._limit(parent), depth=self._depth)
            node = reader.read() or self._nothing(start)
            self._leave(max(start, reader.at - 1))
            return node
        if text[start] in "'\"":
            end = quoted_end(text, start, self._limit(parent), one_line=parent < 0)
        else:
            end = self._plain_end(parent)
        self._leave(max(start, end - 1))
        said, style = scalar_text(text[start:end])
        return ScalarNode(self._source, start, end, said, style)

    def _plain_end(self, parent: int) -> int:
        """Behind a plain scalar: it goes on over lines that are indented more and are no keys."""
        text, start, column = self._text, self._at, self._column
        alone = not text[self._starts[self._line] : start].strip()
        end = stop = line_end(text, start)
        if comment := _COMMENT.search(text, start, stop):
            return start + len(text[start : comment.start()].rstrip())
        for number in range(self._line + 1, len(self._starts)):
            first = self._starts[number]
            found = _BLANKS.match(text, first)
            content = found.end() if found else first
            if text[content : content + 1] in ("", "\r", "\n"):
                continue
            if content - first <= parent or text[content] == "#" or _KEY.match(text, content):
                break
            if alone and content - first == column and _DASH.match(text, content):
                break  # a first item whose dash is not typed yet
            end = line_end(text, content)
            if comment := _COMMENT.search(text, content, end):
                end = comment.start()
                break
        return start + len(text[start:end].rstrip())

    def _text_block(self, parent: int) -> Node:
        """A block of text: every line that is indented more than what it belongs to."""
        start, text = self._at, self._text
        end = line_end(text, start)
        lines = list[str]()
        for number in range(self._line + 1, len(self._starts)):
            first = self._starts[number]
            found = _BLANKS.match(text, first)
            content = found.end() if found else first
            stop = line_end(text, content)
            if content < stop and content - first <= parent:
                break
            lines.append(text[first:stop])
            end = stop if content < stop else end
        self._leave(max(start, end - 1) if end > start else start)
        header = text[start : line_end(text, start)]
        return ScalarNode(self._source, start, end, _block_text(header, lines), header[0])


def _block_text(header: str, lines: list[str]) -> str:
    """What a block of text says, near enough: its white space may differ from YAML's."""
    indent = min((len(line) - len(line.lstrip()) for line in lines if line.strip()), default=0)
    text = "\n".join(line[indent:] for line in lines).rstrip()
    return text if "-" in header or not text else text + "\n"
