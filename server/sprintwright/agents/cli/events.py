"""What known command lines tell, whatever their format: plain events; and how fields of no certain type are read.

The formats were recorded from real programs (agents.md section 3, and pi 0.73.1). Pure; nothing here raises.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Protocol, TypeAlias, cast

from sprintwright.model.usage import Usage
from sprintwright.text import one_line

EventKind: TypeAlias = Literal[
    "text", "thought", "tool", "error", "session", "answer", "usage", "final", "failed", "cut", "refused"
]
Object: TypeAlias = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Event:
    """One thing that a program told."""

    kind: EventKind
    """`text`, `thought`, `tool`, `error`: to be shown, now. `session`: its id. `answer`: the text of its last whole
    message, in place of an earlier one. `usage`: what was used, in place of what it said before. The turn came to
    an end: `final` well, `failed` with ``text``, `cut` at the model's limit. `refused`: a tool had no permission."""
    text: str = ""
    usage: Usage | None = None


class Reader(Protocol):
    """Reads one format; made anew for each call of the program."""

    whole_thread: ClassVar[bool]
    """Whether its usage counts all turns of a session that was gone on with."""

    def read(self, event: Object) -> Iterator[Event]:
        """What this object means, in order."""
        ...


def session_event(value: object) -> Iterator[Event]:
    if isinstance(value, str) and value:
        yield Event("session", value)


def tool_event(name: object, what: object) -> Event:
    """One line for a call of a tool: its name, and the first of its arguments that say something."""
    if isinstance(what, dict):
        given = [value for value in cast("Object", what).values() if isinstance(value, str | int | float) and value]
        what = ", ".join(one_line(str(value)[:400], 80) for value in given[:3])
    if isinstance(what, list):
        what = " ".join(texts_of(as_objects(cast("list[Any]", what))))
    text = what[:2000] if isinstance(what, str) else ""
    return Event("tool", one_line(f"[{name}] {text}", 200) + "\n")


def message_of(event: Object) -> str:
    """The sentence of an error, wherever it stands in its event."""
    error = event.get("error")
    if isinstance(error, str):
        return error
    fields = as_object(error)
    told = fields.get("message") or as_object(fields.get("data")).get("message") or event.get("message")
    return as_text(told) or as_text(fields.get("name"))


def as_object(value: object) -> Object:
    return cast("Object", value) if isinstance(value, dict) else {}


def as_objects(value: object) -> list[Object]:
    return [as_object(one) for one in cast("list[Any]", value)] if isinstance(value, list) else []


def as_text(value: object) -> str:
    return value if isinstance(value, str) else ""


def texts_of(parts: list[Object]) -> list[str]:
    return [text for part in parts if part.get("type") == "text" and (text := as_text(part.get("text")))]


def as_count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def as_cost(value: object) -> float | None:
    good = isinstance(value, int | float) and not isinstance(value, bool) and 0 <= value < 1e9
    return float(cast("float", value)) if good else None
