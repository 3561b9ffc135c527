"""Places in a text, from ours (code points) to the client's encoding and back: the only module that converts them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from lsprotocol import types

from sprintwright.definitions.source import Source
from sprintwright.model.problem import Range


@dataclass(frozen=True)
class Positions:
    """A text and the encoding that was negotiated for columns. Places outside of it are clamped, never refused."""

    text: str
    encoding: types.PositionEncodingKind | str = types.PositionEncodingKind.Utf16

    @cached_property
    def source(self) -> Source:
        """The text with its lines."""
        return Source(self.text)

    @property
    def lines(self) -> int:
        """Number of lines; a text that ends with a line end has an empty last one."""
        return len(self.source.line_starts)

    def line(self, number: int) -> str:
        """A line without its line end; empty for one that is not there."""
        if not 0 <= number < self.lines:
            return ""
        start, end = self.source.line_at(self.source.line_starts[number])
        return self.text[start:end]

    def to_position(self, line: int, column: int) -> types.Position:
        """The wire's place of a 0-based line and a column in code points."""
        if line < 0:
            return types.Position(0, 0)
        if line >= self.lines:
            last = self.lines - 1
            return types.Position(last, self._units(self.line(last)))
        return types.Position(line, self._units(self.line(line)[: max(column, 0)]))

    def to_range(self, where: Range) -> types.Range:
        """The wire's range of ours."""
        return types.Range(
            self.to_position(where.line, where.column), self.to_position(where.end_line, where.end_column)
        )

    def from_position(self, position: types.Position) -> tuple[int, int]:
        """The line and the column in code points of the wire's place; inside of a character: the character's start."""
        if position.line >= self.lines:
            return self.lines - 1, len(self.line(self.lines - 1))
        line, units = self.line(position.line), 0
        for column, letter in enumerate(line):
            units += self._units(letter)
            if units > position.character:
                return position.line, column
        return position.line, len(line)

    def from_range(self, where: types.Range) -> Range:
        """Our range of the wire's."""
        (line, column), (end_line, end_column) = self.from_position(where.start), self.from_position(where.end)
        return Range(line=line, column=column, end_line=end_line, end_column=end_column)

    def _units(self, text: str) -> int:
        if self.encoding == types.PositionEncodingKind.Utf32:
            return len(text)
        if self.encoding == types.PositionEncodingKind.Utf8:
            return len(text.encode(errors="surrogatepass"))
        return len(text.encode("utf-16-le", "surrogatepass")) // 2  # a line may have megabytes
