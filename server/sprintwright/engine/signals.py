"""How a walk ends early. Only the engine raises and catches these."""

from __future__ import annotations

from sprintwright.model.records import EndStatus


class StageFailed(Exception):
    """A stage could not be done; inside a group it is the item's value, elsewhere the run ends ``failed``."""

    def __init__(self, key: str, message: str, cause: str = "") -> None:
        super().__init__(message)
        self.key, self.message, self.cause = key, message, cause


class NotConverged(StageFailed):
    """A loop used up its passes without a ``break``."""


class Parked(Exception):
    """Nothing more starts: a person has to act and nobody is there, or (``failed``) no turn can succeed any more.

    Args:
        code: why: ``question``, ``pause_after``, ``paused``, ``blocked``, ``needs_artifacts``, ``limit``.
        missing: the artifact that is missing or not approved; the limit that is reached, by its name.
    """

    def __init__(
        self, key: str, reason: str, code: str = "needs_you", *, status: EndStatus = "paused", missing: str = ""
    ) -> None:
        super().__init__(reason)
        self.key, self.reason, self.code, self.missing = key, reason, code, missing
        self.status: EndStatus = status
