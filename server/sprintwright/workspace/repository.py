"""The user's repository, as far as it concerns us: where it is, and whether it moved. Read, never written."""

from __future__ import annotations

import hashlib
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path

from sprintwright.errors import WorkspaceError
from sprintwright.text import one_line
from sprintwright.workspace.git import Git

_GROUPS = {
    b"HEAD": "HEAD", b"refs/heads/": "branches", b"refs/tags/": "tags", b"refs/remotes/": "remotes",
    b"refs/stash": "stash",
}  # fmt: skip
_SMALL_FILE = 1_000_000
_HASH_LETTERS = 12


@dataclass(frozen=True, slots=True)
class Repository:
    """Where a repository lies."""

    root: Path
    """The work tree's top."""
    git_dir: Path
    common_dir: Path
    """Config, hooks and refs; the same as ``git_dir`` outside of linked worktrees."""


def find_repository(folder: Path) -> Repository | None:
    """The repository that a folder belongs to, or None.

    `.git` must be a folder, or a file of a worktree or submodule whose target names it back; above the folder
    it must also belong to this user. Anything else would let a planted `.git` choose the configuration.

    Raises:
        WorkspaceError: there is one, and it is not believed; or the folder is a bare repository.
    """
    try:
        return _search(folder.resolve())
    except OSError as error:
        raise WorkspaceError(f"The repository of {str(folder)!r} can't be read: {error}") from error


def _search(folder: Path) -> Repository | None:
    for root in (folder, *folder.parents):
        dot_git = root / ".git"
        if os.path.lexists(dot_git):
            _refuse_foreign(dot_git, trusted=root == folder)
            git_dir = dot_git if dot_git.is_dir() else _target(dot_git)
            return Repository(root, git_dir, _common(git_dir))
        if root == folder and _looks_bare(folder):
            message = f"{str(folder)!r} is a bare repository; open a folder with a work tree instead."
            raise WorkspaceError(message, data={"reason": "bare"})
    return None


def _refuse_foreign(dot_git: Path, *, trusted: bool) -> None:
    status = dot_git.lstat()
    if stat.S_ISLNK(status.st_mode) or not (stat.S_ISDIR(status.st_mode) or stat.S_ISREG(status.st_mode)):
        raise WorkspaceError(f"{str(dot_git)!r} is neither a folder nor a file; its repository is not used.")
    if not trusted and status.st_uid != os.geteuid():
        raise WorkspaceError(
            f"{str(dot_git)!r} belongs to another user (uid {status.st_uid}); its repository is not used."
        )


def _target(dot_git: Path) -> Path:
    named = re.fullmatch(rb"gitdir: ([^\n]+)\n*", _small(dot_git))
    target = dot_git.parent / os.fsdecode(named[1]) if named else None
    if target is None or not target.is_dir():
        raise WorkspaceError(f"{str(dot_git)!r} names no repository; repair it with git worktree repair.")
    target = target.resolve()
    worktree = re.fullmatch(rb"([^\n]+)\n*", _small(target / "gitdir"))
    submodule = re.search(rb"^\s*worktree\s*=\s*\"?([^\"\n]+)", _small(target / "config"), re.MULTILINE)
    named_back = [target / os.fsdecode(worktree[1])] if worktree else []
    if submodule:
        named_back.append(target / os.fsdecode(submodule[1]) / ".git")
    if not any(_same(back, dot_git) for back in named_back):
        raise WorkspaceError(
            f"{str(dot_git)!r} points to {str(target)!r}, which does not name it back; "
            "its repository is not used. Repair it with git worktree repair."
        )
    if target.stat().st_uid != os.geteuid():
        raise WorkspaceError(f"{str(target)!r} belongs to another user; its repository is not used.")
    return target


def _same(one: Path, other: Path) -> bool:
    try:
        return one.samefile(other)
    except OSError:
        return False


def _common(git_dir: Path) -> Path:
    named = _small(git_dir / "commondir").strip()
    return (git_dir / os.fsdecode(named)).resolve() if named else git_dir


def _looks_bare(folder: Path) -> bool:
    return (folder / "HEAD").is_file() and (folder / "objects").is_dir() and (folder / "refs").is_dir()


def _small(path: Path) -> bytes:
    """The beginning of a regular file; empty when there is none."""
    try:
        descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_NOCTTY)
    except OSError:
        return b""
    with os.fdopen(descriptor, "rb") as file:
        return file.read(_SMALL_FILE) if stat.S_ISREG(os.fstat(descriptor).st_mode) else b""


class RepositoryWatch:
    """Looks at where a repository stands, cheap when nothing moved.

    Args:
        git: for the folder.
        repository: from `find_repository`.
    """

    def __init__(self, git: Git, repository: Repository) -> None:
        self._git = git
        self.repository = repository
        self._index: tuple[tuple[int, ...], str] = ((), "")

    async def state(self) -> dict[str, str]:
        """Its parts by name, as `Snapshot.beside` has them. A refresh of the index moves nothing.

        Raises:
            WorkspaceError: git refuses the repository.
        """
        refs = (await self._git.run("show-ref", "--head", "--dereference", also=(1,))).stdout
        groups: dict[str, list[bytes]] = {}
        for line in refs.splitlines():
            groups.setdefault(_group(line.partition(b" ")[2]), []).append(line)
        where = self.repository
        config = b"\0".join(
            _settings(_small(path))
            for path in (
                where.common_dir / "config",
                where.git_dir / "config.worktree",
                where.common_dir / "info/attributes",
            )
        )
        parts = {group: _hash(b"\n".join(lines)) for group, lines in groups.items()}
        if head := groups.get("HEAD"):
            parts["HEAD"] = head[0][:_HASH_LETTERS].decode("ascii", "replace")
        parts["branch"] = _branch(_small(where.git_dir / "HEAD"))
        parts["index"] = await self._index_content()
        parts[".git/config"] = _hash(config)
        return parts | _hooks(where.common_dir / "hooks")

    def index_stamp(self) -> tuple[int, ...]:
        """Changes whenever the user's index is written."""
        return stamp(self.repository.git_dir / "index")

    async def _index_content(self) -> str:
        # Editors refresh the index all the time. Its entries count, not its time stamps.
        now = self.index_stamp()
        if now != self._index[0]:
            entries = (await self._git.run("ls-files", "--stage", "-z", "--full-name", ":/")).stdout
            self._index = (now, _hash(entries))
        return self._index[1]

    async def tracked_though_ignored(self) -> list[bytes]:
        """Files beneath the folder that the user tracks and an ignore rule names."""
        listed = await self._git.run("ls-files", "-z", "--cached", "--ignored", "--exclude-standard")
        return [name for name in listed.stdout.split(b"\0") if name]


def stamp(file: Path) -> tuple[int, ...]:
    """Changes whenever a file is replaced or written; empty when there is none."""
    try:
        status = file.lstat()
    except OSError:
        return ()
    return (status.st_mtime_ns, status.st_ctime_ns, status.st_size, status.st_ino)


def _group(name: bytes) -> str:
    for prefix, group in _GROUPS.items():
        if name.startswith(prefix):
            return group
    return "other refs"


def _branch(head: bytes) -> str:
    named = head.strip().removeprefix(b"ref: refs/heads/")
    return one_line(named.decode("utf-8", "replace"), 100) if named != head.strip() else "detached"


def _settings(config: bytes) -> bytes:
    """Without the sections `[branch …]`: every new branch writes one, and they run nothing."""
    kept: list[bytes] = []
    passed_over = continued = False
    for line in config.splitlines():
        if not continued and (header := line.lstrip()).startswith(b"["):
            passed_over = header[1:].lstrip().lower().startswith(b"branch ") and header.rstrip().endswith(b"]")
        continued = line.endswith(b"\\")
        if not passed_over:
            kept.append(line)
    return b"\n".join(kept)


def _hooks(folder: Path) -> dict[str, str]:
    try:
        hooks = sorted(hook for hook in folder.iterdir() if hook.suffix != ".sample")
    except OSError:
        return {}
    contents = {hook.name: _mode(hook) + _small(hook) for hook in hooks}
    return {f".git/hooks/{one_line(name, 80)}": _hash(content) for name, content in contents.items()}


def _mode(file: Path) -> bytes:
    try:
        status = file.lstat()
    except OSError:
        return b""
    return b"%o %d " % (status.st_mode, status.st_size)


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()[:_HASH_LETTERS]
