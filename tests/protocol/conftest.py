"""Servers for the tests of the transport and the protocol: forked from one that has everything loaded."""

from __future__ import annotations

import json
import os
import select
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tests.protocol.support import SECONDS, RawClient

Plain = Callable[..., RawClient]


@pytest.fixture(scope="session")
def spawner() -> Iterator[socket.socket]:
    """A loaded process that forks servers."""
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    argv = [sys.executable, "-m", "tests.protocol.plain_server", "--spawn", str(theirs.fileno())]
    process = subprocess.Popen(argv, pass_fds=[theirs.fileno()], stdin=subprocess.DEVNULL)
    theirs.close()
    yield ours
    ours.close()
    process.wait(SECONDS)


@pytest.fixture
def plain(spawner: socket.socket) -> Iterator[Plain]:
    """Starts a plain server: ``plain(mute=False, **environment)``; all are ended after the test."""
    clients: list[RawClient] = []

    def start(*, mute: bool = False, initialized: bool = True, **environment: str) -> RawClient:
        client = _forked(spawner, environment, mute=mute)
        clients.append(client)
        if initialized:
            client.initialize()
        return client

    yield start
    for client in clients:
        client.close()
        assert not client.garbage


def _forked(spawner: socket.socket, environment: dict[str, str], **options: Any) -> RawClient:
    pipes = [os.pipe() for _ in range(4)]
    theirs = [pipes[0][0], pipes[1][1], pipes[2][1], pipes[3][1]]
    status = pipes[3][0]
    socket.send_fds(spawner, [json.dumps(environment).encode()], theirs)
    for descriptor in theirs:
        os.close(descriptor)
    codes: list[int] = []

    def wait(seconds: float) -> int:
        if not codes:
            codes.append(_number(status, seconds))
            os.close(status)
        return codes[0]

    pid = _number(status, SECONDS)
    return RawClient(pid, pipes[0][1], pipes[1][0], pipes[2][0], wait, **options)


def _number(status: int, seconds: float) -> int:
    if not select.select([status], [], [], seconds)[0]:
        raise subprocess.TimeoutExpired("the forked server", seconds)
    line = b""
    while not line.endswith(b"\n"):
        line += os.read(status, 1)
    return int(line)
