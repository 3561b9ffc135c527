"""The tool servers that the engine gives to a session: started, asked for their tools, and called."""

from __future__ import annotations

import asyncio
import contextlib
import os
from dataclasses import dataclass
from typing import Any

import mcp
import mcp_types
from acp import schema
from mcp.client.stdio import StdioServerParameters
from pydantic_ai.tools import ToolDefinition

from sprintwright.agents.model.hands import ToolFault
from sprintwright.processes import child_environment

_START_SECONDS, _LIST_SECONDS, _END_SECONDS = 30.0, 30.0, 1.0


@dataclass(frozen=True, slots=True)
class ServedTool:
    """A tool of a server."""

    server: ToolServer
    definition: ToolDefinition

    @property
    def title(self) -> str:
        """How a call of it is named to the engine, which knows its own tools by it."""
        return f"mcp__{self.server.name}__{self.definition.name}"


class ToolServer:
    """One server, in a task of its own from start to end: the library wants both in the same one."""

    def __init__(self, told: schema.McpServerStdio) -> None:
        self.name = told.name
        env = child_environment(os.environ, {variable.name: variable.value for variable in told.env})
        self._client = mcp.Client(
            StdioServerParameters(command=told.command, args=list(told.args), env=env), client_info=None
        )
        self._over = asyncio.Event()
        self._ready: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._live(), name=f"tools of {told.name}")

    async def tools(self) -> list[ServedTool]:
        """What it offers now. Raises `ToolFault`: it did not start or does not answer."""
        try:
            async with asyncio.timeout(_START_SECONDS):
                await asyncio.shield(self._ready)
            async with asyncio.timeout(_LIST_SECONDS):
                answer = await self._client.list_tools(cache_mode="refresh")
        except Exception as error:
            raise ToolFault(f"The tool server {self.name!r} can't be reached ({type(error).__name__}).") from error
        return [
            ServedTool(
                self,
                ToolDefinition(
                    name=tool.name, parameters_json_schema=dict(tool.input_schema), description=tool.description
                ),
            )
            for tool in answer.tools
        ]

    async def call(self, tool: str, given: dict[str, Any]) -> str:
        """Call a tool, however long it takes: it may ask a person. Raises `ToolFault` with what it says."""
        try:
            answer = await self._client.call_tool(tool, given)
        except Exception as error:
            raise ToolFault(f"{tool} failed: {error}") from error
        text = "\n".join(block.text for block in answer.content if isinstance(block, mcp_types.TextContent))
        if answer.is_error:
            raise ToolFault(text or f"{tool} failed.")
        return text

    async def close(self) -> None:
        """End it. Safe to call twice."""
        self._over.set()
        await asyncio.wait({self._task}, timeout=_END_SECONDS)
        self._task.cancel()
        with contextlib.suppress(Exception, asyncio.CancelledError):
            await self._task

    async def _live(self) -> None:
        try:
            async with self._client:
                self._ready.set_result(None)
                await self._over.wait()
        except Exception as error:
            if not self._ready.done():
                self._ready.set_exception(error)
                self._ready.exception()  # looked at: a session may never ask
