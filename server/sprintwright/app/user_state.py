"""What must not be believed from a folder: the user's own runs, and what they agreed to."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

from pydantic import ValidationError

from sprintwright.journal.store import RUN_ID
from sprintwright.model.value import Value
from sprintwright.paths import make_private_dir, write_atomic


class OwnRun(Value):
    """A run that this user started on this machine."""

    run_id: str
    folder: str
    definition_hash: str
    socket: str = ""
    """Control socket of the owner that was seen last; its place may depend on the owner's environment."""
    last_seq: int = 0
    """Number of the last record that was seen on disk; a shorter journal is an older one."""


class UserState:
    """The user's state folder."""

    def __init__(self, state: Path) -> None:
        self._state = state

    def remember(self, run: OwnRun) -> None:
        """Keep what is known of an own run."""
        self._write("runs", f"{run.run_id}.json", run.model_dump_json())

    def forget(self, run_id: str) -> None:
        """Let go of what is known of a run, start tokens included. Raises `OSError`."""
        if not RUN_ID.fullmatch(run_id):
            return
        for token in (self._state / "tokens").glob("*"):
            if token.read_bytes() == run_id.encode():
                token.unlink(missing_ok=True)
        (self._state / "runs" / f"{run_id}.json").unlink(missing_ok=True)

    def own_run(self, run_id: str) -> OwnRun | None:
        """What is known of a run; None for one that was made elsewhere."""
        if not RUN_ID.fullmatch(run_id):
            return None
        try:
            return OwnRun.model_validate_json((self._state / "runs" / f"{run_id}.json").read_bytes())
        except (OSError, ValidationError):
            return None

    def own_runs(self) -> Iterator[OwnRun]:
        """All own runs, newest first."""
        folder = self._state / "runs"
        names = sorted((path.stem for path in folder.glob("*.json")), reverse=True) if folder.is_dir() else []
        for name in names:
            if (run := self.own_run(name)) is not None:
                yield run

    def keep_token(self, token: str, run_id: str) -> None:
        """Keep which run a client's start token started."""
        self._write("tokens", _token_name(token), run_id)

    def run_of_token(self, token: str) -> str:
        """The run that the token started; empty for a new one."""
        try:
            return (self._state / "tokens" / _token_name(token)).read_text(encoding="ascii")
        except (OSError, UnicodeDecodeError):
            return ""

    def agree(self, content_hash: str) -> None:
        """Keep that the user agreed to content of that hash."""
        self._write("consents", content_hash, "agreed\n")

    def agreed(self, content_hash: str) -> bool:
        """Whether the user agreed to exactly this content before."""
        return content_hash.isalnum() and (self._state / "consents" / content_hash).is_file()

    def _write(self, kind: str, name: str, text: str) -> None:
        self._state.parent.mkdir(parents=True, exist_ok=True)
        make_private_dir(self._state)
        make_private_dir(self._state / kind)
        write_atomic(self._state / kind, name, text.encode())


def _token_name(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogateescape")).hexdigest()
