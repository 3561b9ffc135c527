"""Nodes -> plain values in the shape that a model expects; keys that it does not know are left out and reported."""

from __future__ import annotations

import re
import types
from collections.abc import Iterable
from functools import cache
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from sprintwright.definitions.nodes import MappingNode, Node, ScalarNode, SequenceNode, problem
from sprintwright.model.problem import Edit, Fix, Problem
from sprintwright.text import nearest

_NOT_FINITE = re.compile(r"[+-]?\.?(?:inf|infinity|nan)", re.IGNORECASE)


class Shaper:
    """One conversion; ``problems`` are warnings for what was left out."""

    def __init__(self) -> None:
        self.problems: list[Problem] = []

    def plain(self, node: Node, annotation: Any) -> object:
        """The node's value for a place of that type: mappings, lists and text; None for what is absent."""
        match node:
            case ScalarNode():
                return self._scalar(node, annotation)
            case SequenceNode():
                inner = next(
                    (get_args(one)[0] for one in members_of(annotation) if get_origin(one) in (tuple, list)), Any
                )
                return [self.plain(item, inner) for item in node.items]
            case MappingNode():
                return self._mapping(node, annotation)

    def _scalar(self, node: ScalarNode, annotation: Any) -> object:
        if node.absent:
            return None
        if float in members_of(annotation) and _NOT_FINITE.fullmatch(node.text):
            return []  # pydantic would take it, but no limit or time is infinite: let it say "a number"
        return node.text

    def _mapping(self, node: MappingNode, annotation: Any) -> object:
        members = members_of(annotation)
        if table := next((one for one in members if get_origin(one) is dict), None):
            return self._table(node, get_args(table)[1])
        models = [one for one in members if is_model(one)]
        model = models[0] if len(models) == 1 else model_of_kind(models, node.text("kind"))
        if model is None:
            found = {key.text: self.plain(value, Any) for key, value in node.pairs}
            # With an empty kind, pydantic says which ones there are; without any it does not.
            return {**found, "kind": found.get("kind") or ""} if models else found
        fields = fields_of(model)
        known: dict[str, object] = {}
        for key, value in node.pairs:
            if key.text not in fields:
                self.problems.append(_unknown_key(key, value, node, fields, models))
            elif isinstance(value, ScalarNode) and value.absent:
                self._note_absent(key, value)
            else:
                known[key.text] = self.plain(value, fields[key.text])
        return known

    def _table(self, node: MappingNode, annotation: Any) -> dict[str, object]:
        """A mapping with free keys: a key without a value has the empty one of its type."""
        empty: object = None
        if any(is_model(one) for one in members_of(annotation)):
            empty = {}
        elif str in members_of(annotation):
            empty = ""
        values = ((key.text, self.plain(value, annotation)) for key, value in node.pairs)
        return {key: empty if value is None else value for key, value in values}

    def _note_absent(self, key: ScalarNode, value: ScalarNode) -> None:
        shown = "'null'" if value.text else "nothing"
        message = f"{key.text!r} has {shown} as its value and counts as not given; remove it, or quote the text."
        self.problems.append(problem("absent_value", message, key.range, severity="hint"))


@cache
def fields_of(model: type[BaseModel]) -> dict[str, Any]:
    """The keys of a model as they are written, with their types."""
    return {field.alias or name: field.annotation for name, field in model.model_fields.items()}


def kinds_of(model: type[BaseModel]) -> tuple[str, ...]:
    """The values of ``kind`` for which a model stands."""
    field = model.model_fields.get("kind")
    return get_args(field.annotation) if field and get_origin(field.annotation) is Literal else ()


@cache
def members_of(annotation: Any) -> tuple[Any, ...]:
    """The types that a place takes, unions and annotations resolved."""
    origin = get_origin(annotation)
    if origin is Annotated:
        return members_of(get_args(annotation)[0])
    if origin in (Union, types.UnionType):
        return tuple(member for one in get_args(annotation) for member in members_of(one))
    return (annotation,)


def is_model(annotation: Any) -> bool:
    """Whether a type is one of our models."""
    return isinstance(annotation, type) and get_origin(annotation) is None and issubclass(annotation, BaseModel)


def model_of_kind(models: Iterable[type[BaseModel]], kind: str) -> type[BaseModel] | None:
    """The member of a union of models that a ``kind`` stands for."""
    return next((model for model in models if kind in kinds_of(model)), None)


def _unknown_key(
    key: ScalarNode, value: Node, node: MappingNode, fields: Iterable[str], models: Iterable[type[BaseModel]]
) -> Problem:
    missing = [name for name in fields if node.get(name) is None]
    near = nearest(key.text, missing)
    owners = [kind for model in models if key.text in fields_of(model) for kind in kinds_of(model)]
    message = f"The key {key.text[:60]!r} is not known here and is ignored."
    if " " in key.text and isinstance(value, ScalarNode) and value.absent:
        message += " If it belongs to the text before the comma, put quotes around all of that."
    elif owners:
        message += f" It belongs to {', '.join(owners)}."
    elif near:
        message += f" Did you mean {near!r}?"
    else:
        message += f" Known keys: {', '.join(missing or fields)}."
    fix = Fix(title=f"Change to {near!r}", edits=(Edit(range=key.range, text=near),)) if near and not owners else None
    return problem("unknown_key", message, key.range, severity="warning", fix=fix)
