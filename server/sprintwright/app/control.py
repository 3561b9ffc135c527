"""The control socket of a live run: that it accepts says that the run is alive; verbs of others reach its owner here.

One request and one answer a connection, each a line of JSON: ``{"verb": "cancel"}`` -> ``{"ok": true, …}``.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import socket
import struct
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

from sprintwright.errors import SprintwrightError
from sprintwright.paths import make_private_dir

Handler = Callable[[dict[str, Any]], Awaitable[dict[str, Any]]]
_MOST_BYTES = 1024 * 1024
_ASK_SECONDS = 5.0


class ControlSocket:
    """The owner's end."""

    def __init__(self, path: Path, server: asyncio.Server) -> None:
        self._path, self._server = path, server

    @classmethod
    async def listen(cls, runtime: Path, run_id: str, handler: Handler) -> ControlSocket:
        """Listen for a run. A socket that a dead owner left is replaced: the caller holds the run's lock."""
        make_private_dir(runtime)
        path = runtime / f"{run_id}.sock"
        path.unlink(missing_ok=True)

        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with contextlib.closing(writer), contextlib.suppress(OSError, ValueError, TimeoutError):
                if _peer_uid(writer) not in (None, os.getuid()):
                    return
                async with asyncio.timeout(_ASK_SECONDS):
                    line = await reader.readline()
                answer = await _answer(handler, line)
                writer.write(json.dumps(answer).encode() + b"\n")
                await writer.drain()

        server = await asyncio.start_unix_server(serve, path, limit=_MOST_BYTES)
        path.chmod(0o600)
        return cls(path, server)

    async def close(self) -> None:
        """Stop listening; the run no longer counts as alive. A client that says nothing holds nobody up."""
        self._server.close()
        self._path.unlink(missing_ok=True)


async def _answer(handler: Handler, line: bytes) -> dict[str, Any]:
    try:
        request = json.loads(line)
        if not isinstance(request, dict):
            raise ValueError("a request is an object")
        return {"ok": True, **await handler(cast("dict[str, Any]", request))}
    except SprintwrightError as error:
        return {"ok": False, "code": error.code, "message": error.message, "data": error.data}
    except ValueError as error:
        return {"ok": False, "code": "bad_argument", "message": str(error)}


def _peer_uid(writer: asyncio.StreamWriter) -> int | None:
    """The user at the other end, where the system tells (Linux)."""
    if not hasattr(socket, "SO_PEERCRED"):
        return None
    peer = writer.get_extra_info("socket")
    credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    return struct.unpack("3i", credentials)[1]
