"""The MCP server of one link: lists the tools of its session and hands calls to the turn that is open.

It offers tools and nothing else: no sampling, no elicitation, no resources (faults.md X59). Importing it loads the
`mcp` library; see `listener`.
"""

from __future__ import annotations

import asyncio
import contextlib
from typing import Any, TypeAlias, cast

import anyio
import mcp_types as types
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.server.context import ServerRequestContext
from mcp.server.lowlevel import NotificationOptions, Server
from mcp.server.session import ServerSession
from mcp.shared.message import SessionMessage

from sprintwright import __version__
from sprintwright.agents.bridge.connection import Connection
from sprintwright.agents.bridge.wire import TooLong, id_of, lines, mended, says_twice
from sprintwright.engine.ports import ToolAnswer

_MOST_VERDICT = 10_000
_LAST_WORDS_SECONDS = 1.0
_HARMLESS = types.ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=False)
"""They change nothing in the folder. Of others some agents ask without a name (qwen), and we could not allow ours."""

_Context: TypeAlias = ServerRequestContext[Any, Any]
_Incoming: TypeAlias = "MemoryObjectSendStream[SessionMessage | Exception]"
_Outgoing: TypeAlias = "MemoryObjectSendStream[SessionMessage]"


async def serve(connection: Connection, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Serve until the other end is closed."""
    server = _server(connection)
    to_server, from_agent = anyio.create_memory_object_stream[SessionMessage | Exception](0)
    to_agent, from_server = anyio.create_memory_object_stream[SessionMessage](0)
    receiving = asyncio.create_task(_receive(reader, writer, to_server, to_agent.clone()), name="tools in")
    sending = asyncio.create_task(_send(from_server, writer), name="tools out")
    try:
        options = server.create_initialization_options(NotificationOptions(tools_changed=True))
        await server.run(from_agent, to_agent, options)
    finally:
        receiving.cancel()
        await asyncio.wait({receiving})
        await asyncio.wait({sending}, timeout=_LAST_WORDS_SECONDS)
        sending.cancel()
        await asyncio.gather(receiving, sending, return_exceptions=True)


def _server(connection: Connection) -> Server[Any]:
    async def list_tools(context: _Context, _params: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        session: ServerSession = context.session
        connection.tell_changed = session.send_tool_list_changed
        return types.ListToolsResult(
            tools=[
                types.Tool(
                    name=name, description=words, input_schema=cast("dict[str, Any]", schema), annotations=_HARMLESS
                )
                for name, words, schema in connection.shown()
            ]
        )

    async def call_tool(_context: _Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        return _result(await connection.call(params.name, params.arguments or {}))

    return Server("sprintwright", version=__version__, on_list_tools=list_tools, on_call_tool=call_tool)


def _result(answer: ToolAnswer) -> types.CallToolResult:
    return types.CallToolResult(content=[types.TextContent(type="text", text=answer.text)], is_error=answer.failed)


async def _receive(
    reader: asyncio.StreamReader, writer: asyncio.StreamWriter, to_server: _Incoming, to_agent: _Outgoing
) -> None:
    """Hand the agent's messages on, none as long as it does not read our answers: memory stays flat (R79)."""
    with contextlib.suppress(OSError, anyio.BrokenResourceError, anyio.ClosedResourceError):
        async with to_server, to_agent:
            async for line in lines(reader):
                message = _read(line)
                if isinstance(message, SessionMessage):
                    await to_server.send(message)
                elif message is not None:
                    await to_agent.send(SessionMessage(message))
                await writer.drain()


async def _send(from_server: MemoryObjectReceiveStream[SessionMessage], writer: asyncio.StreamWriter) -> None:
    try:
        async with from_server:
            async for message in from_server:
                data = message.message.model_dump_json(by_alias=True, exclude_unset=True)
                writer.write(data.encode() + b"\n")
                await writer.drain()
    except OSError:  # nobody reads any more: what is said from there is of no use either
        writer.transport.abort()


def _read(line: bytes | TooLong) -> SessionMessage | types.JSONRPCResponse | None:
    """The message of a line; what can't be believed is answered at once as a failed call (X68); None: nothing to do."""
    if isinstance(line, TooLong):
        return _refusal(line.head, line.tail, "the call is too large")
    if not line.strip():
        return None
    message = _parsed(line)
    if message is None and (better := mended(line)) is not None:
        message = _parsed(better)
    if message is None:
        return _refusal(line[:4096], line[-4096:], "the call is no JSON that can be read")
    if _gives_verdict(message) and (len(line) > _MOST_VERDICT or says_twice(line)):
        return _refusal(line[:4096], line[-4096:], "a verdict has each key once, and no more than it needs")
    return SessionMessage(message)


def _parsed(line: bytes) -> types.JSONRPCMessage | None:
    try:
        return types.jsonrpc_message_adapter.validate_json(line, by_name=False)
    except ValueError:
        return None


def _gives_verdict(message: types.JSONRPCMessage) -> bool:
    if not isinstance(message, types.JSONRPCRequest) or message.method != "tools/call":
        return False
    return (message.params or {}).get("name") == "give_verdict"


def _refusal(head: bytes, tail: bytes, why: str) -> types.JSONRPCResponse | None:
    number = id_of(head, tail)
    if number is None:
        return None
    result = _result(ToolAnswer(text=f"Nothing was done: {why}.", failed=True))
    return types.JSONRPCResponse(
        jsonrpc="2.0", id=number, result=result.model_dump(by_alias=True, mode="json", exclude_none=True)
    )
