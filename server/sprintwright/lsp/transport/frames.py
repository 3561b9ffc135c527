"""Bytes as they come → bodies of messages. A stream that can't be followed any more is refused at once."""

from __future__ import annotations

import re
from collections.abc import Iterator

MOST_BODY_BYTES = 64 * 1024 * 1024
MOST_HEADER_BYTES = 64 * 1024

_FIELD = re.compile(rb"([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e]*?)[\t ]*\r\n")
_NAME_BYTE = re.compile(rb"[!#$%&'*+.^_`|~0-9A-Za-z\r-]")
_LENGTH = re.compile(rb"[0-9]{1,20}")
_SHOWN = 60


class BrokenStream(Exception):
    """The bytes are no frames, or too long ones: where the next message begins is not known."""


class FrameParser:
    """Takes the stream in pieces of any size; keeps at most one header block and one body."""

    def __init__(self) -> None:
        self._buffer = bytearray()
        self._header_bytes = 0
        self._length: int | None = None
        self._in_body = False

    @property
    def is_between_frames(self) -> bool:
        """Whether nothing of a further frame has come yet."""
        return not self._buffer and not self._in_body and not self._header_bytes

    def feed(self, data: bytes) -> Iterator[bytes]:
        """The bodies that are complete with this piece.

        Raises:
            BrokenStream: from then on the parser must not be used.
        """
        self._buffer += data
        while True:
            if not self._in_body and not self._read_header():
                return
            length = self._length or 0
            if len(self._buffer) < length:
                return
            body = bytes(memoryview(self._buffer)[:length])
            del self._buffer[:length]
            self._in_body, self._length, self._header_bytes = False, None, 0
            yield body

    def _read_header(self) -> bool:
        """Take whole lines of the header; True when its end was among them."""
        while (end := self._buffer.find(b"\n", 0, MOST_HEADER_BYTES)) >= 0:
            line = bytes(self._buffer[: end + 1])
            del self._buffer[: end + 1]
            self._header_bytes += len(line)
            if self._header_bytes > MOST_HEADER_BYTES:
                break
            if line == b"\r\n":
                if self._length is None:
                    raise BrokenStream("A header has no Content-Length.")
                self._in_body = True
                return True
            self._take_field(line)
        if self._header_bytes + len(self._buffer) > MOST_HEADER_BYTES:
            raise BrokenStream(f"A header is longer than {MOST_HEADER_BYTES} bytes.")
        if self._buffer and not _NAME_BYTE.match(self._buffer):
            raise BrokenStream(f"Not a header: {_shown(self._buffer)}.")
        return False

    def _take_field(self, line: bytes) -> None:
        field = _FIELD.fullmatch(line)
        if field is None:
            raise BrokenStream(f"Not a header: {_shown(line)}.")
        if field[1].lower() != b"content-length":
            return
        if not _LENGTH.fullmatch(field[2]):
            raise BrokenStream(f"Content-Length is no number of bytes: {_shown(field[2])}.")
        length = int(field[2])
        if length > MOST_BODY_BYTES:
            raise BrokenStream(f"A message of {length} bytes; the most is {MOST_BODY_BYTES}.")
        if self._length is not None and self._length != length:
            raise BrokenStream(f"Content-Length stands twice: {self._length} and {length}.")
        self._length = length


def _shown(data: bytes | bytearray) -> str:
    shown = repr(bytes(data[:_SHOWN]))[1:]
    return shown + ("…" if len(data) > _SHOWN else "")
