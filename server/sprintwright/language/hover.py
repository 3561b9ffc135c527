"""What is told about the word under the mouse."""

from __future__ import annotations

from sprintwright.definitions.nodes import MappingNode
from sprintwright.definitions.shape import fields_of
from sprintwright.language.docs import (
    ENTRY_DOCS,
    TEMPLATE_WORDS,
    VERDICT_DOCS,
    describe_key,
    describe_kind,
    describe_word,
    field_of,
    literals_of,
    stage_models,
)
from sprintwright.language.document import Document
from sprintwright.language.place import Place, find_place
from sprintwright.language.template_help import at_template
from sprintwright.language.values import Hover, Known
from sprintwright.language.variables import origins
from sprintwright.model.verdict import VerdictRule
from sprintwright.text import clean, fold

_LONGEST = 1_000


def hover(document: Document, line: int, column: int, known: Known | None = None) -> Hover | None:
    """The words for a place; None where there is nothing to tell. Never raises."""
    place = find_place(document, line, column)
    if place is None or not place.word:
        return None
    if at_template(document, place):
        return _template(document, place)
    if place.role == "key":
        return _key(document, place)
    return _value(document, place, known or Known())


def _hover(document: Document, start: int, end: int, text: str, *, plain: bool = False) -> Hover | None:
    if not text or end <= start:
        return None
    text = clean(text, newlines=True)[:_LONGEST] if plain else text
    return Hover(text, document.source.range(start, end), plain)


def _template(document: Document, place: Place) -> Hover | None:
    action = at_template(document, place)
    if action is None:
        return None
    word = document.text[action.start : action.end]
    known = origins(document)
    if word in known:
        return _hover(document, action.start, action.end, f"{word}: {known[word]}", plain=True)
    text = TEMPLATE_WORDS.get(word) or ENTRY_DOCS.get(word) or ""
    return _hover(document, action.start, action.end, text)


def _key(document: Document, place: Place) -> Hover | None:
    start, end = place.node_start, place.node_end
    if place.table:
        text = ""
        if place.path and place.path[-1] == "verdict":
            text = VERDICT_DOCS.get(place.word, "A verdict key: the agent gives it as its last line.")
        return _hover(document, start, end, text)
    models = (place.model,) if place.model else place.models
    owners = [model for model in models if place.word in fields_of(model)]
    return _hover(document, start, end, describe_key(owners[0], place.word)) if owners else None


def _value(document: Document, place: Place, known: Known) -> Hover | None:
    start, end, word = place.node_start, place.node_end, place.word
    if place.owner is None or "\n" in document.text[start:end]:
        return None
    key = place.owner.key
    if key == "kind" and word in stage_models():
        return _hover(document, start, end, describe_kind(word))
    if word in literals_of(place.annotation):
        if place.owner.model is VerdictRule and key == "action":
            field = field_of(VerdictRule, "action")
            return _hover(document, start, end, (field.description or "") if field else "")
        return _hover(document, start, end, describe_word(place.owner, word))
    if key in ("role", "roles"):
        return _hover(document, start, end, _role(document, word, known), plain=True)
    if key in ("from", "run_unless_marker_in", "save_as", "iteration_var"):
        origin = origins(document).get(word)
        return _hover(document, start, end, f"{word}: {origin}" if origin else "", plain=True)
    return None


def _role(document: Document, name: str, known: Known) -> str:
    """What is known of a role; words of the file are in it."""
    roles = document.outline.root.get("roles")
    if fold(name.strip()) not in {fold(node.text.strip()) for node in document.outline.roles}:
        return ""
    role = roles.get(name) if isinstance(roles, MappingNode) else None
    lines = [f"Role {name}"]
    if isinstance(role, MappingNode):
        lines.append(role.text("description"))
        lines.append(f"Permissions: {role.text('permissions') or 'workspace_write'}")
    else:
        lines.append("Permissions: workspace_write")
    if agent := known.roles.get(name):
        lines.append(f"Agent: {agent}")
    return "\n".join(line for line in lines if line)
