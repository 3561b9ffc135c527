"""How agents reach our tools: the real pipe, the real client of the protocol, and callers that are none of ours."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import stat
import sys
from collections.abc import AsyncGenerator, Mapping
from pathlib import Path
from typing import Any

import pytest
from mcp import ClientSession, StdioServerParameters, stdio_client
from mcp_types import TextContent, ToolListChangedNotification

from sprintwright.agents.bridge import Connection, ToolBridge
from sprintwright.engine.ports import Tool, ToolAnswer
from sprintwright.engine.signals import Parked
from sprintwright.errors import PathRefused
from sprintwright.model.value import Json

TOOLS: tuple[Tool, ...] = ("give_verdict", "report_finding")
KEYS = ("good", "again")


class Calls:
    """A desk that keeps what it is called with."""

    def __init__(self) -> None:
        self.made: list[tuple[str, dict[str, Json]]] = []
        self.failure: Exception | None = None
        self.held: asyncio.Event | None = None
        self.cancelled: asyncio.Queue[str] = asyncio.Queue()

    async def __call__(self, tool: str, arguments: Mapping[str, Json]) -> ToolAnswer:
        self.made.append((tool, dict(arguments)))
        if self.failure is not None:
            raise self.failure
        if self.held is not None:
            try:
                await self.held.wait()
            except asyncio.CancelledError:
                self.cancelled.put_nowait(str(arguments.get("question", "")))
                raise
        return ToolAnswer(text=f"did {tool}", failed=tool == "report_finding")


class Agent:
    """The client of an agent, over the real pipe."""

    def __init__(self, session: ClientSession, changes: asyncio.Queue[None]) -> None:
        self.session, self.changes = session, changes

    async def call(self, tool: str, **arguments: Any) -> tuple[str, bool]:
        result = await self.session.call_tool(tool, arguments)
        (content,) = result.content
        assert isinstance(content, TextContent)
        return content.text, result.is_error

    async def names(self) -> list[str]:
        return [tool.name for tool in (await self.session.list_tools()).tools]


@contextlib.asynccontextmanager
async def agent(connection: Connection) -> AsyncGenerator[Agent]:
    """An agent that starts its tool server and greets it."""
    changes: asyncio.Queue[None] = asyncio.Queue()

    async def heard(message: object) -> None:
        if isinstance(message, ToolListChangedNotification):
            changes.put_nowait(None)

    command, *arguments = connection.command
    server = StdioServerParameters(command=command, args=arguments)
    async with stdio_client(server) as (read, write), ClientSession(read, write, message_handler=heard) as session:
        await session.initialize()
        yield Agent(session, changes)


class Raw:
    """The other end of the socket, byte by byte."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def send(self, value: object) -> None:
        self.writer.write(value if isinstance(value, bytes) else json.dumps(value).encode() + b"\n")
        await self.writer.drain()

    async def receive(self) -> dict[str, Any]:
        return json.loads(await asyncio.wait_for(self.reader.readline(), 20))

    async def greet(self) -> None:
        about = {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
        await self.send({"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": about})
        assert (await self.receive())["result"]["serverInfo"]["name"] == "sprintwright"
        await self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    async def is_closed(self) -> bool:
        with contextlib.suppress(ConnectionError):
            return await asyncio.wait_for(self.reader.read(), 20) == b""
        return True


def names_in(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def where(connection: Connection) -> tuple[str, bytes]:
    """Socket and secret, as the pipe reads them."""
    path, secret = Path(connection.command[-1]).read_text(encoding="utf-8").split("\n")[:2]
    return path, secret.encode()


@contextlib.asynccontextmanager
async def raw(connection: Connection, greeting: bytes | None = None) -> AsyncGenerator[Raw]:
    path, secret = where(connection)
    reader, writer = await asyncio.open_unix_connection(path, limit=1 << 24)
    try:
        peer = Raw(reader, writer)
        with contextlib.suppress(ConnectionError):
            await peer.send(secret + b"\n" if greeting is None else greeting)
        yield peer
    finally:
        writer.transport.abort()


def request(number: object, tool: str, **arguments: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": tool, "arguments": arguments}}


@pytest.fixture
async def bridge(runtime: Path) -> AsyncGenerator[ToolBridge]:
    async with ToolBridge(runtime, greeting_seconds=0.2, wait_seconds=0.2) as made:
        yield made


async def test_an_agent_lists_and_calls_the_tools_of_its_turn_and_is_told_what_changes(bridge: ToolBridge) -> None:
    connection, calls = bridge.open(TOOLS, KEYS), Calls()
    assert not connection.connected
    async with agent(connection) as peer:
        tools = (await peer.session.list_tools()).tools
        assert [tool.name for tool in tools] == list(TOOLS)
        # An agent that asks about each tool that may change something, and does not name it (qwen), asks about none.
        assert all(tool.annotations and tool.annotations.read_only_hint for tool in tools)
        assert tools[0].input_schema["properties"]["verdict"]["enum"] == list(KEYS)
        capabilities = peer.session.server_capabilities
        assert capabilities is not None and capabilities.tools is not None and capabilities.tools.list_changed
        assert capabilities.resources is capabilities.prompts is capabilities.logging is None  # X59
        text, failed = await peer.call("give_verdict", verdict="good")
        assert failed and "turn is over" in text

        async with connection.turn(calls, TOOLS, KEYS):
            assert connection.connected
            assert await peer.call("give_verdict", verdict="good", agent="x") == ("did give_verdict", False)
            assert await peer.call("report_finding") == ("did report_finding", True)
            assert await peer.call("rm", a=[1]) == ("did rm", False)  # refused by the desk, which knows
        assert calls.made == [
            ("give_verdict", {"verdict": "good", "agent": "x"}), ("report_finding", {}), ("rm", {"a": [1]}),
        ]  # fmt: skip

        assert peer.changes.empty()
        async with connection.turn(calls, ("ask_user",), ()):
            await asyncio.wait_for(peer.changes.get(), 20)
            assert await peer.names() == ["ask_user"]
        text, failed = await peer.call("ask_user")  # R72
        assert failed and "turn is over" in text and len(calls.made) == 3
        assert where(connection)[1].decode() not in " ".join(connection.command)  # X62
        assert not listens_on_tcp()  # X63

    async with connection.turn(calls, TOOLS, ()):  # what served is gone: this turn has no tools
        assert not connection.connected
        async with agent(connection) as peer:  # as agents do at `session/load`
            assert await peer.names() == list(TOOLS)
        assert connection.connected


def listens_on_tcp() -> bool:
    own: set[str] = set()
    for file in Path("/proc/self/fd").iterdir():
        with contextlib.suppress(OSError):
            own.add(str(file.readlink()))
    rows = [line.split() for name in ("tcp", "tcp6") for line in Path(f"/proc/net/{name}").read_text().splitlines()[1:]]
    return bool(own & {f"socket:[{row[9]}]" for row in rows if row[3] == "0A"})


async def test_two_sessions_reach_each_their_own_turn_x061(bridge: ToolBridge) -> None:
    one, two = bridge.open(TOOLS, KEYS), bridge.open(TOOLS, KEYS)
    first, second = Calls(), Calls()
    async with raw(one) as a, raw(two) as b, one.turn(first, TOOLS, KEYS), two.turn(second, TOOLS, KEYS):
        for peer in (a, b):
            await peer.greet()
        await b.send(request(1, "give_verdict", verdict="good", item=1))
        await b.receive()
        assert not first.made and len(second.made) == 1


async def test_what_a_call_raises_ends_the_turn_at_once_and_a_cancelled_turn_gives_up_its_calls(
    bridge: ToolBridge,
) -> None:
    connection, calls = bridge.open(TOOLS, KEYS), Calls()
    async with raw(connection) as peer:
        await peer.greet()
        calls.failure = Parked("a", "A question waits.", "question")
        with pytest.raises(Parked):
            async with connection.turn(calls, TOOLS, KEYS):
                await peer.send(request(1, "ask_user"))
                await asyncio.Event().wait()  # the agent, which waits for its answer
        current = asyncio.current_task()
        assert current is not None and not current.cancelling()
        assert (await peer.receive())["result"]["isError"]

        with pytest.raises(Parked):  # also of an agent's code that takes no notice
            async with connection.turn(calls, TOOLS, KEYS):
                await peer.send(request(2, "ask_user"))
                with contextlib.suppress(asyncio.CancelledError):
                    await asyncio.Event().wait()
        assert (await peer.receive())["result"]["isError"]

        calls.failure, calls.held = None, asyncio.Event()
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.1), connection.turn(calls, TOOLS, KEYS):
                await peer.send(request(3, "ask_user"))
                await asyncio.Event().wait()
        assert calls.cancelled.qsize() == 1 and "turn is over" in json.dumps(await peer.receive())


async def test_an_agent_that_goes_or_gives_up_takes_its_open_calls_with_it(bridge: ToolBridge) -> None:
    connection, calls = bridge.open(TOOLS, KEYS), Calls()
    calls.held = asyncio.Event()
    async with connection.turn(calls, TOOLS, KEYS):
        async with raw(connection) as peer:
            await peer.greet()
            await peer.send(request(1, "ask_user", question="one"))
            await peer.send(request(2, "ask_user", question="two"))
            await peer.send({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}})
            assert await asyncio.wait_for(calls.cancelled.get(), 20) == "one"
        assert await asyncio.wait_for(calls.cancelled.get(), 20) == "two"


async def test_x062_secrets_that_are_none_are_dropped_and_two_at_once_are_not_served(
    bridge: ToolBridge, runtime: Path
) -> None:
    old = bridge.open(TOOLS, KEYS)
    path, stale = where(old)
    file = Path(old.command[-1])
    for kept, mode in ((runtime, 0o700), (Path(path), 0o600), (file, 0o600)):
        assert stat.S_IMODE(kept.stat().st_mode) == mode
    assert len(os.fsencode(path)) < 100 and len(stale) == 64
    await old.close()
    assert file.name not in names_in(runtime)

    connection, calls = bridge.open(TOOLS, KEYS), Calls()
    _, secret = where(connection)
    bad = [b"", b"\n", b"x" * 65, stale + b"\n", secret, secret[:-1] + b"\n\n", b"x" * 1_000_000, secret.upper() + b" "]
    async with connection.turn(calls, TOOLS, KEYS):
        for greeting in bad:  # too short ones are dropped when their time is up
            async with raw(connection, greeting) as peer:
                assert await peer.is_closed()
        async with raw(connection) as first:
            await first.greet()
            async with raw(connection) as second:
                assert await second.is_closed()
            await first.send(request(1, "give_verdict", verdict="good"))
            assert not (await first.receive())["result"]["isError"]
        async with raw(connection) as again:  # the first is gone
            await again.greet()
    assert len(calls.made) == 1
    async with raw(connection) as last:
        await last.greet()
        await connection.close()
        assert await last.is_closed()


async def test_x062_strangers_are_few_and_keep_nobody_out_for_long(runtime: Path) -> None:
    async with ToolBridge(runtime, greeting_seconds=60) as bridge:
        connection = bridge.open(TOOLS, KEYS)
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(32):
                await stack.enter_async_context(raw(connection, b"x"))
            one_more = await stack.enter_async_context(raw(connection))
            assert await one_more.is_closed()
        async with raw(connection) as peer:
            await peer.greet()


async def test_x062_another_user_is_turned_away_whatever_they_know(
    bridge: ToolBridge, monkeypatch: pytest.MonkeyPatch
) -> None:
    connection = bridge.open(TOOLS, KEYS)
    monkeypatch.setattr("sprintwright.processes.peer.os.getuid", lambda: 4711)
    async with raw(connection) as peer:
        assert await peer.is_closed()


async def test_x062_a_folder_that_is_another_users_or_too_deep_is_refused(tmp_path: Path) -> None:
    deep = tmp_path / ("x" * 100)
    with pytest.raises(PathRefused):
        async with ToolBridge(deep):
            pass
    (tmp_path / "link").symlink_to(tmp_path)
    with pytest.raises(PathRefused):
        async with ToolBridge(tmp_path / "link"):
            pass


async def test_what_a_killed_owner_left_is_cleared_away_and_what_lives_stays(runtime: Path) -> None:
    gone = await asyncio.create_subprocess_exec(sys.executable, "-c", "")
    await gone.wait()
    async with ToolBridge(runtime) as living:
        kept = [Path(living.open(TOOLS, KEYS).command[-1]).name, Path(where(living.open(TOOLS, KEYS))[0]).name]
        for name in (f"{gone.pid}-ab.tools", f"{gone.pid}-ab-1.secret"):
            (runtime / name).touch()
        async with ToolBridge(runtime):
            names = names_in(runtime)
            assert set(kept) < set(names) and not any(name.startswith(str(gone.pid)) for name in names)
    assert names_in(runtime) == []


async def test_r079_x068_what_is_too_large_or_unclear_is_a_failed_call_and_the_next_one_is_served(
    bridge: ToolBridge,
) -> None:
    connection, calls = bridge.open(TOOLS, KEYS), Calls()
    twice = b'{"jsonrpc":"2.0","id":5,"method":"tools/call","params":{"name":"give_verdict","arguments":{"verdict":"good","verdict":"again"}}}\n'
    deep = (
        b'{"jsonrpc":"2.0","id":6,"method":"tools/call","params":{"name":"x","arguments":{"a":'
        + b"[" * 100_000
        + b"}\n"
    )
    half = b'{"jsonrpc":"2.0","id":8,"method":"tools/call","params":{"name":"x","arguments":{"a":"\\ud83d!"}}}\n'
    last = json.dumps(
        {
            "method": "tools/call",
            "params": {"name": "x", "arguments": {"a": "y" * 20_000_000}},
            "jsonrpc": "2.0",
            "id": 7,
        }
    )
    async with raw(connection) as peer, connection.turn(calls, TOOLS, KEYS):
        await peer.greet()
        for line in (request(4, "x", a="y" * 20_000_000), twice, deep, last.encode() + b"\n"):
            await peer.send(line)
        answers = [await peer.receive() for _ in range(4)]
        assert {answer["id"] for answer in answers} == {4, 5, 6, 7}
        assert all(answer["result"]["isError"] for answer in answers) and not calls.made
        for noise in (
            b"\n",
            b"null\n",
            b"[1]\n",
            b"{\n",
            b"\xff\xfe\n",
            b'{"jsonrpc":"2.0","id":null}\n',
            b"x" * 9_000_000 + b"\n",
        ):
            await peer.send(noise)
        await peer.send(half)
        assert (await peer.receive())["id"] == 8
        assert calls.made == [("x", {"a": "\ufffd!"})]


async def test_r079_an_agent_that_writes_and_never_reads_is_not_read_either(bridge: ToolBridge) -> None:
    connection, made = bridge.open(TOOLS, KEYS), 0
    every = asyncio.Event()

    async def call(tool: str, arguments: Mapping[str, Json]) -> ToolAnswer:
        nonlocal made
        made += 1
        if made == 100:
            every.set()
        return ToolAnswer(text="x" * 200_000)

    async with raw(connection) as peer, connection.turn(call, TOOLS, KEYS):
        await peer.greet()
        reading = peer.writer.transport
        assert isinstance(reading, asyncio.ReadTransport)
        reading.pause_reading()
        for number in range(100):
            await peer.send(request(number, "list_artifacts"))
        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.3):
                await every.wait()
        assert made < 50
        reading.resume_reading()
        assert sorted([(await peer.receive())["id"] for _ in range(100)]) == list(range(100))
