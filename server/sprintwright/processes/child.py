"""One child process in a group of its own, from its start to the end of everything that it started."""

from __future__ import annotations

import asyncio
import contextlib
import errno
import os
import signal
import sys
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal, TypeAlias, cast

from sprintwright.errors import Operational
from sprintwright.processes.ancestry import end_marked, marked
from sprintwright.processes.bounds import MOST_PROCESSES, bound, watch_count
from sprintwright.processes.liveness import stat_fields
from sprintwright.processes.windows import batch_refusal
from sprintwright.threads import in_thread

StreamName: TypeAlias = Literal["stdout", "stderr"]
OnBytes: TypeAlias = Callable[[StreamName, bytes], None]
OnClosed: TypeAlias = Callable[[StreamName], None]

_FIRST_POLL_SECONDS = 0.002
_LAST_POLL_SECONDS = 0.05
_KILLED_SECONDS = 2.0
"""How long a killed process may take to go; one in an uninterruptible wait is not waited for."""
_TRANSIENT = (errno.EAGAIN, errno.EMFILE, errno.ENFILE, errno.ENOMEM, errno.ETXTBSY)
"""Reasons not to start a program that may be gone a moment later."""
_DRAIN_SECONDS = 0.5
"""How long is still read when a process that left the group holds the pipes open."""


class Child(asyncio.SubprocessProtocol):
    """A running program. Made by `start_child`; `close` must be awaited, whatever happened."""

    def __init__(self, on_bytes: OnBytes, *, stdin: bool, on_closed: OnClosed | None = None) -> None:
        loop = asyncio.get_running_loop()
        self._on_bytes, self._on_closed = on_bytes, on_closed
        self._transport: asyncio.SubprocessTransport | None = None
        self._open = {1, 2}
        self._stdin_open = stdin
        self._drained = asyncio.Event()
        self._exited = asyncio.Event()
        self._lost = asyncio.Event()
        self._writable = asyncio.Event()
        self._writable.set()
        self._counting: asyncio.Task[None] | None = None
        self.mark = ""
        """What the environment of everything that it starts has; empty: nothing has."""
        self.over: asyncio.Future[int] = loop.create_future()
        """The exit status (negative: the signal). Fails when ``on_bytes`` raised."""
        self.over.add_done_callback(_seen)

    @property
    def transport(self) -> asyncio.SubprocessTransport:
        """asyncio's end of the child."""
        assert self._transport is not None
        return self._transport

    @property
    def pid(self) -> int:
        """The process, and its group."""
        return self.transport.get_pid()

    def write(self, data: bytes) -> None:
        """Queue bytes for the child's standard input. That it does not read, or has left, is no error."""
        if (stdin := self._stdin()) is not None:
            stdin.write(data)

    def close_stdin(self) -> None:
        """End the child's standard input once everything queued is written."""
        if (stdin := self._stdin()) is not None:
            stdin.close()

    async def writable(self) -> None:
        """Until little is queued for the child, or it has left its standard input."""
        await self._writable.wait()

    def pause(self) -> None:
        """Leave what it writes to its standard output in the pipe."""
        if (stdout := self._stdout()) is not None:
            stdout.pause_reading()

    def resume(self) -> None:
        """Read on."""
        if (stdout := self._stdout()) is not None:
            stdout.resume_reading()

    async def close(self, grace: float) -> None:
        """End the child and its group: SIGTERM, ``grace`` seconds, SIGKILL; then those that left the group (R64).

        Nothing of it is left then, but for processes that hid their environment.
        """
        if self._counting is not None:
            self._counting.cancel()
        try:
            try:
                await end_group(self.pid, grace)
            finally:
                if self.mark:
                    await in_thread(end_marked, self.mark)
            self.resume()
            with contextlib.suppress(TimeoutError):  # a transport that is closed before asyncio knows makes it complain
                async with asyncio.timeout(_KILLED_SECONDS):
                    await self._exited.wait()
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_DRAIN_SECONDS):
                    await self._drained.wait()
        finally:
            # What is still queued for it would keep the pipe, and the transport, open.
            if (stdin := self._stdin()) is not None:
                stdin.abort()
            self.transport.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_KILLED_SECONDS):
                await self._lost.wait()

    def watch_count(self, name: str) -> None:
        """Watch how many processes it starts; too many end it, with that reason (X76)."""
        self._counting = asyncio.create_task(
            watch_count(self.mark, partial(self._too_many, name)), name=f"count {name}"
        )

    def _too_many(self, name: str) -> None:
        _signal(self.pid, signal.SIGKILL)
        if not self.over.done():
            what = f"{name!r} had more than {MOST_PROCESSES} processes at once and was ended with all of them."
            self.over.set_exception(Operational("exit", what, transient=False))

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Called by asyncio."""
        self._transport = cast(asyncio.SubprocessTransport, transport)

    def pipe_data_received(self, fd: int, data: bytes) -> None:
        """Called by asyncio."""
        try:
            self._on_bytes("stdout" if fd == 1 else "stderr", data)
        except Exception as error:
            if not self.over.done():
                self.over.set_exception(error)

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        """Called by asyncio."""
        if fd == 0:
            self._stdin_open = False
            self._writable.set()
        elif self._on_closed is not None:
            self._on_closed("stdout" if fd == 1 else "stderr")
        self._open.discard(fd)
        if not self._open:
            self._drained.set()

    def pause_writing(self) -> None:
        """Called by asyncio."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Called by asyncio."""
        self._writable.set()

    def process_exited(self) -> None:
        """Called by asyncio."""
        self._exited.set()
        status = self.transport.get_returncode()
        if not self.over.done():
            self.over.set_result(-1 if status is None else status)

    def connection_lost(self, exc: Exception | None) -> None:
        """Called by asyncio."""
        self._lost.set()

    def _stdin(self) -> asyncio.WriteTransport | None:
        if not self._stdin_open:
            return None
        return cast("asyncio.WriteTransport | None", self.transport.get_pipe_transport(0))

    def _stdout(self) -> asyncio.ReadTransport | None:
        return cast("asyncio.ReadTransport | None", self.transport.get_pipe_transport(1)) if 1 in self._open else None


async def start_child(
    argv: Sequence[str],
    *,
    cwd: Path,
    env: Mapping[str, str],
    on_bytes: OnBytes,
    stdin: bool = True,
    pass_fds: Sequence[int] = (),
    on_closed: OnClosed | None = None,
) -> Child:
    """Start a program in a session of its own: no terminal, and no descriptors but 0, 1, 2 and ``pass_fds``.

    Args:
        argv: the program by its absolute path, from `find_program`, and its arguments.
        env: its whole environment, from `child_environment`. An agent's gets a mark besides, by which
            `Child.close` finds what left the group.
        on_bytes: gets what it writes, as it comes.
        stdin: whether it gets a pipe; otherwise its input is empty.
        on_closed: told when a stream of its output is at its end.

    Raises:
        Operational: it can't be started; cause `spawn`.
    """
    if not Path(argv[0]).is_absolute():
        raise Operational("spawn", f"The program {argv[0]!r} must be named by its absolute path.")
    if why := batch_refusal(argv[0], argv[1:]):
        raise Operational("spawn", why)
    env, mark = marked(env)
    spawning = asyncio.create_task(
        _spawn(argv, cwd, env, on_bytes, stdin, pass_fds, on_closed), name=f"spawn {argv[0]}"
    )
    try:
        child = await asyncio.shield(spawning)
        child.mark = mark
    except asyncio.CancelledError:
        # Interrupted half-way, asyncio ends the program alone and not what it has started by then.
        with contextlib.suppress(OSError, ValueError):
            child = await spawning
            child.mark = mark
            await child.close(0)
        raise
    except (OSError, ValueError) as error:
        transient = isinstance(error, OSError) and error.errno in _TRANSIENT
        raise Operational("spawn", _why_not_started(error, Path(argv[0]), cwd), transient=transient) from error
    bound(child.pid, agent=bool(mark))
    if mark:
        child.watch_count(Path(argv[0]).name)
    return child


async def _spawn(
    argv: Sequence[str],
    cwd: Path,
    env: Mapping[str, str],
    on_bytes: OnBytes,
    stdin: bool,
    pass_fds: Sequence[int],
    on_closed: OnClosed | None,
) -> Child:
    _, child = await asyncio.get_running_loop().subprocess_exec(
        lambda: Child(on_bytes, stdin=stdin, on_closed=on_closed),
        *argv,
        stdin=asyncio.subprocess.PIPE if stdin else asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        cwd=cwd,
        env=dict(env),
        start_new_session=True,
        close_fds=True,
        pass_fds=tuple(pass_fds),
    )
    return child


def _seen(over: asyncio.Future[int]) -> None:
    """A failure that nobody awaits any more, because the run was cancelled, is no news for the log."""
    if not over.cancelled():
        over.exception()


def _why_not_started(error: Exception, program: Path, cwd: Path) -> str:
    name = str(program)
    if not os.path.isdir(cwd):  # noqa: PTH112 - Path.is_dir raises where a parent can't be entered
        return f"{name!r} was not started: the folder {str(cwd)!r} does not exist or can't be entered."
    if isinstance(error, ValueError):
        return f"{name!r} was not started: an argument or variable has a NUL character."
    match error:
        case FileNotFoundError() if os.path.lexists(program):
            return f"{name!r} was not started: the interpreter that its first line names does not exist."
        case FileNotFoundError() | NotADirectoryError():
            return f"{name!r} was not started: there is no such program."
        case PermissionError():
            return f"{name!r} was not started: it is not executable for this user; run chmod +x on it."
        case OSError(errno=errno.E2BIG):
            return f"{name!r} was not started: its arguments are too long; hand the text over on standard input."
        case OSError(errno=errno.EMFILE | errno.ENFILE):
            return f"{name!r} was not started: too many files are open. Raise the limit of open files (ulimit -n)."
        case OSError(errno=errno.EAGAIN):
            return f"{name!r} was not started: too many processes. Raise the limit of processes (ulimit -u)."
        case OSError(errno=errno.ENOEXEC):
            return f"{name!r} was not started: it is no program for this machine and has no `#!` line."
        case _:
            return f"{name!r} was not started: {error}."


async def end_group(group: int, grace: float) -> None:
    """End a process group: SIGTERM, ``grace`` seconds, SIGKILL. Cancelled, it kills at once.

    An empty group is fine. Returns when the group has no living process (or the system can't end one).
    """
    try:
        if _signal(group, signal.SIGTERM):
            await _gone(group, grace)
    finally:
        _signal(group, signal.SIGKILL)
    await _gone(group, _KILLED_SECONDS)


async def _gone(group: int, seconds: float) -> None:
    loop = asyncio.get_running_loop()
    end, pause = loop.time() + seconds, _FIRST_POLL_SECONDS
    while group_lives(group) and loop.time() < end:
        await asyncio.sleep(pause)
        pause = min(pause * 2, _LAST_POLL_SECONDS)


def group_lives(group: int) -> bool:
    """Whether a group has a process that still runs; one that only waits to be reaped does not count."""
    if not _signal(group, 0):
        return False
    if sys.platform != "linux":
        return True
    for process in Path("/proc").iterdir():
        fields = stat_fields(process.name) if process.name.isdigit() else None
        if fields is not None and fields[2] == str(group) and fields[0] not in "ZX":
            return True
    return False


def _signal(group: int, number: int) -> bool:
    try:
        os.killpg(group, number)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True  # macOS answers so for a group of zombies
    return True
