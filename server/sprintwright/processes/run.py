"""A program run to its end, with its output bounded and its time limited."""

from __future__ import annotations

import asyncio
import codecs
import io
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from sprintwright.errors import Operational
from sprintwright.processes.child import Child, StreamName, start_child
from sprintwright.pulse import Pulse

OnOutput = Callable[[StreamName, str], None]
OnPhase = Callable[[Literal["spawned", "prompt_sent"]], None]
Watch = Callable[[int], AbstractContextManager[None]]


@dataclass(frozen=True, slots=True)
class Finished:
    """A program that came to its end."""

    returncode: int
    """Exit status; negative: the signal that ended it."""
    stdout: str
    stderr: str
    dropped: int = 0
    """Characters at the beginning of the two streams that were not kept."""


@dataclass(frozen=True, slots=True)
class FinishedBytes:
    """A program that came to its end, and what it wrote as data."""

    returncode: int
    stdout: bytes
    stderr: str
    size: int
    """Bytes that it wrote to stdout, also those beyond the limit."""


async def run_process(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes | None = None,
    on_output: OnOutput | None = None,
    on_phase: OnPhase | None = None,
    watch: Watch | None = None,
    timeout: float | None = None,
    idle: float | None = None,
    pulse: Pulse | None = None,
    output_cap: int = 1_000_000,
    grace: float = 3.0,
) -> Finished:
    """Run a program and wait for its end. What it started and left behind is ended with it.

    Args:
        argv: the program by its absolute path, and its arguments.
        env: its whole environment.
        stdin: what it can read; None: nothing. It may leave it unread.
        on_output: gets the text of a stream as it comes; bytes that are no UTF-8 become `\\ufffd`.
        on_phase: told when the program is there, and when ``stdin`` is on its way.
        watch: given the process id, a context that lasts as long as the program.
        timeout: seconds until it is ended.
        idle: seconds without anything new until it is ended.
        pulse: knows when something new came; None: what it prints is looked at.
        output_cap: characters kept of each stream. The end is kept: there stands why something failed.
        grace: seconds between SIGTERM and SIGKILL.

    Raises:
        Operational: it could not be started (`spawn`) or ran into a limit (`timeout`).
        asyncio.CancelledError: after it was ended.
    """
    streams: dict[StreamName, _Text] = {"stdout": _Text(output_cap), "stderr": _Text(output_cap)}

    heard = pulse or Pulse(asyncio.get_running_loop().time)

    def take(name: StreamName, data: bytes) -> None:
        text = streams[name].add(data)
        if text and idle is not None and pulse is None:
            heard.hear(text)
        if text and on_output is not None:
            on_output(name, text)

    child = await start_child(argv, cwd=cwd, env=env, on_bytes=take, stdin=stdin is not None)
    with watch(child.pid) if watch is not None else nullcontext():
        returncode = await _to_its_end(child, Path(argv[0]).name, stdin, timeout, idle, heard, grace, on_phase)
    for name, stream in streams.items():
        if (rest := stream.finish()) and on_output is not None:
            on_output(name, rest)
    out, err = streams["stdout"], streams["stderr"]
    return Finished(returncode, out.kept(), err.kept(), out.dropped() + err.dropped())


async def run_bytes(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    stdin: bytes | None = None,
    timeout: float | None = None,
    limit: int | None = None,
    pass_fds: Sequence[int] = (),
) -> FinishedBytes:
    """Run a short program whose output is data: its bytes, whole, or the first ``limit`` of them.

    Raises:
        Operational: as `run_process`.
    """
    out, errors, size = io.BytesIO(), _Text(20_000), 0

    def take(name: StreamName, data: bytes) -> None:
        nonlocal size
        if name == "stderr":
            errors.add(data)
        else:
            size += len(data)
            out.write(data if limit is None else data[: max(0, limit - out.tell())])

    child = await start_child(argv, cwd=cwd, env=env, on_bytes=take, stdin=stdin is not None, pass_fds=pass_fds)
    returncode = await _to_its_end(child, Path(argv[0]).name, stdin, timeout, None, None, 1.0)
    errors.finish()
    return FinishedBytes(returncode, out.getvalue(), errors.kept(), size)


async def _to_its_end(
    child: Child,
    name: str,
    stdin: bytes | None,
    timeout: float | None,
    idle: float | None,
    pulse: Pulse | None,
    grace: float,
    on_phase: OnPhase | None = None,
) -> int:
    try:
        if on_phase is not None:
            on_phase("spawned")
        if stdin is not None:
            child.write(stdin)
            child.close_stdin()
        if on_phase is not None:
            on_phase("prompt_sent")
        return await _exit_status(child, name, timeout, idle, pulse)
    finally:
        await child.close(grace)


async def _exit_status(child: Child, name: str, timeout: float | None, idle: float | None, pulse: Pulse | None) -> int:
    loop = asyncio.get_running_loop()
    end = None if timeout is None else loop.time() + timeout
    while True:
        silent = None if idle is None or pulse is None else pulse.at + idle
        limits = [limit for limit in (end, silent) if limit is not None]
        try:
            async with asyncio.timeout_at(min(limits) if limits else None):
                return await asyncio.shield(child.over)
        except TimeoutError:
            now = loop.time()
            if end is not None and now >= end:
                raise Operational("timeout", f"{name!r} did not finish in {timeout:g} seconds and was ended.") from None
            if idle is not None and pulse is not None and now >= pulse.at + idle:
                raise Operational("timeout", silent_for(repr(name), idle, pulse.noise)) from None


def silent_for(who: str, seconds: float, noise: int) -> str:
    """That a program was ended for its silence, and how much it printed without saying anything (R53)."""
    beside = f", but {noise} pieces of noise," if noise else ""
    return f"{who} wrote nothing new{beside} for {seconds:g} seconds and was ended."


class _Text:
    """The last ``cap`` characters of a stream. Split characters are whole: decoding is incremental."""

    def __init__(self, cap: int) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._cap = cap
        self._pieces: deque[str] = deque()
        self._length = 0
        self._total = 0

    def add(self, data: bytes, *, final: bool = False) -> str:
        text = self._decoder.decode(data, final)
        self._total += len(text)
        self._length += len(text)
        self._pieces.append(text)
        while self._length - len(self._pieces[0]) >= self._cap and len(self._pieces) > 1:
            self._length -= len(self._pieces.popleft())
        return text

    def finish(self) -> str:
        return self.add(b"", final=True)

    def kept(self) -> str:
        text = "".join(self._pieces)
        return text[len(text) - min(len(text), self._cap) :]

    def dropped(self) -> int:
        return max(0, self._total - self._cap)
