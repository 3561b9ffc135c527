"""The socket at which the pipes of agents arrive, and the secrets that say whose each is (faults.md X62)."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import logging
import os
import secrets
import socket
import sys
from pathlib import Path
from types import TracebackType

from sprintwright.agents.bridge import pipe
from sprintwright.agents.bridge.connection import Connection
from sprintwright.engine.ports import Tool
from sprintwright.errors import PathRefused
from sprintwright.paths import make_private_dir
from sprintwright.processes import peer_of
from sprintwright.threads import in_thread

_SECRET_BYTES = 32
_GREETING = 2 * _SECRET_BYTES + 1
"""Bytes of a secret as it is written, with its line end: nothing more is read of a stranger."""
_GREETING_SECONDS = 5.0
_WAIT_SECONDS = 3.0
"""How long a second connection of a session waits for the first to go: agents start anew what they then end."""
_MOST_STRANGERS = 32
_MOST_PATH = 100
_SUFFIX = ".tools"

_log = logging.getLogger(__name__)


class ToolBridge:
    """Listens for the pipes of all sessions of this process, in a context.

    Args:
        runtime: the user's runtime folder; made, 0700.
        greeting_seconds: how long a caller may take to say its secret.
        wait_seconds: how long the second connection of a session waits for the first to go.

    Raises:
        OSError, PathRefused: on entering, when the folder is not ours or the socket can't be made there.
    """

    def __init__(
        self, runtime: Path, *, greeting_seconds: float = _GREETING_SECONDS, wait_seconds: float = _WAIT_SECONDS
    ) -> None:
        self._runtime, self._greeting_seconds, self._wait_seconds = runtime, greeting_seconds, wait_seconds
        self._name = f"{os.getpid()}-{secrets.token_hex(4)}"
        self._path = runtime / f"{self._name}{_SUFFIX}"
        self._connections: dict[str, Connection] = {}
        self._tasks: set[asyncio.Task[None]] = set()
        self._strangers = 0
        self._opened = 0

    async def __aenter__(self) -> ToolBridge:
        if len(os.fsencode(self._path)) >= _MOST_PATH:
            raise PathRefused(f"{str(self._runtime)!r} is too deep for a socket.")
        await in_thread(_prepare, self._runtime)
        listening = socket.socket(socket.AF_UNIX)
        try:
            listening.bind(str(self._path))
            self._path.chmod(0o600)
            self._server = await asyncio.start_unix_server(self._accept, sock=listening)
        except BaseException:
            listening.close()
            raise
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.close()
        for connection in list(self._connections.values()):
            await connection.close()
        for task in self._tasks:
            task.cancel()
        if self._tasks:
            await asyncio.wait(self._tasks)
        self._path.unlink(missing_ok=True)

    def open(self, tools: tuple[Tool, ...], verdicts: tuple[str, ...]) -> Connection:
        """Tools for one session of an agent; it can list them at once, and call them within `Connection.turn`.

        Raises:
            OSError: the file of the secret can't be written.
        """
        self._opened += 1
        secret = secrets.token_hex(_SECRET_BYTES).encode()
        file = self._runtime / f"{self._name}-{self._opened}.secret"
        descriptor = os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)
        with os.fdopen(descriptor, "wb") as out:
            out.write(os.fsencode(self._path) + b"\n" + secret + b"\n")

        def close() -> None:
            self._connections.pop(file.name, None)
            file.unlink(missing_ok=True)

        command = (sys.executable, "-I", "-X", "utf8", str(Path(pipe.__file__).resolve()), str(file))
        made = self._connections[file.name] = Connection(command, secret, (tools, verdicts), close)
        return made

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.create_task(self._serve(reader, writer), name="tools")
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            connection = await self._whose(reader, writer)
            if connection is None:
                return
            from sprintwright.agents.bridge import server  # loaded already, by the first that was opened in a thread

            try:
                await server.serve(connection, reader, writer)
            finally:
                connection.link = connection.tell_changed = None
        except (OSError, EOFError, ValueError, TimeoutError):  # a pipe that went, or none of ours
            pass
        except Exception:  # R46: a fault of ours ends this link, and no run
            _log.exception("tool server")
        finally:
            writer.transport.abort()

    async def _whose(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> Connection | None:
        """The session that a caller belongs to, once it is the only one of it; None when it is turned away."""
        _, is_ours = peer_of(writer)
        if not is_ours or self._strangers >= _MOST_STRANGERS:
            return None
        self._strangers += 1
        try:
            async with asyncio.timeout(self._greeting_seconds):
                greeting = await reader.readexactly(_GREETING)
            connection = self._known(greeting)
            if connection is None:
                return None
            await in_thread(_load_server)
            deadline = asyncio.get_running_loop().time() + self._wait_seconds
            while (link := connection.link) is not None:
                left = deadline - asyncio.get_running_loop().time()
                if left <= 0:
                    return None
                await asyncio.wait({link}, timeout=left)
            if connection not in self._connections.values():  # closed meanwhile
                return None
            connection.link = asyncio.current_task()
            return connection
        finally:
            self._strangers -= 1

    def _known(self, greeting: bytes) -> Connection | None:
        """By comparing with every secret, each in constant time."""
        found = None
        for connection in self._connections.values():
            if hmac.compare_digest(connection.secret + b"\n", greeting):
                found = connection
        return found


def _load_server() -> None:
    """Load the MCP library: it takes most of a second, and only agents in processes of their own need it."""
    from sprintwright.agents.bridge import server

    assert server


def _prepare(runtime: Path) -> None:
    """Make the folder, and clear away what killed owners of bridges left in it."""
    make_private_dir(runtime, durable=False)
    for path in runtime.glob(f"*{_SUFFIX}"):
        owner = path.name.partition("-")[0]
        if owner.isdecimal() and not _lives(int(owner)) and not _answers(path):
            for left in (*runtime.glob(f"{path.name.removesuffix(_SUFFIX)}-*.secret"), path):
                left.unlink(missing_ok=True)


def _lives(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _answers(path: Path) -> bool:
    """Whether somebody listens: the owner may be in another container, where process ids are its own."""
    with socket.socket(socket.AF_UNIX) as probe, contextlib.suppress(OSError):
        probe.settimeout(0.2)
        probe.connect(str(path))
        return True
    return False
