"""The definitions that can be started: built in, the user's, and the workspace's; later ones replace earlier ones."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Iterator
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Literal

from sprintwright.definitions.load import Loaded, load_bytes
from sprintwright.definitions.nodes import MAX_CHARACTERS, MappingNode, problem
from sprintwright.definitions.source import Source
from sprintwright.model.definition import Definition
from sprintwright.model.problem import Problem
from sprintwright.paths import is_link
from sprintwright.text import fold, nearest

Origin = Literal["builtin", "user", "workspace"]

_SUFFIXES = (".yaml", ".yml", ".json")
_MOST_FILES = 1_000
_NAME_LINE = re.compile(r"""^["']?name["']?[ \t]*:[ \t]*["']?([^"'\n#,]+)""", re.MULTILINE)
_READ = sum(getattr(os, flag, 0) for flag in ("O_RDONLY", "O_NONBLOCK", "O_CLOEXEC", "O_NOFOLLOW", "O_BINARY"))


@dataclass(frozen=True, slots=True)
class Entry:
    """One definition file. It can be started when ``loaded.value`` is there."""

    name: str
    origin: Origin
    path: Path
    text: str
    """The text as it was read: what a run keeps as its copy."""
    loaded: Loaded[Definition]
    replaces: Origin | None = None
    """Where the earlier definition of the same name comes from, if there is one."""
    replaced_path: Path | None = None


@dataclass(frozen=True, slots=True)
class Catalogue:
    """All definitions, one for each name, sorted by it. Broken ones are in it: their name must not run another file."""

    entries: tuple[Entry, ...]

    def names(self) -> list[str]:
        """The names, sorted."""
        return [entry.name for entry in self.entries]

    def find(self, name: str) -> Entry | None:
        """The definition of that name, broken or not; case, normal form and blanks around it do not matter."""
        return next((entry for entry in self.entries if _key(entry.name) == _key(name)), None)

    def nearest(self, name: str) -> str | None:
        """The name that was probably meant, when there is none of that name."""
        return nearest(name.strip(), self.names())


def builtin_folder() -> Path:
    """The folder of the built-in definitions: in the installed package, else in the checkout."""
    packaged = Path(str(resources.files("sprintwright"))) / "builtin"
    return packaged if packaged.is_dir() else Path(__file__).resolve().parents[3] / "definitions"


def discover(builtin: Path, user: Path | None, workspace: Path | None) -> Catalogue:
    """Read every definition of the three folders; missing ones are empty. Never raises for what is in them.

    A file that is wrong is an entry with problems, under its name as far as that can be read, else its file's name.
    Symbolic links of the workspace are followed inside of its folder only.
    """
    levels: list[tuple[Origin, Path | None]] = [("builtin", builtin), ("user", user), ("workspace", workspace)]
    found: dict[str, Entry] = {}
    for origin, folder in levels:
        level: dict[str, Entry] = {}
        for path in _files(folder, confined=origin == "workspace") if folder else ():
            if entry := _entry(path, origin):
                key = _key(entry.name)
                level[key] = _ambiguous(level[key], entry) if key in level else entry
        for key, entry in level.items():
            earlier = found.get(key)
            found[key] = replace(entry, replaces=earlier.origin, replaced_path=earlier.path) if earlier else entry
    return Catalogue(tuple(sorted(found.values(), key=lambda entry: (fold(entry.name), entry.name))))


def _key(name: str) -> str:
    return fold(name.strip())


def _files(folder: Path, *, confined: bool) -> Iterator[Path]:
    """Definition files of a folder, in the order of their names."""
    if confined and is_link(folder):
        return
    try:
        paths = sorted(path for path in folder.iterdir() if _is_definition(path.name))
    except OSError:
        return
    yield from paths[:_MOST_FILES]


def _is_definition(name: str) -> bool:
    return not name.startswith(".") and name.endswith(_SUFFIXES) and not name.endswith(".schema.json")


def _entry(path: Path, origin: Origin) -> Entry | None:
    """The entry of a file; None for what is no file at all, such as a folder or a FIFO."""
    try:
        data = _read(path, confined=origin == "workspace")
    except OSError as error:
        message = f"The file can't be read: {error.strerror or error}."
        unread = problem("unreadable", message, Source("").range(0, 0))
        return Entry(path.stem, origin, path, "", Loaded(None, (unread,), None))
    if data is None:
        return None
    text, loaded = load_bytes(data, json=path.suffix == ".json")
    return Entry(_name(text, loaded, path), origin, path, text, loaded)


def _read(path: Path, *, confined: bool) -> bytes | None:
    """At most a little more than a definition may have; None for what is no regular file. Raises `OSError`."""
    real = Path(os.path.realpath(path))
    if confined and not real.is_relative_to(os.path.realpath(path.parent)):
        raise OSError(errno.EPERM, "it is a link that leaves its folder, which is not followed")
    # Without O_NONBLOCK, opening a FIFO would wait for somebody who writes to it.
    descriptor = os.open(real, _READ)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return None
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return file.read(MAX_CHARACTERS + 1)
    finally:
        os.close(descriptor)


def _name(text: str, loaded: Loaded[Definition], path: Path) -> str:
    """The name, also of a file that can't be used: a broken file must not let another one run in its place."""
    if loaded.value:
        return loaded.value.name
    name = loaded.root.text("name").strip() if isinstance(loaded.root, MappingNode) else ""
    if not name and (found := _NAME_LINE.search(text)):
        name = found[1].strip()
    return name or path.stem


def _ambiguous(first: Entry, second: Entry) -> Entry:
    """Two files of one folder with the same name: neither may run, because nobody can say which was meant."""
    where = Source(first.text).range(0, 0)
    if isinstance(first.loaded.root, MappingNode) and (node := first.loaded.root.get("name")):
        where = node.range
    twice: Problem = problem(
        "duplicate_workflow", f"{second.path.name!r} beside this file has the same name; rename one of them.", where
    )
    return replace(first, loaded=replace(first.loaded, value=None, problems=(*first.loaded.problems, twice)))
