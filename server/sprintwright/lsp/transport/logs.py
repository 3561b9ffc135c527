"""The log and the error output of a server: one event is one line, and whoever writes one never waits (R81, X55)."""

from __future__ import annotations

import io
import logging
import os
import select
import sys
import threading
from collections import deque
from collections.abc import Callable

from sprintwright.text import clean

_MOST_WAITING_BYTES = 1024 * 1024
_MOST_LINE = 64 * 1024
_FORMAT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class Lines:
    """A bounded queue of lines and a thread that writes them. When it is full, lines are dropped and counted."""

    def __init__(self, write: Callable[[str], None], name: str) -> None:
        self._write = write
        self._lines: deque[str] = deque()
        self._waiting = 0
        self._busy = False
        self._dropped = 0
        self._changed = threading.Condition(threading.RLock())
        threading.Thread(target=self._write_all, name=name, daemon=True).start()

    def put(self, line: str) -> None:
        """Queue a line; returns at once."""
        with self._changed:
            if self._waiting + len(line) > _MOST_WAITING_BYTES:
                self._dropped += 1
                return
            self._lines.append(line)
            self._waiting += len(line)
            self._changed.notify_all()

    def flush(self, seconds: float) -> None:
        """Wait until the queue is empty, but not longer than that."""
        with self._changed:
            self._changed.wait_for(lambda: not self._lines and not self._busy, seconds)

    def _write_all(self) -> None:
        while True:
            with self._changed:
                self._busy = False
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._lines)
                self._busy = True
                line = self._lines.popleft()
                self._waiting -= len(line)
                dropped = 0
                if not self._lines:
                    dropped, self._dropped = self._dropped, 0
            try:
                self._write(line)
                if dropped:
                    self._write(f"{dropped} lines of the log were dropped: nobody took them in time.")
            except Exception:
                pass  # a log that can't be written has no other place to say so


class OneLine(logging.Formatter):
    """An event as one line: line ends and control characters are written out."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, without its end."""
        return clean(super().format(record), newlines=False)[:_MOST_LINE]


class InBackground(logging.Handler):
    """Hands finished lines to a thread."""

    def __init__(self, lines: Lines) -> None:
        super().__init__()
        self.lines = lines
        self.setFormatter(OneLine(_FORMAT))

    def emit(self, record: logging.LogRecord) -> None:
        """Called by logging; never raises."""
        try:
            self.lines.put(self.format(record))
        except Exception:
            self.lines.put("An event of the log could not be written as text.")


class Printed(io.TextIOBase):
    """What stands for `sys.stdout` and `sys.stderr`: lines of any library go where the log goes."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._begun = threading.local()

    def write(self, text: str, /) -> int:
        """Keeps what has no line end yet, for each thread."""
        whole, end, rest = (getattr(self._begun, "text", "") + text).rpartition("\n")
        if end:
            for line in whole.split("\n"):
                self._lines.put(clean(line, newlines=False)[:_MOST_LINE])
        if len(rest) > _MOST_LINE:
            self._lines.put(clean(rest, newlines=False)[:_MOST_LINE])
            rest = ""
        self._begun.text = rest
        return len(text)

    def fileno(self) -> int:
        """For those who need a real descriptor, such as `faulthandler`."""
        return 2

    def writable(self) -> bool:
        """It is."""
        return True

    @property
    def encoding(self) -> str:  # type: ignore[override]
        """Of what is written."""
        return "utf-8"


class Log:
    """Where everything that is logged or printed goes: the error output, and the handlers that were set up before."""

    def __init__(self) -> None:
        logging.raiseExceptions = False
        self._all = [Lines(_to_stderr, "log to stderr")]
        self._handler = InBackground(self._all[0])
        sys.stdout = sys.stderr = Printed(self._all[0])
        for name in ("pygls", "asyncio", "concurrent.futures", "py.warnings"):
            logger = logging.getLogger(name)
            logger.setLevel(logging.WARNING)  # pygls logs whole messages below that, and says more than it knows
            logger.propagate = False
            logger.addHandler(self._handler)
        logging.captureWarnings(True)
        self.take_handlers()

    def take_handlers(self) -> None:
        """Put a thread before each handler of our own logger, such as the one of a file; may be called again."""
        logger = logging.getLogger("sprintwright")
        logger.propagate = False
        for handler in list(logger.handlers):
            if not isinstance(handler, InBackground | logging.NullHandler):
                logger.removeHandler(handler)
                logger.addHandler(self._behind(handler))
        if self._handler not in logger.handlers:
            logger.addHandler(self._handler)

    def flush(self, seconds: float) -> None:
        """Give what is queued a last chance."""
        for lines in self._all:
            lines.flush(seconds)

    def _behind(self, handler: logging.Handler) -> InBackground:
        handler.setFormatter(None)

        def write(line: str) -> None:
            handler.handle(logging.LogRecord("sprintwright", logging.INFO, "", 0, line, None, None))

        lines = Lines(write, "log to a file")
        self._all.append(lines)
        return InBackground(lines)


def _to_stderr(line: str) -> None:
    rest = memoryview(f"{line}\n".encode("utf-8", "replace"))
    while rest:
        try:
            rest = rest[os.write(2, rest) :]
        except BlockingIOError:
            select.select([], [2], [])
