"""What a turn changed, in a few words that stand next to its verdict (faults.md R67, R69, X73). Pure."""

from __future__ import annotations

from typing import Any

from sprintwright.model.changes import is_test

_MOST_NAMES = 3


def changed_words(changes: dict[str, Any], *, quiet: bool = False) -> str:
    """Of a recorded `Changed`: ``changed a.py, tests/test_a.py (test) and 2 more``; empty where nothing is known.

    Of a role that may only read it is the honest result: ``unchanged``, ``changed …`` or ``not verified: …``.

    Args:
        quiet: say nothing where nothing changed.
    """
    result = str(changes.get("read_only", ""))
    if result == "not verified":
        return f"not verified: {changes.get('unsure', '')}"
    if changes.get("note"):
        return ""
    files = [str(file["path"]) for file in changes.get("files", ()) if file["status"] != "more"]
    named = [f"{path} (test)" if is_test(path) else path for path in files]
    parts = [f"changed {_some(named, int(changes.get('more', 0)))}"] if named else []
    if moved := [str(one) for one in changes.get("moved", ())]:
        parts.append(_some(moved))
    if not parts:
        return "" if quiet else "unchanged"
    return "; ".join([*parts, *(["others worked beside it"] if changes.get("together_with") else [])])


def _some(names: list[str], more: int = 0) -> str:
    more += len(names) - _MOST_NAMES
    return ", ".join(names[:_MOST_NAMES]) + (f" and {more} more" if more > 0 else "")
