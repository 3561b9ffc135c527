"""Where a cursor is: at a key or a value, of which mapping, and what type the model has for that place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel

from sprintwright.definitions.nodes import MappingNode, Node, ScalarNode, SequenceNode
from sprintwright.definitions.shape import fields_of, is_model, members_of, model_of_kind
from sprintwright.definitions.source import Source
from sprintwright.language.document import Document
from sprintwright.language.sketch import CURSOR, sketch
from sprintwright.language.window import window
from sprintwright.model.definition import Definition

_WORD = re.compile(r"[\w.-]*+")
_BEHIND_KEY = re.compile(r"[\"']?[ \t]*+:(?:\s|$)")

Path = tuple[str | int, ...]


@dataclass(frozen=True, slots=True)
class Owner:
    """The field of a model that a value belongs to, be it through lists and tables."""

    model: type[BaseModel]
    key: str


@dataclass(frozen=True, slots=True)
class Place:
    """A cursor's place. Offsets are those of the document's text."""

    role: Literal["key", "value"]
    path: Path
    """Keys and indices from the root to the value, or to the mapping whose key it is."""
    annotation: Any
    """The type of the value; at a key, that of the mapping."""
    owner: Owner | None
    around: tuple[MappingNode, ...]
    """The mappings around, the innermost last; at a key that is the one in which it stands. Of the marked text."""
    word: str
    """The whole key or value, without the cursor."""
    start: int
    end: int
    """The word to replace: from where the scalar begins, if that is on this line, to the end of the word."""
    offset: int
    quote: str
    """The quote in which the cursor stands; empty for none."""
    flow: bool
    """Whether brackets are around, so that all is written on one line."""
    own_line: bool
    """Whether a value is on a line of its own below its key, or an item without its dash."""
    has_colon: bool
    """Whether the key at the cursor has its colon already."""
    in_list: bool = False
    node_start: int = 0
    node_end: int = 0

    @property
    def mapping(self) -> MappingNode | None:
        """The mapping around."""
        return self.around[-1] if self.around else None

    @property
    def models(self) -> tuple[type[BaseModel], ...]:
        """The models that the annotation may stand for."""
        return _models_of(self.annotation)

    @property
    def model(self) -> type[BaseModel] | None:
        """The model of the mapping whose key it is, when it is certain."""
        kind = self.mapping.text("kind").replace(CURSOR, "") if self.mapping else ""
        return _model_of(self.annotation, kind)

    @property
    def table(self) -> bool:
        """Whether the mapping takes any keys."""
        return any(get_origin(one) is dict for one in members_of(self.annotation))

    def stage(self) -> MappingNode | None:
        """The innermost stage around."""
        depth = max((index for index, step in enumerate(self.path[:-1]) if step in ("stages", "body")), default=-1)
        if depth < 0:
            return None
        inside = sum(1 for step in self.path[: depth + 2] if isinstance(step, int))
        return self.around[inside] if len(self.around) > inside else None


def find_place(document: Document, line: int, column: int) -> Place | None:
    """The place of a cursor; None in a comment or where nothing can stand."""
    if document.too_large:
        return None
    offset = document.offset(line, column)
    text = document.text if document.json else window(document.source, offset)
    text = text.replace(CURSOR, "\ufffd")
    root = sketch(Source(text[:offset] + CURSOR + text[offset:]), json=document.json)
    return _Walk(document, offset).descend(root) if root is not None else None


class _Walk:
    def __init__(self, document: Document, offset: int) -> None:
        self._document, self._offset = document, offset
        self._path: list[str | int] = []
        self._around: list[MappingNode] = []
        self._owner: Owner | None = None
        self._flow = document.json
        self._key_line = -1
        self._in_list = False
        self._list: Any = Any

    def descend(self, node: Node) -> Place | None:
        annotation: Any = Definition
        while not isinstance(node, ScalarNode):
            self._flow = self._flow or node.source.text[node.start : node.start + 1] in ("[", "{")
            found = self._into_mapping(node, annotation) if isinstance(node, MappingNode) else None
            found = self._into_list(node, annotation) if isinstance(node, SequenceNode) else found
            if found is None or isinstance(found, Place):
                return found
            node, annotation = found
        return self._value(node, annotation) if self._has(node) else None

    def _has(self, node: Node) -> bool:
        return node.start <= self._offset < node.end

    def _into_mapping(self, node: MappingNode, annotation: Any) -> Place | tuple[Node, Any] | None:
        self._around.append(node)
        model = _model_of(annotation, node.text("kind").replace(CURSOR, ""))
        for key, value in node.pairs:
            if self._has(key):
                return self._place("key", key, annotation)
            if self._has(value):
                self._path.append(key.text)
                self._key_line = node.source.position(key.end)[0]
                self._in_list = False
                owner = model or next((one for one in _models_of(annotation) if key.text in fields_of(one)), None)
                self._owner = Owner(owner, key.text) if owner else self._owner
                return value, _below(annotation, model, key.text)
        return None

    def _into_list(self, node: SequenceNode, annotation: Any) -> tuple[Node, Any] | None:
        for index, item in enumerate(node.items):
            if self._has(item):
                self._path.append(index)
                self._in_list, self._list = True, annotation
                self._key_line = -1
                inner = [get_args(one)[0] for one in members_of(annotation) if get_origin(one) is tuple]
                table = any(get_origin(one) is dict for one in members_of(annotation))
                return item, inner[0] if inner else (str if table else Any)
        return None

    def _value(self, node: ScalarNode, annotation: Any) -> Place:
        """A word where a mapping belongs is its first key, unless it stands right behind the key of it."""
        line = node.source.position(node.start)[0]
        members = members_of(annotation)
        takes_keys = any(is_model(one) or get_origin(one) is dict for one in members)
        own_line = line != self._key_line
        if self._in_list and not self._flow and not self._line_before(node).strip():
            return self._place("value", node, self._list, own_line=True)  # an item whose dash is not typed yet
        if takes_keys and own_line and not node.style and not self._flow:
            self._around.append(MappingNode(node.source, node.start, node.start, ()))
            return self._place("key", node, annotation)
        return self._place("value", node, annotation, own_line=own_line)

    def _line_before(self, node: Node) -> str:
        return node.source.text[node.source.line_at(node.start)[0] : node.start]

    def _place(
        self, role: Literal["key", "value"], node: ScalarNode, annotation: Any, *, own_line: bool = False
    ) -> Place:
        text, offset = self._document.text, self._offset
        quote = node.style if node.style in ("'", '"') else ""
        start = node.start + len(quote)
        if offset < start or "\n" in text[start:offset] or node.style in ("|", ">"):
            start = offset - len(_last_word(text, offset))
        found = _WORD.match(text, offset)
        end = found.end() if found else offset
        return Place(
            role, tuple(self._path), annotation, self._owner, tuple(self._around), node.text.replace(CURSOR, ""),
            start, end, offset, quote, self._flow, own_line, bool(_BEHIND_KEY.match(text, end)), self._in_list,
            node.start, max(node.start, node.end - 1),
        )  # fmt: skip


def _last_word(text: str, offset: int) -> str:
    start = text.rfind("\n", 0, offset) + 1
    return re.split(r"[^\w.-]", text[max(start, offset - 200) : offset])[-1]


def _models_of(annotation: Any) -> tuple[type[BaseModel], ...]:
    return tuple(one for one in members_of(annotation) if is_model(one))


def _model_of(annotation: Any, kind: str) -> type[BaseModel] | None:
    models = _models_of(annotation)
    return models[0] if len(models) == 1 else model_of_kind(models, kind)


def _below(annotation: Any, model: type[BaseModel] | None, key: str) -> Any:
    for one in members_of(annotation):
        if get_origin(one) is dict:
            return get_args(one)[1]
    if model is not None:
        return fields_of(model).get(key, Any)
    # A stage without its kind yet: whatever one of them has for this key.
    return next((fields_of(one)[key] for one in _models_of(annotation) if key in fields_of(one)), Any)
