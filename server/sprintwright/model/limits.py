"""Bounds of a turn and of a run; apart from the language, so that reading a journal does not load it."""

from __future__ import annotations

from pydantic import Field, PositiveFloat, PositiveInt

from sprintwright.model.value import Value


class Limits(Value):
    """Bounds of one turn and of one run."""

    turn_seconds: PositiveFloat | None = Field(default=None, description="Longest time of one turn, in seconds.")
    idle_seconds: PositiveFloat | None = Field(
        default=None, description="Longest silence of an agent within a turn, in seconds."
    )
    turns: PositiveInt | None = Field(default=None, description="Most turns in one run.")
    tokens: PositiveInt | None = Field(default=None, description="Most tokens in one run.")
    cost: PositiveFloat | None = Field(default=None, description="Most cost of one run, in US dollars.")
    wall_seconds: PositiveFloat | None = Field(default=None, description="Longest time of one run, in seconds.")
    items: PositiveInt | None = Field(
        default=None, description="Most items of one group or loop that begin without the user being asked."
    )


DEFAULTS = Limits(turns=500, tokens=50_000_000, cost=100, wall_seconds=7 * 86_400, items=100)
"""In force where nobody says another number: a run that never ends stops and asks (faults.md X76)."""
