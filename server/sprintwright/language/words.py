"""Completion of values: the words that a key takes, and the names in the file to which it can refer."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from sprintwright.definitions.name_rules import artifact_files
from sprintwright.language.docs import describe_kind, describe_word, literals_of, stage_models
from sprintwright.language.document import Document
from sprintwright.language.keys import unset_names
from sprintwright.language.place import Place
from sprintwright.language.shapes import below_key, item_of, nested, written
from sprintwright.language.skeletons import JSON_WORKFLOW, flow_skeletons, stage_skeletons
from sprintwright.language.values import Completion, CompletionKind, Known
from sprintwright.language.variables import origins
from sprintwright.model.problem import Range

_Named = Iterator[tuple[str, str]]
"""Names, each with a plain detail."""


def complete_value(document: Document, place: Place, known: Known) -> Iterator[Completion]:
    """Values for the key, or items for the list, at a cursor."""
    where = document.source.range(place.start, place.end)
    if not place.path:
        if document.json and not document.root:
            text = "a whole workflow to begin with"
            yield Completion("workflow", "snippet", JSON_WORKFLOW, where, text, "", "0", "", True)
        return
    if place.path[-1] == "kind" and not isinstance(place.path[-1], int) and place.owner:
        yield from _kinds(document, place, where)
        return
    yield from _items(document, place, where)
    if place.owner is None:
        return
    json_word = document.json and not place.quote
    for rank, word in enumerate(literals_of(place.annotation)):
        if word:
            plain = word if word in ("true", "false") or not json_word else f'"{word}"'
            text = describe_word(place.owner, word)
            yield Completion(word, "value", _lead(document, place) + plain, where, "", text, f"{rank:02}")
    kind, names = _names(place)
    for name, detail in names(document, place, known):
        insert = _lead(document, place) + written(name, place, json=document.json)
        yield Completion(name, kind, insert, where, detail, "", f"5{name}")


def _lead(document: Document, place: Place) -> str:
    """A blank behind a colon or dash that has none yet."""
    before = document.text[place.start - 1 : place.start]
    return " " if not place.quote and before in (":", "-") and place.offset == place.start else ""


def _kinds(document: Document, place: Place, where: Range) -> Iterator[Completion]:
    for rank, kind in enumerate(stage_models()):
        insert = _lead(document, place) + written(kind, place, json=document.json)
        yield Completion(kind, "kind", insert, where, "", describe_kind(kind), f"{rank:02}")


def _items(document: Document, place: Place, where: Range) -> Iterator[Completion]:
    """Beginnings of an item, where a list belongs and none has begun, or in its brackets."""
    inner = item_of(place.annotation)
    stages = isinstance(place.path[-1], str) and place.path[-1] in ("stages", "body")
    stages = stages or (len(place.path) > 1 and place.path[-2] in ("stages", "body"))
    if not stages or place.quote:
        return
    if place.flow:
        for kind, text in flow_skeletons(json=document.json).items():
            text = text if place.in_list else f"[{text}]"
            yield Completion(f"{kind} …", "stage", text, where, "a new stage", describe_kind(kind), kind, kind, True)
    elif inner is not None:
        below = "" if place.own_line else below_key(document, place)
        deeper = nested(document, place) if place.own_line else below + "  "
        for kind, text in stage_skeletons(deeper).items():
            text = "- " + text if place.own_line else f"\n{below}- {text}"
            yield Completion(f"- {kind} …", "stage", text, where, "a new stage", describe_kind(kind), kind, kind, True)


def _names(place: Place) -> tuple[CompletionKind, Callable[[Document, Place, Known], _Named]]:
    """What a key's value may refer to."""
    owner = place.owner
    found = _BY_KEY.get(owner.key) if owner else None
    # A mapping's own keys, such as `artifact: {…}`, are no values of it.
    return found or ("value", _nothing)


def _nothing(document: Document, place: Place, known: Known) -> _Named:
    return iter(())


def _roles(document: Document, place: Place, known: Known) -> _Named:
    for node in document.outline.roles:
        yield node.text, "role"


def _undeclared(document: Document, place: Place, known: Known) -> _Named:
    """Names for a list of roles."""
    if not place.in_list:
        return
    declared = {node.text for node in document.outline.roles}
    used = {stage.text("role"): "used by a stage" for stage in document.outline.every()}
    configured = {role: f"has the agent {agent}" for role, agent in known.roles.items()}
    for name, detail in {**configured, **used}.items():
        if name and name not in declared:
            yield name, detail


def _texts(document: Document, place: Place, known: Known) -> _Named:
    texts = document.names.texts
    return ((name, origin) for name, origin in origins(document).items() if name in texts)


def _artifacts(document: Document, place: Place, known: Known) -> _Named:
    stage = place.stage()
    own = stage.text("artifact") if stage else ""
    files = dict.fromkeys(node.text for node in artifact_files(document.outline) if node.text != own)
    return ((file, "artifact of this workflow") for file in files)


def _closing(document: Document, place: Place, known: Known) -> _Named:
    return _artifacts(document, place, known) if place.in_list or "close_artifacts" in place.path else iter(())


def _workflows(document: Document, place: Place, known: Known) -> _Named:
    return ((name, f"takes the place of: {title}" if title else "") for name, title in known.workflows.items())


def _labels(document: Document, place: Place, known: Known) -> _Named:
    labels = dict.fromkeys(stage.text("over") for stage in document.outline.every())
    return ((label, "headings '## … 1: title'") for label in [*filter(None, labels), "Sprint", "Item"])


def _unset_names(document: Document, place: Place, known: Known) -> _Named:
    return ((name, "used in a template, and nothing sets it") for name in unset_names(document))


def _programs(document: Document, place: Place, known: Known) -> _Named:
    if isinstance(place.path[-1], int) and len(place.path) > 1 and isinstance(place.path[-2], int):
        word = (
            ("{sprintwright}", "this program") if place.path[-1] == 0 else ("{artifacts}", "folder of the run's files")
        )
        yield word


_BY_KEY: dict[str, tuple[CompletionKind, Callable[[Document, Place, Known], _Named]]] = {
    "role": ("role", _roles),
    "roles": ("role", _undeclared),
    "from": ("variable", _texts),
    "run_unless_marker_in": ("variable", _texts),
    "save_as": ("variable", _unset_names),
    "iteration_var": ("variable", _unset_names),
    "artifact_exists": ("file", _artifacts),
    "close_artifacts": ("file", _closing),
    "file": ("file", _closing),
    "name": ("name", _workflows),
    "over": ("name", _labels),
    "commands": ("value", _programs),
}
