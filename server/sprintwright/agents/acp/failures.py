"""An agent's end or error, in words, with its cause."""

from __future__ import annotations

from typing import cast

from sprintwright.agents.failures import classify, ending, sentence
from sprintwright.errors import Operational
from sprintwright.text import one_line

AUTH_REQUIRED = -32000
_LINES = 20
_LONGEST_WAIT = 1e7


def refused(name: str, sign_in: str, words: str, code: int, data: object = None) -> Operational:
    """What an agent's own error comes to; ``data`` may say `retryAfter`, in seconds, and `transient`."""
    said = sentence(one_line(words, 600))
    cause, retry_after = classify(1, words, "")
    fields = cast("dict[str, object]", data) if isinstance(data, dict) else {}
    if (told := _seconds(fields.get("retryAfter"))) is not None:
        retry_after = told
    if code in (AUTH_REQUIRED, 401) or cause == "sign_in":
        return _sign_in(name, sign_in, said)
    if code == 429 or cause == "rate_limit":
        return Operational("rate_limit", f"Agent {name!r} is rate limited: {said}", retry_after=retry_after)
    text = f"Agent {name!r} answered with an error: {said}"
    return Operational("exit", text, transient=False) if fields.get("transient") is False else Operational("exit", text)


def died(name: str, sign_in: str, status: int | None, stderr: str) -> Operational:
    """What the end of an agent's process, or of its output, in the middle of its work comes to (R59, R61, R62)."""
    lines = [line for line in stderr.splitlines() if line.strip()][-_LINES:]
    said = "\nIt said last:\n" + "\n".join(f"  {line[:300]}" for line in lines) if lines else ""
    if status is None:
        return Operational("protocol", f"Agent {name!r} closed its output before its answer was whole.{said}")
    cause, retry_after = classify(status or 1, stderr, "")
    if cause == "sign_in":
        return _sign_in(name, sign_in, sentence(one_line(lines[-1], 300)))
    if cause == "rate_limit":
        return Operational(cause, f"Agent {name!r} is rate limited.{said}", retry_after=retry_after)
    return Operational("exit", f"Agent {name!r} {ending(status)} before its answer was whole.{said}")


def _sign_in(name: str, sign_in: str, said: str) -> Operational:
    todo = f"Sign in with {sign_in}, then resume the run." if sign_in else "Sign in with its own program, then resume."
    return Operational("sign_in", f"Agent {name!r} is not signed in: {said}\n{todo}")


def _seconds(value: object) -> float | None:
    """A length of time, if it is one."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return float(value) if 0 <= value < _LONGEST_WAIT else None
