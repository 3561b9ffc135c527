"""The events of codex, gemini, opencode and pi, and the reader for each known command line."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import ClassVar

from sprintwright.agents.cli.claude import Claude, Qwen
from sprintwright.agents.cli.events import (
    Event,
    Object,
    Reader,
    as_cost,
    as_count,
    as_object,
    as_objects,
    as_text,
    message_of,
    session_event,
    texts_of,
    tool_event,
)
from sprintwright.agents.cli.lines import MOST_BYTES
from sprintwright.agents.config import Preset
from sprintwright.model.usage import Usage


def reader_of(preset: Preset) -> Reader:
    """The reader for what that program prints."""
    return _READERS[preset]()


class _Codex:
    whole_thread: ClassVar[bool] = True

    def read(self, event: Object) -> Iterator[Event]:
        """See `Reader`."""
        match event.get("type"):
            case "thread.started":
                yield from session_event(event.get("thread_id"))
            case "item.started" | "item.completed":
                yield from self._item(as_object(event.get("item")), started=event["type"] == "item.started")
            case "error":
                yield Event("error", f"{as_text(event.get('message'))}\n")
            case "turn.failed":
                yield Event("failed", message_of(event))
            case "turn.completed":
                if used := as_object(event.get("usage")):
                    usage = Usage(
                        input_tokens=as_count(used.get("input_tokens")),
                        output_tokens=as_count(used.get("output_tokens")),
                        cached_tokens=as_count(used.get("cached_input_tokens")),
                    )
                    yield Event("usage", usage=usage)
                yield Event("final")
            case _:
                pass

    def _item(self, item: Object, *, started: bool) -> Iterator[Event]:
        kind, text = item.get("type"), as_text(item.get("text"))
        if started or kind in ("file_change", "web_search"):
            match kind:
                case "command_execution":
                    yield tool_event("$", item.get("command"))
                case "file_change" if not started:
                    paths = [str(change.get("path")) for change in as_objects(item.get("changes"))]
                    yield tool_event("changed", ", ".join(paths))
                case "mcp_tool_call":
                    yield tool_event(f"{item.get('server')}.{item.get('tool')}", item.get("arguments"))
                case "web_search" if not started:
                    yield tool_event("web search", item.get("query"))
                case _:
                    pass
        elif kind == "agent_message" and text:
            yield Event("text", f"{text}\n")
            yield Event("answer", text)
        elif kind == "reasoning" and text:
            yield Event("thought", f"{text}\n")
        elif kind == "error":
            yield Event("error", f"{as_text(item.get('message'))}\n")


class _Gemini:
    whole_thread: ClassVar[bool] = False

    def __init__(self) -> None:
        self._pieces: list[str] = []
        self._size = 0

    def read(self, event: Object) -> Iterator[Event]:
        """See `Reader`."""
        match event.get("type"):
            case "init":
                yield from session_event(event.get("session_id"))
            case "message" if event.get("role") == "assistant":
                if text := as_text(event.get("content")):
                    self._size += len(text)
                    if self._size <= MOST_BYTES:
                        self._pieces.append(text)
                    yield Event("text", text)
            case "tool_use":
                yield from self._message()
                yield tool_event(event.get("tool_name"), event.get("parameters"))
            case "tool_result" if event.get("status") == "error":
                yield tool_event("failed", message_of(event) or event.get("output"))
            case "error":
                yield Event("error", f"{as_text(event.get('message'))}\n")
            case "result":
                yield from self._message()
                if (usage := self._usage(as_object(event.get("stats")))) is not None:
                    yield Event("usage", usage=usage)
                if self._size > MOST_BYTES:
                    yield Event("failed", "its answer is longer than is kept")
                elif event.get("status") == "success":
                    yield Event("final")
                else:
                    yield Event("failed", message_of(event))
            case _:
                pass

    def _message(self) -> Iterator[Event]:
        """The pieces up to here are one message; it is the answer if no other one follows."""
        text = "".join(self._pieces)
        self._pieces.clear()
        if text.strip():
            yield Event("answer", text)
            yield Event("text", "\n")

    def _usage(self, stats: Object) -> Usage | None:
        if not stats:
            return None
        read, total = as_count(stats.get("input_tokens")), as_count(stats.get("total_tokens"))
        # The total has the thinking, which the output has not.
        written = max(as_count(stats.get("output_tokens")), total - read)
        return Usage(input_tokens=read, output_tokens=written, cached_tokens=as_count(stats.get("cached")))


class _OpenCode:
    whole_thread: ClassVar[bool] = False

    def __init__(self) -> None:
        self._usage = Usage()
        self._message, self._parts = "", [""]

    def read(self, event: Object) -> Iterator[Event]:
        """See `Reader`."""
        part = as_object(event.get("part"))
        yield from session_event(event.get("sessionID"))
        match event.get("type"):
            case "text":
                if text := as_text(part.get("text")):
                    message = str(part.get("messageID"))
                    self._parts = [*self._parts, text] if message == self._message else [text]
                    self._message = message
                    yield Event("text", f"{text}\n")
                    yield Event("answer", "\n".join(self._parts))
            case "reasoning":
                yield Event("thought", f"{as_text(part.get('text'))}\n")
            case "tool_use":
                yield from self._tool(part)
            case "step_finish":
                yield from self._step(part)
            case "error":
                yield Event("failed", message_of(event))
            case _:
                pass

    def _tool(self, part: Object) -> Iterator[Event]:
        state = as_object(part.get("state"))
        yield tool_event(part.get("tool"), state.get("input"))
        if state.get("status") == "error":
            told = as_text(state.get("error"))
            yield tool_event("failed", told)
            if "rejected permission" in told:
                yield Event("refused", told)

    def _step(self, part: Object) -> Iterator[Event]:
        tokens, cost = as_object(part.get("tokens")), as_cost(part.get("cost"))
        cache = as_object(tokens.get("cache"))
        cached = as_count(cache.get("read"))
        self._usage += Usage(
            input_tokens=as_count(tokens.get("input")) + cached + as_count(cache.get("write")),
            output_tokens=as_count(tokens.get("output")) + as_count(tokens.get("reasoning")),
            cached_tokens=cached,
            cost=cost or None,  # models without a price cost 0 there
        )
        yield Event("usage", usage=self._usage)
        if part.get("reason") != "tool-calls":
            yield Event("cut" if part.get("reason") == "length" else "final")


class _Pi:
    whole_thread: ClassVar[bool] = False

    def __init__(self) -> None:
        self._usage = Usage()
        self._end: Event | None = None

    def read(self, event: Object) -> Iterator[Event]:
        """See `Reader`."""
        message = as_object(event.get("message"))
        match event.get("type"):
            case "session":
                yield from session_event(event.get("id"))
            case "message_update":
                delta = as_object(event.get("assistantMessageEvent"))
                if delta.get("type") == "text_delta":
                    yield Event("text", as_text(delta.get("delta")))
                elif delta.get("type") == "thinking_delta":
                    yield Event("thought", as_text(delta.get("delta")))
            case "tool_execution_start":
                yield tool_event(event.get("toolName"), event.get("args"))
            case "message_end" if message.get("role") == "assistant":
                yield from self._message(message)
            case "agent_end":
                if self._end is not None:
                    yield self._end
            case _:
                pass

    def _message(self, message: Object) -> Iterator[Event]:
        used = as_object(message.get("usage"))
        cached = as_count(used.get("cacheRead"))
        self._usage += Usage(
            input_tokens=as_count(used.get("input")) + cached + as_count(used.get("cacheWrite")),
            output_tokens=as_count(used.get("output")),
            cached_tokens=cached,
            cost=as_cost(as_object(used.get("cost")).get("total")) or None,
        )
        yield Event("usage", usage=self._usage)
        match message.get("stopReason"):
            case "error" | "aborted" as reason:
                told = as_text(message.get("errorMessage")) or str(reason)
                self._end = Event("failed", f"API error: {told}" if re.match(r"\d{3} ", told) else told)
            case "length":
                self._end = Event("cut")
            case _:
                self._end = Event("final")
        if text := "\n".join(texts_of(as_objects(message.get("content")))):
            yield Event("answer", text)
            yield Event("text", "\n")


_READERS: dict[Preset, type[Claude | _Codex | _Gemini | _OpenCode | _Pi]] = {
    "claude": Claude, "codex": _Codex, "gemini": _Gemini, "opencode": _OpenCode, "qwen": Qwen, "pi": _Pi,
}  # fmt: skip
