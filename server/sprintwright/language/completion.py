"""Completion: what can stand at a cursor, by the type that the model has for the place."""

from __future__ import annotations

from sprintwright.language.document import Document
from sprintwright.language.keys import complete_key
from sprintwright.language.place import find_place
from sprintwright.language.template_help import at_template, complete_template
from sprintwright.language.values import Completion, Known
from sprintwright.language.words import complete_value

_MOST = 500


def complete(document: Document, line: int, column: int, known: Known | None = None) -> tuple[Completion, ...]:
    """What can be put in at a place, the likely things first. Never raises; empty where nothing is known."""
    place = find_place(document, line, column)
    if place is None:
        return ()
    known = known or Known()
    if at_template(document, place):
        found = complete_template(document, place)
    elif place.role == "key":
        found = complete_key(document, place, known)
    else:
        found = complete_value(document, place, known)
    return tuple(found)[:_MOST]
