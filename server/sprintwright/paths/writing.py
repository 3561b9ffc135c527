"""Small files replaced whole or not at all, and folders that are nobody else's."""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from pathlib import Path

from sprintwright.errors import PathRefused
from sprintwright.paths.beneath import link_refused, make_folder, opened_folder
from sprintwright.paths.names import relative_inside
from sprintwright.stops import stop

_LEFTOVER = ".tmp-"


def write_atomic(folder: Path, rel: str, data: bytes, *, mode: int = 0o600, parents: bool = False) -> None:
    """Write or replace a file beneath a folder: whatever happens, the old or the new content is there.

    Durable when it returns. A crash can leave a `.tmp-…` file; see `remove_leftovers`.

    Args:
        folder: absolute and trusted.
        rel: from `relative_inside`.
        mode: of the file, whatever the umask.
        parents: make missing folders, as private as the file.

    Raises:
        PathRefused: a part is a link, or something other than a regular file has the name.
        OSError: what the system says; the old content is there and the temporary file is gone.
    """
    *above, name = relative_inside(rel).split("/")
    make = (0o700 if not mode & 0o077 else 0o777) if parents else None
    with opened_folder(folder, above, make=make) as where:
        _refuse_target(folder, rel, where, name)
        temporary = _LEFTOVER + secrets.token_hex(8)
        try:
            _write_new(temporary, data, mode, where)
            stop("artifact.temp_written")
            os.rename(temporary, name, src_dir_fd=where, dst_dir_fd=where)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary, dir_fd=where)
            raise
        stop("artifact.renamed")
        os.fsync(where)


def _refuse_target(folder: Path, rel: str, where: int, name: str) -> None:
    try:
        mode = os.stat(name, dir_fd=where, follow_symlinks=False).st_mode
    except FileNotFoundError:
        return
    if stat.S_ISLNK(mode):
        raise link_refused(str(folder / rel))
    if not stat.S_ISREG(mode):
        raise PathRefused(f"{rel!r} is not a regular file and is not replaced.", data={"path": rel})


def _write_new(name: str, data: bytes, mode: int, where: int) -> None:
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
    descriptor = os.open(name, flags, mode & 0o700, dir_fd=where)
    try:
        os.fchmod(descriptor, mode)
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(descriptor, rest) :]
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def make_private_dir(path: Path, *, durable: bool = True) -> None:
    """Make a folder that only we can enter (0700, whatever the umask), or see that it is one.

    Args:
        durable: wait until its name is on the disk.

    Raises:
        PathRefused: a link or a file has the name, or the folder is another user's.
        OSError: what the system says; the parent must exist.
    """
    with opened_folder(path.parent, []) as parent:
        if make_folder(path.name, 0o700, parent):
            if durable:
                os.fsync(parent)
        elif not path.is_symlink() and not path.is_dir():
            raise PathRefused(f"{str(path)!r} is a file; a folder of that name is needed.", data={"path": str(path)})
    with opened_folder(path.parent, [path.name]) as descriptor:
        status = os.fstat(descriptor)
        if status.st_uid != os.geteuid():
            raise PathRefused(
                f"{str(path)!r} belongs to another user (uid {status.st_uid}); nothing is kept there.",
                data={"path": str(path)},
            )
        if stat.S_IMODE(status.st_mode) != 0o700:
            os.fchmod(descriptor, 0o700)


def sync_folder(folder: Path) -> None:
    """Make the names in a folder durable."""
    with opened_folder(folder, []) as descriptor:
        os.fsync(descriptor)


def remove_leftovers(folder: Path) -> int:
    """Remove the temporary files that a killed `write_atomic` left in a folder. Only for the folder's owner.

    Returns:
        How many there were.
    """
    removed = 0
    with opened_folder(folder, []) as descriptor:
        for name in os.listdir(descriptor):  # noqa: PTH208 - by descriptor
            if name.startswith(_LEFTOVER):
                with contextlib.suppress(FileNotFoundError, IsADirectoryError, PermissionError):
                    os.unlink(name, dir_fd=descriptor)
                    removed += 1
    return removed
