"""The control socket of a live run: that it accepts says that the run is alive; verbs of others reach its owner here.

One request and one answer a connection, each a line of JSON: ``{"verb": "cancel"}`` -> ``{"ok": true, …}``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

from sprintwright.errors import SprintwrightError
from sprintwright.paths import make_private_dir
from sprintwright.processes import peer_of

Handler = Callable[[dict[str, Any], int | None], Awaitable[dict[str, Any]]]
"""Takes a request and, where the system tells it, the caller's process id."""
_MOST_BYTES = 1024 * 1024
_ASK_SECONDS = 5.0
_LAST_WORDS_SECONDS = 0.5


class ControlSocket:
    """The owner's end."""

    def __init__(self, path: Path, listening: socket.socket) -> None:
        self._path, self._socket = path, listening
        self._server: asyncio.Server | None = None
        self._answering: set[asyncio.Task[None]] = set()

    @classmethod
    def bind(cls, runtime: Path, run_id: str) -> ControlSocket:
        """Listen for a run; from now on it counts as alive. Raises `OSError`.

        A socket that a dead owner left is replaced: the caller holds the run's lock.
        """
        make_private_dir(runtime, durable=False)  # on the loop; a socket does not outlive its process
        path = runtime / f"{run_id}.sock"
        path.unlink(missing_ok=True)
        listening = socket.socket(socket.AF_UNIX)
        try:
            listening.bind(str(path))
            path.chmod(0o600)
            listening.listen()
        except OSError:
            listening.close()
            raise
        return cls(path, listening)

    async def serve(self, handler: Handler) -> None:
        """Answer those who call, until `close`."""

        async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            task = asyncio.create_task(answered(reader, writer), name="control")
            self._answering.add(task)
            task.add_done_callback(self._answering.discard)

        async def answered(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.closing(writer), contextlib.suppress(OSError, ValueError, TimeoutError):
                pid, is_ours = peer_of(writer)
                if not is_ours:
                    return
                async with asyncio.timeout(_ASK_SECONDS):
                    line = await reader.readline()
                reply = await _answer(handler, line, pid)
                writer.write(json.dumps(reply).encode() + b"\n")
                await writer.drain()

        self._server = await asyncio.start_unix_server(answer, sock=self._socket, limit=_MOST_BYTES)

    async def close(self) -> None:
        """Stop listening; the run no longer counts as alive. A client that says nothing holds nobody up."""
        if self._server is not None:
            self._server.close()
        if self._answering:  # whoever ended the run is told so; a client that says nothing holds nobody up
            await asyncio.wait(self._answering, timeout=_LAST_WORDS_SECONDS)
        for task in list(self._answering):
            task.cancel()
        if self._answering:
            await asyncio.wait(self._answering)
        self._socket.close()
        self._path.unlink(missing_ok=True)


async def _answer(handler: Handler, line: bytes, pid: int | None) -> dict[str, Any]:
    try:
        request = json.loads(line)
        if not isinstance(request, dict):
            raise ValueError("a request is an object")
        return {"ok": True, **await handler(cast("dict[str, Any]", request), pid)}
    except SprintwrightError as error:
        return {"ok": False, "code": error.code, "message": error.message, "data": error.data}
    except (ValueError, RecursionError) as error:
        return {"ok": False, "code": "bad_argument", "message": str(error)}
