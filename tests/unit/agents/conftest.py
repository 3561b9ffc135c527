"""A place for the sockets of our tools."""

from __future__ import annotations

import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest


@pytest.fixture
def runtime() -> Generator[Path]:
    """A runtime folder whose path is short enough for sockets, wherever pytest keeps its own."""
    with tempfile.TemporaryDirectory(prefix="sw") as folder:
        yield Path(folder) / "runtime"
