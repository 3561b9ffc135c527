"""Git repositories for tests, made by plain git calls."""

from __future__ import annotations

import hashlib
import os
import subprocess
from pathlib import Path

ENVIRONMENT = {
    "PATH": os.environ["PATH"],
    "HOME": "/nonexistent",
    "GIT_CONFIG_NOSYSTEM": "1",
    **{f"GIT_{who}_{what}": "user@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
}


def git(folder: Path, *arguments: str) -> str:
    """Run git as the user would."""
    argv = ["git", "-c", "protocol.file.allow=always", *arguments]
    return subprocess.run(argv, cwd=folder, env=ENVIRONMENT, check=True, capture_output=True, text=True).stdout


def repository(folder: Path, files: dict[str, str] | None = None) -> Path:
    """A repository with one commit of ``files``."""
    folder.mkdir(parents=True, exist_ok=True)
    git(folder, "init", "-q", "-b", "main")
    for name, content in (files or {"a.py": "one\n"}).items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(content, encoding="utf-8")
    git(folder, "add", "-A")
    git(folder, "commit", "-q", "-m", "first")
    return folder


def fingerprint(folder: Path) -> str:
    """Every byte and name beneath a folder: equal when nothing at all was written."""
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*")):
        digest.update(os.fsencode(path))
        if path.is_file() and not path.is_symlink():
            digest.update(path.read_bytes())
    return digest.hexdigest()
