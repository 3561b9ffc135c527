"""Why a command line exited with another status than 0, as far as its last lines say. Pure, and linear.

What agents print was measured (agents.md sections 2 and 3) or is in their sources. Patterns are anchored at the
beginning of a line: an answer that is *about* rate limits or logins must not be taken for one.
"""

from __future__ import annotations

import json
import re
import signal
from collections.abc import Iterator
from typing import Any, cast

from sprintwright.errors import Cause
from sprintwright.text import without_escapes

_STDERR_LINES, _STDOUT_LINES = 6, 3
_LONGEST_LINE = 600
"""A sentence of an error is shorter; a line of JSON may be longer."""
_LONGEST_EVENT = 65_536
_TAIL = 4 * _LONGEST_EVENT
_WRAPPED = "[API Error: "

_ERROR_WORD = re.compile(
    r"(?:[^\x00-\x7f]{1,3}\s+)?\[?(?:[a-z]{1,12} )?(?:error|fatal)(?: \w{1,20})?\]?:\s+|[^\x00-\x7f]{1,3}\s+", re.I
)
_PROGRAM = re.compile(r"[\w.-]{1,40}:\s+")
_STOP = r"(?=\s*(?:$|[.:;,!|({\[·∙-]|\b(?:by|for|on|until|please|try|retry|resets?|in\ organization)\b))"
_CODED = r"""\[?(?:exceeded\ retry\ limit,\ |request\ failed\ with\ )?
    (?:(?:api|last|unexpected|http|error|response|status|code)(?:/[\d.]{1,3})?:?\ +){1,5}"""
_RATE_LIMITED = re.compile(
    rf"""{_CODED} 429\b
      | 429(?=:?\s*(?:[({{\[]|too\ many\ requests))
      | too\ many\ requests{_STOP}
      | rate[ _-]?limit(?:ed|[ _-](?:reached|exceeded|hit|error)){_STOP}
      | (?:[\w.]+\.)?rate_?limit_?(?:error|exceeded)(?=\s*(?:$|:))
      | you(?:['’]ve|['’]re|\ have|\ are)\ (?:been\ )?rate[ -]limited{_STOP}
      | you(?:['’]ve|\ have)\ (?:hit|reached|exceeded)\ your\ (?:\w+\ )?
            (?:usage|session|weekly|daily|rate|5-hour)\ limit{_STOP}
      | you\ have\ exhausted\ your\ (?:\w+\ )?(?:quota|capacity)
      | (?:[\w-]{{1,20}}\ ){{0,3}}(?:usage|session|weekly|5-hour)\ limit\ reached{_STOP}
      | resource_exhausted{_STOP}
      | quota\ exceeded\ for\b
    """,
    re.I | re.X,
)
_NOT_SIGNED_IN = re.compile(
    rf"""{_CODED} 401\b
      | 401(?=:?\s*(?:[({{\[]|unauthori[sz]ed))
      | unauthori[sz]ed{_STOP}
      | (?:invalid|incorrect|missing|no|expired)\ (?:x-)?
            (?:api[ -]key|bearer\ token|access\ token|auth(?:entication)?\ credentials)
            (?:\ (?:provided|found|supplied|set|configured))?{_STOP}
      | (?:you\ are\ |you['’]re\ )?not\ (?:logged|signed)\ in{_STOP}
      | (?:you\ (?:must|need\ to)\ (?:be\ )?|please\ )(?:log|logged|sign|signed)\ in\b
      | please\ run\ ['`"]?(?:/login|[\w-]+\ (?:auth\ )?login)
      | (?:authentication|login|sign-in)\ (?:is\ )?required{_STOP}
      | authentication[ _](?:failed|error){_STOP}
      | (?:[\w.]+\.)?authentication_?error(?=\s*(?:$|:))
      | please\ set\ an\ auth\ method
      | (?:your\ |the\ )?(?:oauth\ |access\ |refresh\ )?(?:token|session|login|credentials?)
            \ (?:has|have|is|are)\ expired
    """,
    re.I | re.X,
)
_SECONDS_OF = {"ms": 0.001, "s": 1.0, "m": 60.0, "h": 3600.0, "d": 86_400.0}
_UNIT = r"(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?)\b"
_AFTER = re.compile(
    r"\b(?:retry[ _-]?after|(?:try again|retry|resets?|available)(?: again)? (?:in|after))\W{1,4}(?:about )?(?=\d)",
    re.I,
)
_AMOUNT = re.compile(rf"(\d{{1,9}}(?:\.\d{{1,6}})?)\s?{_UNIT}[, ]{{0,2}}(?:and )?", re.I)
_COMPACT = re.compile(r"(\d{1,9}(?:\.\d{1,6})?)(ms|[smhd])(?=\d|\W|$)", re.I)
_BARE = re.compile(r"\d{1,9}(?:\.\d{1,6})?")
_ERROR_TYPES: dict[str, Cause] = {
    "rate_limit": "rate_limit", "rate_limit_error": "rate_limit", "rate_limit_exceeded": "rate_limit",
    "resource_exhausted": "rate_limit", "authentication_error": "sign_in", "authentication_failed": "sign_in",
    "unauthenticated": "sign_in", "invalid_api_key": "sign_in",
}  # fmt: skip
_STATUS: dict[int, Cause] = {401: "sign_in", 429: "rate_limit"}


def classify(returncode: int, stderr: str, stdout: str) -> tuple[Cause, float | None]:
    """The cause of an exit with another status than 0.

    Looked at are the last lines of stderr, the last lines of stdout that are JSON events of an error, and where
    stderr is empty the last lines of stdout whatever they are. The last line that says something counts.

    Returns:
        `sign_in`, `rate_limit` or, when nothing is certain, `exit`; and for `rate_limit` the seconds until another
        try, where they were told.
    """
    if returncode < 0:  # ended by a signal: what it said before is not why
        return "exit", None
    said = _last_lines(stderr, _STDERR_LINES)
    printed = _last_lines(stdout, _STDOUT_LINES)
    for lines, plain in ((said, True), (printed, not said)):
        for line in reversed(lines):
            if line.startswith("{"):
                cause, seconds = _of_event(line)
            elif plain and line.startswith(_WRAPPED + "{"):  # gemini: the service's answer as it came
                cause, seconds = _of_event(line.removeprefix(_WRAPPED).removesuffix("]"))
            else:
                cause, seconds = (_of_text(line, named=bool(said)) if plain else None), None
            if cause == "rate_limit":
                return cause, seconds if seconds is not None else _retry_after(lines)
            if cause is not None:
                return cause, None
    return "exit", None


def ending(status: int) -> str:
    """How a program ended, in words. A kernel that lacks memory ends what it chooses by signal 9 (faults.md R59)."""
    if status >= 0:
        return f"exited with status {status}"
    if status == -signal.SIGKILL:
        return "was ended by signal 9 (perhaps out of memory)"
    if status == -signal.SIGXFSZ:
        return "was ended for a file that grew over the limit of 10 GB"
    return f"was ended by signal {-status} ({signal.strsignal(-status) or 'unknown'})"


def sentence(said: str) -> str:
    """What somebody said, with an end, so that words of ours can follow on the same line."""
    said = said.rstrip()
    return said if said.endswith((".", "!", "?", "…")) else f"{said}."


def _last_lines(text: str, most: int) -> list[str]:
    lines = (line.strip() for line in without_escapes(text[-_TAIL:]).splitlines())
    return [line for line in lines if line][-most:]


def _of_text(line: str, *, named: bool = False) -> Cause | None:
    """The cause that a sentence tells; with ``named`` also behind a program's name."""
    if len(line) > _LONGEST_LINE:
        return None
    start = 0
    for _ in range(4):  # the sentence itself, or behind up to three words such as `ERROR:`
        if _NOT_SIGNED_IN.match(line, start):
            return "sign_in"
        if _RATE_LIMITED.match(line, start):
            return "rate_limit"
        prefix = _ERROR_WORD.match(line, start) or (_PROGRAM.match(line, start) if named else None)
        if prefix is None:
            return None
        start = prefix.end()
    return None


def _of_lines(message: str) -> Cause | None:
    for line in message[:_LONGEST_EVENT].splitlines()[:6]:
        if (cause := _of_text(line)) is not None:
            return cause
    return None


def _of_event(line: str) -> tuple[Cause | None, float | None]:
    """The cause that one JSON event tells, if it is the event of an error."""
    if len(line) > _LONGEST_EVENT:
        return None, None
    try:
        event: Any = json.loads(line)
    except (ValueError, RecursionError):
        return None, None
    if not _is_error(event):
        return None, None
    cause: Cause | None = None
    seconds: float | None = None
    for name, value in _fields(event, 5):
        if isinstance(value, str):
            cause = cause or _ERROR_TYPES.get(value.lower())
            if name in ("message", "error", "result", "detail"):
                cause = cause or _of_lines(value)
                seconds = seconds if seconds is not None else _retry_after([value])
        elif isinstance(value, int) and name in ("code", "status", "statusCode", "status_code", "error_status"):
            cause = cause or _STATUS.get(value)
        seconds = _delay(name, value) if seconds is None else seconds
    return cause, seconds


def _is_error(event: object) -> bool:
    if not isinstance(event, dict):
        return False
    fields = cast("dict[str, Any]", event)
    failed = fields.get("type") in ("error", "turn.failed") or fields.get("status") == "error"
    return failed or fields.get("is_error") is True or isinstance(fields.get("error"), dict)


def _fields(value: dict[str, Any], depth: int) -> Iterator[tuple[str, Any]]:
    for name, inner in value.items():
        if isinstance(inner, dict) and depth:
            yield from _fields(cast("dict[str, Any]", inner), depth - 1)
        elif isinstance(inner, str | int | float):
            yield name, inner


def _delay(name: str, value: object) -> float | None:
    folded = name.lower().replace("_", "").replace("-", "")
    if isinstance(value, bool) or folded not in ("retryafter", "retrydelay", "retrydelayms", "retryafterms"):
        return None
    if isinstance(value, str):
        return _amount(value, 0)
    try:
        return float(value) / (1000 if folded.endswith("ms") else 1) if isinstance(value, int | float) else None
    except OverflowError:
        return None


def _retry_after(lines: list[str]) -> float | None:
    """Seconds, from the last of these lines that has them."""
    for line in reversed(lines):
        if (found := _AFTER.search(line[:_LONGEST_LINE])) is not None:
            return _amount(line, found.end())
    return None


def _amount(text: str, start: int) -> float | None:
    """``3 hours 12 minutes``, ``1m30s``, ``1.5s`` or ``30`` at this place, in seconds."""
    total, at = 0.0, start
    while (part := _AMOUNT.match(text, at) or _COMPACT.match(text, at)) is not None:
        unit = part[2].lower()
        total += float(part[1]) * (_SECONDS_OF["ms"] if unit.startswith(("ms", "mil")) else _SECONDS_OF[unit[0]])
        at = part.end()
    if at > start:
        return total
    bare = _BARE.match(text, start)
    return float(bare[0]) if bare is not None else None
