"""Programs are found by our own look-up, to an absolute path: nothing planted in a folder is ever meant."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path

from sprintwright.errors import Operational
from sprintwright.processes.environment import absolute_entries
from sprintwright.processes.login import LOGIN
from sprintwright.processes.windows import find_on_windows
from sprintwright.text import nearest

OURSELVES = "{sprintwright}"
"""Stands for this program in a command: wherever it is installed, and whether or not it is on PATH."""

_MOST_NAMES = 20_000
"""Names looked at for a *did you mean*; a PATH with more has no better hint."""
_ALIKE = 0.8
"""Among the thousands of names on a PATH something is always a little alike."""


def find_command(name: str, *, path: str | None = None, folder: Path | None = None, setting: str = "") -> list[str]:
    """How to start what a command names: `find_program`, or this program itself for `OURSELVES`."""
    if name == OURSELVES:
        # By its path: the interpreter need not have it among its own packages. -P: nor is one of the folder's meant.
        return [sys.executable, "-P", str(Path(__file__).parents[1] / "__main__.py")]
    return [str(find_program(name, path=path, folder=folder, setting=setting))]


def find_program(name: str, *, path: str | None = None, folder: Path | None = None, setting: str = "") -> Path:
    """Find a program.

    What is not on PATH is looked up on that of the user's login shell; the first time that waits for the shell for some
    seconds, so whoever has a loop calls this beside it.

    Args:
        name: a bare name is looked up on PATH. A name with a slash is a path, relative to ``folder``: it
            names a program of the folder on purpose, and the caller has the user's consent for it.
        path: the PATH; that of our environment by default. Empty, `.` and relative entries are skipped.
        folder: the workspace. Entries inside it are skipped, and programs whose links lead into it.
        setting: where the user can say which program is meant, for the sentence.

    Returns:
        An absolute path, links unresolved: programs look at the name they are started by.

    Raises:
        Operational: there is none; the sentence names the PATH used, and ``setting``. Cause `spawn`.
    """
    if not name or "\0" in name:
        raise Operational("spawn", f"{name!r} is no name of a program.")
    if "/" in name:
        return _by_path(name, folder)
    searched = os.environ.get("PATH", os.defpath) if path is None else path
    inside = folder.resolve() if folder is not None else None
    found, skipped = _on_path(name, searched, inside)
    if found is None and (further := LOGIN.path()):
        found, further_skipped = _on_path(name, further, inside)
        searched, skipped = f"{searched}{os.pathsep}{further}", skipped or further_skipped
    if found is None:
        raise Operational("spawn", _not_found(name, searched, skipped, inside, setting))
    return found


def is_on_path(name: str, path: str, folder: Path | None = None) -> bool:
    """Whether `find_program` would find a bare name; nothing is opened, and no folder is listed for a hint."""
    try:
        return _on_path(name, path, folder.resolve() if folder is not None else None)[0] is not None
    except (OSError, RuntimeError):  # a folder that is a circle of links
        return False


def _on_path(name: str, searched: str, inside: Path | None) -> tuple[Path | None, Path | None]:
    """The program, and the first one of that name that does not count because it lies in the workspace."""
    if sys.platform == "win32":
        by_windows = find_on_windows(name, searched, os.path.isfile, str(inside) if inside is not None else None)
        return (Path(by_windows) if by_windows is not None else None), None
    skipped: Path | None = None
    for entry in absolute_entries(searched):
        candidate = Path(entry) / name
        if not _is_program(candidate):
            continue
        if inside is None or not _lies_in(candidate, inside):
            return candidate, skipped
        skipped = skipped or candidate
    return None, skipped


def _by_path(name: str, folder: Path | None) -> Path:
    # normpath would change the meaning of `link/..`; the system resolves what is left.
    found = (folder or Path.cwd()).absolute() / name
    if _is_program(found):
        return found
    if found.is_dir():
        what = "is a folder; name the program in it"
    else:
        what = "is not executable; run chmod +x on it" if found.is_file() else "does not exist; check the path"
    raise Operational("spawn", f"The program {str(found)!r} {what}.")


def _is_program(candidate: Path) -> bool:
    try:
        return candidate.is_file() and os.access(candidate, os.X_OK)
    except OSError:
        return False  # an entry that this user may not enter, such as another user's after sudo


def _lies_in(candidate: Path, inside: Path) -> bool:
    # Both: an entry in the folder that links outside can be exchanged by the folder's owner at any time.
    return (candidate.parent.resolve() / candidate.name).is_relative_to(inside) or candidate.resolve().is_relative_to(
        inside
    )


def _not_found(name: str, searched: str, skipped: Path | None, inside: Path | None, setting: str) -> str:
    where = f" in {setting}" if setting else ""
    if skipped is not None:
        return (
            f"The program {name!r} was found only inside the workspace ({str(skipped)!r}), where PATH is not "
            f"followed. To use that one, name it by its path{where}. PATH used: {searched!r}."
        )
    near = nearest(name, _names(searched, inside), alike=_ALIKE)
    hint = f" Did you mean {near!r}?" if near else ""
    return (
        f"The program {name!r} was not found.{hint} Install it, or name it by its absolute path{where}. "
        f"PATH used: {searched!r}."
    )


def _names(searched: str, inside: Path | None) -> Iterator[str]:
    left = _MOST_NAMES
    for entry in absolute_entries(searched):
        if inside is not None and Path(entry).resolve().is_relative_to(inside):
            continue
        try:
            names = [found.name for found in os.scandir(entry)]
        except OSError:
            continue
        yield from names[:left]
        left -= len(names)
        if left <= 0:
            return
