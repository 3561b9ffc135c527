"""Completion of keys: those of the model at the place that are not there yet; names where the keys are free."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from pydantic import BaseModel

from sprintwright.definitions.shape import fields_of, kinds_of
from sprintwright.definitions.template_rules import templates_in
from sprintwright.language.docs import IGNORED_KEYS, VERDICT_DOCS, describe_key, describe_kind, required
from sprintwright.language.document import Document
from sprintwright.language.flow import CURSOR
from sprintwright.language.place import Place
from sprintwright.language.shapes import escape, key_insert, nested, quoted
from sprintwright.language.skeletons import WORKFLOW, stage_skeletons
from sprintwright.language.values import Completion, Known
from sprintwright.model.problem import Range
from sprintwright.prompts.template import parse_template

_ASKED_FOR = re.compile(r"[A-Z_]*(?:VERDICT|STATUS): *(\w+)")


def complete_key(document: Document, place: Place, known: Known) -> Iterator[Completion]:
    """Keys for the mapping around a cursor."""
    lead = " " if document.text[place.start - 1 : place.start] == "-" and not place.flow else ""
    for one in _keys(document, place, known):
        yield replace(one, insert=lead + one.insert)


def _keys(document: Document, place: Place, known: Known) -> Iterator[Completion]:
    where = _where(document, place)
    if place.table:
        yield from _free_keys(document, place, known, where)
        return
    there = _keys_there(place)
    if not document.root and not place.path and not document.json:
        yield Completion("workflow", "snippet", WORKFLOW, where, "a whole workflow to begin with", "", "0", "", True)
    model = place.model
    if model is not None:
        for rank, key in enumerate(fields_of(model)):
            if key not in there:
                yield _key(document, place, model, key, where, rank)
    elif place.models:
        yield from _undecided(document, place, there, where)


def _where(document: Document, place: Place) -> Range:
    """What a key replaces: in JSON up to its closing quote, too, because a colon goes behind that."""
    closing = document.json and place.quote and not place.has_colon and document.text.startswith('"', place.end)
    return document.source.range(place.start, place.end + bool(closing))


def _keys_there(place: Place) -> set[str]:
    pairs = place.mapping.pairs if place.mapping else ()
    return {key.text for key, _ in pairs if CURSOR not in key.text}


def _key(
    document: Document, place: Place, model: type[BaseModel], key: str, where: Range, rank: int, detail: str = ""
) -> Completion:
    must = required(model, key)
    insert = key_insert(document, place, model, key)
    ignored = key in IGNORED_KEYS
    sort = f"{0 if key == 'kind' else 1 if must else 8 if ignored else 2}{rank:02}"
    detail = detail or ("required" if must else "")
    return Completion(key, "key", insert, where, detail, describe_key(model, key), sort, "", True)


def _undecided(document: Document, place: Place, there: set[str], where: Range) -> Iterator[Completion]:
    """Keys of a stage whose kind is not said yet: the kind first, then `id`, then all that some kind takes."""
    if not there and not place.flow and not document.json:
        for kind, text in stage_skeletons(" " * (len(nested(document, place)) - 2)).items():
            yield Completion(
                f"{kind} …", "stage", text, where, "a new stage", describe_kind(kind), f"0{kind}", kind, True
            )
    owners = dict[str, list[type[BaseModel]]]()
    for model in place.models:
        for key in fields_of(model):
            owners.setdefault(key, []).append(model)
    for rank, (key, models) in enumerate(owners.items()):
        if key in there:
            continue
        general = len(models) == len(place.models)
        detail = "" if general else "of " + ", ".join(kind for model in models for kind in kinds_of(model))
        found = _key(document, place, models[0], key, where, rank, detail)
        sort = "00" if key == "kind" else "01" if general else f"9{rank:02}"
        text = "What the stage does; it decides which other keys there are." if key == "kind" else found.documentation
        yield Completion(key, "key", found.insert, where, detail or "required", text, sort, "", True)


def _free_keys(document: Document, place: Place, known: Known, where: Range) -> Iterator[Completion]:
    """Names that something in the file already goes by, for keys that are free."""
    there = _keys_there(place)
    last = place.path[-1] if place.path else ""
    if last == "verdict":
        found = _verdicts(document, place, where)
    elif last == "roles":
        found = _roles(document, place, known, where)
    elif last == "vars":
        found = (_free(document, place, name, "used in a template", where) for name in unset_names(document))
    else:
        return
    yield from (one for one in found if one.label not in there)


def _verdicts(document: Document, place: Place, where: Range) -> Iterator[Completion]:
    stage = place.stage()
    asked = dict.fromkeys(_ASKED_FOR.findall(stage.text("prompt") if stage else ""), "asked for in the prompt")
    usual = dict.fromkeys(VERDICT_DOCS, "")
    for rank, (key, detail) in enumerate({**usual, **asked}.items()):
        action = "break" if key in ("good_to_go", "sprint_done") else "retry"
        warn = ", warn: true" if key == "unknown" else ""
        value = f"{{action: {action}{warn}\\}}" if key in usual else "{action: ${1|break,retry|}\\}"
        if document.json:
            value = f'{{"action": "{action}"\\}}'
        sort = f"{0 if detail else 1}{rank:02}"
        yield _free(document, place, key, detail, where, value, VERDICT_DOCS.get(key, ""), sort)


def _roles(document: Document, place: Place, known: Known, where: Range) -> Iterator[Completion]:
    used = dict.fromkeys((stage.text("role") for stage in document.outline.every()), "used by a stage")
    configured = {role: f"has the agent {agent}" for role, agent in known.roles.items()}
    declared = {node.text for node in document.outline.roles}
    value = '{"permissions": "$1"\\}' if document.json else "{description: $1, permissions: ${2:read_only}\\}"
    for name, detail in {**configured, **used}.items():
        if name and name not in declared:
            yield _free(document, place, name, detail, where, value)


def unset_names(document: Document) -> Iterable[str]:
    """Names that templates use and nothing sets."""
    uses = (use for node in templates_in(document.outline) for use in parse_template(node.text).names)
    return dict.fromkeys(use.name for use in uses if not use.field and use.name not in document.names.known)


def _free(
    document: Document, place: Place, name: str, detail: str, where: Range, value: str = "$0",
    text: str = "", sort: str = "1",
) -> Completion:  # fmt: skip
    if place.has_colon or (place.quote and not document.json):
        insert = escape(name)
    elif document.json:
        insert = ("" if place.quote else '"') + f'{escape(name)}": {value}'
    else:
        insert = f"{escape(quoted(name))}: {value}"
    return Completion(name, "name", insert, where, detail, text, sort + name, "", True)
