"""What the agent's process is told at its start: one value, handed over as JSON. It has no secrets."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from sprintwright.agents.model.endpoints import Speech
from sprintwright.model.value import Value


class Settings(Value):
    """How to reach the model, and where to keep what was said."""

    title: str
    """The service as a person knows it."""
    speaks: Speech | Literal["editor"]
    base_url: str
    is_official: bool
    """Whether the endpoint is the one that the service itself runs."""
    model: str
    key_env: str = ""
    """The variable of this process that has the key; empty: none is sent."""
    max_tokens: int | None = None
    temperature: float | None = None
    context: int | None = None
    """Tokens that the model can take in."""
    sessions: str = Field(description="Folder of the conversations.")
    processes: str = Field(description="Folder in which live programs are remembered.")
    run_id: str
