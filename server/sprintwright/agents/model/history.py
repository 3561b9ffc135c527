"""What was said in a session, kept in a file of the user's state folder, so that a later process goes on with it."""

from __future__ import annotations

import contextlib
import json
import re
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from pydantic_ai.messages import ModelMessage, ModelMessagesTypeAdapter, ModelRequest, ModelResponse, ToolReturnPart

from sprintwright.errors import PathRefused
from sprintwright.paths import make_private_dir, read_beneath, write_atomic

_VERSION = 1
_MOST_BYTES = 256 * 1024 * 1024
_KEPT_SECONDS = 30 * 24 * 3600.0
_ID = re.compile(r"[0-9a-f]{32}")
_CHARACTERS_PER_TOKEN = 3.5
_LEFT_OUT = "(left out, for the conversation is long: call the tool again if you need it)"


class Histories:
    """The conversations of a folder of files, one each, 0600.

    Args:
        folder: made, 0700, when something is first kept.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def keep(self, session: str, workspace: str, messages: Sequence[ModelMessage]) -> None:
        """Write a conversation, whole or not at all. Raises `OSError`, `PathRefused`."""
        kept = {
            "version": _VERSION,
            "folder": workspace,
            "messages": ModelMessagesTypeAdapter.dump_python(list(messages), mode="json"),
        }
        make_private_dir(self._folder.parent)
        make_private_dir(self._folder)
        write_atomic(self._folder, f"{session}.json", json.dumps(kept, ensure_ascii=False).encode("utf-8", "replace"))

    def load(self, session: str, workspace: str) -> list[ModelMessage] | None:
        """A conversation of that workspace; None when there is none that can be read."""
        if not _ID.fullmatch(session):
            return None
        try:
            kept: Any = json.loads(read_beneath(self._folder, f"{session}.json", _MOST_BYTES))
            if kept["version"] != _VERSION or kept["folder"] != workspace:
                return None
            return ModelMessagesTypeAdapter.validate_python(kept["messages"])
        except (OSError, PathRefused, ValueError, KeyError, TypeError):
            return None

    def forget_old(self) -> None:
        """Take away the files that nobody went on with for a month."""
        oldest = time.time() - _KEPT_SECONDS
        for file in self._folder.glob("*.json") if self._folder.is_dir() else ():
            with contextlib.suppress(OSError):
                if file.stat().st_mtime < oldest:
                    file.unlink()


def whole(messages: Sequence[ModelMessage]) -> list[ModelMessage]:
    """The conversation up to the last answer of the model whose calls all have their results.

    A service refuses a conversation with open calls, and what was asked in vain will be asked again.
    """
    kept = list(messages)
    while kept:
        last = kept[-1]
        if isinstance(last, ModelResponse) and not last.tool_calls:
            break
        if isinstance(last, ModelRequest) and any(isinstance(part, ToolReturnPart) for part in last.parts):
            break
        kept.pop()
    return kept


def fitting(messages: Sequence[ModelMessage], context: int | None) -> list[ModelMessage]:
    """The conversation as it is sent: the oldest results of tools make way until it fits, by an estimate.

    Args:
        context: tokens that the model can take in; None: everything is sent.
    """
    sent = list(messages)
    if context is None:
        return sent
    most = context * 0.75 * _CHARACTERS_PER_TOKEN
    size = len(ModelMessagesTypeAdapter.dump_json(sent))
    for number, message in enumerate(sent[:-1]):
        if size <= most:
            break
        if not isinstance(message, ModelRequest):
            continue
        parts: list[Any] = []
        for part in message.parts:
            if isinstance(part, ToolReturnPart) and len(str(part.content)) > len(_LEFT_OUT):
                size -= len(str(part.content)) - len(_LEFT_OUT)
                parts.append(replace(part, content=_LEFT_OUT))
            else:
                parts.append(part)
        sent[number] = replace(message, parts=parts)
    return sent
