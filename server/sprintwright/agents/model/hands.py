"""How tools reach the world: by asking the engine, as any agent does. One permission path, and no way around it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import acp
from acp import schema

from sprintwright.agents.model.settings import Settings

_OPTIONS = [
    schema.PermissionOption(option_id="yes", name="Allow", kind="allow_once"),
    schema.PermissionOption(option_id="no", name="Reject", kind="reject_once"),
]


class ToolFault(Exception):
    """A tool did nothing, and why; the model is told and goes on."""


class NotAllowed(ToolFault):
    """The role, or the user, did not allow it."""


@dataclass(frozen=True, slots=True)
class Hands:
    """What the tools of one session can do."""

    client: acp.Client
    session: str
    folder: Path
    settings: Settings

    async def allow(self, call: Call, kind: schema.ToolKind | None = None) -> None:
        """Ask for leave. Raises `NotAllowed`."""
        asked = schema.ToolCallUpdate(
            tool_call_id=call.id,
            title=call.title,
            kind=kind or call.kind,
            raw_input=call.given,
            content=call.content or None,
            locations=call.locations or None,
        )
        answer = await self.client.request_permission(session_id=self.session, tool_call=asked, options=_OPTIONS)
        outcome = answer.outcome
        if not isinstance(outcome, schema.AllowedOutcome) or outcome.option_id != "yes":
            raise NotAllowed(f"Not allowed: {call.title}")

    async def read(self, rel: str, line: int | None = None, limit: int | None = None) -> str:
        """The text of a file, or lines of it, counted from 1. Raises `ToolFault`."""
        path = str(self.folder / rel)
        try:
            answer = await self.client.read_text_file(session_id=self.session, path=path, line=line, limit=limit)
        except acp.RequestError as error:
            raise ToolFault(_words(error)) from error
        return answer.content

    async def write(self, rel: str, text: str) -> None:
        """Write a file whole. Raises `ToolFault`."""
        try:
            await self.client.write_text_file(session_id=self.session, path=str(self.folder / rel), content=text)
        except acp.RequestError as error:
            raise ToolFault(_words(error)) from error

    async def tell(self, update: Any) -> None:
        """Show something of the turn."""
        await self.client.session_update(session_id=self.session, update=update)


@dataclass(slots=True)
class Call:
    """One call of a tool, as the engine is shown it."""

    id: str
    title: str
    kind: schema.ToolKind
    given: dict[str, Any]
    content: list[Any]
    locations: list[schema.ToolCallLocation]

    def at(self, folder: Path, rel: str) -> None:
        """Say which file it is about."""
        self.locations = [schema.ToolCallLocation(path=str(folder / rel))]

    def changes(self, folder: Path, rel: str, old: str | None, new: str) -> None:
        """Say what it would change."""
        self.at(folder, rel)
        self.content = [schema.FileEditToolCallContent(type="diff", path=str(folder / rel), old_text=old, new_text=new)]


def _words(error: acp.RequestError) -> str:
    data: Any = error.data
    details: Any = data.get("details") if isinstance(data, dict) else None  # pyright: ignore[reportUnknownMemberType, reportUnknownVariableType]
    return details if isinstance(details, str) else str(error)
