"""The program that an agent starts as its tool server: a byte pipe to the engine, which has the real one.

    python -I -X utf8 pipe.py FILE

FILE has the path of the engine's socket and, below it, the secret of the session. Nothing of ours is imported, so that
it starts in no time, and nothing is parsed. It ends when either side does.
"""

import os
import socket
import sys
import threading

_LAST_WORDS_SECONDS = 2.0
_CHUNK = 1 << 16


def _send(peer: socket.socket) -> None:
    """From the agent to the engine; at its end the engine may still answer, but not for long."""
    try:
        while chunk := os.read(0, _CHUNK):
            peer.sendall(chunk)
        peer.shutdown(socket.SHUT_WR)
    except OSError:
        os._exit(0)
    threading.Event().wait(_LAST_WORDS_SECONDS)
    os._exit(0)


def _receive(peer: socket.socket) -> None:
    """From the engine to the agent."""
    try:
        while chunk := peer.recv(_CHUNK):
            rest = memoryview(chunk)
            while rest:
                rest = rest[os.write(1, rest) :]
    except OSError:
        pass


def _connected(file: str) -> socket.socket:
    with open(file, encoding="utf-8") as lines:  # noqa: PTH123 - pathlib takes as long to load as all the rest
        path, secret = lines.read().split("\n")[:2]
    peer = socket.socket(socket.AF_UNIX)
    peer.connect(path)
    peer.sendall(secret.encode() + b"\n")
    return peer


def main(arguments: list[str]) -> int:
    """Be the pipe until one of its ends is closed; 1 when the engine can't be reached."""
    try:
        peer = _connected(arguments[0])
    except (OSError, ValueError, IndexError) as error:
        print(f"sprintwright: the run that these tools belong to is over ({type(error).__name__}).", file=sys.stderr)
        return 1
    threading.Thread(target=_send, args=(peer,), daemon=True).start()
    _receive(peer)
    os._exit(0)  # the other thread may wait for the agent for ever


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
