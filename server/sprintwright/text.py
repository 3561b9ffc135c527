"""Text from outside, made fit to be shown; and the one way in which names are compared."""

from __future__ import annotations

import difflib
import re
import unicodedata
from collections.abc import Iterable
from functools import lru_cache

_ELLIPSIS = "…"
_CODE_POINTS_PER_GRAPHEME = 16
"""A letter with more marks than this is decoration; without a limit one "letter" could fill the screen."""

_SEQUENCE = re.compile(
    r"""(?:\x1b\]|\x9d)[^\x07\x1b\x80-\x9f\n]*+(?:\x07|\x1b\\|\x9c)      # OSC: title, link, clipboard
      | (?:\x1b[PX^_]|[\x90\x98\x9e\x9f])[^\x1b\x80-\x9f\n]*+(?:\x1b\\|\x9c)  # DCS, SOS, PM, APC
      | (?:\x1b\[|\x9b)[0-?]*+[\ -/]*+[@-~]?                        # CSI: colours, cursor
      | \x1b[\ -/]*+[0-~]                                           # every other escape, whole
    """,
    re.VERBOSE,
)
"""Escape sequences of a terminal. Possessive, and an open string ends at its line: linear."""

_BEGUN = re.compile(r"\x1b(?:\[[0-?]*+[ -/]*+|[ -/]*+|\][^\x07\x1b\x80-\x9f\n]*+\x1b?)\Z")
_MOST_BEGUN = 1_000
"""What is longer is text behind an escape character and no sequence."""

_INVISIBLE = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\U0001d173-\U0001d17a\U000e0000-\U000e0fff\ud800-\udfff"
)
"""Characters that show nothing, change the direction of what follows, or can't be written as UTF-8."""

_KEPT_JOINER = rf"(?<=[^\x00-\x7f{_INVISIBLE}])(?:\ufe0f?\u200d|\u200c)(?=[^\x00-\x7f{_INVISIBLE}])"
_KEPT_SELECTOR = r"(?<=[\u00a9\u00ae\u203c-\u3299\U0001f000-\U0001faff])[\ufe0e\ufe0f]|(?<=[#*0-9])\ufe0f\u20e3"
_KEPT_FLAG = r"\U0001f3f4[\U000e0061-\U000e007a\U000e0030-\U000e0039]{3,6}\U000e007f"
_LINES = re.compile(r"[^\r\n]*(?:\r\n|\r|\n)|[^\r\n]+")
_HIDDEN = re.compile(
    rf"(?P<kept>{_KEPT_JOINER}|{_KEPT_SELECTOR}|{_KEPT_FLAG})|[\x00-\x08\x0b-\x1f\x7f-\x9f{_INVISIBLE}]|\n"
)
_NEEDS_WORK = re.compile(rf"[\x00-\x08\x0a-\x1f\x7f-\x9f{_INVISIBLE}]")

_MARKABLE = re.compile(r"[^\x00-\u02ff]{31,}+")
_MARKS_IN_A_ROW = 30
_MOST_COMPARED = 200
"""Comparing costs some 20 microseconds a name; of more names only those that begin alike are looked at."""
_MOST_KEPT = 500
"""Answers about more names than this are not kept: they would be large."""


def clean(text: str, *, newlines: bool) -> str:
    """Make text harmless for a terminal, a log or a tree.

    Escape sequences are dropped. Other control characters, and characters that are invisible or turn the
    direction of writing, are shown as `\\x08` or `\\u{202e}`; those that emoji and scripts need are kept
    where they belong. Linear, and cleaning twice changes nothing.

    Args:
        newlines: keep line ends, as `\\n` (a lone CR is one too: it must not hide what stood before it).
            Otherwise they are shown, as `\\n` written out. Tabs stay.
    """
    if not _NEEDS_WORK.search(text):
        return text
    text = _SEQUENCE.sub("", text.replace("\r\n", "\n")).replace("\r", "\n")
    return _HIDDEN.sub(lambda match: _shown(match, newlines), text)


def without_escapes(text: str) -> str:
    """The text without a terminal's escape sequences and with plain line ends; every other character stays."""
    return _SEQUENCE.sub("", text).replace("\r\n", "\n").replace("\r", "\n")


def split_escape(text: str) -> tuple[str, str]:
    """A piece of a stream without the escape sequence that only begins at its end, and that beginning."""
    begun = _BEGUN.search(text)
    if begun is None or len(begun[0]) > _MOST_BEGUN:
        return text, ""
    return text[: begun.start()], begun[0]


def _shown(match: re.Match[str], newlines: bool) -> str:
    found = match[0]
    if match["kept"] is not None:
        return found
    if found == "\n":
        return "\n" if newlines else "\\n"
    code = ord(found)
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{{{code:x}}}"


def lines_of(text: str) -> list[str]:
    """The lines with their ends, as editors count them: ended by a line feed, a carriage return, or both."""
    return _LINES.findall(text)


def cut(text: str, limit: int) -> str:
    """At most ``limit`` graphemes (characters as readers count them), the last `…` when some are missing."""
    if len(text) <= limit:
        return text
    if limit <= 0:
        return ""
    if text.isascii():
        return text[: limit - 1] + _ELLIPSIS
    import regex  # not loaded for ASCII: it costs more than everything else here

    bounded = text[: limit * _CODE_POINTS_PER_GRAPHEME]
    ends: list[int] = []
    for match in regex.finditer(r"\X", bounded):
        ends.append(match.end())
        if len(ends) > limit:
            break
    if len(ends) <= limit and len(bounded) == len(text):
        return text
    kept = ends[limit - 2] if limit > 1 and len(ends) >= limit else (ends[-1] if limit > 1 else 0)
    return text[:kept] + _ELLIPSIS


def one_line(text: str, limit: int) -> str:
    """Prose on one line: cleaned, white space collapsed, cut at ``limit`` graphemes."""
    return cut(" ".join(clean(text, newlines=True).split()), limit)


def fold(name: str) -> str:
    """The form in which names are compared: names that some system could not tell apart are equal here.

    Linear, which plain normalisation is not: ``unicodedata.normalize`` sorts marks by insertion, so 100,000 marks in
    a row take minutes. What is behind the thirtieth is dropped, as Unicode's stream-safe format has it (UAX 15).
    """
    if name.isascii():
        return name.lower()
    decomposed = unicodedata.normalize("NFD", _MARKABLE.sub(_thin, name))
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", decomposed.casefold()).casefold())


def _thin(match: re.Match[str]) -> str:
    kept: list[str] = []
    row = 0
    for letter in match[0]:
        row = row + 1 if unicodedata.combining(letter) else 0
        if row <= _MARKS_IN_A_ROW:
            kept.append(letter)
    return "".join(kept)


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """`` Did you mean 'x'?`` behind a sentence about an unknown name; empty when nothing is close."""
    near = nearest(name, known)
    return f" Did you mean {near!r}?" if near else ""


def nearest(name: str, known: Iterable[str], alike: float = 0.6) -> str | None:
    """The known name that was probably meant, for *did you mean*; None when nothing is close.

    Args:
        alike: how close it has to be, 1 for the same letters; more where many names are known.
    """
    names = tuple(known)
    return (_nearest if len(names) <= _MOST_KEPT else _nearest.__wrapped__)(name[:200], names, alike)


@lru_cache(maxsize=1024)
def _nearest(name: str, known: tuple[str, ...], alike: float) -> str | None:
    """Kept, because a file that is being typed asks the same again with every letter."""
    wanted = fold(name)
    by_fold = {fold(one): one for one in known}
    near = list(by_fold)
    if len(near) > _MOST_COMPARED:
        near = [one for one in near if one[:1] == wanted[:1] and abs(len(one) - len(wanted)) <= 3][:_MOST_COMPARED]
    found = difflib.get_close_matches(wanted, near, n=1, cutoff=alike)
    return by_fold[found[0]] if found else None
