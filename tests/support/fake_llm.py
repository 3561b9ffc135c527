"""A model service that answers as a script says, in this process: chat completions, Anthropic messages, Gemini.

    with FakeModel([{"text": "Hello."}, {"tools": [("read_file", {"path": "a"})]}]) as model: …

One turn a request, in order; the last one is used again. A turn: ``text`` (streamed word by word), ``thought``,
``tools`` (``pieces``: their arguments come in so many), ``finish`` (the reason; None: none is said), ``cut`` (events before the connection is dropped), ``end``
(events before the stream ends as if all were said), ``hold`` (events before it waits for `FakeModel.release`),
``status`` with ``headers`` and ``body`` (bytes, or JSON) in place of a stream.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Turn = Mapping[str, Any]
Event = tuple[str, Any]


class FakeModel:
    """The service. ``requests`` has what arrived: path, headers in lower case, body."""

    def __init__(self, turns: Sequence[Turn] = ()) -> None:
        self.turns = list(turns)
        self.requests: list[tuple[str, dict[str, str], dict[str, Any]]] = []
        self.release = threading.Event()
        self.hung_up = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler())
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        """Without a path."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def script(self, *turns: Turn) -> None:
        """Other turns from here on; what arrived is forgotten."""
        self.turns = list(turns)
        self.requests.clear()

    def __enter__(self) -> FakeModel:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.release.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        service = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *args: Any, **_: Any) -> None:
                pass

            def do_GET(self) -> None:
                self.do_POST()

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                headers = {name.lower(): value for name, value in self.headers.items()}
                service.requests.append((self.path, headers, json.loads(raw or b"{}")))
                turn = service.turns.pop(0) if len(service.turns) > 1 else service.turns[0]
                self.close_connection = True
                try:
                    self._whole(turn) if "status" in turn else self._stream(turn)
                except OSError:  # the agent went away
                    service.hung_up.set()

            def _whole(self, turn: Turn) -> None:
                body = turn.get("body", {"error": {"message": "scripted", "type": "scripted"}})
                data = body if isinstance(body, bytes) else json.dumps(body).encode()
                self.send_response(turn["status"])
                given = {
                    "Content-Type": "application/json",
                    "Content-Length": str(len(data)),
                    **turn.get("headers", {}),
                }
                for name, value in given.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(data)

            def _stream(self, turn: Turn) -> None:
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream")
                self.send_header("Connection", "close")
                self.send_header("Transfer-Encoding", "chunked")
                self.end_headers()
                for number, (name, data) in enumerate(_events(self.path, turn)):
                    if number == turn.get("cut"):
                        return
                    if number == turn.get("end"):
                        break
                    if number == turn.get("hold"):
                        service.release.wait(60)
                    text = data if isinstance(data, str) else json.dumps(data)
                    self._chunk((f"event: {name}\n" if name else "") + f"data: {text}\n\n")
                self._chunk("")

            def _chunk(self, text: str) -> None:
                data = text.encode()
                self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")
                self.wfile.flush()

        return Handler


def _events(path: str, turn: Turn) -> Iterator[Event]:
    if path.endswith("/messages"):
        return _anthropic(turn)
    return _gemini(turn) if "GenerateContent" in path else _chat(turn)


def _words(turn: Turn) -> list[str]:
    return re.findall(r"\S+\s*|\s+", turn.get("text", ""))


def _chat(turn: Turn) -> Iterator[Event]:
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "fake"}

    def chunk(delta: Any, finish: str | None = None, **more: Any) -> Event:
        return "", {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more}

    yield chunk({"role": "assistant", "content": ""})
    if "thought" in turn:
        yield chunk({"reasoning_content": turn["thought"]})
    for word in _words(turn):
        yield chunk({"content": word})
    for number, (name, args) in enumerate(turn.get("tools", ())):
        given = args if isinstance(args, str) else json.dumps(args)
        size = -(-len(given) // turn.get("pieces", 1)) or 1
        call = {"index": number, "id": f"call_{number}", "type": "function"}
        yield chunk({"tool_calls": [{**call, "function": {"name": name, "arguments": given[:size]}}]})
        for start in range(size, len(given), size):
            yield chunk({"tool_calls": [{"index": number, "function": {"arguments": given[start : start + size]}}]})
    finish = turn.get("finish", "tool_calls" if turn.get("tools") else "stop")
    usage = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}
    yield chunk({}, finish, usage=usage)
    yield "", "[DONE]"


def _anthropic(turn: Turn) -> Iterator[Event]:
    message: dict[str, Any] = {"id": "m", "type": "message", "role": "assistant", "model": "fake", "content": [], "stop_reason": None,
               "stop_sequence": None, "usage": {"input_tokens": 11, "output_tokens": 1}}  # fmt: skip
    yield "message_start", {"type": "message_start", "message": message}
    blocks: list[tuple[Any, list[Any]]] = []
    if "text" in turn:
        blocks.append(({"type": "text", "text": ""}, [{"type": "text_delta", "text": word} for word in _words(turn)]))
    for number, (name, args) in enumerate(turn.get("tools", ())):
        start: dict[str, Any] = {"type": "tool_use", "id": f"toolu_{number}", "name": name, "input": {}}
        blocks.append((start, [{"type": "input_json_delta", "partial_json": json.dumps(args)}]))
    for number, (start, deltas) in enumerate(blocks):
        yield "content_block_start", {"type": "content_block_start", "index": number, "content_block": start}
        for delta in deltas:
            yield "content_block_delta", {"type": "content_block_delta", "index": number, "delta": delta}
        yield "content_block_stop", {"type": "content_block_stop", "index": number}
    finish = turn.get("finish", "tool_use" if turn.get("tools") else "end_turn")
    told = {"stop_reason": finish, "stop_sequence": None}
    yield "message_delta", {"type": "message_delta", "delta": told, "usage": {"output_tokens": 7}}
    yield "message_stop", {"type": "message_stop"}


def _gemini(turn: Turn) -> Iterator[Event]:
    parts = [{"text": word} for word in _words(turn)]
    parts += [{"functionCall": {"name": name, "args": args}} for name, args in turn.get("tools", ())]
    for part in parts:
        yield "", {"candidates": [{"content": {"role": "model", "parts": [part]}, "index": 0}], "modelVersion": "fake"}
    end: dict[str, Any] = {
        "content": {"role": "model", "parts": []},
        "finishReason": turn.get("finish", "STOP"),
        "index": 0,
    }
    usage = {"promptTokenCount": 11, "candidatesTokenCount": 7, "totalTokenCount": 18}
    yield "", {"candidates": [end], "usageMetadata": usage, "modelVersion": "fake"}
