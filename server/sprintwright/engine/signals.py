"""How a walk ends early. Only the engine raises and catches these."""

from __future__ import annotations

from sprintwright.model.records import Outcome


class StageFailed(Exception):
    """A stage could not be done; inside a group it is the item's value, elsewhere the run ends ``failed``."""

    def __init__(self, key: str, message: str, cause: str = "") -> None:
        super().__init__(message)
        self.key, self.message, self.cause = key, message, cause


class NotConverged(StageFailed):
    """A loop used up its passes without a ``break``."""

    outcome: Outcome = "exhausted"


class Parked(Exception):
    """A person has to act and nobody is there; the run can be resumed."""

    def __init__(self, key: str, reason: str, code: str = "needs_you") -> None:
        super().__init__(reason)
        self.key, self.reason, self.code = key, reason, code
