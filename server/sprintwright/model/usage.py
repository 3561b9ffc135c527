"""What a turn used of a model, as far as its agent says."""

from __future__ import annotations

from typing import Literal

from pydantic import NonNegativeFloat, NonNegativeInt

from sprintwright.model.value import Value


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

    @property
    def tokens(self) -> int:
        """Input and output together: what a limit of tokens counts."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        known = [cost for cost in (self.cost, other.cost) if cost is not None]
        both = self.precision == other.precision == "exact"
        return Usage(
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            cost=sum(known) if known else None,
            precision="exact" if both else "lower_bound",
        )
