"""The agent's end of the protocol: sessions, their modes, and turns that can be cancelled."""

from __future__ import annotations

import asyncio
import contextlib
import signal
import uuid
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import acp
from acp import schema
from pydantic_ai.messages import ModelMessage, ModelRequest, TextPart, UserPromptPart
from pydantic_ai.usage import RequestUsage

from sprintwright import __version__
from sprintwright.agents.model.dialogue import Dialogue, Tools
from sprintwright.agents.model.editor import EditorModel
from sprintwright.agents.model.hands import Hands, ToolFault
from sprintwright.agents.model.history import Histories, whole
from sprintwright.agents.model.http import client_for
from sprintwright.agents.model.provider import model_of
from sprintwright.agents.model.servers import ServedTool, ToolServer
from sprintwright.agents.model.settings import Settings
from sprintwright.agents.model.tools import Tool, offered
from sprintwright.errors import PathRefused
from sprintwright.threads import in_thread

READ_ONLY = "read-only"
_MODES = [
    schema.SessionMode(id="default", name="Default", description="Changes and commands are asked about."),
    schema.SessionMode(id=READ_ONLY, name="Read only", description="There are no tools that change anything."),
]
_LAST_WORDS_SECONDS = 1.2
_LONGEST_LINE = 64 * 1024 * 1024


@dataclass(slots=True)
class _Session:
    id: str
    folder: Path
    servers: list[ToolServer]
    mode: str = "default"
    messages: list[ModelMessage] = field(default_factory=list[ModelMessage])
    turn: asyncio.Task[schema.PromptResponse] | None = None


class ModelAgent:
    """Implements `acp.Agent`."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self._histories = Histories(Path(settings.sessions))
        self._http = client_for(settings.base_url)
        self._model = model_of(settings, self._http)
        self._sessions: dict[str, _Session] = {}
        self._client: acp.Client | None = None

    def on_connect(self, conn: acp.Client) -> None:
        """Called by the library."""
        self._client = conn
        if isinstance(self._model, EditorModel):
            self._model.connect(conn)

    async def ext_notification(self, method: str, params: dict[str, Any]) -> None:
        """What our own parent tells beside the protocol."""
        if isinstance(self._model, EditorModel):
            self._model.told(method, params)

    async def initialize(self, protocol_version: int, **_: Any) -> schema.InitializeResponse:
        """Say what we can."""
        return schema.InitializeResponse(
            protocol_version=acp.PROTOCOL_VERSION,
            agent_capabilities=schema.AgentCapabilities(load_session=True),
            agent_info=schema.Implementation(name=self._settings.model, version=__version__),
        )

    async def new_session(
        self, cwd: str, mcp_servers: Sequence[Any] | None = None, **_: Any
    ) -> schema.NewSessionResponse:
        """Begin a session."""
        await in_thread(self._histories.forget_old)
        session = self._open(uuid.uuid4().hex, cwd, mcp_servers or [])
        return schema.NewSessionResponse(session_id=session.id, modes=_modes(session))

    async def load_session(
        self, cwd: str, session_id: str, mcp_servers: Sequence[Any] | None = None, **_: Any
    ) -> schema.LoadSessionResponse:
        """Go on with a session of an earlier process, and show what was said in it."""
        messages = await in_thread(self._histories.load, session_id, cwd)
        if messages is None:
            raise acp.RequestError(-32002, "there is no such session of this folder")
        session = self._open(session_id, cwd, mcp_servers or [])
        session.messages = messages
        assert self._client is not None
        for update in _said(messages):
            await self._client.session_update(session_id=session_id, update=update)
        return schema.LoadSessionResponse(modes=_modes(session))

    async def set_session_mode(self, session_id: str, mode_id: str, **_: Any) -> schema.SetSessionModeResponse:
        """From the next turn on."""
        session = self._known(session_id)
        if mode_id not in [mode.id for mode in _MODES]:
            raise acp.RequestError.invalid_params({"details": f"there is no mode {mode_id!r}"})
        session.mode = mode_id
        return schema.SetSessionModeResponse()

    async def prompt(self, session_id: str, prompt: Sequence[Any], **_: Any) -> schema.PromptResponse:
        """Take a turn."""
        session = self._known(session_id)
        if session.turn is not None:
            raise acp.RequestError(-32600, "a turn of this session is at work")
        text = "\n".join(block.text for block in prompt if isinstance(block, schema.TextContentBlock))
        session.turn = asyncio.create_task(self._turn(session, text), name=f"turn of {session.id}")
        try:
            return await asyncio.shield(session.turn)
        except asyncio.CancelledError:
            if not session.turn.cancelled():  # it is we who are ended
                session.turn.cancel()
                raise
            return schema.PromptResponse(stop_reason="cancelled")
        finally:
            session.turn = None

    async def cancel(self, session_id: str, **_: Any) -> None:
        """End the turn in the middle of whatever it does."""
        session = self._sessions.get(session_id)
        if session is not None and session.turn is not None:
            session.turn.cancel()

    async def close(self) -> None:
        """End everything that is at work."""
        turns = [session.turn for session in self._sessions.values() if session.turn is not None]
        for turn in turns:
            turn.cancel()
        await asyncio.gather(*turns, return_exceptions=True)
        await asyncio.gather(*(server.close() for session in self._sessions.values() for server in session.servers))
        await self._http.aclose()

    async def _turn(self, session: _Session, text: str) -> schema.PromptResponse:
        assert self._client is not None
        hands = Hands(self._client, session.id, session.folder, self._settings)
        dialogue = Dialogue(self._model, hands, await self._tools(session, hands), list(session.messages))
        try:
            end = await dialogue.take(text)
        finally:
            session.messages = whole(dialogue.messages)
            with contextlib.suppress(OSError, PathRefused):  # then a later process begins a new one
                await in_thread(self._histories.keep, session.id, str(session.folder), session.messages)
        return schema.PromptResponse(stop_reason=end, usage=_usage(dialogue.usage))

    async def _tools(self, session: _Session, hands: Hands) -> Tools:
        """What the model is offered in this turn. A server that can't be reached is said to the log."""
        tools: dict[str, Tool | ServedTool] = {
            tool.name: tool for tool in offered(reads_only=session.mode == READ_ONLY)
        }
        for server in session.servers:
            try:
                for tool in await server.tools():
                    tools.setdefault(tool.definition.name, tool)
            except ToolFault as error:
                await hands.tell(
                    schema.AgentThoughtChunk(
                        session_update="agent_thought_chunk",
                        content=schema.TextContentBlock(type="text", text=f"{error}\n"),
                    )
                )
        return tools

    def _open(self, session_id: str, cwd: str, servers: Sequence[Any]) -> _Session:
        started = [ToolServer(told) for told in servers if isinstance(told, schema.McpServerStdio)]
        session = self._sessions[session_id] = _Session(session_id, Path(cwd), started)
        return session

    def _known(self, session_id: str) -> _Session:
        session = self._sessions.get(session_id)
        if session is None:
            raise acp.RequestError(-32002, "there is no such session")
        return session


def serve(settings: Settings) -> None:
    """Speak the protocol on the standard streams until the input ends, or we are told to go."""
    asyncio.run(_serve(settings))


async def _serve(settings: Settings) -> None:
    agent = ModelAgent(settings)
    task = asyncio.current_task()
    assert task is not None
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, task.cancel)
    try:
        with contextlib.suppress(asyncio.CancelledError):
            await acp.run_agent(cast("acp.Agent", agent), stdio_buffer_limit_bytes=_LONGEST_LINE)
    finally:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_LAST_WORDS_SECONDS):
                await agent.close()


def _modes(session: _Session) -> schema.SessionModeState:
    return schema.SessionModeState(available_modes=_MODES, current_mode_id=session.mode)


def _said(messages: Sequence[ModelMessage]) -> list[Any]:
    """Texts of a conversation as updates."""
    updates: list[Any] = []
    for message in messages:
        for part in message.parts:
            content = getattr(part, "content", None)
            if not isinstance(content, str) or not isinstance(part, UserPromptPart | TextPart):
                continue
            block = schema.TextContentBlock(type="text", text=content)
            if isinstance(message, ModelRequest):
                updates.append(schema.UserMessageChunk(session_update="user_message_chunk", content=block))
            else:
                updates.append(schema.AgentMessageChunk(session_update="agent_message_chunk", content=block))
    return updates


def _usage(used: RequestUsage) -> schema.Usage | None:
    """The turn's usage as the protocol counts; None where the service says nothing."""
    if not used.input_tokens and not used.output_tokens:
        return None
    return schema.Usage(
        input_tokens=used.input_tokens,
        output_tokens=used.output_tokens,
        total_tokens=used.input_tokens + used.output_tokens,
        cached_read_tokens=used.cache_read_tokens,
        cached_write_tokens=used.cache_write_tokens,
    )
