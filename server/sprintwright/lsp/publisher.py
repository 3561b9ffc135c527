"""Run state → `sprintwright/run/didChange`: only changed nodes, at most five times a second a run.

While the client does not read, changes gather by node and nothing is queued: it gets the newest state, once. The cost
of a push depends on what changed, not on how large the run is.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

from sprintwright.lsp import methods, shapes, wire
from sprintwright.lsp.runs import Shown, merge
from sprintwright.state.tree import Delta

_SECONDS = 0.2


class Client(Protocol):
    """What the publisher needs of the protocol."""

    @property
    def room(self) -> bool:
        """Whether the client reads."""
        ...

    def when_room(self, callback: Callable[[], None]) -> None:
        """Call back when it does."""
        ...

    def notify(self, method: str, params: object) -> None:
        """Send a notification."""
        ...


@dataclass(slots=True)
class _Pending:
    """What a run's client has not been told yet."""

    run: Shown
    sent: int
    """Revision of the last push; what is before the first one is not the client's to know."""
    delta: Delta = field(default_factory=Delta)
    dirty: bool = False
    timer: asyncio.TimerHandle | None = None


class Publisher:
    """Pushes what changed.

    Args:
        also: called with a run at each push: whatever else shows it keeps the same pace.
    """

    def __init__(self, client: Client, also: Callable[[Shown], None]) -> None:
        self._client, self._also = client, also
        self._pending: dict[str, _Pending] = {}

    def changed(self, run: Shown, delta: Delta) -> None:
        """Push soon: at once, or when the time since the last push is over."""
        run_id = run.place.run_id
        pending = self._pending.get(run_id)
        if pending is None:
            pending = self._pending[run_id] = _Pending(run, 0)
        pending.run, pending.dirty = run, True
        merge(pending.delta, delta)
        if pending.timer is None:
            self._flush(run_id)

    def known(self, run: Shown) -> None:
        """The client can ask for a run as it is now; from here on it is told what changes."""
        self._pending.setdefault(run.place.run_id, _Pending(run, run.state.revision))

    def deleted(self, run_id: str) -> None:
        """A run is gone."""
        pending = self._pending.pop(run_id, None)
        if pending is not None and pending.timer is not None:
            pending.timer.cancel()
        self._client.notify(methods.RUN_DID_DELETE, wire.DidDelete(run_id=run_id))

    def close(self) -> None:
        """Push what is left, at once."""
        for run_id, pending in self._pending.items():
            if pending.timer is not None:
                pending.timer.cancel()
                pending.timer = None
            self._flush(run_id)

    def _flush(self, run_id: str) -> None:
        pending = self._pending.get(run_id)
        if pending is None:
            return
        pending.timer = None
        if not pending.dirty:
            return
        if pending.run.busy:  # a thread works on its state
            pending.timer = asyncio.get_running_loop().call_later(_SECONDS, self._flush, run_id)
            return
        if not self._client.room:
            pending.timer = asyncio.get_running_loop().call_later(3600, lambda: None)  # until there is room
            self._client.when_room(lambda: self._resume(run_id))
            return
        self._push(pending)
        pending.timer = asyncio.get_running_loop().call_later(_SECONDS, self._flush, run_id)

    def _resume(self, run_id: str) -> None:
        if (pending := self._pending.get(run_id)) is not None and pending.timer is not None:
            pending.timer.cancel()
            self._flush(run_id)

    def _push(self, pending: _Pending) -> None:
        run, delta, base = pending.run, pending.delta, pending.sent
        state = run.state
        pending.delta, pending.dirty, pending.sent = Delta(), False, state.revision
        changed = [one for one in delta.changed if one in state.nodes]
        self._client.notify(
            methods.RUN_DID_CHANGE,
            wire.DidChange(
                run_id=run.place.run_id,
                folder=str(run.place.folder),
                revision=state.revision,
                base=base,
                status=state.status,
                reason=state.reason,
                owner=run.owner,
                turns=state.turns,
                open_findings=len(state.ledger.open()),
                questions=shapes.questions(state),
                nodes=tuple(shapes.node(state.nodes[one], state) for one in changed),
                removed=tuple(sorted(delta.removed)),
            ),
        )
        self._also(run)
