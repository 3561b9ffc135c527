"""A model server that says what a test tells it to, for agents that are programs of their own.

Beside the one of tests/support/fake_llm.py, for our own model agent, it knows what such programs do on their own
account: titles and summaries between the turns, requests without a stream, OpenAI's newer wire.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.peers.wire import WIRES, Data
from tests.support.waiting import until


class Model:
    """Serves as long as its context lasts.

    Args:
        turns: in the order in which they are used. A turn: ``text``, arriving word by word; ``tools``, calls with
            ``name`` and ``args``; ``hold``, True: the stream stays open after half of it, until the agent hangs up
            or the context ends. When they are used up the answer says so.
    """

    def __init__(self, turns: list[Data]) -> None:
        self._lock = threading.Lock()
        self._turns = list(turns)
        self._requests: list[Data] = []
        self._held = threading.Semaphore(0)
        self.hung_up = threading.Event()
        """Set when an agent went away before its answer was whole."""
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.model = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> Model:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    @property
    def url(self) -> str:
        """Where it listens, without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def script(self, turns: list[Data]) -> None:
        """From now on, these turns and no others."""
        with self._lock:
            self._turns = list(turns)

    def asked(self) -> list[Data]:
        """The bodies of the requests so far that offered tools: those of turns."""
        with self._lock:
            return list(self._requests)

    def left(self) -> list[Data]:
        """The turns that nobody has asked for."""
        with self._lock:
            return list(self._turns)

    def wait_for_hold(self) -> None:
        """Until a turn is held open; each is waited for once."""
        until(lambda: self._held.acquire(blocking=False))

    def take(self, body: Data) -> Data:
        """The turn that answers a request."""
        if not body.get("tools"):
            return {"text": "A title"}
        with self._lock:
            self._requests.append(body)
            return self._turns.pop(0) if self._turns else {"text": "(script over)"}

    def hold(self, send: Any) -> None:
        """Keep a stream open. Raises `ConnectionError` when the agent hangs up."""
        self._held.release()
        while not self.closing.wait(0.05):
            send(b": still here\n\n")


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    model: Model

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Agents often hang up; what else goes wrong is seen by what does not arrive."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing is printed."""

    def do_HEAD(self) -> None:
        self._reply({})

    def do_GET(self) -> None:
        self._reply({"object": "list", "data": [{"id": "fake", "object": "model", "owned_by": "fake"}], "models": []})

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        path = self.path.partition("?")[0]
        wire = next((wire for end, wire in WIRES.items() if path.endswith(end)), None)
        if wire is None:  # such as the counting of tokens
            self._reply({"input_tokens": 11, "totalTokens": 11})
            return
        body = json.loads(raw or b"{}")
        turn = self.server.model.take(body)
        said = wire(turn, body.get("model") or "fake")
        if body.get("stream") or "streamGenerateContent" in path:
            self._stream(said.events, turn)
        else:
            self._reply(said.whole)

    def _reply(self, data: Data) -> None:
        blob = json.dumps(data).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(blob)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(blob)

    def _stream(self, events: list[tuple[str, Data | str]], turn: Data) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        held = turn.get("hold", False)
        try:
            for name, data in events[: len(events) // 2 if held else None]:
                told = {"type": name, **data} if name and isinstance(data, dict) else data
                line = told if isinstance(told, str) else json.dumps(told)
                self.wfile.write((f"event: {name}\n" if name else "").encode() + f"data: {line}\n\n".encode())
            if held:
                self.server.model.hold(self.wfile.write)
        except ConnectionError:
            self.server.model.hung_up.set()
