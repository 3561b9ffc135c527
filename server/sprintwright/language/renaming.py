"""Renaming of roles, variables and stages, with all that goes by their names; or why it can't be done."""

from __future__ import annotations

import re

from sprintwright.definitions.insertion import as_scalar, is_json
from sprintwright.definitions.names import ALWAYS
from sprintwright.definitions.outline import StageView
from sprintwright.language.docs import TEMPLATE_WORDS
from sprintwright.language.document import Document
from sprintwright.language.occurrences import Occurrence, at_cursor, occurrences, same
from sprintwright.language.values import Renaming
from sprintwright.model.problem import Edit, Range
from sprintwright.text import fold

_VARIABLE = re.compile(r"[^\W\d][\w-]*")
_NOT_IN_IDS = re.compile(r"[/\[\]\x00-\x1f\x7f-\x9f\u2028\u2029]")
_LONGEST = 100


def prepare_rename(document: Document, line: int, column: int) -> tuple[Range, str] | str:
    """The range and the name that a rename at a place would change; or a sentence that says why there is none."""
    if not document.complete:
        return "The file can't be read to its end at the moment; mend that first."
    here = at_cursor(document, line, column)
    if not here:
        return "Only roles, variables and ids of stages can be renamed."
    one = _chosen(here)
    if refusal := _refused(document, one):
        return refusal
    return one.range, _written_name(document, one)


def rename(document: Document, line: int, column: int, name: str) -> Renaming:
    """The edits that give what stands at a place another name, everywhere; or the refusal, in words."""
    prepared = prepare_rename(document, line, column)
    if isinstance(prepared, str):
        return Renaming(refusal=prepared)
    one = _chosen(at_cursor(document, line, column))
    name = name.strip()
    if refusal := _bad_name(document, one, name):
        return Renaming(refusal=refusal)
    if one.kind == "stage":
        return _rename_stage(document, one, name)
    found = same(document, one)
    if any(not other.exact for other in found):
        return Renaming(refusal="One of its places is in a text whose letters can't be told apart; change that first.")
    return Renaming(tuple(_edits(found, name)))


def _chosen(here: tuple[Occurrence, ...]) -> Occurrence:
    """A scalar that is the id of a stage is renamed as that, whatever variables come of it."""
    return next((one for one in here if one.kind == "stage"), here[0])


def _written_name(document: Document, one: Occurrence) -> str:
    if one.node is not None:
        return one.node.text
    return one.name


def _refused(document: Document, one: Occurrence) -> str:
    if one.kind == "artifact":
        return "Names of artifacts stand in prompts, too; change them by hand."
    if one.kind == "variable":
        setters = [other for other in same(document, one) if other.sets]
        if one.name in ALWAYS:
            return f"{one.name!r} is set by every run; it can't be renamed."
        if not setters:
            return f"Nothing sets {one.name!r}; change it to a name that is known."
        if any(other.derived == "label" or other.derived == "_section" for other in setters):
            return f"{one.name!r} is read from a text that prompts ask for in words; change it in both."
        if any(other.derived for other in setters):
            return f"{one.name!r} comes from the id of a stage; rename that."
    if not one.exact:
        return "The letters of this text can't be told apart; write it without escapes first."
    return ""


def _bad_name(document: Document, one: Occurrence, name: str) -> str:
    if not name:
        return "The new name is empty."
    if len(name) > _LONGEST:
        return f"The new name is longer than {_LONGEST} letters."
    if one.kind == "variable":
        return _bad_variable(document, one, name)
    if one.kind == "role":
        taken = {fold(node.text.strip()) for node in document.outline.roles} - {one.name}
        if fold(name) in taken:
            return f"There is a role {name!r} already."
        return "A role's name is one line of plain text." if _NOT_IN_IDS.search(name) else ""
    if found := _NOT_IN_IDS.search(name):
        return f"An id can't hold {found[0]!r}."
    siblings = next((group for group in document.outline.siblings() if _holds(group, one)), ())
    others = {fold(stage.id) for stage in siblings if not _is(stage, one)}
    return f"A stage beside it has the id {name!r} already." if fold(name) in others else ""


def _bad_variable(document: Document, one: Occurrence, name: str) -> str:
    if not _VARIABLE.fullmatch(name):
        return f"{name!r} is no name of a variable: letters, digits, '_' and '-', with a letter first."
    if name in TEMPLATE_WORDS:
        return f"{name!r} is a word of the template language."
    if name in ALWAYS:
        return f"{name!r} is set by every run."
    if name != one.name and name in document.names.known:
        return f"There is a variable {name!r} already."
    return ""


def _is(stage: StageView, one: Occurrence) -> bool:
    node = stage.node.get("id")
    return node is not None and node.start == (one.node.start if one.node else -1)


def _holds(group: tuple[StageView, ...], one: Occurrence) -> bool:
    return any(_is(stage, one) for stage in group)


def _rename_stage(document: Document, one: Occurrence, name: str) -> Renaming:
    """The id, and the variables that come of it wherever they are used."""
    assert one.node is not None
    old, start = one.node.text, one.node.start
    own = {s.name: s.suffix for s in document.setters if s.key == "id" and s.node.start == start}
    others = {s.name for s in document.setters if s.node.start != start}
    uses = [other for other in occurrences(document) if other.kind == "variable" and not other.sets]
    used = [other for other in uses if other.name in own]
    if shared := [other.name for other in used if other.name in others]:
        return Renaming(refusal=f"{shared[0]!r} comes from another stage as well, so its uses can't be told apart.")
    if used and not _VARIABLE.fullmatch(name):
        return Renaming(
            refusal=f"{name!r} can't be part of a variable, and {used[0].name!r} is used: no blanks or dots."
        )
    if any(not other.exact for other in used):
        return Renaming(refusal="One of its places is in a text whose letters can't be told apart; change that first.")
    new = {variable: name + suffix for variable, suffix in own.items()}
    if name != old and (taken := [one for one in new.values() if one in document.names.known and used]):
        return Renaming(refusal=f"There is a variable {taken[0]!r} already.")
    edits = list(_edits((one,), name))
    for other in used:
        edits.extend(_edits((other,), new[other.name]))
    return Renaming(tuple(edits))


def _edits(found: tuple[Occurrence, ...], name: str) -> list[Edit]:
    """One edit a place, however often an alias shows it."""
    edits: dict[tuple[int, int], Edit] = {}
    for one in found:
        text = name
        if one.node is not None:
            text = as_scalar(name, json=is_json(one.node) or one.node.style == '"')
        edits[one.range.line, one.range.column] = Edit(range=one.range, text=text)
    return list(edits.values())
