"""The models of the editor that started us, as agents of kind `editor` reach them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any, Protocol

from sprintwright.model.value import Value

METHOD = "sprintwright/languageModel"
"""By which our own agent asks its parent for an answer: an extension of the Agent Client Protocol."""
PART = f"{METHOD}/part"
"""By which the parent hands on what the model says."""
CANCEL = f"{METHOD}/cancel"
"""By which the agent says that it needs the answer no more."""


class ModelCall(Value):
    """Who asks which model; all of ``model`` empty: the editor's own choice."""

    run_id: str
    agent: str
    title: str
    """One line for the user."""
    model: dict[str, str]


class EditorModels(Protocol):
    """Implemented by the language server, for a client that has models."""

    def ask(self, call: ModelCall, request: Mapping[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """The parts of an answer in order, then one of kind `end` with `model`, `inputTokens` and `outputTokens`.

        Args:
            request: `messages` and `tools` as `sprintwright/languageModel/request` has them (docs/protocol.md).

        Raises:
            Operational: the editor or its user refused, or the model failed, in words.
        """
        ...
