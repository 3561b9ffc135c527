"""One agent process with its one session: started, opened or continued, asked, cancelled, ended."""

from __future__ import annotations

import asyncio
import contextlib
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, TypeVar, cast

import acp
from acp import schema

from sprintwright.agents.acp.answer import Heard
from sprintwright.agents.acp.client import OpenTurn, OurClient
from sprintwright.agents.acp.failures import died, refused
from sprintwright.agents.acp.launch import Launch
from sprintwright.agents.acp.transport import ChildTransport, LineTooLong
from sprintwright.agents.bridge import Connection
from sprintwright.engine.ports import Desk, Tool
from sprintwright.errors import Operational
from sprintwright.model.usage import Usage
from sprintwright.processes import Child, start_child
from sprintwright.processes.run import silent_for
from sprintwright.text import one_line, without_escapes

T = TypeVar("T")

INITIALIZE_SECONDS, OPEN_SECONDS, MODE_SECONDS = 60.0, 120.0, 30.0
"""How long an agent may take for each step before its turn; npm's cold starts were measured at up to 10 seconds."""
_CANCEL_SECONDS, _END_SECONDS = 2.0, 1.5
_EXIT_SECONDS = 2.0
"""How long after the end of its output an agent may take to be gone (R62)."""
_DRAIN_SECONDS = 0.5
_STDERR_BYTES = 64 * 1024
_NO_PROTOCOL = (
    "Does it speak the Agent Client Protocol? Many programs need an option for that, such as `--acp`; "
    "a plain command line is configured with `kind: cli`."
)
"""What to look at when a program does not even answer the greeting."""
_TURN_OVER = (-32602, -32002)
"""How agents say that they don't know a session: at its load, or only at the first prompt (agents.md section 2)."""


class AgentSession:
    """A process that speaks the protocol. Made by `start`; `close` must be awaited, whatever happened."""

    def __init__(self, launch: Launch) -> None:
        self.launch = launch
        self.client = OurClient(launch.folder, launch.models)
        self.noise = 0
        self.fresh_because = ""
        """Why an earlier session was not continued, if one was to be."""
        self.version = ""
        self.modes: schema.SessionModeState | None = None
        self.options: list[Any] = []
        self._transport = ChildTransport(self.client.updated, self._noisy, self.client.answered, self.client.taken_back)
        self._stderr: deque[bytes] = deque()
        self._stderr_size = 0
        self._desk: Desk | None = None
        self._hello: schema.InitializeResponse | None = None
        self.refused = False
        """Whether something was not allowed in the last turn."""
        self.tools: Connection | None = None
        """How it reaches our tools."""
        self.catalogue: tuple[tuple[Tool, ...], tuple[str, ...]] = ((), ())
        """Those that its turns may call, and the keys of `give_verdict`."""
        self.counted = Usage()
        """What the agent said so far of this session, for agents that count the whole of it."""

    @property
    def id(self) -> str:
        """The agent's own id of its session."""
        return self.client.session

    @property
    def alive(self) -> bool:
        """Whether it can be asked again."""
        return self._child is not None and not self._child.over.done()

    _child: Child | None = None
    _connection: Any = None
    _watch: AbstractContextManager[None] | None = None

    @classmethod
    async def start(cls, launch: Launch, watch: Callable[[int], AbstractContextManager[None]]) -> AgentSession:
        """Start the program and greet it.

        Args:
            watch: given the process id, a context that lasts as long as the program.

        Raises:
            Operational: it did not start (`spawn`), died (`exit`), was silent (`timeout`) or spoke another language
                (`protocol`).
        """
        made = cls(launch)
        made._child = made._transport.child = await start_child(
            launch.argv, cwd=launch.folder, env=launch.env, on_bytes=made._heard, on_closed=made._closed
        )
        made._watch = watch(made._child.pid)
        made._watch.__enter__()
        made._child.over.add_done_callback(made._over)
        made._connection = acp.connect_to_agent(made.client, made._transport)  # pyright: ignore[reportArgumentType]
        made.client.agent = made._connection
        try:
            await made._greet()
        except Operational as error:
            await made.close()
            if error.cause not in ("exit", "protocol", "timeout") or error.data.get("transient") is False:
                raise
            raise Operational(error.cause, f"{error.message}\n{_NO_PROTOCOL}", transient=False) from error
        except BaseException:
            await made.close()
            raise
        return made

    async def _greet(self) -> None:
        files = schema.FileSystemCapabilities(read_text_file=self.launch.reads, write_text_file=True)
        hello: schema.InitializeResponse = await self._ask(
            "answer to `initialize`",
            INITIALIZE_SECONDS,
            self._connection.initialize(
                acp.PROTOCOL_VERSION,
                schema.ClientCapabilities(fs=files, terminal=False),
                schema.Implementation(name="sprintwright", version="1"),
            ),
        )
        self._hello = hello
        if hello.protocol_version != acp.PROTOCOL_VERSION:
            theirs, ours = hello.protocol_version, acp.PROTOCOL_VERSION
            raise Operational(
                "protocol",
                f"Agent {self.launch.name!r} speaks version {theirs} of the protocol and we speak {ours}. "
                "Update the older of the two.",
                transient=False,
            )
        about = hello.agent_info
        self.version = f"{one_line(about.name, 100)} {one_line(about.version, 100)}" if about else ""

    async def open(self, earlier: str, servers: Sequence[schema.McpServerStdio]) -> None:
        """Continue the earlier session, by load, else by resume, else begin a new one and say why (B129).

        Raises:
            Operational: as `start`, and `sign_in`.
        """
        assert self._hello is not None
        able = self._hello.agent_capabilities or schema.AgentCapabilities()
        where, with_servers = str(self.launch.folder), list(servers)
        if earlier:
            resumes = able.session_capabilities is not None and able.session_capabilities.resume is not None
            ways = [("load_session", able.load_session), ("resume_session", resumes)]
            for name, can in ways:
                if not can:
                    continue
                try:
                    call = getattr(self._connection, name)
                    told = await self._ask(
                        "open its earlier session",
                        OPEN_SECONDS,
                        call(cwd=where, session_id=earlier, mcp_servers=with_servers),
                        raw=True,
                    )
                except acp.RequestError as error:
                    self.fresh_because = f"it does not open its earlier session: {_words(error)}"
                    continue
                self._opened(earlier, told)
                self.fresh_because = ""
                return
            self.fresh_because = self.fresh_because or "it can't open earlier sessions"
        told = await self._ask(
            "open a session", OPEN_SECONDS, self._connection.new_session(cwd=where, mcp_servers=with_servers)
        )
        self._opened(told.session_id, told)

    async def tools_seen(self) -> None:
        """Until the agent has asked which tools of ours there are, if it is one that does so late; or it is gone."""
        assert self._child is not None
        seconds = self.launch.tools_seconds
        if self.tools is None or not seconds:
            return
        seen = asyncio.ensure_future(self.tools.seen.wait())
        try:
            await asyncio.wait({seen, self._child.over}, timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
        finally:
            seen.cancel()

    async def set_mode(self, wanted: Sequence[str]) -> str:
        """Set the first mode of ``wanted`` that the agent offers; its id, or empty when it offers none of them."""
        offered = [mode.id for mode in self.modes.available_modes] if self.modes else []
        for mode in wanted:
            if mode in offered:
                await self._ask(
                    "set its mode", MODE_SECONDS, self._connection.set_session_mode(session_id=self.id, mode_id=mode)
                )
                return mode
        for option in self.options:  # the newer form of the same
            choices = _values(option)
            if option.category == "mode":
                for mode in wanted:
                    if mode in choices:
                        await self._set_option(option.id, mode)
                        return mode
        return ""

    async def set_model(self, model: str) -> bool:
        """Choose a model, if the agent lets us; False: it does not offer that one."""
        for option in self.options:
            if option.category == "model" and model in _values(option):
                await self._set_option(option.id, model)
                return True
        return False

    async def _set_option(self, option: str, value: str) -> None:
        call = self._connection.set_config_option(config_id=option, session_id=self.id, value=value)
        await self._ask("set an option", MODE_SECONDS, call)

    async def prompt(self, text: str, desk: Desk, heard: Heard, idle: float | None) -> schema.PromptResponse:
        """Ask, and hear until the agent says that it is done. A cancellation reaches the agent first, then its process.

        Raises:
            Operational: it died, was silent for ``idle`` seconds, or answered with an error.
            acp.RequestError: it does not know the session; nothing was done.
        """
        self._desk = desk
        turn = self.client.turn = OpenTurn(desk, heard)
        asking = asyncio.ensure_future(self._connection.prompt(session_id=self.id, prompt=[acp.text_block(text)]))
        try:
            async with self.tools.turn(desk.call, *self.catalogue) if self.tools else contextlib.nullcontext():
                return await self._answer(asking, turn, idle)
        except BaseException:
            turn.cancelled = True
            await self._cancel(asking)
            raise
        finally:
            await turn.end()
            self.refused = turn.refused
            self.client.turn, self._desk = None, None

    async def _answer(
        self, asking: asyncio.Future[schema.PromptResponse], turn: OpenTurn, idle: float | None
    ) -> schema.PromptResponse:
        loop = asyncio.get_running_loop()
        pulse = turn.heard.pulse
        began, noise = loop.time(), self.noise
        while not asking.done():
            last = max(began, pulse.at, turn.asked_until(loop.time()))
            left = None if idle is None else last + idle - loop.time()
            if idle is not None and left is not None and left <= 0:
                beside = pulse.noise + self.noise - noise
                raise Operational("timeout", silent_for(f"Agent {self.launch.name!r}", idle, beside))
            await asyncio.wait({asking, turn.failed}, timeout=left, return_when=asyncio.FIRST_COMPLETED)
            if turn.failed.done():
                raise turn.failed.result()
        try:
            return asking.result()
        except acp.RequestError as error:
            if error.code in _TURN_OVER:
                raise
            raise refused(self.launch.name, self.launch.sign_in, _words(error), error.code, error.data) from error
        except ConnectionError as error:
            raise await self._died() from error
        except ValueError as error:  # a reason to stop that the protocol does not have
            raise Operational(
                "protocol", f"Agent {self.launch.name!r} ended its turn in a way we don't know."
            ) from error

    async def _cancel(self, asking: asyncio.Future[schema.PromptResponse]) -> None:
        if not asking.done() and self.alive:
            with contextlib.suppress(Exception):
                async with asyncio.timeout(_CANCEL_SECONDS):
                    await self._connection.cancel(session_id=self.id)
                    await asyncio.wait({asking})
        asking.cancel()
        await asyncio.gather(asking, return_exceptions=True)

    async def _ask(self, what: str, seconds: float, call: Awaitable[T], *, raw: bool = False) -> T:
        """One request before the turn, with its own time and its own sentence (R60)."""
        try:
            async with asyncio.timeout(seconds):
                return await call
        except TimeoutError:
            text = f"Agent {self.launch.name!r} did not {what} within {seconds:g} seconds and was ended."
            raise Operational("timeout", text.replace("did not answer to", "gave no answer to")) from None
        except acp.RequestError as error:
            if raw:
                raise
            raise refused(self.launch.name, self.launch.sign_in, _words(error), error.code, error.data) from error
        except ConnectionError as error:
            raise await self._died() from error
        except ValueError as error:
            name = self.launch.name
            raise Operational(
                "protocol", f"Agent {name!r} did not {what}: its answer is none of the protocol."
            ) from error

    async def _died(self) -> Operational:
        assert self._child is not None
        await asyncio.wait({self._child.over}, timeout=_EXIT_SECONDS)
        status: int | None = None
        if self._child.over.done():
            fault = self._child.over.exception()
            if isinstance(fault, Operational):
                return fault
            if isinstance(fault, LineTooLong):
                return Operational("protocol", f"Agent {self.launch.name!r} wrote a line of over 64 MB and was ended.")
            status = None if fault is not None else self._child.over.result()
        said = without_escapes(b"".join(self._stderr).decode("utf-8", "replace"))
        return died(self.launch.name, self.launch.sign_in, status, said)

    async def close(self) -> None:
        """End the session, its process and all that it started. Safe to call twice."""
        child, self._child = self._child, None
        if child is None:
            return
        try:
            if self._connection is not None:
                with contextlib.suppress(Exception):
                    async with asyncio.timeout(_END_SECONDS):
                        await self._connection.close()
            child.close_stdin()
        finally:
            await child.close(_END_SECONDS)
            if self._watch is not None:
                self._watch.__exit__(None, None, None)

    def _opened(self, session: str, told: Any) -> None:
        self.client.session = session
        self.modes = getattr(told, "modes", None)
        self.options = list(getattr(told, "config_options", None) or [])

    def _heard(self, stream: str, data: bytes) -> None:
        if stream == "stdout":
            self._transport.feed(data)  # of all that can go wrong in it, a line that is too long ends the session
            return
        self._stderr.append(data[-_STDERR_BYTES:])
        self._stderr_size += len(self._stderr[-1])
        while self._stderr_size > 2 * _STDERR_BYTES:
            self._stderr_size -= len(self._stderr.popleft())
        if self._desk is not None:
            self._desk.output("error", without_escapes(data.decode("utf-8", "replace")))

    def _noisy(self) -> None:
        self.noise += 1

    def _closed(self, stream: str) -> None:
        if stream == "stdout":
            self._transport.ended()

    def _over(self, _status: asyncio.Future[int]) -> None:
        """It is gone; what it started may hold its output open for as long as it likes."""
        asyncio.get_running_loop().call_later(_DRAIN_SECONDS, self._transport.ended)


def _words(error: acp.RequestError) -> str:
    """An agent's error in its own words: some say what happened only in the data."""
    details: object = error.data
    if isinstance(details, dict):
        fields = cast("dict[str, object]", details)
        details = fields.get("details") or fields.get("message")
    return f"{error}: {details}" if isinstance(details, str) and details not in str(error) else str(error)


def _values(option: Any) -> list[str]:
    """The values of a choice, also where they stand in groups."""
    found: list[str] = []
    for entry in cast("list[Any]", getattr(option, "options", None) or []):
        inner = cast("list[Any]", getattr(entry, "options", None) or [entry])
        found += [one.value for one in inner if isinstance(getattr(one, "value", None), str)]
    return found
