"""Which of the files that git found changed can go into a snapshot."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable
from dataclasses import dataclass, field

LARGEST = 50 * 1024 * 1024
"""Bytes; larger files are not covered."""


@dataclass(slots=True)
class Selection:
    """What to do with each name."""

    update: list[bytes] = field(default_factory=list[bytes])
    """Read again, or taken out when it is gone."""
    remove: list[bytes] = field(default_factory=list[bytes])
    """Taken out: a folder, FIFO or the like has the name now, or a folder above it became a link."""
    not_covered: list[bytes] = field(default_factory=list[bytes])


def select(folder: bytes, names: Iterable[bytes], ours: bytes) -> Selection:
    """Look at each name once, without opening it.

    Args:
        names: relative to ``folder``; one that ends in `/` is a nested repository.
        ours: the folder of ours, never covered and never named.
    """
    selection = Selection()
    links: dict[bytes, bool] = {}
    for name in sorted(set(names)):
        parts = name.split(b"/")
        if parts[0] == ours:
            continue
        if name.endswith(b"/") or any(part.lower() == b".git" for part in parts):
            selection.not_covered.append(name)
        elif _beyond_a_link(folder, parts, links):
            selection.remove.append(name)
        else:
            _place(folder, name, selection)
    return selection


def _place(folder: bytes, name: bytes, selection: Selection) -> None:
    path = os.path.join(folder, name)  # noqa: PTH118 - bytes: names need not be UTF-8
    try:
        status = os.lstat(path)
    except (FileNotFoundError, NotADirectoryError):
        selection.update.append(name)
        return
    except OSError:
        selection.not_covered.append(name)
        return
    if stat.S_ISLNK(status.st_mode):
        selection.update.append(name)
    elif not stat.S_ISREG(status.st_mode):
        selection.remove.append(name)
    elif status.st_size > LARGEST or not os.access(path, os.R_OK):
        selection.not_covered.append(name)
    else:
        selection.update.append(name)


def _beyond_a_link(folder: bytes, parts: list[bytes], links: dict[bytes, bool]) -> bool:
    """Whether a folder above is a link: what can be seen through it is elsewhere, and no file of this folder."""
    for depth in range(1, len(parts)):
        above = b"/".join(parts[:depth])
        if above not in links:
            links[above] = os.path.islink(os.path.join(folder, above))  # noqa: PTH114, PTH118
        if links[above]:
            return True
    return False
