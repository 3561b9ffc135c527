"""Where this program's own faults are written down: never between the lines that a user reads."""

from __future__ import annotations

import logging
from logging.handlers import RotatingFileHandler
from pathlib import Path

_MOST_BYTES = 1024 * 1024


def log_to(state: Path) -> None:
    """Send the package's log to `sprintwright.log` in the user's state folder; without one, nowhere."""
    logger = logging.getLogger("sprintwright")
    try:
        state.mkdir(parents=True, exist_ok=True, mode=0o700)
        handler: logging.Handler = RotatingFileHandler(
            state / "sprintwright.log", maxBytes=_MOST_BYTES, backupCount=1, encoding="utf-8", delay=True
        )
    except OSError:
        handler = logging.NullHandler()
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))
    logger.addHandler(handler)
    logger.propagate = False
