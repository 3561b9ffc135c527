"""What the server asks of a client, on the wire, and what the client answers: questions, permissions, its models.

`docs/protocol.md` and the golden files are held to it as to `wire.py`.
"""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from sprintwright.lsp.wire import Wire
from sprintwright.model.records import QuestionKind


class AskParams(Wire):
    """Asked of the client: a question, or a permission."""

    run_id: str
    workflow: str
    folder: str
    key: str
    """What `run.answer` would take as `question`."""
    kind: QuestionKind
    text: str
    by: str = ""
    """The role and its agent, where an agent asks."""
    choices: tuple[str, ...]
    """What can be chosen; empty: free words."""


class AskResult(BaseModel):
    """The client's answer; no `text`: not now, and the question stays open."""

    model_config = ConfigDict(extra="ignore")
    text: str | None = None


class LanguageModelTool(Wire):
    """A tool that the model may call."""

    name: str
    description: str
    input_schema: dict[str, Any]
    """JSON Schema of its input."""


class LanguageModelPart(Wire):
    """A part of a message, and, as the `value` of `$/progress`, of the answer."""

    model_config = ConfigDict(extra="ignore")  # what a later client says beside it
    kind: Literal["text", "toolCall", "toolResult"]
    text: str = ""
    """The text, or what the tool gave."""
    call_id: str = ""
    """Of calls and their results."""
    name: str = ""
    """Of the tool that is called."""
    input: dict[str, Any] = {}
    """What it is called with."""
    is_error: bool = False
    """Whether `text` says why the tool failed."""


class LanguageModelMessage(Wire):
    """One message of the conversation."""

    role: Literal["user", "assistant"]
    parts: tuple[LanguageModelPart, ...]


class LanguageModelParams(Wire):
    """Asked of the client: an answer of one of its models."""

    run_id: str
    agent: str
    title: str
    """One line for the user, who may have to agree first."""
    model: dict[str, str]
    """Which one: `vendor`, `family`, `id`, as far as they are configured; empty: the client's choice."""
    messages: tuple[LanguageModelMessage, ...]
    tools: tuple[LanguageModelTool, ...]
    partial_result_token: str
    """Of the `$/progress` that the answer comes by."""


class LanguageModelFacts(Wire):
    """The model that answered."""

    model_config = ConfigDict(extra="ignore")
    id: str = ""
    vendor: str = ""
    family: str = ""
    name: str = ""
    version: str = ""
    max_input_tokens: int = 0


class LanguageModelResult(Wire):
    """The end of an answer, all of whose parts were sent before."""

    model_config = ConfigDict(extra="ignore")
    model: LanguageModelFacts | None = None
    input_tokens: int | None = None
    """Where the client can count them."""
    output_tokens: int | None = None
