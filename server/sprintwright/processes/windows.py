"""How programs are looked up and started on Windows: pure rules, tested everywhere."""

from __future__ import annotations

import ntpath
import re
from collections.abc import Callable, Sequence

_EXTENSIONS = (".exe", ".com", ".cmd", ".bat")
"""Fixed, whatever PATHEXT says: a real program before a script of the same name, and no script hosts."""

_BATCH = (".cmd", ".bat")
_UNSAFE_IN_BATCH = re.compile(r'["%^&|<>!()\r\n]')


def find_on_windows(name: str, path: str, is_file: Callable[[str], bool], folder: str | None = None) -> str | None:
    """Find a program as `find_program` does, by the rules of Windows.

    The current folder is never searched, a file without a known extension is none, and entries that are not
    absolute (`\\tools` and `C:tools` are not) or lie in ``folder`` are skipped.

    Args:
        is_file: whether a path is a file.

    Returns:
        An absolute path with its extension, or None.
    """
    if not name or re.search(r"[\\/:]", name):
        return None
    names = [name] if _extension(name) in _EXTENSIONS else [name + extension for extension in _EXTENSIONS]
    for entry in (part.strip('"') for part in path.split(";")):
        if not _is_absolute(entry) or (folder is not None and _lies_in(entry, folder)):
            continue
        for candidate in names:
            if is_file(found := ntpath.join(entry, candidate)):
                return found
    return None


def batch_refusal(program: str, arguments: Sequence[str]) -> str | None:
    """Why these arguments can't be given to a `.cmd` or `.bat` file; None when they can, or it is neither.

    cmd.exe reads a batch file's arguments again, whatever their quoting (CVE-2024-24576): text of others goes
    by standard input, and no argument holds a letter that cmd.exe understands.
    """
    if _extension(program) not in _BATCH:
        return None
    for argument in arguments:
        if found := _UNSAFE_IN_BATCH.search(argument):
            name = ntpath.basename(program)
            return f"{name!r} is a batch file: {found[0]!r} in the argument {argument!r} could run as a command."
    return None


def _extension(name: str) -> str:
    # Windows drops trailing dots and spaces when it opens a file: "x.bat. " is a batch file.
    return ntpath.splitext(name.rstrip(". "))[1].lower()


def _is_absolute(entry: str) -> bool:
    drive, rest = ntpath.splitdrive(entry)
    return bool(drive) and rest.startswith(("\\", "/"))


def _lies_in(entry: str, folder: str) -> bool:
    inside, outside = (ntpath.normcase(ntpath.normpath(path)).rstrip("\\") for path in (entry, folder))
    return inside == outside or inside.startswith(outside + "\\")
