"""Where the user's own files are: configuration, state, runtime. Nothing of a workspace."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

_MOST_BYTES = 100 - len("/20260102-030405678-abcd.sock")
"""A socket's path has room for about 100 bytes."""


@dataclass(frozen=True, slots=True)
class Places:
    """The user's folders by the XDG rules; made when something is first kept there."""

    config: Path
    state: Path
    runtime: Path

    @classmethod
    def of(cls, environment: Mapping[str, str]) -> Places:
        """The places that an environment names."""
        home = Path(environment.get("HOME") or Path.home())
        return cls(
            config=_xdg(environment, "XDG_CONFIG_HOME", home / ".config"),
            state=_xdg(environment, "XDG_STATE_HOME", home / ".local" / "state"),
            runtime=_runtime(environment.get("XDG_RUNTIME_DIR", "")),
        )

    @property
    def workflows(self) -> Path:
        """The user's own definitions."""
        return self.config / "workflows"


def _runtime(folder: str) -> Path:
    """The user's runtime folder; where it is none or too deep for a socket, a short one of the user's own."""
    wanted = Path(folder) / "sprintwright"
    usable = folder.startswith("/") and os.path.isdir(folder) and os.access(folder, os.W_OK)  # noqa: PTH112
    if usable and len(os.fsencode(wanted)) <= _MOST_BYTES:
        return wanted
    mark = f"-{hashlib.sha256(os.fsencode(folder)).hexdigest()[:8]}" if folder else ""
    return Path("/tmp") / f"sprintwright-{os.getuid()}{mark}"


def _xdg(environment: Mapping[str, str], name: str, default: Path) -> Path:
    value = environment.get(name, "")
    return (Path(value) if value.startswith("/") else default) / "sprintwright"
