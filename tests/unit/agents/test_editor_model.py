"""Agents of kind `editor`: what goes to the editor, what comes of its answer, and who gets at its models at all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any

import acp
import pytest
from pydantic_ai.direct import model_request_stream
from pydantic_ai.messages import (
    ModelRequest,
    ModelResponse,
    SystemPromptPart,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)  # fmt: skip
from pydantic_ai.models import ModelRequestParameters

from sprintwright.agents.acp.answer import Heard
from sprintwright.agents.acp.client import OpenTurn, OurClient
from sprintwright.agents.acp.transport import ChildTransport
from sprintwright.agents.editor_models import CANCEL, METHOD, PART
from sprintwright.agents.model.editor import EditorModel, wire_messages
from tests.unit.agents.acp_case import FakeDesk


def joined(message: Mapping[str, Any]) -> str:
    """As client-vscode/src/models/messages.ts makes one string of a message that has texts only."""
    return "".join(part["text"] for part in message["parts"])


def test_the_system_prompt_is_a_paragraph_of_its_own_also_where_the_client_joins_the_parts() -> None:
    sent = wire_messages([ModelRequest(parts=[SystemPromptPart("Be an agent."), UserPromptPart("Do it.")])])
    assert [one["role"] for one in sent] == ["user"]
    assert joined(sent[0]) == "Be an agent.\n\nDo it."


def test_calls_and_their_results_go_with_their_ids_and_failures_are_marked() -> None:
    sent = wire_messages([
        ModelRequest(parts=[UserPromptPart("Do it.")]),
        ModelResponse(parts=[TextPart("I look."), ToolCallPart("read_file", {"path": "a"}, "c1")]),
        ModelRequest(parts=[ToolReturnPart("read_file", "none", "c1", outcome="failed"), UserPromptPart("Again.")]),
    ])  # fmt: skip
    assert [one["role"] for one in sent] == ["user", "assistant", "user"]
    assert sent[1]["parts"][1] == {"kind": "toolCall", "callId": "c1", "name": "read_file", "input": {"path": "a"}}
    assert sent[2]["parts"][0] == {"kind": "toolResult", "callId": "c1", "text": "none", "isError": True}


async def heard(*parts: dict[str, Any]) -> ModelResponse:
    model = EditorModel("m")

    class Parent:
        async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
            assert method == METHOD
            for part in parts:
                model.told(PART, {"id": params["id"], "part": part})
            return {
                "model": {"name": "m", "maxInputTokens": 9},
                "parts": len(parts),
                "inputTokens": 1,
                "outputTokens": 2,
            }

        async def ext_notification(self, method: str, params: dict[str, Any]) -> None: ...

    model.connect(Parent())  # pyright: ignore[reportArgumentType]
    asked = [ModelRequest(parts=[UserPromptPart("Do it.")])]
    async with model_request_stream(model, asked, model_request_parameters=ModelRequestParameters()) as stream:
        async for _ in stream:
            pass
        return stream.get()


async def test_texts_around_a_call_keep_their_order() -> None:
    answer = await heard(
        {"kind": "text", "text": "before"},
        {"kind": "toolCall", "callId": "c", "name": "read_file", "input": {}},
        {"kind": "text", "text": "after"},
    )
    assert [part.part_kind for part in answer.parts] == ["text", "tool-call", "text"]


async def test_two_calls_without_an_id_are_two_calls() -> None:
    call: dict[str, Any] = {"kind": "toolCall", "callId": "", "input": {}}
    answer = await heard({**call, "name": "one"}, {**call, "name": "two"})
    assert [call.tool_name for call in answer.tool_calls] == ["one", "two"]
    assert len({call.tool_call_id for call in answer.tool_calls}) == 2 and all(
        c.tool_call_id for c in answer.tool_calls
    )


async def test_an_answer_without_anything_is_an_answer_without_parts() -> None:
    answer = await heard()
    assert answer.parts == [] and answer.finish_reason == "stop" and answer.usage.input_tokens == 1


async def test_x027_no_other_agent_gets_at_the_editor_s_models(tmp_path: Path) -> None:
    client = OurClient(tmp_path)
    client.session, client.turn = "s", OpenTurn(FakeDesk(), Heard(lambda _s, _t: None, lambda _t, _k: False))
    with pytest.raises(acp.RequestError) as refused:
        await client.ext_method(METHOD, {"id": "1", "messages": [], "tools": []})
    assert refused.value.code == -32601


async def test_an_agent_that_takes_its_request_back_is_heard(tmp_path: Path) -> None:
    """Over the transport: it is the only way by which the notification comes."""
    began, ended = asyncio.Event(), asyncio.Event()

    async def models(_request: Mapping[str, Any]) -> AsyncIterator[dict[str, Any]]:
        began.set()
        try:
            await asyncio.Event().wait()
            yield {}
        finally:
            ended.set()

    client = OurClient(tmp_path, models)
    client.session, client.turn = "s", OpenTurn(FakeDesk(), Heard(lambda _s, _t: None, lambda _t, _k: False))
    transport = ChildTransport(client.updated, lambda: None, client.answered, client.taken_back)
    connection = acp.connect_to_agent(client, transport)  # pyright: ignore[reportArgumentType]
    client.agent = connection
    request: dict[str, Any] = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": f"_{METHOD}",
        "params": {"id": "n", "messages": [], "tools": []},
    }
    transport.feed(json.dumps(request).encode() + b"\n")
    async with asyncio.timeout(5):
        await began.wait()
    transport.feed(json.dumps({"jsonrpc": "2.0", "method": f"_{CANCEL}", "params": {"id": "n"}}).encode() + b"\n")
    try:
        assert await asyncio.wait_for(ended.wait(), 2)
    finally:
        await client.turn.end()
        transport.ended()
        await connection.close()
