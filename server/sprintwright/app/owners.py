"""Whether a run has an owner, and what one answers: the other end of `sprintwright.app.control`, for readers."""

from __future__ import annotations

import json
import os
import socket
from typing import Any

from sprintwright.app.places import Places
from sprintwright.app.user_state import UserState
from sprintwright.errors import Refused
from sprintwright.journal.store import RunFolder
from sprintwright.model.records import Opened

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
        except (BlockingIOError, TimeoutError):  # its queue is full: it is there, and does not come to answering
            return True
        except OSError:
            return False
        return True


def owned(place: RunFolder) -> Refused:
    """The refusal of what would be done to a run that has an owner, with who that is: another program, or this one."""
    owner: dict[str, Any] = {"runId": place.run_id}
    for record in reversed(place.read().records):
        if isinstance(opened := record.payload, Opened):
            owner |= {"pid": opened.pid, "host": opened.host, "program": opened.program, "since": record.at}
            break
    if owner.get("pid") == os.getpid() and owner.get("host") == socket.gethostname():
        return Refused(
            "run_owned",
            f"Run {place.run_id!r} is at work here. Pause it first, or end it: sprintwright cancel {place.run_id}",
            **owner,
        )
    who = (
        f" (process {owner['pid']} on {owner['host']}, {owner['program']}, since {owner['since']})"
        if "pid" in owner
        else ""
    )
    return Refused(
        "run_owned",
        f"Run {place.run_id!r} is being carried on by another program{who}. Wait for it, or end it: "
        f"sprintwright cancel {place.run_id}",
        **owner,
    )


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
