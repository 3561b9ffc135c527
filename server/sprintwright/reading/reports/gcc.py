"""``path:line:column: severity: message``, as compilers, mypy, pyright and many linters print it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from sprintwright.model.finding import Finding
from sprintwright.reading.places import Confine, make_finding

_MOST_LINE = 4_000
_PLACE = r"(?P<path>[^\s:(][^:\n]{0,400}?):(?P<line>[0-9]{1,9})(?:[-–][0-9]{1,9})?(?::(?P<column>[0-9]{1,9}))?"
_WORD = r"(?P<severity>(?:fatal )?error|critical|high|major|warning|warn|medium|info|information|low|minor|note|hint)"
_LINE = re.compile(rf"{_PLACE}(?::| -)[ \t]{{0,20}}{_WORD}[ \t]{{0,20}}:?[ \t]{{0,20}}(?P<message>\S.*)", re.IGNORECASE)
_ESLINT = re.compile(rf"{_PLACE}: (?P<message>\S.*) \[(?P<severity>Error|Warning)(?:/(?P<code>[\w@/-]{{1,100}}))?\]")
_CODE = re.compile(r"(?P<message>.*\S)[ \t]{1,20}[\[(](?P<code>[A-Za-z@-][\w@/-]{0,100})[\])]")


def read(text: str, confine: Confine) -> Iterator[tuple[Finding, str]]:
    """The findings of a whole output; notes belong to the line before and are passed over."""
    for line in text.splitlines():
        if (made := read_line(line.strip(), confine, notes=False)) is not None:
            yield made


def read_line(line: str, confine: Confine, *, notes: bool) -> tuple[Finding, str] | None:
    """The finding of one line, if it is one.

    Args:
        notes: whether a ``note`` is a finding of its own.
    """
    if len(line) > _MOST_LINE:
        return None
    if (match := _ESLINT.fullmatch(line)) is not None:
        return _made(match, match["message"], match["code"] or "", confine)
    if (match := _LINE.fullmatch(line)) is None or (match["severity"].lower() == "note" and not notes):
        return None
    coded = _CODE.fullmatch(match["message"])
    if coded is None:
        return _made(match, match["message"], "", confine)
    return _made(match, coded["message"], coded["code"], confine)


def _made(match: re.Match[str], message: str, code: str, confine: Confine) -> tuple[Finding, str]:
    return make_finding(
        confine,
        message,
        severity=match["severity"],
        path=match["path"].strip("`'\" "),
        line=match["line"],
        column=match["column"] or 0,
        code=code,
    )
