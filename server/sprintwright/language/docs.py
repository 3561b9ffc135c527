"""What the models say about keys, kinds and words: the texts of hovers and completions."""

from __future__ import annotations

import inspect
import re
from functools import cache
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from sprintwright.definitions.shape import is_model, kinds_of, members_of
from sprintwright.language.place import Owner
from sprintwright.model.definition import Stage

_EACH = re.compile(r"`([\w-]+)`:? ((?:(?!; `|, `|\. `)[^\n])+)")
_PERMISSIONS = {
    "read_only": "Reads the folder; changes nothing and runs nothing that could.",
    "ask": "May change files and run programs, and asks you first.",
    "workspace_write": "May change files of the folder and run programs in it.",
    "full": "May do whatever you may do. Only where you trust everything that the agent reads.",
}
ALWAYS_DOCS = {
    "task": "What the user asked for.",
    "board": "The shared board as text; empty without `board: true`.",
    "previous": "What the last stage came to: an answer, the user's answer, a check's output.",
    "artifacts": "The folder of the run's files.",
}
ENTRY_DOCS = {
    "Index": "The number of the item.",
    "Label": "The label of its heading.",
    "Status": "How it ended.",
    "Output": "What it came to.",
    "Err": "Why it failed, if it did.",
}
TEMPLATE_WORDS = {
    "if": "`{{if name}}…{{end}}`: the text counts when the name is not empty.",
    "else": "`{{else}}` or `{{else if other}}`: what counts otherwise.",
    "range": "`{{range results}}…{{end}}`: once for each result of a `parallel_group`.",
    "end": "Ends an `if` or a `range`.",
    "and": "`and a b`: both are not empty.",
    "or": "`or a b`: one of them is not empty.",
    "not": "`not a`: it is empty.",
    "eq": "`eq a b`: both are the same.",
    "ne": "`ne a b`: they differ.",
    "lt": "`lt a b`: a is less than b.",
    "le": "`le a b`: a is at most b.",
    "gt": "`gt a b`: a is more than b.",
    "ge": "`ge a b`: a is at least b.",
}
IGNORED_KEYS = frozenset({"use_memory"})
"""Taken from older files, and of no effect."""
VERDICT_DOCS = {
    "good_to_go": "The work is good: usually `break`.",
    "needs_refinement": "The work must be mended: usually `retry`.",
    "unknown": "What counts when no verdict could be read. Without this rule the stage fails then.",
}


@cache
def stage_models() -> dict[str, type[BaseModel]]:
    """The models of stages by their kind."""
    return {kind: model for model in members_of(Stage) if is_model(model) for kind in kinds_of(model)}


@cache
def field_of(model: type[BaseModel], key: str) -> FieldInfo | None:
    """The field that is written under a key."""
    for name, field in model.model_fields.items():
        if (field.alias or name) == key:
            return field
    return None


def required(model: type[BaseModel], key: str) -> bool:
    """Whether a model can't do without a key."""
    field = field_of(model, key)
    return field is not None and field.is_required()


def describe_key(model: type[BaseModel], key: str) -> str:
    """What a key is for: the model's own words, what it takes, and what counts without it."""
    field = field_of(model, key)
    if field is None:
        return ""
    lines = [field.description or ""]
    words = literals_of(field.annotation)
    if len(words) > 1 and words[0] != "true":
        lines.append("One of " + ", ".join(f"`{word}`" for word in words if word) + ".")
    elif wanted := _wanted(field.annotation):
        lines.append(wanted)
    lines.append("Required." if field.is_required() else _default(field.default))
    return "\n\n".join(line for line in lines if line)


def _wanted(annotation: Any) -> str:
    members = members_of(annotation)
    for kind, words in ((bool, "`true` or `false`."), (int, "A whole number."), (float, "A number.")):
        if kind in members:
            return words
    return ""


def _default(value: object) -> str:
    if isinstance(value, bool):
        return f"Without it: `{str(value).lower()}`."
    return f"Without it: `{value}`." if isinstance(value, (str, int, float)) and value != "" else ""


def literals_of(annotation: Any) -> tuple[str, ...]:
    """The words that a place takes, if it takes certain words; `true` and `false` for a switch."""
    members = members_of(annotation)
    words = tuple(str(word) for one in members if get_origin(one) is Literal for word in get_args(one))
    return ("true", "false") if not words and bool in members else words


def describe_word(owner: Owner, word: str) -> str:
    """What one of a key's words means."""
    if owner.key == "kind" and word in stage_models():
        return describe_kind(word)
    if owner.key == "permissions":
        return _PERMISSIONS.get(word, "")
    field = field_of(owner.model, owner.key)
    text = (field.description or "") if field else ""
    each = {found[1]: found[2].strip().rstrip(";.") for found in _EACH.finditer(text)}
    return f"`{word}`: {each[word]}." if f"`{word}`: " in text and word in each else text


def describe_kind(kind: str) -> str:
    """What a stage of a kind does, and which keys it takes."""
    model = stage_models()[kind]
    keys = [field.alias or name for name, field in model.model_fields.items() if name not in ("id", "kind")]
    must = [key for key in keys if required(model, key)]
    may = [key for key in keys if key not in must]
    text = inspect.getdoc(model) or ""
    if must:
        text += "\n\nRequired: " + ", ".join(f"`{key}`" for key in must) + "."
    return text + ("\n\nOptional: " + ", ".join(f"`{key}`" for key in may) + "." if may else "")
