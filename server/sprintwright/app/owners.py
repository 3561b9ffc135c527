"""Whether a run has an owner, and what one answers: the other end of `sprintwright.app.control`, for readers."""

from __future__ import annotations

import json
import socket
from typing import Any

from sprintwright.app.places import Places
from sprintwright.app.user_state import UserState

_MOST_BYTES = 1024 * 1024
_ANSWER_SECONDS = 30.0


def socket_of(places: Places, run_id: str) -> str:
    """Where the owner of a run listens: where it said so, else where it would here."""
    own = UserState(places.state).own_run(run_id)
    return (own.socket if own else "") or str(places.runtime / f"{run_id}.sock")


def is_alive(places: Places, run_id: str) -> bool:
    """Whether an owner of the run accepts; for readers, who never touch the lock."""
    with socket.socket(socket.AF_UNIX) as probe:
        probe.settimeout(1.0)
        try:
            probe.connect(socket_of(places, run_id))
        except OSError:
            return False
        return True


def send(places: Places, run_id: str, request: dict[str, Any]) -> dict[str, Any] | None:
    """The owner's answer; None when nobody owns the run."""
    with socket.socket(socket.AF_UNIX) as peer:
        peer.settimeout(_ANSWER_SECONDS)
        try:
            peer.connect(socket_of(places, run_id))
            peer.sendall(json.dumps(request).encode() + b"\n")
            with peer.makefile("rb") as answers:
                line = answers.readline(_MOST_BYTES)
            return json.loads(line) if line else None
        except (OSError, ValueError):
            return None
