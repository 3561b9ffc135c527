"""How much of its values a prompt may carry. Nothing is cut silently, nothing inside a grapheme.

A value has at most `VALUE_LIMIT` characters, all inserted values together `TOTAL_LIMIT`; the template's own text is
never cut. The variables themselves stay whole: the cut is for the prompt only.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby
from typing import TypeAlias

from sprintwright.prompts.cutting import cut_middle
from sprintwright.prompts.pieces import Piece
from sprintwright.prompts.template import Template

VALUE_LIMIT = 12_000
TOTAL_LIMIT = 30_000
HEAD, TAIL = 7_200, 4_000

_FRAMES_LIMIT = 10_000
"""What the text between the entries of lists may take from the values, before it is cut itself."""
_SHORT_LINE = "[…]"

WholeAt: TypeAlias = Callable[[str, str], str]
"""Name and whole text of a value that is cut -> the path of the file that has it whole."""


@dataclass(frozen=True, slots=True)
class Cut:
    """A value that is not whole in the prompt."""

    name: str
    missing: int
    """Characters left out."""
    whole_at: str


@dataclass(frozen=True, slots=True)
class Fitted:
    """Values as a prompt may carry them, and which of them were cut."""

    values: dict[str, object]
    cuts: tuple[Cut, ...]


@dataclass(frozen=True, slots=True)
class RenderedPrompt:
    """A prompt, and which values are not whole in it."""

    text: str
    cuts: tuple[Cut, ...]


def render_prompt(template: Template, values: Mapping[str, object], whole_at: WholeAt) -> RenderedPrompt:
    """Render a template within the budget.

    Conditions are decided on the whole values. Each entry of a list is a value of its own; what a list brings in as a
    whole, the template's text between its entries included, is cut only when that alone is too much.
    """
    pieces = template.pieces(values)
    frames = sum(len(piece.text) for piece in pieces if piece.group and not piece.name)
    used = [piece.name for piece in pieces if piece.name]
    texts: dict[str, object] = {piece.name: piece.text for piece in pieces if piece.name}
    fitted = _fit(texts, Counter(used), TOTAL_LIMIT - min(frames, _FRAMES_LIMIT), whole_at)
    shown = [piece._replace(text=str(fitted.values[piece.name])) if piece.name else piece for piece in pieces]
    alone = sum(len(piece.text) for piece in shown if piece.name and not piece.group)
    lists = _lists(shown)
    bounded = _fit(lists, Counter(lists.keys()), TOTAL_LIMIT - alone, whole_at, most=TOTAL_LIMIT)
    return RenderedPrompt(_joined(shown, bounded.values), (*fitted.cuts, *bounded.cuts))


def fit(values: Mapping[str, object], used: Collection[str], whole_at: WholeAt) -> Fitted:
    """Cut texts so that each, and all that are used together, stay within the budget; the longest are cut first.

    Args:
        values: texts by name; other values (numbers, lists) count as long as their text and are left alone.
        used: the names that are inserted, each as often as it is.
        whole_at: asked once for each value that is cut.
    """
    return _fit(values, Counter(used), TOTAL_LIMIT, whole_at)


def _fit(
    values: Mapping[str, object], used: Counter[str], total: int, whole_at: WholeAt, *, most: int = VALUE_LIMIT
) -> Fitted:
    texts = {name: value for name in used if isinstance(value := values.get(name), str)}
    if max(map(len, texts.values()), default=0) <= most and _whole(values, used) <= total:
        return Fitted(dict(values), ())
    others = sum(len(str(values[name])) * used[name] for name in used if name in values and name not in texts)
    limit = _limit(((len(text), used[name]) for name, text in texts.items()), max(0, total - others), most)
    fitted, cuts = dict(values), list[Cut]()
    for name, text in texts.items():
        if len(text) > limit:
            path = whole_at(name.partition("#")[0], text)
            fitted[name], missing = _cut(text, limit, path)
            cuts.append(Cut(name.partition("#")[0], missing, path))
    return Fitted(fitted, tuple(cuts))


def _whole(values: Mapping[str, object], used: Counter[str]) -> int:
    return sum(len(str(values[name])) * times for name, times in used.items() if name in values)


def _limit(sizes: Iterable[tuple[int, int]], total: int, most: int) -> int:
    """The highest length at which the texts, those longer cut to it, stay within the total."""
    counted = list(sizes)
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if sum(min(size, middle) * times for size, times in counted) <= total:
            low = middle
        else:
            high = middle - 1
    return low


def _cut(text: str, limit: int, path: str) -> tuple[str, int]:
    """At most ``limit`` characters of the text, its beginning rather than its end; and how many are missing."""

    def line(missing: int) -> str:
        return f"\n[… {missing:,} characters are left out here; the whole text is in {path} …]\n"

    room = limit - len(line(len(text)))
    if room < 0:
        # So many values share the budget that not even the sentence fits: `Fitted.cuts` still tells.
        return _SHORT_LINE[:limit], len(text)
    head = min(HEAD, room * HEAD // (HEAD + TAIL))
    tail = min(TAIL, room - head)
    return cut_middle(text, head, tail, line)


def _lists(pieces: list[Piece]) -> dict[str, object]:
    """What each inserted list comes to, by its name and a number that tells its places apart."""
    return {
        f"{listed}#{group}": "".join(piece.text for piece in members)
        for (listed, group), members in groupby(pieces, lambda piece: (piece.listed, piece.group))
        if group
    }


def _joined(pieces: list[Piece], lists: Mapping[str, object]) -> str:
    return "".join(
        str(lists[f"{listed}#{group}"]) if group else "".join(piece.text for piece in members)
        for (listed, group), members in groupby(pieces, lambda piece: (piece.listed, piece.group))
    )
