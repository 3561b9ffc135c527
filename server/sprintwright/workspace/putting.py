"""Files of a folder put, replaced and removed by name: never through a link, each one whole or not at all.

Names are bytes, as git has them; they are reached part by part from the folder's descriptor.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Callable
from pathlib import Path

from sprintwright.paths.beneath import opened_folder

_TEMPORARY = ".sprintwright-restore-"
_READ, _EXECUTE = 0o444, 0o111


def put_file(folder: Path, name: bytes, data: bytes, *, executable: bool) -> None:
    """Write or replace a regular file; missing folders are made, an empty folder of the name is removed.

    A file that is replaced keeps its permissions but for the right to execute, and a second name of it (a hard
    link) keeps the old content.

    Raises:
        PathRefused: a folder above is a link.
        OSError: what the system says; the old file is there, and nothing else of ours.
    """
    *above, last = os.fsdecode(name).split("/")
    with opened_folder(folder, above, make=0o777) as where:
        mode = _mode(last, where, executable)

        def write(temporary: str) -> None:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
            descriptor = os.open(temporary, flags, 0o777 if executable else 0o666, dir_fd=where)
            with os.fdopen(descriptor, "wb") as file:
                if mode is not None:
                    os.fchmod(descriptor, mode)
                file.write(data)

        _replace(last, where, write)


def put_link(folder: Path, name: bytes, target: bytes) -> None:
    """Make or replace a symbolic link; it is not followed. Raises as `put_file`, and `ValueError` for no target."""
    *above, last = os.fsdecode(name).split("/")
    with opened_folder(folder, above, make=0o777) as where:
        _replace(last, where, lambda temporary: os.symlink(os.fsdecode(target), temporary, dir_fd=where))


def remove(folder: Path, name: bytes) -> None:
    """Remove a file or link, and the folders above that are empty then. That it is gone already is fine.

    Raises:
        PathRefused: a folder above is a link.
        OSError: what the system says; a folder of the name for instance.
    """
    *above, last = os.fsdecode(name).split("/")
    with contextlib.suppress(FileNotFoundError), opened_folder(folder, above) as where:
        os.unlink(last, dir_fd=where)
    while above:
        last = above.pop()
        try:
            with opened_folder(folder, above) as where:
                os.rmdir(last, dir_fd=where)
        except FileNotFoundError:
            continue
        except OSError:
            return  # something else is in it


def _mode(name: str, where: int, executable: bool) -> int | None:
    """Permissions of a file that is replaced; None where there is none, and the umask decides."""
    try:
        status = os.stat(name, dir_fd=where, follow_symlinks=False)
    except FileNotFoundError:
        return None
    if not stat.S_ISREG(status.st_mode):
        return None
    mode = stat.S_IMODE(status.st_mode) & 0o777
    return mode | (mode & _READ) >> 2 if executable else mode & ~_EXECUTE


def _replace(name: str, where: int, make: Callable[[str], None]) -> None:
    _clear_empty(name, where)
    temporary = _TEMPORARY + secrets.token_hex(8)
    try:
        make(temporary)
        os.rename(temporary, name, src_dir_fd=where, dst_dir_fd=where)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(temporary, dir_fd=where)
        raise


def _clear_empty(name: str, where: int) -> None:
    """Remove a folder in which there are only empty folders. Raises `OSError` when there is anything else."""
    with contextlib.suppress(FileNotFoundError):
        if stat.S_ISDIR(os.stat(name, dir_fd=where, follow_symlinks=False).st_mode):
            for root, folders, _, inside in os.fwalk(name, topdown=False, dir_fd=where):
                for below in folders:
                    os.rmdir(below, dir_fd=inside)
                del root
            os.rmdir(name, dir_fd=where)
