"""A verdict as a person types it. Agents are read by the grammar alone (`reading.verdict`)."""

from __future__ import annotations

import re
from collections.abc import Iterable

from sprintwright.model.verdict import UNKNOWN, VerdictRule
from sprintwright.reading.verdict import read_verdict
from sprintwright.text import fold

_BETWEEN = re.compile(r"[\s_-]+")


def as_key(text: str, keys: Iterable[str]) -> str:
    """The text, with a last line such as `Needs-Refinement` or `needs refinement.` as the key that it spells."""
    head, _, last = text.rstrip().rpartition("\n")
    spelt = {_letters(key): key for key in keys}
    key = spelt.get(_letters(last))
    if key is None:
        return text
    return f"{head}\n{key}" if head else key


def holds_verdict(text: str, keys: Iterable[str]) -> bool:
    """Whether a person's text gives one of the keys, or says `unknown` itself."""
    rules = dict.fromkeys(keys, VerdictRule(action="break"))
    verdict = read_verdict(as_key(text, rules), rules)
    return verdict.key != UNKNOWN or verdict.source != "none"


def _letters(line: str) -> str:
    return _BETWEEN.sub("_", fold(line.strip().removesuffix(".")))
