"""Who is at the other end of a local socket."""

from __future__ import annotations

import asyncio
import os
import socket
import struct


def peer_of(writer: asyncio.StreamWriter) -> tuple[int | None, bool]:
    """The process at the other end, where the system tells (Linux), and whether it is not another user's."""
    if not hasattr(socket, "SO_PEERCRED"):
        return None, True
    peer = writer.get_extra_info("socket")
    credentials = peer.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, struct.calcsize("3i"))
    pid, uid, _ = struct.unpack("3i", credentials)
    return pid, uid == os.getuid()
