"""The evaluator's typed judgement and how it was read."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sprintwright.model.value import Value

Action = Literal["break", "retry"]
Source = Literal["tool", "json", "line", "prose", "check", "none"]

UNKNOWN = "unknown"
HISTORICAL_KEYS: tuple[str, ...] = ("good_to_go", "needs_refinement", "next_sprint", "sprint_done")
"""Keys of the older engine, tried when no declared key matched (behaviours-milk.md section 4)."""


class VerdictRule(Value):
    """What a verdict key does to the loop around it."""

    action: Action = Field(description="`break` ends the loop, `retry` asks for one more pass.")
    warn: bool = Field(default=False, description="Show a warning when this verdict is given, then act on it.")


class Verdict(Value):
    """A verdict as it was read: ``key`` is a declared key, a historical one, or ``unknown``.

    ``unknown`` never means yes. ``warnings`` are sentences for the user (read from prose, sources differ).
    """

    key: str = UNKNOWN
    source: Source = "none"
    warnings: tuple[str, ...] = ()
    action: Action | None = None
    """What the declared rule of that key does; None without one."""
