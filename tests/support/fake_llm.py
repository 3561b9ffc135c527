"""A model server that says what a test tells it to, for real agents: their own programs, and no model.

It speaks OpenAI's chat completions and responses, Anthropic's messages and Google's generateContent, streamed or not.
"""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any

from tests.support.fake_llm_wire import WIRES, Data
from tests.support.waiting import until


class FakeModel:
    """Serves as long as its context lasts.

    Args:
        turns: in the order in which they are used. A turn: ``text``, arriving word by word; ``tools``, calls with
            ``name`` and ``args``; ``when``, a text that must stand somewhere in the request; ``error``, a status
            instead of an answer, with ``message`` and ``retry_after``; ``hold``, True: the stream stays open after
            half of it, until the agent hangs up or the context ends; ``cut``, True: the connection breaks there;
            ``repeat``, True: it is used again and again; ``toolless``, True: for a request that offers no tools.
        aside: the answer to what agents ask on their own account, such as titles: requests that offer no tools.
    """

    def __init__(self, turns: list[Data], aside: str = "Title") -> None:
        self._lock = threading.Lock()
        self._turns, self._aside = list(turns), aside
        self._requests: list[Data] = []
        self.hung_up = 0
        """How often an agent went away before its answer was whole."""
        self.held = threading.Semaphore(0)
        """Released each time a turn that is held open has said its half."""
        self.closing = threading.Event()
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.model = self
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)

    def __enter__(self) -> FakeModel:
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

    def asked(self, *, aside: bool = False) -> list[Data]:
        """The bodies of the requests so far that offered tools; with ``aside`` all of them."""
        with self._lock:
            return [body for body in self._requests if aside or body.get("tools")]

    def wait_for_hold(self) -> None:
        """Until a turn is held open."""
        until(lambda: self.held.acquire(blocking=False))

    def take(self, body: Data, raw: str) -> Data:
        """The turn that answers a request."""
        tools = bool(body.get("tools"))
        with self._lock:
            self._requests.append(body)
            for turn in self._turns:
                if turn.get("when", "") in raw and tools != bool(turn.get("toolless")):
                    if not turn.get("repeat"):
                        self._turns.remove(turn)
                    return turn
        return {"text": "(script over)" if tools else self._aside}


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    model: FakeModel

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Agents often hang up; what else goes wrong is seen by what does not arrive."""


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    server: _Server  # pyright: ignore[reportIncompatibleVariableOverride]

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
        """Nothing is printed."""

    def do_HEAD(self) -> None:
        self._reply(200, {})

    def do_GET(self) -> None:
        self._reply(
            200, {"object": "list", "data": [{"id": "fake", "object": "model", "owned_by": "fake"}], "models": []}
        )

    def do_POST(self) -> None:
        raw = self.rfile.read(int(self.headers.get("Content-Length") or 0)).decode("utf-8", "replace")
        path = self.path.partition("?")[0]
        wire = next((wire for end, wire in WIRES.items() if path.endswith(end)), None)
        if wire is None:  # such as the counting of tokens
            self._reply(200, {"input_tokens": 11, "totalTokens": 11})
            return
        body = json.loads(raw or "{}")
        turn = self.server.model.take(body, raw)
        if "error" in turn:
            told = {"type": "api_error", "message": turn.get("message", "scripted"), "code": turn["error"]}
            after = {"Retry-After": str(turn["retry_after"])} if "retry_after" in turn else {}
            self._reply(turn["error"], {"type": "error", "error": told}, after)
            return
        said = wire(turn, body.get("model") or "fake")
        if body.get("stream") or "streamGenerateContent" in path:
            self._stream(said.events, turn)
        else:
            self._reply(200, said.whole)

    def _reply(self, status: int, data: Data, headers: dict[str, str] | None = None) -> None:
        blob = json.dumps(data).encode()
        self.send_response(status)
        for name, value in {
            "Content-Type": "application/json",
            "Content-Length": str(len(blob)),
            **(headers or {}),
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(blob)

    def _stream(self, events: list[tuple[str, Data | str]], turn: Data) -> None:
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Connection", "close")
        self.end_headers()
        self.close_connection = True
        partly = turn.get("cut") or turn.get("hold")
        model = self.server.model
        try:
            for name, data in events[: len(events) // 2 if partly else None]:
                told = {"type": name, **data} if name and isinstance(data, dict) else data
                line = told if isinstance(told, str) else json.dumps(told)
                self.wfile.write((f"event: {name}\n" if name else "").encode() + f"data: {line}\n\n".encode())
            if turn.get("hold"):
                model.held.release()
                while not model.closing.wait(0.05):
                    self.wfile.write(b": still here\n\n")
        except ConnectionError:
            model.hung_up += 1
