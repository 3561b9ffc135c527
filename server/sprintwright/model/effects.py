"""What a verb did: the wire's words, and nothing else (design.md section 7, behaviours-selesai.md 2.3)."""

from __future__ import annotations

from typing import Literal

from sprintwright.model.value import Value

Effect = Literal[
    "started", "alreadyActive", "advanced", "blocked", "terminalNeedsArtifacts", "terminalReady", "closed",
    "endBlocked", "idle", "noOp",
]  # fmt: skip


class Outcome(Value):
    """An effect and what a client shows with it.

    ``phase`` is a top-level stage, ``step`` its 1-based place among ``total``; ``missing`` is a file (at `endBlocked`
    before the last stage: that stage); ``reason`` says why a file that is there is not approved; ``skipped`` is the
    stage that was jumped on the way here.
    """

    effect: Effect
    run_id: str
    phase: str = ""
    step: int = 0
    total: int = 0
    missing: str = ""
    reason: str = ""
    skipped: str = ""
    message: str = ""
    """The same in a sentence for people: what happened, and what to do next."""
