"""Where variables come from, in words."""

from __future__ import annotations

from sprintwright.definitions.names import ALWAYS, Setter
from sprintwright.language.docs import ALWAYS_DOCS
from sprintwright.language.document import Document

_WORDS = {
    ("save_as", ""): "what stage {id!r} came to",
    ("iteration_var", ""): "number of the pass of loop {id!r}, from 1",
    ("max_iterations_from", ""): "limit of passes of loop {id!r}, from the text",
    ("over", ""): "number of the heading that {id!r} is at",
    ("over", "_section"): "text below the heading that {id!r} is at",
    ("id", "_questions"): "what the agent of {id!r} asked the user",
    ("id", "_answer"): "what the user answered to {id!r}",
    ("id", "_skipped"): "why {id!r} was skipped; empty when it ran",
    ("id", "_accepted"): "not empty when the user accepted the loop {id!r} as it was",
}


def origin_of(setter: Setter) -> str:
    """What a place gives to its variable. Holds words of the file."""
    if setter.stage is None:
        return "text of 'vars'"
    words = _WORDS[setter.key, setter.suffix].format(id=setter.stage.id[:60])
    return (
        "results of group" + words.removeprefix("what stage").removesuffix(" came to")
        if (setter.holds == "list")
        else words
    )


def origins(document: Document) -> dict[str, str]:
    """Every variable of a definition with where it comes from, the run's own last."""
    found = dict[str, list[str]]()
    for setter in document.setters:
        words = found.setdefault(setter.name, [])
        if (origin := origin_of(setter)) not in words:
            words.append(origin)
    texts = {name: "; ".join(words[:3]) + ("; …" if len(words) > 3 else "") for name, words in found.items()}
    return texts | {name: ALWAYS_DOCS[name] for name in ALWAYS if name not in texts}
