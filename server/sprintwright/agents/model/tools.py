"""The tools that a model is offered. There is none for the web (faults.md X65)."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, cast

from acp import schema
from pydantic import BaseModel, ValidationError
from pydantic_ai.tools import ToolDefinition

from sprintwright.agents.model import command, files
from sprintwright.agents.model.hands import Call, Hands, ToolFault

Action = Callable[[Hands, Call, Any], Awaitable[str]]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool of ours: what the model is told of it, and what it does."""

    name: str
    description: str
    given: type[BaseModel]
    kind: schema.ToolKind
    verb: str
    action: Action
    changes: bool = False
    """Whether a role that only reads has none of it."""

    def definition(self) -> ToolDefinition:
        """As the model is told of it."""
        shape = self.given.model_json_schema()
        shape.pop("title", None)
        for field in shape["properties"].values():
            field.pop("title", None)
        return ToolDefinition(name=self.name, description=self.description, parameters_json_schema=shape)

    def title(self, given: Mapping[str, Any]) -> str:
        """What a person reads of a call."""
        about = given.get("command") or given.get("pattern") or given.get("path") or given.get("glob") or ""
        return f"{self.verb} {about}".strip()

    async def call(self, hands: Hands, call: Call, given: Mapping[str, Any]) -> str:
        """Do it. Raises `ToolFault`: nothing was done, and why."""
        try:
            value = self.given.model_validate(given)
        except ValidationError as error:
            told = "; ".join(
                f"{'.'.join(str(part) for part in fault['loc'])}: {fault['msg']}" for fault in error.errors()
            )
            raise ToolFault(f"Nothing was done, for the arguments don't fit: {told}") from error
        return await self.action(hands, call, value)


TOOLS: Mapping[str, Tool] = {
    tool.name: tool
    for tool in (
        Tool("read_file", "Read a text file.", files.ReadFile, "read", "Read", files.read_file),
        Tool("list_files", "List the files of a folder, with those below it.", files.ListFiles, "search", "List files",
             files.list_files),
        Tool("search_files", "Search the lines of files.", files.SearchFiles, "search", "Search for",
             files.search_files),
        Tool("write_file", "Make a file, or replace it whole.", files.WriteFile, "edit", "Write",
             files.write_file, True),
        Tool("edit_file", "Replace one piece of a file.", files.EditFile, "edit", "Edit", files.edit_file, True),
        Tool("run_command", "Run a command and see what it prints.", command.RunCommand, "execute", "$",
             command.run_command, True),
    )
}  # fmt: skip


def offered(*, reads_only: bool) -> list[Tool]:
    """The tools of a session mode (faults.md X73)."""
    return [tool for tool in TOOLS.values() if not (reads_only and tool.changes)]


def arguments_of(args: object) -> dict[str, Any]:
    """Arguments as an object. Raises `ToolFault`."""
    if args is None or args == "":
        return {}
    try:
        value: object = json.loads(args) if isinstance(args, str) else args
    except (ValueError, RecursionError):
        value = None
    if not isinstance(value, dict):
        raise ToolFault("Nothing was done: the arguments are no JSON object.")
    return cast("dict[str, Any]", value)
