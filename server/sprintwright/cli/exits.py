"""Exit codes of the terminal (design.md section 10)."""

from __future__ import annotations

from sprintwright.state.node import RunStatus

OK, FAILED, REFUSED, NOT_CONVERGED, NEEDS_YOU = 0, 1, 2, 3, 4
INTERRUPTED, TERMINATED, HUNG_UP = 130, 143, 129

_BY_STATUS: dict[RunStatus, int] = {
    "completed": OK,
    "failed": FAILED,
    "interrupted": FAILED,
    "unreadable": FAILED,
    "not_converged": NOT_CONVERGED,
    "paused": NEEDS_YOU,
    "waiting": NEEDS_YOU,
    "terminal_ready": NEEDS_YOU,
    "cancelled": INTERRUPTED,
}


def exit_of(status: RunStatus) -> int:
    """The exit code of a run that ended with a status."""
    return _BY_STATUS.get(status, FAILED)


def exit_of_refusal(code: str) -> int:
    """The exit code of a verb that was not done."""
    if code == "needs_choice":
        return NEEDS_YOU
    return FAILED if code in ("run_unreadable", "stopped", "workspace") else REFUSED
