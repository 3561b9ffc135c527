"""A raw client of the language server: bytes over pipes, a reading thread, deadlines, and reading that can be stopped."""

from __future__ import annotations

import contextlib
import itertools
import json
import os
import re
import select
import signal
import subprocess
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

SECONDS = 20.0
"""How long something that must happen may take on a busy machine."""
_HEADER = re.compile(rb"Content-Length: (\d+)\r\n\r\n")
_FRAME_BEGUN = re.compile(rb"(Content-Length: \d+\r\n\r\n\{.*)?", re.DOTALL)

Message = dict[str, Any]


def frame(message: object) -> bytes:
    """A message as it goes over the wire."""
    body = message if isinstance(message, bytes) else json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n%b" % (len(body), body)


class RawClient:
    """One server process. ``received`` has every message so far.

    Args:
        wait: waits for the process, at most some seconds, and returns its exit code (negative: a signal).
    """

    def __init__(
        self, pid: int, stdin: int, stdout: int, stderr: int, wait: Callable[[float], int], *, mute: bool = False
    ) -> None:
        self.pid = pid
        self._stdin, self._stdout, self._stderr, self._wait = stdin, stdout, stderr, wait
        self._ids = itertools.count(1)
        self._changed = threading.Condition()
        self._listens, self._hears_errors = threading.Event(), threading.Event()
        self._still, self._errors_still = threading.Event(), threading.Event()
        """Set while the threads are held."""
        self._is_over, self._hangs_up = threading.Event(), threading.Event()
        self.received: list[Message] = []
        self._unread = b""
        self.errors = b""
        self.at_end = False
        self.children: list[int] = []
        self._code: int | None = None
        self._hears_errors.set()
        if not mute:
            self._listens.set()
        self._threads = [
            threading.Thread(target=self._read, args=(stdout, self._listens, self._still, self._take), daemon=True),
            threading.Thread(
                target=self._read, args=(stderr, self._hears_errors, self._errors_still, self._take_error), daemon=True
            ),
        ]
        for thread in self._threads:
            thread.start()

    @classmethod
    def start(
        cls, argv: Sequence[str], *, cwd: Path | None = None, env: Mapping[str, str] | None = None, mute: bool = False
    ) -> RawClient:
        """Start a server as an editor does."""
        process = subprocess.Popen(argv, cwd=cwd, env=env, stdin=-1, stdout=-1, stderr=-1, start_new_session=True)
        assert process.stdin and process.stdout and process.stderr
        ends = [os.dup(stream.fileno()) for stream in (process.stdin, process.stdout, process.stderr)]
        for stream in (process.stdin, process.stdout, process.stderr):
            stream.close()
        return cls(process.pid, ends[0], ends[1], ends[2], lambda seconds: process.wait(seconds), mute=mute)

    # Speaking

    def send_bytes(self, data: bytes) -> None:
        """Send whatever it is."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._stdin, rest) :]

    def send(self, **message: Any) -> None:
        """Send one message."""
        self.send_bytes(frame({"jsonrpc": "2.0", **message}))

    def notify(self, method: str, params: object = None) -> None:
        """Send a notification."""
        self.send(method=method, **({} if params is None else {"params": params}))

    def ask(self, method: str, params: object = None) -> int:
        """Send a request; its id."""
        number = next(self._ids)
        self.send(id=number, method=method, **({} if params is None else {"params": params}))
        return number

    def request(self, method: str, params: object = None, *, seconds: float = SECONDS) -> Message:
        """Send a request and wait for its answer, with `result` or `error`."""
        return self.answer(self.ask(method, params), seconds=seconds)

    def ask_command(self, name: str, *arguments: object) -> int:
        """Send a command; the request's id."""
        return self.ask("workspace/executeCommand", {"command": name, "arguments": list(arguments)})

    def command(self, name: str, *arguments: object, seconds: float = SECONDS) -> Message:
        """Send a command and wait for its answer."""
        return self.answer(self.ask_command(name, *arguments), seconds=seconds)

    def result(self, name: str, *arguments: object) -> Any:
        """The result of a command, which must have one."""
        answer = self.command(name, *arguments)
        assert "result" in answer, answer
        return answer["result"]

    def initialize(self, **params: Any) -> Message:
        """The handshake; the answer to `initialize`."""
        answer = self.request("initialize", {"processId": None, "rootUri": None, "capabilities": {}, **params})
        self.notify("initialized", {})
        return answer

    # Hearing

    def answer(self, number: object, *, seconds: float = SECONDS) -> Message:
        """The answer to a request."""
        return self.wait_for(lambda one: one.get("id") == number and "method" not in one, seconds=seconds)

    def wait_for(self, wanted: Callable[[Message], bool], *, after: int = 0, seconds: float = SECONDS) -> Message:
        """The first message of that kind, from the ``after``-th on; fails at the deadline and when the server ends."""
        found: list[Message] = []
        looked = after

        def look() -> bool:
            nonlocal looked
            while looked < len(self.received) and not found:
                if wanted(self.received[looked]):
                    found.append(self.received[looked])
                looked += 1
            return bool(found) or self.at_end

        with self._changed:
            self._changed.wait_for(look, seconds)
        assert found, f"nothing came; the last was {self.received[-1:]}; {self.log[-2000:]}"
        return found[0]

    def wait_until(self, holds: Callable[[], bool], *, seconds: float = SECONDS) -> bool:
        """Wait until something holds that changes with what is received."""
        with self._changed:
            return self._changed.wait_for(holds, seconds)

    @property
    def garbage(self) -> bytes:
        """What came between messages, and what came behind it. A message that was cut off is none."""
        return b"" if _FRAME_BEGUN.fullmatch(self._unread[:100]) else self._unread

    def mute(self, *, errors: bool = False) -> None:
        """Stop reading (R80); ``errors``: stop reading the error output instead (R81). When it returns, nothing is read."""
        (self._hears_errors if errors else self._listens).clear()
        (self._errors_still if errors else self._still).wait(SECONDS)

    def unmute(self) -> None:
        """Read again."""
        self._listens.set()
        self._hears_errors.set()

    @property
    def log(self) -> str:
        """The error output so far."""
        return self.errors.decode("utf-8", "replace")

    # The end

    def close_stdin(self) -> None:
        """End the server's input."""
        if self._stdin >= 0:
            os.close(self._stdin)
            self._stdin = -1

    def close_stdout(self) -> None:
        """The server's output is read by nobody any more."""
        self._hangs_up.set()
        self._listens.set()
        self._threads[0].join(SECONDS)
        os.close(self._stdout)
        self._stdout = -1

    def exit_code(self, seconds: float = SECONDS) -> int:
        """Wait for the end of the process, and of what it has written."""
        self._code = self._wait(seconds)
        self.unmute()
        for thread in self._threads:
            thread.join(1)
        return self._code

    def shut_down(self) -> int:
        """End it in the proper way; the exit code."""
        assert self.request("shutdown")["result"] is None
        self.notify("exit")
        return self.exit_code()

    def close(self) -> None:
        """Leave nothing behind; also the ``children`` that a test has noted, each in a group of its own."""
        self._is_over.set()
        self.unmute()
        for pid in ([self.pid] if self._code is None else []) + [one for one in self.children if is_alive(one)]:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._wait(SECONDS)
        for thread in self._threads:
            thread.join(SECONDS)
        for descriptor in (self._stdin, self._stdout, self._stderr):
            if descriptor >= 0:
                os.close(descriptor)

    def _read(
        self, descriptor: int, allowed: threading.Event, still: threading.Event, take: Callable[[bytes], None]
    ) -> None:
        while not self._is_over.is_set():
            if not allowed.is_set():
                still.set()
                allowed.wait()
                still.clear()
            if self._hangs_up.is_set() and descriptor == self._stdout:
                return
            try:
                if not select.select([descriptor], [], [], 0.02)[0] or not allowed.is_set():
                    continue
                data = os.read(descriptor, 1 << 20)
            except (OSError, ValueError):
                data = b""
            take(data)
            if not data:
                return

    def _take(self, data: bytes) -> None:
        with self._changed:
            self.at_end = not data
            self._unread += data
            while (header := _HEADER.match(self._unread)) and len(self._unread) >= header.end() + int(header[1]):
                end = header.end() + int(header[1])
                self.received.append(json.loads(self._unread[header.end() : end], parse_constant=_refuse))
                self._unread = self._unread[end:]
            self._changed.notify_all()

    def _take_error(self, data: bytes) -> None:
        with self._changed:
            self.errors += data
            self._changed.notify_all()


def _refuse(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def is_alive(pid: int) -> bool:
    """Whether a process is there and not only waits to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] not in (b"Z", b"X")
    except OSError:
        return False


def memory(pid: int) -> int:
    """Bytes that a process holds in memory."""
    return int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1]) * os.sysconf("SC_PAGE_SIZE")
