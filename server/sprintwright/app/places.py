"""Where the user's own files are: configuration, state, runtime. Nothing of a workspace."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path


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
        runtime = environment.get("XDG_RUNTIME_DIR", "")
        return cls(
            config=_xdg(environment, "XDG_CONFIG_HOME", home / ".config"),
            state=_xdg(environment, "XDG_STATE_HOME", home / ".local" / "state"),
            # A socket's path may have about 100 bytes: the fall-back is short and the user's own.
            runtime=Path(runtime) / "sprintwright"
            if runtime.startswith("/")
            else Path(tempfile.gettempdir()) / f"sprintwright-{os.getuid()}",
        )

    @property
    def workflows(self) -> Path:
        """The user's own definitions."""
        return self.config / "workflows"


def _xdg(environment: Mapping[str, str], name: str, default: Path) -> Path:
    value = environment.get(name, "")
    return (Path(value) if value.startswith("/") else default) / "sprintwright"
