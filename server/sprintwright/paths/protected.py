"""Places in a folder that decide what others may do, or that run by themselves. Pure."""

from __future__ import annotations

import re
import unicodedata
from typing import Literal, TypeAlias

Protection: TypeAlias = Literal["", "asks", "refused"]

_REFUSED = frozenset({".sprintwright", ".git", ".vscode"})
_ASKS = frozenset({
    ".idea", ".devcontainer", ".devcontainer.json", ".husky", ".envrc",
    ".mcp.json", ".claude", ".claude.json", ".codex", ".gemini", ".cursor", ".qwen", ".opencode",
    "opencode.json", ".pi", ".vibe", ".windsurf",
    ".bashrc", ".bash_profile", ".bash_login", ".bash_logout", ".profile", ".inputrc",
    ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".zlogout",
    ".gitconfig", ".git-credentials", ".ssh", ".netrc", ".npmrc", ".pypirc",
})  # fmt: skip
_ASKS_BELOW = ((".github", "workflows"), (".config", "git"), (".config", "fish"))
PROTECTED_PLACES: tuple[str, ...] = tuple(
    sorted(
        [
            *(_REFUSED | _ASKS) - {".git", ".sprintwright"},
            *("/".join(parts) for parts in _ASKS_BELOW),
            ".sprintwright/config.yaml",
            ".sprintwright/workflows",
        ]
    )
)
"""The places themselves, relative to a folder, but for git's own and our records."""
_SHORT_NAME = re.compile(r"([^~]{1,6})~[0-9]+(\.[^.]{0,3})?")
_HASHED_SHORT_NAME = re.compile(r"[0-9a-f]{4}")


def protection(rel: str) -> Protection:
    """What protects a path: `refused` through us for everybody, `asks` each time for everybody, or nothing.

    Names are compared as the most careless file system would: without case, width, accents' spelling,
    invisible characters, streams, trailing dots, and by their NTFS short names. Ask for the path as written
    *and* as resolved.

    Args:
        rel: relative to the folder; the file need not exist.
    """
    parts = [_careless(part) for part in re.split(r"[/\\]", rel)]
    if any(_is(part, name) for part in parts for name in _REFUSED):
        return "refused"
    for index, part in enumerate(parts):
        if part.endswith(".code-workspace") or any(_is(part, name) for name in _ASKS):
            return "asks"
        following = parts[index + 1] if index + 1 < len(parts) else ""
        if any(_is(part, first) and _is(following, second) for first, second in _ASKS_BELOW):
            return "asks"
    return ""


def is_protected(rel: str) -> bool:
    """Whether anything protects a path; see `protection`."""
    return protection(rel) != ""


def runs_here(rel: str) -> bool:
    """Whether what stands at a path can be run by programs on this machine without anybody's further word.

    What our own folder holds is agreed to by its content before it runs, and workflows of a forge run there.
    """
    parts = [_careless(part) for part in re.split(r"[/\\]", rel)]
    return protection(rel) != "" and parts[0] != ".sprintwright" and parts[:2] != [".github", "workflows"]


def _careless(part: str) -> str:
    visible = "".join(letter for letter in part if not _ignorable(letter))
    folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).casefold())
    return folded.partition(":")[0].rstrip(". ")


def _ignorable(letter: str) -> bool:
    return unicodedata.category(letter) == "Cf" or "\ufe00" <= letter <= "\ufe0f" or letter == "\u034f"


def _is(part: str, name: str) -> bool:
    return part == name or _is_short_name(part, name)


def _is_short_name(part: str, name: str) -> bool:
    """`GIT~1` for `.git`, and the form with a hash that NTFS takes when the plain ones are used up."""
    match = _SHORT_NAME.fullmatch(part)
    if match is None:
        return False
    base, dot, _ = name.removeprefix(".").rpartition(".")
    stem, letters = match[1], (base if dot else name.removeprefix(".")).replace(".", "")
    return stem == letters[:6] or (stem[:2] == letters[:2] and bool(_HASHED_SHORT_NAME.fullmatch(stem[2:])))
