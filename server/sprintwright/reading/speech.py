"""What a reply says about a verdict outside its JSON: lines that are only a key, and sentences that name one.

The grammar is the one of `sprintwright.reading.verdict`; this module knows words and lines, not which source wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from sprintwright.reading.lines import LIST_MARK, Line
from sprintwright.reading.sentences import Judged, Keys, last_mention
from sprintwright.text import fold

_EMPHASIS = "*_` \t"
_FULL_STOP = ".!。！"
_QUOTES = "\"'“”„‘’‚«»‹›「」『』"
_CHECKBOX = re.compile(r"\[[ xX✓✔]?\][ \t]+")
_CONJUNCTION = re.compile(r"(?:or|and|oder|und|[/|,;])[ \t]+")
_LABEL = re.compile(r"[a-z][a-z0-9_]*+")
_LABEL_ENDS = ("_status", "_verdict")
_LABEL_OF_A_GATE = "workflow_"
_LONGEST_EXTRA = 200
_MOST_MARKS = 5

_Style = Literal["plain", "list", "verdict", "heading", "table"]


@dataclass(frozen=True, slots=True)
class Speech:
    """What was found, with the number of the line in the page it was found on (-1: nowhere).

    ``line_key`` is the key of the last line that is only a key. ``sentence`` is what the last sentence that
    mentions any key says; it may stand before or behind that line.
    """

    line_key: str = ""
    line_at: int = -1
    sentence: Judged | None = None
    sentence_at: int = -1


def read_speech(lines: Sequence[Line], keys: Keys) -> Speech:
    """Read lines whose JSON has been taken out. Only ``plain`` ones speak."""
    entries = [_entry(index, lines, keys) for index, line in enumerate(lines) if _speaks(line)]
    echoes = {entry.index for run in _echoes(entries) for entry in run}
    only = [e for e in entries if e.key and e.index not in echoes and not _is_wrapped(e, lines)]
    anchors = {entry.index: entry.key for entry in only}
    last = only[-1] if only else None
    sentence, at = _last_sentence(entries, lines, echoes, anchors, keys)
    return Speech(last.key if last else "", last.index if last else -1, sentence, at)


@dataclass(frozen=True, slots=True)
class _Entry:
    """One line that is not blank. ``head`` is the key that it begins with, ``key`` the one it consists of."""

    index: int
    style: _Style
    key: str
    head: str
    mentioned: frozenset[str]
    continues: bool
    """Indented and without a mark: it goes on with what the line before began."""


def _speaks(line: Line) -> bool:
    return line.kind == "plain" and bool(line.text.strip())


def _entry(index: int, lines: Sequence[Line], keys: Keys) -> _Entry:
    text = fold(lines[index].text)
    bare, marks = _without_marks(text.strip())
    body, prefixed = _without_word(bare, lines[index].text)
    key = _only_key(body, keys) or (_only_key(bare, keys) if prefixed else "")
    head = keys.at_start(_without_options(bare).lstrip(_EMPHASIS + _QUOTES + "(["))
    style: _Style = "plain"
    if "|" in bare:
        style = "table"
    elif prefixed:
        style = "verdict"
    elif marks:
        style = "heading" if marks.startswith("#") else "list"
    continues = not marks and not prefixed and text[:1] in (" ", "\t")
    return _Entry(index, style, key, key or head, frozenset(keys.named(text)), continues)


def _without_marks(text: str) -> tuple[str, str]:
    """Heading and list marks off; what they were."""
    rest = text
    if rest.startswith("#"):
        rest = rest.strip("#").strip()
    for _ in range(_MOST_MARKS):
        mark = LIST_MARK.match(rest)
        if mark is None:
            break
        rest = rest[mark.end() :]
    return rest, text[: len(text) - len(rest)] if rest != text else ""


def _without_word(bare: str, written: str) -> tuple[str, bool]:
    """``VERDICT:`` or a label such as ``REVIEW_STATUS:`` off, with or without emphasis around it or its colon."""
    rest = bare.lstrip(_EMPHASIS)
    match = _LABEL.match(rest)
    if match and _is_label(match[0].rstrip("_"), written):
        behind = rest[match.end() :].lstrip(_EMPHASIS)
        if behind[:1] in (":", "："):
            return behind[1:].strip(), True
    return bare, False


def _is_label(word: str, written: str) -> bool:
    """Whether a word announces a verdict. Labels other than those of gates stand in capitals: `git_status: clean`
    is no verdict."""
    if word == "verdict":
        return True
    return word.endswith(_LABEL_ENDS) and (word.startswith(_LABEL_OF_A_GATE) or word.upper() in written)


def _without_options(bare: str) -> str:
    for pattern in (_CHECKBOX, _CONJUNCTION):
        match = pattern.match(bare)
        bare = bare[match.end() :] if match else bare
    return bare


def _only_key(body: str, keys: Keys) -> str:
    """The key that the text is, decoration and a full stop aside; the least change that fits wins."""
    if len(body) > keys.longest + _LONGEST_EXTRA:
        return ""
    inner = body.strip("*` \t")
    stopped = inner.rstrip(_FULL_STOP).strip("*` \t")
    for reading in (body, body.strip("` \t"), inner, stopped, inner.strip("_"), stopped.strip(_EMPHASIS)):
        if key := keys.exact(reading):
            return key
    return ""


def _echoes(entries: Sequence[_Entry]) -> Iterator[list[_Entry]]:
    """Runs of lines that list several keys: the options as the prompt has them, not a choice."""
    for style, group in groupby(_joined(entries), key=lambda pair: pair[1]):
        run = [entry for entry, _ in group]
        if style == "table":
            yield run
        elif style == "list":
            if len(frozenset[str]().union(*(entry.mentioned for entry in run))) > 1:
                yield run
        else:
            yield from _runs_of_heads(run)


def _joined(entries: Sequence[_Entry]) -> Iterator[tuple[_Entry, _Style]]:
    """Each entry with the style of the block it is in: indented lines go on with a list."""
    style: _Style = "plain"
    for entry in entries:
        if not (entry.continues and style == "list" and entry.style == "plain"):
            style = entry.style
        yield entry, style


def _runs_of_heads(entries: Iterable[_Entry]) -> Iterator[list[_Entry]]:
    for has_head, group in groupby(entries, key=lambda entry: bool(entry.head)):
        run = list(group)
        if has_head and len({entry.head for entry in run}) > 1:
            yield run


def _is_wrapped(entry: _Entry, lines: Sequence[Line]) -> bool:
    """Whether a line that is only a key is the middle of a sentence that its author broke into lines."""
    after = lines[entry.index + 1] if entry.index + 1 < len(lines) else None
    if after and _speaks(after) and after.text.lstrip()[0].islower() and entry.style != "verdict":
        first = after.text.split(maxsplit=1)[0]
        return "_" not in first and not first.endswith(":")
    before = lines[entry.index - 1] if entry.index else None
    if entry.style != "plain" or before is None or not _speaks(before):
        return False
    text = before.text.rstrip().rstrip("*_`")
    is_mark = text.lstrip().startswith("#")
    return not is_mark and (text[-1:].isalnum() or text[-1:] in (",", "(", "—", "–", "-"))


def _last_sentence(
    entries: Sequence[_Entry], lines: Sequence[Line], echoes: set[int], anchors: dict[int, str], keys: Keys
) -> tuple[Judged | None, int]:
    """What the last paragraph that mentions a key says in the last sentence that does."""
    for paragraph in reversed(list(_paragraphs(entries, echoes, anchors))):
        if not any(entry.mentioned for entry in paragraph) and not _may_span(paragraph, keys):
            continue
        at = paragraph[-1].index
        if paragraph[0].index in echoes:
            return Judged("", "echo"), at
        if paragraph[0].index in anchors:
            return None, -1
        text = " ".join(" ".join(lines[entry.index].text.split()) for entry in paragraph)
        if judged := last_mention(text, keys):
            return judged, at
    return None, -1


def _may_span(paragraph: Sequence[_Entry], keys: Keys) -> bool:
    """A key of several words may be broken over two lines."""
    return keys.has_blanks and len(paragraph) > 1


def _paragraphs(entries: Sequence[_Entry], echoes: set[int], anchors: dict[int, str]) -> Iterator[list[_Entry]]:
    """Lines that are read as one text. Anchors and echoes stand alone."""
    paragraph: list[_Entry] = []
    for entry in entries:
        alone = entry.index in echoes or entry.index in anchors
        begins = alone or entry.style != "plain" or not paragraph or entry.index != paragraph[-1].index + 1
        if paragraph and (begins or paragraph[0].index in anchors or paragraph[0].index in echoes):
            yield paragraph
            paragraph = []
        paragraph.append(entry)
    if paragraph:
        yield paragraph
