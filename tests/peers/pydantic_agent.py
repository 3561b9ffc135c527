"""A Pydantic AI agent that speaks the protocol through pydantic-acp; run by the Python that setup.sh makes.

It has two tools of its own, both of which ask, and those of the session's MCP servers. Sessions are kept in its home.
"""
# pyright: basic, reportMissingImports=false

from __future__ import annotations

import asyncio
import os
from pathlib import Path
from typing import Any

from acp.schema import ToolKind
from pydantic_acp import AcpSessionContext, AdapterConfig, FileSessionStore, FileSystemProjectionMap, run_acp
from pydantic_acp.projection import DefaultToolClassifier
from pydantic_ai import Agent, Tool
from pydantic_ai.mcp import MCPToolset
from pydantic_ai.models.openai import OpenAIChatModel
from pydantic_ai.settings import ModelSettings
from pydantic_ai.toolsets import AbstractToolset


def write_file(path: str, content: str) -> str:
    """Write a file."""
    Path(path).write_text(content, encoding="utf-8")
    return "written"


async def run_command(command: str) -> str:
    """Run a command."""
    process = await asyncio.create_subprocess_shell(command)
    return f"exit code {await process.wait()}"


class Classifier(DefaultToolClassifier):
    """Takes only our command for one; by itself it takes every tool for one whose name says nothing to it."""

    def classify(self, tool_name: str, raw_input: object = None) -> ToolKind:
        kind = super().classify(tool_name, raw_input)
        return "other" if kind == "execute" and tool_name != run_command.__name__ else kind


def made(session: AcpSessionContext) -> Agent[None, str]:
    """The agent of a session. pydantic-acp's own bridge to the servers fails: it gives them an id that may not be."""
    tools = [Tool(write_file, requires_approval=True), Tool(run_command, requires_approval=True)]
    return Agent(
        OpenAIChatModel(os.environ["OPENAI_MODEL"]),
        name="pydantic",
        instructions="You are a helpful assistant.",
        model_settings=ModelSettings(temperature=0, max_tokens=300),
        tools=tools,
        toolsets=[_server(**server) for server in session.mcp_servers],
    )


def _server(name: str, **server: Any) -> AbstractToolset[Any]:
    config = {key: server[key] for key in ("command", "args", "env")}
    return MCPToolset({"mcpServers": {name: config}}, id=name).prefixed(name)


run_acp(
    agent_factory=made,
    config=AdapterConfig(
        tool_classifier=Classifier(),
        session_store=FileSessionStore(Path.home() / "sessions"),
        projection_maps=[FileSystemProjectionMap(default_write_tool="write_file", default_bash_tool="run_command")],
    ),
)
