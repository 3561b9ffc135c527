"""The tools for files: read, write, edit, list, search."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Iterator
from fnmatch import fnmatch
from pathlib import Path

import regex
from pydantic import BaseModel, Field

from sprintwright.agents.model.hands import Call, Hands, ToolFault
from sprintwright.agents.model.places import files_below, is_secret, place
from sprintwright.errors import PathRefused
from sprintwright.paths import read_beneath
from sprintwright.text import lines_of
from sprintwright.threads import in_thread

_MOST_LINES, _MOST_CHARACTERS = 2_000, 100_000
_MOST_LISTED, _MOST_FOUND = 1_000, 200
_MOST_SEARCHED = 1024 * 1024
_SEARCH_SECONDS, _LINE_SECONDS = 20.0, 0.2
_LONGEST_LINE = 300


class ReadFile(BaseModel):
    path: str = Field(description="Path of the file, relative to the working folder.")
    line: int = Field(default=1, ge=1, description="First line to read, counted from 1.")
    limit: int = Field(default=_MOST_LINES, ge=1, le=_MOST_LINES, description="How many lines to read.")


class WriteFile(BaseModel):
    path: str = Field(description="Path of the file, relative to the working folder. Missing folders are made.")
    content: str = Field(description="The whole new content of the file.")


class EditFile(BaseModel):
    path: str = Field(description="Path of the file, relative to the working folder.")
    old: str = Field(min_length=1, description="The exact text to replace, with its white space; it must occur once.")
    new: str = Field(description="The text to put in its place.")


class ListFiles(BaseModel):
    path: str = Field(default="", description="Folder to list, relative to the working folder; empty: all of it.")
    glob: str = Field(default="", description="Only names or paths that match, such as `*.py`.")


class SearchFiles(BaseModel):
    pattern: str = Field(
        min_length=1, max_length=1_000, description="Regular expression; it is looked for line by line."
    )
    path: str = Field(default="", description="Folder to search, relative to the working folder; empty: all of it.")
    glob: str = Field(default="", description="Only files whose name or path matches, such as `*.py`.")


async def read_file(hands: Hands, call: Call, given: ReadFile) -> str:
    rel = await _place(hands, given.path)
    call.at(hands.folder, rel)
    if is_secret(given.path, rel):
        call.title = f"Read {rel}, which may hold secrets; the model would see them"
        await hands.allow(call, kind="other")  # simple reading is never asked about
    text = await hands.read(rel, given.line, given.limit)
    cut = "\n(cut off here; read the rest in parts)" if len(text) > _MOST_CHARACTERS else ""
    return text[:_MOST_CHARACTERS] + cut


async def write_file(hands: Hands, call: Call, given: WriteFile) -> str:
    rel = await _place(hands, given.path, creating=True)
    old: str | None = None
    if await in_thread((hands.folder / rel).is_file):
        old = await hands.read(rel)
    call.changes(hands.folder, rel, old, given.content)
    await hands.allow(call)
    await hands.write(rel, given.content)
    return f"Wrote {rel}."


async def edit_file(hands: Hands, call: Call, given: EditFile) -> str:
    rel = await _place(hands, given.path)
    before = await hands.read(rel)
    if "\ufffd" in before:
        raise ToolFault(f"Nothing was changed: {rel} is not UTF-8, and would be damaged; change it with a command.")
    count = before.count(given.old)
    if count != 1:
        raise ToolFault(f"Nothing was changed: the text to replace occurs {count} times in {rel}, and not once.")
    after = before.replace(given.old, given.new)
    call.changes(hands.folder, rel, before, after)
    await hands.allow(call)
    await hands.write(rel, after)
    return f"Edited {rel}."


async def list_files(hands: Hands, call: Call, given: ListFiles) -> str:
    rel = await _below(hands, given.path)
    return await in_thread(_list, hands.folder, rel, given.glob) or "(no files)"


async def search_files(hands: Hands, call: Call, given: SearchFiles) -> str:
    rel = await _below(hands, given.path)
    try:
        pattern = regex.compile(given.pattern)
    except regex.error as error:
        raise ToolFault(f"{given.pattern!r} is no regular expression: {error}.") from error
    return await in_thread(_search, hands.folder, rel, given.glob, pattern) or "(nothing found)"


async def _place(hands: Hands, path: str, *, creating: bool = False) -> str:
    try:
        return await in_thread(lambda: place(hands.folder, path, creating=creating))
    except PathRefused as error:
        raise ToolFault(error.message) from error


async def _below(hands: Hands, path: str) -> str:
    rel = "" if path.strip("./") == "" else await _place(hands, path)
    if is_secret(path, rel):
        raise ToolFault(f"{rel!r} may hold secrets; it is not listed or searched.")
    if not await in_thread((hands.folder / rel).is_dir):
        raise ToolFault(f"{path!r} is not a folder.")
    return rel


def _matching(folder: Path, rel: str, glob: str) -> Iterator[str]:
    for path in files_below(folder, rel):
        if not glob or fnmatch(path, glob) or fnmatch(path.rpartition("/")[2], glob):
            yield path


def _list(folder: Path, rel: str, glob: str) -> str:
    found: list[str] = []
    for path in _matching(folder, rel, glob):
        if len(found) == _MOST_LISTED:
            return "\n".join([*found, "(there are more; list a folder, or with a `glob`)"])
        found.append(path)
    return "\n".join(found)


def _search(folder: Path, rel: str, glob: str, pattern: regex.Pattern[str]) -> str:
    found: list[str] = []
    end = time.monotonic() + _SEARCH_SECONDS
    for path in _matching(folder, rel, glob):
        try:
            data = read_beneath(folder, path, _MOST_SEARCHED)
        except (OSError, PathRefused):
            continue
        if b"\0" in data[:8_192]:
            continue
        for number, line in enumerate(lines_of(data.decode("utf-8", "replace")), 1):
            if time.monotonic() > end:
                return "\n".join([*found, "(it took too long; search in a part of the folder)"])
            if _is_in(pattern, line):
                found.append(f"{path}:{number}: {line.strip()[:_LONGEST_LINE]}")
            if len(found) == _MOST_FOUND:
                return "\n".join([*found, "(there are more; search for less)"])
    return "\n".join(found)


def _is_in(pattern: regex.Pattern[str], line: str) -> bool:
    with contextlib.suppress(TimeoutError):
        return pattern.search(line, timeout=_LINE_SECONDS) is not None
    return False
