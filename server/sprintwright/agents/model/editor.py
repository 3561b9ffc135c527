"""A model of the editor: requests go by the protocol's connection to our parent, which asks the editor."""

from __future__ import annotations

import asyncio
import contextlib
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import acp
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    ModelResponseStreamEvent,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)
from pydantic_ai.models import Model, ModelRequestParameters, StreamedResponse
from pydantic_ai.settings import ModelSettings
from pydantic_ai.usage import RequestUsage

from sprintwright.agents.editor_models import CANCEL, METHOD, PART


class EditorModel(Model):
    """Implements pydantic-ai's `Model`; only streams."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._name = name
        self._connection: acp.Client | None = None
        self._heard: dict[str, asyncio.Queue[dict[str, Any] | None]] = {}
        self.context: int | None = None
        """Tokens that the model can take in, as it said with its last answer."""

    def connect(self, connection: acp.Client) -> None:
        """Know the way to our parent."""
        self._connection = connection

    def told(self, method: str, params: dict[str, Any]) -> None:
        """Take a notification of our parent: a part of an answer."""
        if method == PART and (heard := self._heard.get(params.get("id", ""))) is not None:
            heard.put_nowait(params["part"])

    @property
    def model_name(self) -> str:
        """The agent's model as it is configured."""
        return self._name

    @property
    def system(self) -> str:
        """The provider."""
        return "editor"

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """Never called: we always stream."""
        raise NotImplementedError

    @contextlib.asynccontextmanager
    async def request_stream(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
        run_context: Any = None,
    ) -> AsyncGenerator[StreamedResponse]:
        """Ask, and hear the answer as it comes. Raises `acp.RequestError`."""
        assert self._connection is not None
        _, parameters = self.prepare_request(model_settings, model_request_parameters)
        tools = [
            {"name": one.name, "description": one.description or "", "inputSchema": one.parameters_json_schema}
            for one in parameters.function_tools
        ]
        number = uuid.uuid4().hex
        heard = self._heard[number] = asyncio.Queue()
        asking = asyncio.ensure_future(
            self._connection.ext_method(METHOD, {"id": number, "messages": wire_messages(messages), "tools": tools})
        )
        asking.add_done_callback(lambda _: heard.put_nowait(None))
        try:
            yield _Answer(model_request_parameters=parameters, name=self._name, heard=heard, asking=asking)
            if asking.done() and (model := asking.result()["model"]) is not None:
                self.context = model["maxInputTokens"] or None
        finally:
            del self._heard[number]
            if not asking.done():
                asking.cancel()
                await asyncio.shield(self._connection.ext_notification(CANCEL, {"id": number}))


@dataclass(kw_only=True)
class _Answer(StreamedResponse):
    name: str
    heard: asyncio.Queue[dict[str, Any] | None]
    asking: asyncio.Future[dict[str, Any]]
    began: datetime = field(default_factory=lambda: datetime.now(UTC))

    async def _get_event_iterator(self) -> AsyncIterator[ModelResponseStreamEvent]:
        parts, end, calls = 0, None, 0
        while end is None or parts < end["parts"]:  # the answer may overtake the last parts
            part = await self.heard.get()
            if part is None:
                end = self.asking.result()
                continue
            parts += 1
            if part["kind"] == "toolCall":
                calls += 1  # not by the id: some models give none
                yield self._parts_manager.handle_tool_call_part(
                    vendor_part_id=f"call {calls}",
                    tool_name=part["name"],
                    args=part.get("input", {}),
                    tool_call_id=part["callId"] or None,
                )
                continue
            for event in self._parts_manager.handle_text_delta(vendor_part_id=f"text {calls}", content=part["text"]):
                yield event
        self._usage = RequestUsage(input_tokens=end["inputTokens"] or 0, output_tokens=end["outputTokens"] or 0)
        self.finish_reason = "tool_call" if calls else "stop"

    @property
    def model_name(self) -> str:
        return self.name

    @property
    def provider_name(self) -> str:
        return "editor"

    @property
    def provider_url(self) -> None:
        return None

    @property
    def timestamp(self) -> datetime:
        return self.began


def wire_messages(messages: Sequence[ModelMessage]) -> list[dict[str, Any]]:
    """A conversation as the editor's models take it: they know a user and an assistant, and no system."""
    found: list[dict[str, Any]] = []
    for message in messages:
        role = "user" if isinstance(message, ModelRequest) else "assistant"
        if parts := [wire for part in message.parts if (wire := _part(part)) is not None]:
            found.append({"role": role, "parts": parts})
    return found


def _part(part: object) -> dict[str, Any] | None:
    match part:
        case SystemPromptPart(content=text):
            return {"kind": "text", "text": f"{text}\n\n"}  # clients join texts without anything between them
        case TextPart(content=text):
            return {"kind": "text", "text": text} if text else None
        case UserPromptPart(content=content):
            return {"kind": "text", "text": content if isinstance(content, str) else "".join(map(str, content))}
        case ToolCallPart():
            given = part.args_as_dict() if part.args else {}
            return {"kind": "toolCall", "callId": part.tool_call_id, "name": part.tool_name, "input": given}
        case ToolReturnPart():
            failed = part.outcome != "success"
            text = str(part.content)
            return {"kind": "toolResult", "callId": part.tool_call_id, "text": text, "isError": failed}
        case _:
            return None  # its thoughts are its own
