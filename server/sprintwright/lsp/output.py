"""Live output of turns → `sprintwright/run/didOutput`: gathered, ten times a second, and the first to be dropped."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field

from sprintwright.engine.ports import Stream
from sprintwright.lsp import methods, wire
from sprintwright.lsp.publisher import Client
from sprintwright.text import split_escape, without_escapes

_SECONDS = 0.1
_MOST_WAITING = 64 * 1024
"""Characters of a run that wait; of more the oldest are left out and counted. The transcript has everything."""


@dataclass(slots=True)
class _Waiting:
    pieces: list[tuple[str, Stream, str]] = field(default_factory=list[tuple[str, Stream, str]])
    size: int = 0
    dropped: int = 0
    begun: dict[tuple[str, Stream], str] = field(default_factory=dict[tuple[str, Stream], str])
    """Beginnings of escape sequences, by leaf and stream; a pipe may cut anywhere."""
    timer: asyncio.TimerHandle | None = None


class Output:
    """Gathers and sends live output."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self._waiting: dict[str, _Waiting] = {}

    def add(self, run_id: str, key: str, stream: Stream, text: str) -> None:
        """A leaf of a run said something."""
        waiting = self._waiting.setdefault(run_id, _Waiting())
        text, begun = split_escape(waiting.begun.pop((key, stream), "") + text)
        if begun:
            waiting.begun[key, stream] = begun
        text = without_escapes(text)
        if waiting.pieces and waiting.pieces[-1][:2] == (key, stream) and len(waiting.pieces[-1][2]) < _MOST_WAITING:
            waiting.pieces[-1] = (key, stream, waiting.pieces[-1][2] + text)
        else:
            waiting.pieces.append((key, stream, text))
        waiting.size += len(text)
        while waiting.size > _MOST_WAITING:
            self._drop(waiting)
        if waiting.timer is None:
            waiting.timer = asyncio.get_running_loop().call_later(_SECONDS, self._send, run_id)

    def ended(self, run_id: str) -> None:
        """Nothing more comes from a run."""
        waiting = self._waiting.get(run_id)
        if waiting is not None and waiting.timer is not None:
            waiting.timer.cancel()
            self._send(run_id)
        self._waiting.pop(run_id, None)

    def _drop(self, waiting: _Waiting) -> None:
        key, stream, text = waiting.pieces[0]
        over = min(waiting.size - _MOST_WAITING, len(text))
        waiting.size, waiting.dropped = waiting.size - over, waiting.dropped + over
        if over == len(text):
            waiting.pieces.pop(0)
        else:
            waiting.pieces[0] = (key, stream, text[over:])

    def _send(self, run_id: str) -> None:
        waiting = self._waiting.get(run_id)
        if waiting is None:
            return
        waiting.timer = None
        if not waiting.pieces:
            return
        if not self._client.room:
            waiting.timer = asyncio.get_running_loop().call_later(_SECONDS, self._send, run_id)
            return
        pieces = tuple(wire.OutputPiece(key=key, stream=stream, text=text) for key, stream, text in waiting.pieces)
        told = wire.DidOutput(run_id=run_id, pieces=pieces, dropped=waiting.dropped)
        waiting.pieces, waiting.size, waiting.dropped = [], 0, 0
        self._client.notify(methods.RUN_DID_OUTPUT, told)
