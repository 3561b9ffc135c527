"""The base of everything that is recorded or passed between the parts: frozen, strict about its fields."""

from __future__ import annotations

from typing import TypeAlias

from pydantic import BaseModel, ConfigDict, JsonValue

Json: TypeAlias = JsonValue


class Value(BaseModel):
    """A frozen value. Unknown fields are an error: a record of a newer program is refused, never half read."""

    # Built at first use: `list` and `--help` load every model and use few.
    model_config = ConfigDict(frozen=True, extra="forbid", defer_build=True)
