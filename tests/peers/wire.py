"""What model servers of three vendors send: a scripted turn in the form of each, as a stream and whole."""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeAlias

Data: TypeAlias = "dict[str, Any]"
READ, WROTE = 11, 7
"""Tokens of every answer."""
_numbers = itertools.count(1)


@dataclass(frozen=True)
class Said:
    """A turn in a vendor's form: events, each with its name where the form has names, and the answer of no stream."""

    events: list[tuple[str, Data | str]]
    whole: Data


def pieces(text: str) -> list[str]:
    """A text word by word, as models send it."""
    return re.findall(r"\S+\s*|\s+", text)


def chat(turn: Data, model: str) -> Said:
    """OpenAI's chat completions."""
    head = {"id": f"chatcmpl-{next(_numbers)}", "created": 1, "model": model}
    calls = [
        {"id": f"call_{next(_numbers)}", "type": "function", "function": {"name": call["name"], "arguments": json.dumps(call["args"])}}
        for call in turn.get("tools", [])
    ]  # fmt: skip
    deltas: list[Data] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in pieces(turn.get("text", ""))]
    deltas += [{"tool_calls": [{"index": index, **call}]} for index, call in enumerate(calls)]
    why = "tool_calls" if calls else "stop"
    used = {"prompt_tokens": READ, "completion_tokens": WROTE, "total_tokens": READ + WROTE}
    chunk = {**head, "object": "chat.completion.chunk"}
    events: list[tuple[str, Data | str]] = [
        ("", {**chunk, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}) for delta in deltas
    ]
    events.append(("", {**chunk, "choices": [{"index": 0, "delta": {}, "finish_reason": why}], "usage": used}))
    events.append(("", "[DONE]"))
    message = {"role": "assistant", "content": turn.get("text") or None, **({"tool_calls": calls} if calls else {})}
    choice = {"index": 0, "message": message, "finish_reason": why}
    return Said(events, {**head, "object": "chat.completion", "choices": [choice], "usage": used})


def responses(turn: Data, model: str) -> Said:
    """OpenAI's responses; a tool of an MCP server has its ``namespace``."""
    number = next(_numbers)
    head = {"id": f"resp_{number}", "object": "response", "model": model}
    events: list[tuple[str, Data | str]] = [("response.created", {"response": {**head, "status": "in_progress", "output": []}})]  # fmt: skip
    output: list[Data] = []
    if turn.get("text"):
        content: list[Data] = [{"type": "output_text", "text": turn["text"], "annotations": []}]
        item: Data = {"type": "message", "id": f"msg_{number}", "role": "assistant", "status": "completed", "content": content}  # fmt: skip
        empty: Data = {**item, "status": "in_progress", "content": []}
        events.append(("response.output_item.added", {"output_index": 0, "item": empty}))
        where = {"item_id": item["id"], "output_index": 0, "content_index": 0}
        events += [("response.output_text.delta", {**where, "delta": piece}) for piece in pieces(turn["text"])]
        events.append(("response.output_item.done", {"output_index": 0, "item": item}))
        output.append(item)
    for call in turn.get("tools", []):
        own = next(_numbers)
        item = {"type": "function_call", "id": f"fc_{own}", "call_id": f"call_{own}", "status": "completed",
                "name": call["name"], "arguments": json.dumps(call["args"])}  # fmt: skip
        if "namespace" in call:
            item["namespace"] = call["namespace"]
        for step in ("added", "done"):
            events.append((f"response.output_item.{step}", {"output_index": len(output), "item": item}))
        output.append(item)
    used = {"input_tokens": READ, "output_tokens": WROTE, "total_tokens": READ + WROTE,
            "input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}  # fmt: skip
    whole = {**head, "status": "completed", "output": output, "usage": used}
    return Said([*events, ("response.completed", {"response": whole})], whole)


def messages(turn: Data, model: str) -> Said:
    """Anthropic's messages."""
    blocks: list[Data] = [{"type": "text", "text": turn["text"]}] if turn.get("text") else []
    for call in turn.get("tools", []):
        blocks.append(
            {"type": "tool_use", "id": f"toolu_{next(_numbers)}", "name": call["name"], "input": call["args"]}
        )
    why = "tool_use" if turn.get("tools") else "end_turn"
    whole: Data = {"id": f"msg_{next(_numbers)}", "type": "message", "role": "assistant", "model": model, "content": blocks,
                   "stop_reason": why, "stop_sequence": None, "usage": {"input_tokens": READ, "output_tokens": WROTE}}  # fmt: skip
    events: list[tuple[str, Data | str]] = [
        ("message_start", {"message": {**whole, "content": [], "stop_reason": None}})
    ]
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            start, deltas = (
                {**block, "text": ""},
                [{"type": "text_delta", "text": piece} for piece in pieces(block["text"])],
            )
        else:
            given = json.dumps(block["input"])
            start, deltas = (
                block | dict[str, Any](input=dict[str, Any]()),
                [{"type": "input_json_delta", "partial_json": given}],
            )
        events.append(("content_block_start", {"index": index, "content_block": start}))
        events += [("content_block_delta", {"index": index, "delta": delta}) for delta in deltas]
        events.append(("content_block_stop", {"index": index}))
    end = {"delta": {"stop_reason": why, "stop_sequence": None}, "usage": {"output_tokens": WROTE}}
    return Said([*events, ("message_delta", end), ("message_stop", {})], whole)


def generate(turn: Data, model: str) -> Said:
    """Google's generateContent."""
    calls: list[Data] = [
        {"functionCall": {"name": call["name"], "args": call["args"]}} for call in turn.get("tools", [])
    ]
    used = {"promptTokenCount": READ, "candidatesTokenCount": WROTE, "totalTokenCount": READ + WROTE}

    def candidate(parts: list[Data], **more: str) -> Data:
        return {
            "candidates": [{"content": {"role": "model", "parts": parts}, "index": 0, **more}],
            "modelVersion": model,
        }

    parts: list[Data] = [*({"text": piece} for piece in pieces(turn.get("text", ""))), *calls]
    events: list[tuple[str, Data | str]] = [("", candidate([part])) for part in parts]
    events.append(("", {**candidate([], finishReason="STOP"), "usageMetadata": used}))
    text: list[Data] = [{"text": turn["text"]}] if turn.get("text") else []
    return Said(events, {**candidate([*text, *calls], finishReason="STOP"), "usageMetadata": used})


WIRES: dict[str, Callable[[Data, str], Said]] = {
    "chat/completions": chat, "responses": responses, "v1/messages": messages, "enerateContent": generate,
}  # fmt: skip
"""By how the path of a request ends."""
