"""Large texts beside the journal, by content: a record holds ``{"$blob": sha256, "bytes": n}`` in their place."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, cast

from sprintwright.errors import PathRefused, RunUnreadable
from sprintwright.paths import read_beneath, write_atomic

_MARK = "$blob"
_MOST_BYTES = 256 * 1024 * 1024


def sha256(data: bytes) -> str:
    """The name of a blob."""
    return hashlib.sha256(data).hexdigest()


def outline(value: Any, blobs: dict[str, bytes], limit: int) -> Any:
    """The value with each text of more than ``limit`` bytes moved to ``blobs``."""
    if isinstance(value, str):
        data = value.encode()
        if len(data) <= limit:
            return value
        name = sha256(data)
        blobs[name] = data
        return {_MARK: name, "bytes": len(data)}
    if isinstance(value, dict):
        return {key: outline(item, blobs, limit) for key, item in cast("dict[str, Any]", value).items()}
    if isinstance(value, list):
        return [outline(item, blobs, limit) for item in cast("list[Any]", value)]
    return value


def inline(value: Any, read: Callable[[str], str]) -> Any:
    """The value with its texts put back. Raises `RunUnreadable` for a blob that is gone or changed."""
    if isinstance(value, Mapping):
        mapping = cast("Mapping[str, Any]", value)
        if _MARK in mapping:
            return read(str(mapping[_MARK]))
        return {key: inline(item, read) for key, item in mapping.items()}
    if isinstance(value, list):
        return [inline(item, read) for item in cast("list[Any]", value)]
    return value


class Blobs:
    """The `blobs/` folder of a run."""

    def __init__(self, run_folder: Path) -> None:
        self._folder = run_folder

    def write(self, name: str, data: bytes) -> None:
        """Durable when it returns; a blob that is there already is not written again."""
        if not (self._folder / "blobs" / name).exists():
            write_atomic(self._folder, f"blobs/{name}", data)

    def read(self, name: str) -> str:
        """The text of a blob."""
        try:
            data = read_beneath(self._folder, f"blobs/{name}", _MOST_BYTES)
        except OSError as error:
            raise RunUnreadable(f"the text blobs/{name} can't be read: {error.strerror}") from error
        except PathRefused as error:
            raise RunUnreadable(error.message) from error
        if sha256(data) != name:
            raise RunUnreadable(f"the text blobs/{name} was changed")
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise RunUnreadable(f"blobs/{name} is no text") from error
