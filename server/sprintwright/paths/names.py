"""Which paths and names are allowed. Pure: the disk is not looked at, so every system agrees."""

from __future__ import annotations

import re
import unicodedata
from pathlib import Path, PurePosixPath

from sprintwright.errors import PathRefused
from sprintwright.text import fold

_NAME_BYTES = 255
_PATH_BYTES = 4096
_CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029]")
_DRIVE = re.compile(r"^[A-Za-z]:")
_NOT_IN_WINDOWS_NAMES = re.compile(r'[<>:"|?*\\]')
_DEVICE = re.compile(r"^(?:con|prn|aux|nul|conin\$|conout\$|clock\$|(?:com|lpt)[0-9¹²³])\s*(?:\.|$)", re.IGNORECASE)

_ARTIFACT = re.compile(r"[A-Za-z0-9_][A-Za-z0-9._ -]{0,99}")
_LONGEST = 4_096
_RESERVED_ARTIFACTS = frozenset({"journal.jsonl", "lock", "definition.yaml", "transcripts", "blobs"})


def relative_inside(path: str, folder: Path | None = None, *, creating: bool = False) -> str:
    """Decide about a path that came from outside.

    `~`, `$` and `%` are plain characters: nothing is expanded.

    Args:
        path: as it was written by an agent, a report, a user.
        folder: absolute; when given, an absolute ``path`` beneath it is made relative to it. Without it,
            absolute paths are refused.
        creating: the name will be made by us, so it must be one that every system can hold.

    Returns:
        The path relative to the folder, in NFC, with `/`. Links are not resolved here; see `resolve_inside`.

    Raises:
        PathRefused: the path leaves the folder, or can't be a name.
    """
    if len(path) > _LONGEST:  # before normalising, which is not linear
        raise _refused(path, f"is longer than {_LONGEST} characters")
    text = unicodedata.normalize("NFC", path)
    _refuse_letters(path, text)
    if text.startswith(("\\", "//")) or _DRIVE.match(text):
        raise _refused(path, "is a drive, share or device path; give it relative to the folder")
    if text.startswith("/"):
        text = _below(path, text, folder)
    if ".." in re.split(r"[/\\]", text):
        raise _refused(path, "has a part '..'; give the path without it")
    parts = [part for part in text.split("/") if part not in ("", ".")]
    if not parts:
        raise _refused(path, "names no file in the folder")
    for part in parts:
        _refuse_part(path, part, creating)
    return "/".join(parts)


def _refuse_letters(path: str, text: str) -> None:
    if _CONTROL.search(text):
        raise _refused(path, "has a control character")
    try:
        size = len(text.encode())
    except UnicodeEncodeError:
        raise _refused(path, "can't be written as UTF-8") from None
    if size > _PATH_BYTES:
        raise _refused(path[:100], f"is longer than {_PATH_BYTES} bytes")


def _below(path: str, text: str, folder: Path | None) -> str:
    if folder is None:
        raise _refused(path, "is absolute; give it relative to the folder")
    base = PurePosixPath(unicodedata.normalize("NFC", folder.as_posix()))
    try:
        # By parts: a string prefix would let /w/app-evil pass for /w/app.
        return str(PurePosixPath(text).relative_to(base))
    except ValueError:
        raise _refused(path, f"is outside of {str(folder)!r}") from None


def _refuse_part(path: str, part: str, creating: bool) -> None:
    if len(part.encode()) > _NAME_BYTES:
        raise _refused(path[:100], f"has a name longer than {_NAME_BYTES} bytes")
    if not creating:
        return
    if part.endswith((".", " ")) or part.startswith(" "):
        raise _refused(path, f"has the name {part!r}, which begins with a space or ends with a dot or space")
    if found := _NOT_IN_WINDOWS_NAMES.search(part):
        raise _refused(path, f"has {found[0]!r} in a name, which not every system allows")
    if _DEVICE.match(part):
        raise _refused(path, f"has the name {part!r}, which is a device on Windows; choose another")


def artifact_name(name: str) -> str:
    """The name, if an artifact may be called so: letters, digits, `.`, `_`, `-` and spaces, at most 100.

    Raises:
        PathRefused: another character, a reserved name, or one that some system could not hold.
    """
    if not _ARTIFACT.fullmatch(name):
        raise _refused(
            name[:100], "is no artifact name; use letters, digits, '.', '_', '-', beginning with a letter or digit"
        )
    if fold(name) in _RESERVED_ARTIFACTS:
        raise _refused(name, "is reserved for the run itself; choose another name")
    return relative_inside(name, creating=True)


def _refused(path: str, why: str) -> PathRefused:
    return PathRefused(f"The path {path!r} {why}.", data={"path": path.encode(errors="backslashreplace").decode()})
