"""Which files of a folder the tools touch: none outside of it, and those that hold secrets only after asking (X66)."""

from __future__ import annotations

import os
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

from sprintwright.paths import relative_inside, resolve_inside

_SECRET_FILES = (
    ".env*", "*.pem", "id_*", ".npmrc", ".netrc", "_netrc", ".pypirc", ".git-credentials", ".pgpass", ".htpasswd",
    "*.key", "*.p12", "*.pfx", "*.jks", "*.keystore", "*.kdbx", "credentials", "credentials.*", ".dockercfg",
)  # fmt: skip
_SECRET_FOLDERS = frozenset([".ssh", ".aws", ".gnupg", ".azure", ".kube", ".docker", "gcloud"])
_SKIPPED = frozenset([".git", ".hg", ".svn", ".sprintwright", "node_modules", ".venv", "__pycache__"])
_MOST_FILES = 200_000


def place(folder: Path, path: str, *, creating: bool = False) -> str:
    """Where a path really is, relative to the folder, links resolved. Raises `PathRefused`."""
    return resolve_inside(folder, relative_inside(path, folder, creating=creating))


def is_secret(*paths: str) -> bool:
    """Whether one of these names a file that is likely to hold secrets, in any case of letters."""
    for path in paths:
        *above, name = path.replace("\\", "/").casefold().rstrip("/").split("/")
        if any(fnmatchcase(name, pattern) for pattern in _SECRET_FILES) or name in _SECRET_FOLDERS:
            return True
        if not _SECRET_FOLDERS.isdisjoint(above):
            return True
    return False


def files_below(folder: Path, rel: str) -> Iterator[str]:
    """The files below a part of the folder, sorted; without links, secrets, and what git and packages keep.

    Args:
        rel: from `place`; empty: the whole folder.
    """
    seen = 0
    for above, folders, names in os.walk(folder / rel if rel else folder, followlinks=False):
        folders[:] = sorted(name for name in folders if name.casefold() not in _SKIPPED and not is_secret(name))
        base = Path(above)
        for name in sorted(names):
            seen += 1
            if seen > _MOST_FILES:
                return
            if not is_secret(name) and not (base / name).is_symlink():
                yield (base / name).relative_to(folder).as_posix()
