"""What an agent said in one turn, from its updates: the answer, the transcript, tool calls and what they are about."""

from __future__ import annotations

import difflib
import io
import math
import shlex
import time
from collections.abc import Callable, Sequence
from typing import Any, cast

from acp import schema

from sprintwright.agents.acp.leave import Edit, shown_edits
from sprintwright.engine.ports import Act, ActKind, Stream
from sprintwright.model.usage import MOST_TOKENS
from sprintwright.pulse import Pulse, shortened
from sprintwright.text import lines_of, one_line

_KINDS: dict[str, ActKind] = {
    "read": "read", "search": "search", "think": "think", "fetch": "fetch",
    "edit": "edit", "delete": "delete", "move": "move", "execute": "execute",
}  # fmt: skip
_PATH_FIELDS = ("file_path", "filePath", "path", "abs_path")
"""How agents name the file in what they give to their tools."""
_CHANGES = ("edit", "delete", "move")
_LONGEST_TITLE = 300
_MOST_CALLS = 20_000
_MOST_BLOCKS = 5
_MOST_WHOLE = 100
"""Calls that are known with all that they are about; of others, such as those that are over, only what they are."""
_LONGEST_ANSWER = 16 * 1024 * 1024
"""Characters of one message; what is beyond is not kept."""


class Heard:
    """Takes the updates of one turn, in order.

    The answer is the last message. Messages are told apart by their ids, where an agent gives some, and by tool calls
    between them; a call of one of our tools divides nothing: a review, `give_verdict` and a closing word are one
    answer. A stream that broke off and was asked for again has two ids, and the later one counts.

    Args:
        output: the transcript.
        is_ours: whether a tool call, by its title and kind, is one of our tools.
    """

    def __init__(self, output: Callable[[Stream, str], None], is_ours: Callable[[str, str], bool]) -> None:
        self._output, self._is_ours = output, is_ours
        self._text, self._length = io.StringIO(), 0
        self._earlier = ""
        self.pulse = Pulse(time.monotonic)
        """When the agent last said or did something."""
        self._message: str | None = None
        self._divided = self._joined = False
        self.calls: dict[str, schema.ToolCallStart | schema.ToolCallProgress] = {}
        self._whole: dict[str, None] = {}
        self.cost: float | None = None
        """US dollars of the session so far, as the agent says."""
        self.read = self.wrote = self.cached = 0
        """Tokens of the requests that this turn came to, for agents that tell them one by one (qwen)."""
        self.mode = ""
        """The session mode that the agent went over to, if it said so."""
        self.acted = False
        """Whether it changed or ran something, by its own words."""

    def text(self) -> str:
        """The answer so far."""
        return self._text.getvalue().strip() or self._earlier

    def take(self, update: Any) -> None:
        """One update of the protocol; kinds that say nothing to us are passed over."""
        match update:
            case schema.AgentMessageChunk(content=schema.TextContentBlock(text=text)):
                self._chunk(text, update.message_id)
                self._spend(_within(update.field_meta, "usage"))
            case schema.AgentThoughtChunk(content=schema.TextContentBlock(text=text)):
                self.pulse.hear(text)
                self._output("note", text)
            case schema.ToolCallStart() | schema.ToolCallProgress():
                self._call(update)
            case schema.AgentPlanUpdate():
                steps = "".join(
                    f"  [{entry.status}] {one_line(entry.content, 200)}\n" for entry in update.entries[:100]
                )
                self.pulse.hear(steps)
                self._output("note", f"\nplan:\n{steps}")
            case schema.CurrentModeUpdate():
                self.mode = update.current_mode_id
            case schema.UsageUpdate() if update.cost is not None and update.cost.currency.upper() == "USD":
                self.cost = max(0.0, update.cost.amount) if math.isfinite(update.cost.amount) else self.cost
            case _:
                pass

    def close(self) -> None:
        """Some agents leave calls open for ever: none is after the turn."""
        for call in self.calls.values():
            if call.status in ("pending", "in_progress"):
                self._output("note", f"\n[not finished] {one_line(call.title or call.tool_call_id, 200)}\n")
        self.calls.clear()

    def act(self, asked: schema.ToolCallUpdate) -> Act:
        """What a request for permission is about: its own words, and those of the call that it belongs to."""
        known = self.calls.get(asked.tool_call_id)
        title = asked.title or (known.title if known else "") or asked.tool_call_id
        kind = asked.kind or (known.kind if known else None) or "other"
        content = self._content(asked)
        given = asked.raw_input if asked.raw_input is not None else (known.raw_input if known else None)
        fields = cast("dict[str, Any]", given) if isinstance(given, dict) else {}
        command = fields.get("command")
        if isinstance(command, list):
            command = shlex.join(str(word) for word in cast("list[object]", command))
        locations = asked.locations or (known.locations if known else None) or []
        edits = any(isinstance(block, schema.FileEditToolCallContent) for block in content)
        if self._is_ours(title, kind) and not isinstance(command, str) and not edits:
            return Act(kind="tool", title=one_line(title, 200))
        paths = [location.path for location in locations]
        texts = [command] if isinstance(command, str) else []
        for block in content:
            if isinstance(block, schema.FileEditToolCallContent):
                paths.append(block.path)
                texts.append(difference(block.path, block.old_text or "", block.new_text))
            elif isinstance(block, schema.ContentToolCallContent) and isinstance(
                block.content, schema.TextContentBlock
            ):
                texts.append(block.content.text)
        named = [fields[name] for name in _PATH_FIELDS if isinstance(fields.get(name), str)]
        if len(title) > _LONGEST_TITLE or "\n" in title:  # what is agreed to is shown whole
            texts.insert(0, title)
        told = _KINDS.get(kind, "other")
        return Act(
            kind="execute" if isinstance(command, str) else "edit" if edits and told not in _CHANGES else told,
            title=one_line(title, _LONGEST_TITLE),
            text="\n".join(dict.fromkeys(texts)),
            paths=tuple(dict.fromkeys([*paths, *named])),
        )

    def edits(self, asked: schema.ToolCallUpdate) -> dict[str, tuple[Edit, ...]]:
        """The changes of files that a request for permission shows."""
        return shown_edits(self._content(asked))

    def _content(self, asked: schema.ToolCallUpdate) -> Sequence[object]:
        known = self.calls.get(asked.tool_call_id)
        return asked.content or (known.content if known else None) or []

    def _chunk(self, text: str, message: str | None) -> None:
        changed = message is not None and self._message is not None and message != self._message
        if text.strip() and (self._divided or (changed and not self._joined)):
            self._earlier = self.text()
            self._text, self._length, self._divided = io.StringIO(), 0, False
        if text.strip():
            self._joined = False
            self._message = message if message is not None else self._message
        if self._length < _LONGEST_ANSWER:
            self._length += self._text.write(text[: _LONGEST_ANSWER - self._length])
        self.pulse.hear(text)
        self._output("text", text)

    def _spend(self, used: dict[str, Any]) -> None:
        def count(name: str) -> int:
            told = used.get(name)
            return min(max(0, told), MOST_TOKENS) if isinstance(told, int) else 0

        self.read += count("inputTokens")
        self.wrote += count("outputTokens")
        self.cached += count("cachedReadTokens")

    def _call(self, update: schema.ToolCallStart | schema.ToolCallProgress) -> None:
        known = self.calls.get(update.tool_call_id)
        title = update.title or (known.title if known else "") or update.tool_call_id
        kind = update.kind or (known.kind if known else None) or "other"
        if self._is_ours(title, kind) or self._is_ours(_tool(update), kind):
            self._joined = True
        else:
            self._divided = True
            self.acted = self.acted or kind in ("edit", "delete", "move", "execute")
        if known is None and len(self.calls) >= _MOST_CALLS:
            del self.calls[next(iter(self.calls))]
        if known is not None:
            told = {name: value for name, value in update if value is not None and name != "session_update"}
            now = known.model_copy(update=told)
        else:
            now = update.model_copy()
        self.calls[update.tool_call_id] = now
        said = _said(update)
        self._shorten(now)
        moved = known is None or (update.status is not None and update.status != known.status)
        if moved:
            self.pulse.beat()
            self._output("note", f"\n[{update.status or 'started'}] {one_line(title, 200)}\n")
        else:
            self.pulse.hear(f"{update.title or ''} {said}\n")

    def _shorten(self, call: schema.ToolCallStart | schema.ToolCallProgress) -> None:
        """Keep no more of calls than their requests for permission need: agents make thousands in a turn (R79)."""
        call.raw_output = None
        over = call.status in ("completed", "failed")
        self._whole.pop(call.tool_call_id, None)
        if not over and (call.content or call.raw_input is not None):
            self._whole[call.tool_call_id] = None
        oldest = next(iter(self._whole)) if len(self._whole) > _MOST_WHOLE else None
        self._whole.pop(oldest or "", None)
        for one in (call if over else None, self.calls.get(oldest) if oldest else None):
            if one is not None:
                one.content = one.raw_input = None


def _said(update: schema.ToolCallStart | schema.ToolCallProgress) -> str:
    """The end of what a call came to so far."""
    said = [shortened(given) for given in (update.raw_input, update.raw_output, update.field_meta) if given]
    for block in (update.content or [])[-_MOST_BLOCKS:]:
        if isinstance(block, schema.FileEditToolCallContent):
            said.append(block.new_text[-_LONGEST_TITLE:])
        elif isinstance(block, schema.ContentToolCallContent) and isinstance(block.content, schema.TextContentBlock):
            said.append(block.content.text[-_LONGEST_TITLE:])
    return " ".join(said)


def _within(meta: dict[str, Any] | None, name: str) -> dict[str, Any]:
    """An object in what an agent adds to the protocol on its own account."""
    found = (meta or {}).get(name)
    return cast("dict[str, Any]", found) if isinstance(found, dict) else {}


def _tool(update: schema.ToolCallStart | schema.ToolCallProgress) -> str:
    """The name of the tool where an agent gives it beside its title, which may have the arguments, too."""
    meta = update.field_meta or {}
    name = meta.get("toolName") or _within(meta, "claudeCode").get("toolName")
    return name if isinstance(name, str) else ""


def difference(path: str, old: str, new: str) -> str:
    """A change of a file as a unified difference, whole."""
    name = path.lstrip("/")
    lines = difflib.unified_diff(lines_of(old), lines_of(new), f"a/{name}", f"b/{name}", lineterm="")
    return "\n".join(line.rstrip("\r\n") for line in lines)
