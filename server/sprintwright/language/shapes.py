"""How a key is put in: with the beginning of its value, in the notation around, as a snippet."""

from __future__ import annotations

import re
from typing import Any, get_args, get_origin

from pydantic import BaseModel

from sprintwright.definitions.shape import fields_of, is_model, members_of
from sprintwright.language.document import Document
from sprintwright.language.place import Place

_PLAIN = re.compile(r"[\w./+](?:[\w ./+()@-]*[\w./+()@-])?")
_READ_OTHERWISE = frozenset({"null", "true", "false", "~", "yes", "no"})
VERDICT_ROWS = (
    "good_to_go: {action: break}", "needs_refinement: {action: retry}", "unknown: {action: retry, warn: true}",
)  # fmt: skip
_LONG_TEXTS = frozenset({"prompt", "on_answer_prompt", "text"})


def escape(text: str) -> str:
    """A text as it is written in a snippet."""
    return text.replace("\\", "\\\\").replace("$", "\\$").replace("}", "\\}")


def written(text: str, place: Place, *, json: bool) -> str:
    """A text as a value at a place: in quotes where it needs them, if there are none yet."""
    if place.quote:
        if place.quote == '"':
            return text.replace("\\", "\\\\").replace('"', '\\"')
        return text.replace("'", "''")
    return f'"{text}"' if json else quoted(text)


def quoted(text: str) -> str:
    """A text as YAML, in quotes where a plain scalar would not say the same."""
    if _PLAIN.fullmatch(text) and text.lower() not in _READ_OTHERWISE:
        return text
    return "'" + text.replace("'", "''") + "'"


def key_insert(document: Document, place: Place, model: type[BaseModel], key: str) -> str:
    """A key with the beginning of its value, as a snippet."""
    if place.has_colon:
        return escape(key)
    annotation = fields_of(model)[key]
    if document.json:
        opening = "" if place.quote else '"'
        return f'{opening}{key}": {_json_value(annotation, key)}'
    if place.quote:
        return escape(key)
    if place.flow:
        return f"{key}: {_flow_value(annotation, key)}"
    return f"{key}:" + _block_value(annotation, key, nested(document, place))


def nested(document: Document, place: Place) -> str:
    """The indentation below a key, as far as it goes beyond that of the key's line."""
    text = document.text
    line_start, line_end = document.source.line_at(place.start)
    line = text[line_start:line_end]
    indent = len(line) - len(line.lstrip(" \t"))
    return " " * (max(0, place.start - line_start - indent) + 2)


def below_key(document: Document, place: Place) -> str:
    """The same for a value that still stands on the line of its key."""
    text = document.text
    line_start, _ = document.source.line_at(place.start)
    line = text[line_start : place.start]
    content = line.lstrip(" \t")
    return " " * (len(content) - len(content.lstrip("- ")) + 2)


def _block_value(annotation: Any, key: str, deeper: str) -> str:
    line = "\n" + deeper
    if key in _LONG_TEXTS:
        return f" |-{line}$0"
    if key == "verdict":
        return "".join(line + escape(row) for row in VERDICT_ROWS)
    if key == "commands":
        return " [[$1]]"
    if key in ("stages", "body"):
        return f"{line}- id: ${{1:name}}{line}  kind: $0"
    if key == "close_artifacts":
        return f"{line}- $0"
    if key in ("artifact", "skip_when"):
        return " $0"
    return f"{line}$0" if takes_mapping(annotation) else " $0"


def _flow_value(annotation: Any, key: str) -> str:
    if key == "commands":
        return "[[$1]]"
    if _is_list(annotation):
        return "[$0]"
    return "{$0\\}" if takes_mapping(annotation) and key not in ("artifact", "skip_when") else "$0"


def _json_value(annotation: Any, key: str) -> str:
    if key == "commands":
        return '[["$1"]]'
    if _is_list(annotation):
        return "[$0]"
    if takes_mapping(annotation):
        return "{$0\\}"
    return "$0" if {bool, int, float} & set(members_of(annotation)) else '"$0"'


def _is_list(annotation: Any) -> bool:
    return any(get_origin(one) is tuple for one in members_of(annotation))


def takes_mapping(annotation: Any) -> bool:
    """Whether a mapping can stand at a place."""
    return any(is_model(one) or get_origin(one) is dict for one in members_of(annotation))


def item_of(annotation: Any) -> Any:
    """The type of a list's items; None when it is no list."""
    return next((get_args(one)[0] for one in members_of(annotation) if get_origin(one) is tuple), None)
