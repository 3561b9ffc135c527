"""File URIs, ours and those of clients, which write one path in several ways (B143).

`app/[id] #1%/ü.yaml` is `%5Bid%5D` here and `[id]` there; hexadecimal digits are small or large, a drive is `c:` or
`C%3A`. So URIs are compared by the path that they mean. Names that are no UTF-8 come through unchanged.
"""

from __future__ import annotations

import os
import re
import sys
import unicodedata
from pathlib import Path, PurePath, PureWindowsPath
from urllib.parse import quote_from_bytes, unquote_to_bytes

_URI = re.compile(r"file:(?://(?P<host>[^/?#]*))?+(?P<path>/[^?#]*)(?:[?#].*)?", re.IGNORECASE | re.DOTALL)
_DRIVE = re.compile(r"/([A-Za-z])[:|](?=/|$)")


def to_uri(path: PurePath) -> str:
    """The `file:` URI of an absolute path, as VS Code writes it."""
    text = path.as_posix()
    host = ""
    if isinstance(path, PureWindowsPath):
        if text.startswith("//"):
            host, _, text = text[2:].partition("/")
        text = _DRIVE.sub(lambda match: f"/{match[1].lower()}:", f"/{text}", count=1)
    data = os.fsencode(text) if os.name != "nt" else text.encode(errors="surrogatepass")
    return f"file://{host}{quote_from_bytes(data, safe='/')}"


def to_path(uri: str) -> Path | None:
    """The path that a URI means; None when it means no file of this machine (another scheme, another host, a NUL)."""
    text = path_text(uri, windows=sys.platform == "win32")
    return Path(text) if text is not None else None


def path_text(uri: str, *, windows: bool) -> str | None:
    """The path that a URI means, with ``/``: ``/w/a``, and in Windows ``c:/w/a`` and ``//server/share/a``."""
    match = _URI.fullmatch(uri)
    if match is None:
        return None
    host = (match["host"] or "").lower()
    data = unquote_to_bytes(match["path"].encode(errors="surrogateescape"))
    text = data.decode("utf-8", "surrogateescape")
    if "\0" in text:
        return None
    if windows:
        drive = _DRIVE.match(text)
        if host in ("", "localhost"):
            return f"{drive[1].lower()}:{text[drive.end() :]}" if drive else text
        return f"//{host}{text}"
    return text if host in ("", "localhost") else None


def path_key(path: PurePath) -> str:
    """The form in which paths are compared: macOS gives the letters of a name apart (NFD)."""
    return unicodedata.normalize("NFC", path.as_posix())


def same(one: str, other: str) -> bool:
    """Whether two URIs mean the same file."""
    if one == other:
        return True
    first, second = to_path(one), to_path(other)
    return first is not None and second is not None and path_key(first) == path_key(second)
