"""What a turn used of a model, as far as its agent says."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import NonNegativeFloat, NonNegativeInt, model_validator

from sprintwright.model.value import Value

MOST_TOKENS = 10**12
"""Beyond this a number of tokens is none."""
_COUNTS = ("input_tokens", "output_tokens", "cached_tokens")


class Usage(Value):
    """Tokens and cost of one turn, or of several; adapters bring what agents report down to the turn.

    Attributes:
        input_tokens: read by the model, those from its cache included.
        output_tokens: written by the model, its thinking included.
        cached_tokens: of the input, those that came from a cache.
        cost: US dollars, where the agent says so; None: unknown.
        precision: `lower_bound` when some of it is known not to be counted.
    """

    input_tokens: NonNegativeInt = 0
    output_tokens: NonNegativeInt = 0
    cached_tokens: NonNegativeInt = 0
    cost: NonNegativeFloat | None = None
    precision: Literal["exact", "lower_bound"] = "exact"

    @model_validator(mode="before")
    @classmethod
    def _plausible(cls, told: dict[str, Any]) -> dict[str, Any]:
        """What no model can have used does not count, and would not fit into a record."""
        wrong = [name for name in _COUNTS if isinstance(told.get(name), int) and told[name] > MOST_TOKENS]
        return {**told, **dict.fromkeys(wrong, 0), "precision": "lower_bound"} if wrong else told

    @property
    def tokens(self) -> int:
        """Input and output together: what a limit of tokens counts."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        known = [cost for cost in (self.cost, other.cost) if cost is not None]
        both = self.precision == other.precision == "exact"
        return Usage(
            input_tokens=min(self.input_tokens + other.input_tokens, MOST_TOKENS),
            output_tokens=min(self.output_tokens + other.output_tokens, MOST_TOKENS),
            cached_tokens=min(self.cached_tokens + other.cached_tokens, MOST_TOKENS),
            cost=sum(known) if known else None,
            precision="exact" if both else "lower_bound",
        )
