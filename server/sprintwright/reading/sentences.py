"""Verdict keys in sentences: which are named, and whether a sentence means what it names."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal

from sprintwright.text import fold

_WORD = r"\w\-‐‑\u0300-\u036f\u200b-\u200d\u2060"
"""What belongs to a word: a hyphen, so that ``sprint_done-ish`` is no key, and marks that are drawn over one."""

_UNCLEAN = frozenset("/\\@#$%&{}<>[]=+|^~`") | frozenset("\"'“”„‘’‚«»‹›「」『』")
"""Next to a key these make it a path, a placeholder, code, struck out or a quotation: mentioned, not used."""

_DOUBT = re.compile(
    r"""(?<![\w-])(?:
        not | no | never | neither | nor | without | cannot | \w+n't | cant | dont | isnt | none | nothing | nobody
      | hardly | scarcely | barely | almost | nearly | if | unless | when | until | till | once | whether | provided
      | assuming | otherwise | would | could | should | might | may | suppose[ds]? | depends | claims? | claimed
      | wrong | den(?:y|ied) | reject(?:ed|s)? | refus(?:e|ed|es) | far\ from | out\ of\ the\ question
      | only\ (?:after|if|when|once) | expected
      | previous(?:ly)? | earlier | formerly | example | instance | instead\ of | rather\ than | supposed | must | told
      | one\ of | either | nicht | kein\w* | nie | wenn | falls | sobald | sonst | pas | jamais | sauf | si | non | ni
      | nunca | salvo | não | nem | se
    )(?![\w-])
    | \[\ \]                                                    # a box that is not ticked
    | (?<!\w)(?:was|were|been|be|becomes?)\ (?:[^\W_]+\ )?\ufffc  # the past and the future
    """,
    re.VERBOSE,
)
"""Negation, condition, hearsay, another time: the sentence does not judge. More words only close more.

The first words are those of behaviours-milk.md section 4, which says "at least"; U+FFFC stands for the key.
"""

_END = re.compile(r"(?<![.…])[.!?](?![.…])[\"'”’»)\]*_`]*+(?=\s|$)|[。！？][”’»）」』*_]*+")
_ABBREVIATION = re.compile(r"(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|ca|approx|resp|z\.b|d\.h)$", re.IGNORECASE)
_QUESTION = "?？"
_QUOTE = re.compile(r"[\"'“„«»‹›「『‘`”“」』]")
_CLOSED_BY = {"“": "”", "„": "“”", "«": "»", "»": "«", "‹": "›", "›": "‹", "「": "」", "『": "』", "‘": "'"}

Why = Literal["", "several", "doubt", "question", "quoted", "echo"]


@dataclass(frozen=True, slots=True)
class Judged:
    """The key that a sentence gives; or, with ``why``, that it gives none. ``mentioned`` is a single key it names."""

    key: str
    why: Why = ""
    mentioned: str = ""


class Keys:
    """Declared keys, compared without case in NFC, longest first; ``unknown`` is not one, nothing names it."""

    def __init__(self, names: Iterable[str], *, unknown: str) -> None:
        self._by_fold: dict[str, str] = {}
        for name in names:
            form = " ".join(fold(name).split())
            if form and form != unknown:
                self._by_fold.setdefault(form, name)
        forms = sorted(self._by_fold, key=len, reverse=True)
        self.longest = max(map(len, forms), default=0)
        self.has_blanks = any(" " in form for form in forms)
        either = "|".join(re.escape(form).replace(r"\ ", r"[ \t]+") for form in forms) or "(?!)"
        self._mention = re.compile(rf"(?<![{_WORD}])_{{0,3}}(?P<key>{either})_{{0,3}}(?![{_WORD}])")
        self._start = re.compile(rf"(?P<key>{either})_{{0,3}}(?![{_WORD}])")

    def exact(self, text: str) -> str:
        """The declared spelling of a folded text that is a key, else an empty text."""
        return self._by_fold.get(" ".join(text.split()), "")

    def at_start(self, text: str) -> str:
        """The key that a folded text begins with as a whole word."""
        match = self._start.match(text)
        return self.exact(match["key"]) if match else ""

    def named(self, text: str) -> set[str]:
        """Keys that stand in a folded text as whole words, used or mentioned."""
        return {self.exact(match["key"]) for match in self.mentions(text)}

    def mentions(self, text: str) -> Iterator[re.Match[str]]:
        """Where keys stand in a folded text as whole words."""
        return self._mention.finditer(text)


def last_mention(paragraph: str, keys: Keys) -> Judged | None:
    """What the last sentence of a paragraph that mentions a key says; None when no sentence does."""
    text = fold(paragraph).replace("’", "'")
    mentions = list(keys.mentions(text))
    if not mentions:
        return None
    start, end = _sentence_around(text, mentions[-1].start())
    found = [match for match in mentions if start <= match.start() < end]
    return _judge(text[start:end], start, found, _quotations(text), keys)


def _judge(sentence: str, offset: int, found: list[re.Match[str]], quoted: list[tuple[int, int]], keys: Keys) -> Judged:
    named = {keys.exact(match["key"]) for match in found}
    if len(named) > 1:
        return Judged("", "several")
    [key] = named
    if any(not _is_clean(match) or _is_within(match.start("key"), quoted) for match in found):
        return Judged("", "quoted", key)
    if any(sign in sentence for sign in _QUESTION):
        return Judged("", "question", key)
    if _DOUBT.search(_without_keys(sentence, offset, found)):
        return Judged("", "doubt", key)
    return Judged(key, "", key)


def _without_keys(sentence: str, offset: int, found: list[re.Match[str]]) -> str:
    """Words of the key itself are no doubt: a key may be called `not_done` or `no go`."""
    pieces: list[str] = []
    position = 0
    for match in found:
        pieces += (sentence[position : match.start() - offset].rstrip("*_") + "\ufffc",)
        position = match.end() - offset
    return "".join([*pieces, sentence[position:]])


def _is_clean(match: re.Match[str]) -> bool:
    text, start, end = match.string, match.start(), match.end()
    before, after, second = text[start - 1 : start] if start else "", text[end : end + 1], text[end + 1 : end + 2]
    if before in _UNCLEAN or after in _UNCLEAN or after == "(":
        return False
    return not (after in (".", ":") and second and (second.isalnum() or second in "_:/"))


def _is_within(position: int, spans: list[tuple[int, int]]) -> bool:
    place = bisect_right(spans, (position, len(spans))) - 1
    return place >= 0 and position < spans[place][1]


def _quotations(text: str) -> list[tuple[int, int]]:
    """Stretches within quotation marks or backticks. One that is never closed goes on to the end."""
    spans: list[tuple[int, int]] = []
    start, closing = -1, ""
    for match in _QUOTE.finditer(text):
        sign, at = match[0], match.start()
        if start >= 0:
            if sign in closing and not (sign == "'" and text[at + 1 : at + 2].isalnum()):
                spans.append((start, at + 1))
                start = -1
        elif sign in _CLOSED_BY or sign in '"`' or (sign == "'" and _opens(text, at)):
            start, closing = at, _CLOSED_BY.get(sign, sign)
    if start >= 0:
        spans.append((start, len(text)))
    return spans


def _opens(text: str, at: int) -> bool:
    """Whether a straight single mark begins a quotation rather than being an apostrophe."""
    return not (at and (text[at - 1].isalnum() or text[at - 1] == "_")) and text[at + 1 : at + 2].strip() != ""


def _sentence_around(text: str, position: int) -> tuple[int, int]:
    start = 0
    for match in _END.finditer(text):
        if match[0] == "." and _ABBREVIATION.search(text[max(start, match.start() - 10) : match.start()]):
            continue
        if match.end() > position:
            return start, match.end()
        start = match.end()
    return start, len(text)
