"""The ignore rules that stand outside of a folder, written anew for it. Pure."""

from __future__ import annotations

import fnmatch
from collections.abc import Iterable


def rules_below(rules: Iterable[str], prefix: str) -> list[str]:
    """Ignore rules of a folder, as they read in one of the folders beneath it.

    Args:
        rules: lines of a `.gitignore` or `info/exclude`.
        prefix: the way down, `packages/app`; empty: the rules stay as they are.

    Returns:
        The rules that can match below, in order. A rule that ignores the lower folder itself is left out: who
        opens a folder wants to see it.
    """
    lines = [line for rule in rules if (line := rule.rstrip("\r\n")).strip() and not line.startswith("#")]
    if not prefix:
        return lines
    return [below for line in lines for below in [_below(line, prefix.split("/"))] if below]


def _below(line: str, way: list[str]) -> str:
    sign, pattern = ("!", line[1:]) if line.startswith("!") else ("", line)
    if "/" not in pattern.rstrip("/"):
        return line  # a bare name counts at any depth
    parts = pattern.lstrip("/").split("/")
    for name in way:
        if parts[0] == "**":
            return sign + "/".join(parts)
        if len(parts) < 2 or not fnmatch.fnmatchcase(name, parts[0]):
            return ""
        parts = parts[1:]
    rest = "/".join(parts)
    return f"{sign}/{rest}" if rest else ""
