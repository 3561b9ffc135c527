"""A small server on the transport and the protocol alone: their tests need nothing else of the product.

Run as a program it serves once. With `--spawn FD` it serves as often as it is asked to over that socket, each time in
a fork: a test's server is there in milliseconds.
"""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any, NoReturn

from sprintwright.lsp.serving import serve

if TYPE_CHECKING:
    from pygls.lsp.server import LanguageServer

CHILDREN: list[Any] = []


def make_server() -> LanguageServer:
    """The server with its commands."""
    from tests.protocol import plain_commands

    return plain_commands.make_server(CHILDREN)


async def closing(server: LanguageServer) -> None:
    """End the children, as the product does with runs; leaves a line for each call."""
    from sprintwright.processes import end_group

    print(f"closing {server.name}")
    if os.environ.get("PLAIN_CLOSING") == "hang":
        await asyncio.Event().wait()
    if os.environ.get("PLAIN_CLOSING") == "fail":
        raise OSError("could not be closed")
    for child in CHILDREN:
        await end_group(child.pid, 0.5)


def spawn(control: socket.socket) -> None:
    """Fork a server for each message: variables of its environment, its three descriptors and one for its status."""
    import_module("sprintwright.lsp.protocol")  # loaded before the fork
    import_module("tests.protocol.plain_commands")

    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while True:
        data, descriptors, _, _ = socket.recv_fds(control, 65536, 4)
        if not data:
            return
        if os.fork() == 0:
            control.close()
            _serve_in_a_fork(json.loads(data), descriptors)
        for descriptor in descriptors:
            os.close(descriptor)


def _serve_in_a_fork(environment: dict[str, str], descriptors: list[int]) -> NoReturn:
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    status = descriptors.pop()
    server = os.fork()
    if server == 0:
        os.close(status)
        os.setsid()
        for number, descriptor in enumerate(descriptors):
            os.dup2(descriptor, number)
            os.close(descriptor)
        os.environ.update(environment)
        os._exit(serve(make_server, closing=closing))  # taking all modules down would cost more than the test
    for descriptor in descriptors:
        os.close(descriptor)
    os.write(status, b"%d\n" % server)
    os.write(status, b"%d\n" % os.waitstatus_to_exitcode(os.waitpid(server, 0)[1]))
    os._exit(0)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--spawn"]:
        spawn(socket.socket(fileno=int(sys.argv[2])))
    else:
        sys.exit(serve(make_server, closing=closing))
