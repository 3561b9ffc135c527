"""The events of claude (`--output-format stream-json`), and of qwen, which speaks alike."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, cast

from sprintwright.agents.cli.events import (
    Event,
    Object,
    as_cost,
    as_count,
    as_object,
    as_objects,
    as_text,
    session_event,
    texts_of,
    tool_event,
)
from sprintwright.model.usage import Usage


class Claude:
    """See `Reader`. With partial messages: what was shown in pieces is not shown again."""

    whole_thread: ClassVar[bool] = False
    cached_apart: ClassVar[bool] = True
    """Whether the input is counted without what came from the cache."""

    def __init__(self) -> None:
        self._streamed = False

    def read(self, event: Object) -> Iterator[Event]:
        """See `Reader`."""
        if event.get("parent_tool_use_id"):  # of a helper that the agent started: not its own words
            return
        match event.get("type"):
            case "system" if event.get("subtype") == "init":
                yield from session_event(event.get("session_id"))
            case "system" if event.get("subtype") == "api_retry":
                status = event.get("error_status") or event.get("error")
                yield Event("error", f"The model's service answered {status}; trying again.\n")
            case "stream_event":
                yield from self._delta(as_object(as_object(event.get("event")).get("delta")))
            case "assistant":
                yield from self._message(as_object(event.get("message")))
            case "user":
                for part in as_objects(as_object(event.get("message")).get("content")):
                    if part.get("type") == "tool_result" and part.get("is_error") is True:
                        yield tool_event("failed", part.get("content"))
            case "result":
                yield from self._result(event)
            case _:
                pass

    def _delta(self, delta: Object) -> Iterator[Event]:
        if text := as_text(delta.get("text")):
            self._streamed = True
            yield Event("text", text)
        elif text := as_text(delta.get("thinking")):
            yield Event("thought", text)

    def _message(self, message: Object) -> Iterator[Event]:
        parts = as_objects(message.get("content"))
        for part in parts:
            if part.get("type") == "tool_use":
                yield tool_event(part.get("name"), part.get("input"))
        if text := "\n".join(texts_of(parts)):
            if not self._streamed:
                yield Event("text", text)
            yield Event("text", "\n")
            yield Event("answer", text)
            self._streamed = False

    def _result(self, event: Object) -> Iterator[Event]:
        text = as_text(event.get("result"))
        if (usage := self._usage(event)) is not None:
            yield Event("usage", usage=usage)
        if event.get("is_error") is True or event.get("subtype") != "success" or self._is_error(text):
            told = event.get("errors")
            first = as_text(cast("list[Any]", told)[0]) if isinstance(told, list) and told else ""
            yield Event("failed", text or first or str(event.get("subtype")))
            return
        yield from session_event(event.get("session_id"))
        if text:
            yield Event("answer", text)
        yield Event("cut" if event.get("stop_reason") == "max_tokens" else "final")

    def _is_error(self, text: str) -> bool:
        return False

    def _usage(self, event: Object) -> Usage | None:
        used = as_object(event.get("usage"))
        if not used:
            return None
        cached, made = as_count(used.get("cache_read_input_tokens")), as_count(used.get("cache_creation_input_tokens"))
        read, total = as_count(used.get("input_tokens")), as_count(used.get("total_tokens"))
        return Usage(
            input_tokens=read + (cached + made if self.cached_apart else 0),
            output_tokens=max(as_count(used.get("output_tokens")), total - read if total else 0),
            cached_tokens=cached,
            cost=as_cost(event.get("total_cost_usd")),
        )


class Qwen(Claude):
    """As claude's; but an error of the API is its answer, and a session that is gone on with counts as a whole."""

    whole_thread: ClassVar[bool] = True
    cached_apart: ClassVar[bool] = False

    def _is_error(self, text: str) -> bool:
        return text.lstrip().startswith("[API Error")
