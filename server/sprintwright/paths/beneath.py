"""Files beneath a folder, opened part by part from the folder's descriptor: no link can lead outside."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Generator
from pathlib import Path

from sprintwright.errors import PathRefused
from sprintwright.paths.names import relative_inside

_READ_BYTES = 1 << 20


def open_beneath(folder: Path, rel: str, flags: int = os.O_RDONLY, mode: int = 0o600) -> int:
    """Open a regular file beneath a folder. Never follows a link, never waits for the other end of a FIFO.

    Args:
        folder: absolute and trusted; links in *its* path are followed.
        rel: from `relative_inside` (or `resolve_inside`, for a path that may go through links of the folder).

    Returns:
        A descriptor; the caller closes it.

    Raises:
        PathRefused: a part is a link, or the file is not regular, or is to be written and has a second name.
        OSError: what the system says otherwise, `FileNotFoundError` for instance.
    """
    *parents, name = relative_inside(rel).split("/")
    with opened_folder(folder, parents) as where:
        safe = flags | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_NOCTTY
        try:
            # O_TRUNC would act before the checks below.
            descriptor = os.open(name, safe & ~os.O_TRUNC, mode, dir_fd=where)
        except OSError as error:
            raise _link_or(error, folder, rel, where, name) from None
    try:
        _refuse_special(descriptor, rel, writing=bool(flags & (os.O_WRONLY | os.O_RDWR)))
        if flags & os.O_TRUNC:
            os.ftruncate(descriptor, 0)
    except BaseException:
        os.close(descriptor)
        raise
    return descriptor


@contextlib.contextmanager
def opened_folder(folder: Path, parts: list[str], *, make: int | None = None) -> Generator[int]:
    """The descriptor of a folder beneath ``folder``, reached part by part.

    Args:
        make: mode with which missing parts are made; None leaves them missing.
    """
    descriptor = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        for index, part in enumerate(parts):
            if make is not None:
                make_folder(part, make, descriptor)
            try:
                below = os.open(part, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=descriptor)
            except OSError as error:
                raise _link_or(error, folder, "/".join(parts[: index + 1]), descriptor, part) from None
            os.close(descriptor)
            descriptor = below
        yield descriptor
    finally:
        os.close(descriptor)


def make_folder(name: str, mode: int, where: int) -> bool:
    """Make a folder in the one that ``where`` describes; False when there is something of that name."""
    try:
        os.mkdir(name, mode, dir_fd=where)
    except FileExistsError:
        return False
    if not mode & 0o077:
        os.chmod(name, mode, dir_fd=where)  # a private folder is the same whatever the umask takes away
    return True


def is_folder(path: Path) -> bool:
    """Whether it is a folder, or a link to one; not where nobody can look (no permission, a name that is too long)."""
    return os.path.isdir(path)  # noqa: PTH112 - Path.is_dir raises there


def is_link(path: Path) -> bool:
    """Whether it is a symbolic link; not where nobody can look."""
    return os.path.islink(path)  # noqa: PTH114 - Path.is_symlink raises there


def read_beneath(folder: Path, rel: str, cap: int) -> bytes:
    """The bytes of a regular file beneath a folder.

    Raises:
        PathRefused: as `open_beneath`; also when the file has more than ``cap`` bytes.
        OSError: as `open_beneath`.
    """
    descriptor = open_beneath(folder, rel)
    try:
        pieces: list[bytes] = []
        left = cap + 1
        if os.fstat(descriptor).st_size > cap:
            left = 0  # not even begun: a sparse file of any size is refused at once
        while left > 0 and (piece := os.read(descriptor, min(left, _READ_BYTES))):
            pieces.append(piece)
            left -= len(piece)
    finally:
        os.close(descriptor)
    if left <= 0:
        raise PathRefused(f"The file {rel!r} is larger than {cap:,} bytes and is not read.", data={"path": rel})
    return b"".join(pieces)


def resolve_inside(folder: Path, rel: str) -> str:
    """Where a path beneath a folder really is, links resolved: still relative to it, and still beneath it.

    What it returns can be opened with `open_beneath`: a link put in between is refused there.

    Raises:
        PathRefused: it leads outside, or links lead in a circle.
    """
    base = folder.resolve()
    try:
        inside = (base / relative_inside(rel)).resolve().relative_to(base)
    except ValueError:
        raise PathRefused(f"The path {rel!r} leads outside of {str(folder)!r}.", data={"path": rel}) from None
    except (OSError, RuntimeError):
        raise PathRefused(f"The links of {rel!r} lead in a circle.", data={"path": rel}) from None
    return relative_inside(inside.as_posix())


def refuse_links(path: Path, base: Path) -> None:
    """Refuse a path of which a part below ``base`` is a symbolic link. Parts that don't exist are fine.

    Raises:
        PathRefused: names the link.
    """
    part = base
    for name in path.relative_to(base).parts:
        part = part / name
        if part.is_symlink():
            raise link_refused(str(part))


def link_refused(name: str) -> PathRefused:
    """The refusal of a path because of a link in it."""
    return PathRefused(
        f"{name!r} is a symbolic link; nothing is read or written through it. Replace it by the real thing.",
        data={"link": name},
    )


def _refuse_special(descriptor: int, rel: str, *, writing: bool) -> None:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        raise PathRefused(f"{rel!r} is not a regular file.", data={"path": rel})
    if writing and status.st_nlink > 1:
        raise PathRefused(f"{rel!r} has a second name elsewhere (a hard link) and is not written.", data={"path": rel})


def _link_or(error: OSError, folder: Path, rel: str, where: int, name: str) -> Exception:
    """The refusal when ``name`` is a link or special file; else the error itself, with the whole path."""
    with contextlib.suppress(OSError):
        mode = os.stat(name, dir_fd=where, follow_symlinks=False).st_mode
        if stat.S_ISLNK(mode):
            return link_refused(str(folder / rel))
        if error.errno in (errno.ENXIO, errno.EOPNOTSUPP, errno.ENODEV):
            return PathRefused(f"{rel!r} is not a regular file.", data={"path": rel})
    return OSError(error.errno, error.strerror, str(folder / rel))
