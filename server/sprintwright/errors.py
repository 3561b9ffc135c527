"""Every error that Sprintwright raises on purpose, one tree, one stable code each.

    SprintwrightError
    ├── Refused              a verb that will not be done; ``code`` says why, ``data`` has what a client needs
    ├── Operational          an agent or command could not do its turn; never a verdict, never a used pass
    ├── PathRefused          a path that leaves its folder, or a name that no system could hold
    ├── WorkspaceError       git or the snapshot store failed
    └── JournalError
        ├── JournalBroken    a write or sync failed: the run stops, nothing more is recorded
        └── RunUnreadable    the journal can't be believed; ``line`` and ``reason`` say where

A message says what happened, with ``!r`` names, and then what to do. Bad input is a value
(`sprintwright.model.problem.Problem`), not an exception.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal


class SprintwrightError(Exception):
    """The root. ``code`` is stable; ``message`` is for people; ``data`` is JSON for clients."""

    default_code: ClassVar[str] = "internal_error"

    def __init__(self, message: str, *, code: str | None = None, data: dict[str, Any] | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code or self.default_code
        self.data = data or {}


RefusalCode = Literal[
    "untrusted",
    "protocol_mismatch",
    "unknown_workflow",
    "unknown_role",
    "unknown_agent",
    "unknown_run",
    "unknown_leaf",
    "unknown_finding",
    "no_question",
    "needs_choice",
    "within_turn",
    "agent_missing",
    "definition_invalid",
    "not_supported",
    "no_task",
    "bad_argument",
    "folder_missing",
    "folder_read_only",
    "already_active",
    "already_done",
    "run_owned",
    "not_own_run",
    "stopped",
    "run_unreadable",
    "journal_shortened",
    "restore_cut_off",
    "restore_conflict",
    "consent_needed",
    "config_invalid",
]


class Refused(SprintwrightError):
    """A verb is refused before anything happened.

    Args:
        code: one of `RefusalCode`; stable, for clients and exit codes.
        message: what is wrong and what to do.
        data: what a client needs to go on (known names, a hash to agree to, the owner).
    """

    def __init__(self, code: RefusalCode, message: str, **data: Any) -> None:
        super().__init__(message, code=code, data=data)


Cause = Literal[
    "spawn", "exit", "sign_in", "rate_limit", "timeout", "protocol", "truncated", "empty_answer", "permission",
    "no_recording", "artifact", "stopped",
]  # fmt: skip


class Operational(SprintwrightError):
    """A turn or command that did not come to an answer. ``cause`` tells the kinds apart.

    Among its ``data``: ``transient`` (whether another try may come out differently), ``retry_after`` (seconds), and
    ``usage`` (`sprintwright.model.usage.Usage`, what the turn had used by then).
    """

    default_code = "operational"

    def __init__(self, cause: Cause, message: str, **data: Any) -> None:
        super().__init__(message, data={"cause": cause, **data})
        self.cause: Cause = cause


class PathRefused(SprintwrightError):
    """A path or file name that is not allowed where it stood."""

    default_code = "path_refused"


class WorkspaceError(SprintwrightError):
    """git, or the snapshot store, could not do what was asked."""

    default_code = "workspace"


class JournalError(SprintwrightError):
    """Something about a run's journal."""

    default_code = "journal"


class JournalBroken(JournalError):
    """A write or a sync failed; the owner records nothing more and the run stops."""

    default_code = "journal_broken"


class RunUnreadable(JournalError):
    """A journal that can't be believed. The file is left as it is.

    Args:
        line: 1-based line of the journal; 0 when the file itself can't be opened.
        offset: byte offset of that line.
    """

    default_code = "run_unreadable"

    def __init__(self, reason: str, *, line: int = 0, offset: int = 0) -> None:
        where = f"line {line} (byte {offset}): " if line else ""
        super().__init__(where + reason, data={"line": line, "offset": offset, "reason": reason})
        self.line, self.offset, self.reason = line, offset, reason
