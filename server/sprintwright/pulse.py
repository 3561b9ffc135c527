"""Whether what a program prints says anything: spinners, blank lines and the like do not (faults.md R53)."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable
from reprlib import Repr

from sprintwright.text import without_escapes

_LAST = 500
"""Characters of a piece, and of a line that is not at its end, that are looked at: the last ones."""
_REMEMBERED = 8
"""A display that is drawn anew again and again has a few faces."""
_SLICE_SECONDS = 0.25
"""So often is looked at what came; in between it is only kept: a stream has thousands of pieces a second."""
_MOST_PIECES = 50
_END = re.compile(r"(\r?\n|[\r\b]+(?!\n|$)|\x1b\[[0-9;?]*[A-HJKhl])")
"""The end of a line, or a place from where it is drawn anew."""

_SHORT = Repr()
_SHORT.maxlevel, _SHORT.maxdict, _SHORT.maxlist, _SHORT.maxstring = 4, 12, 4, 200


class Pulse:
    """When something new was last said.

    New is a line with other letters and digits than the last few. In one that is drawn anew in its place digits do
    not count: they are a clock or a percentage.

    Args:
        now: seconds on a clock that never goes back.
    """

    def __init__(self, now: Callable[[], float]) -> None:
        self._now = now
        self._pieces: deque[str] = deque(maxlen=_MOST_PIECES)
        self._count = 0
        self._lines: deque[str] = deque(maxlen=_REMEMBERED)
        self._open = self._grown = ""
        self._at = self._heard = self._looked = now()
        self._noise = 0

    @property
    def at(self) -> float:
        """That moment; before anything was said, the beginning."""
        self._look()
        return self._at

    @property
    def noise(self) -> int:
        """Pieces since then in which nothing was said."""
        self._look()
        return self._noise

    def beat(self) -> None:
        """Something was done that is no text."""
        self._look()
        self._at, self._noise = self._now(), 0

    def hear(self, text: str) -> None:
        """Take in a piece of text, cut anywhere."""
        self._heard = self._now()
        self._pieces.append(text[-_LAST:])
        self._count += 1
        if self._heard - self._looked >= _SLICE_SECONDS:
            self._look()

    def rattle(self, times: int) -> None:
        """So often there was what can't be anything but noise."""
        self._noise += times

    def _look(self) -> None:
        if not self._pieces:
            return
        *parts, rest = _END.split(self._open + "".join(self._pieces))
        new = [self._is_new(line, end) for line, end in zip(parts[::2], parts[1::2], strict=True)]
        if self._goes_on(rest) or any(new):
            self._at, self._noise = self._heard, 0
        else:
            self._noise += self._count
        self._open, self._looked, self._count = rest[-_LAST:], self._heard, 0
        self._pieces.clear()

    def _is_new(self, line: str, end: str) -> bool:
        grown, self._grown = self._grown, ""
        said = _only(str.isalnum if end.endswith("\n") else str.isalpha, line)
        if not said or said in self._lines:
            return False
        self._lines.append(said)
        return not grown or _only(str.isalpha, line) != grown  # what was told of as it grew is not told of again

    def _goes_on(self, line: str) -> bool:
        """Whether a line that is not at its end has become more, and none of those before."""
        now = _only(str.isalpha, line)
        if not now or now == self._grown or any(_only(str.isalpha, one).startswith(now) for one in self._lines):
            return False
        self._grown = now
        return True


def shortened(value: object) -> str:
    """A value as text in which a change can be seen: of long strings the beginning and the end."""
    return _SHORT.repr(value)


def _only(kind: Callable[[str], bool], line: str) -> str:
    return "".join(filter(kind, without_escapes(line)))
