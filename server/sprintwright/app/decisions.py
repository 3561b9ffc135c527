"""The user's decisions about a run that nobody owns, as the records that are appended before the walk. Pure."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from sprintwright.app.questions import one_of
from sprintwright.engine.history import History
from sprintwright.errors import Refused
from sprintwright.model.limits import Limits
from sprintwright.model.records import Decided, Payload, Record, SetAside
from sprintwright.state.fold import RunState
from sprintwright.state.tree import ancestors

Decision = tuple[str, Payload]


def answer(state: RunState, text: str, key: str = "") -> Decision:
    """The answer to an open question. Raises `Refused`: none is open, several are, or it is none of the choices."""
    key = key or only_question(state)
    question = state.questions.get(key)
    if question is None or question.inner:
        raise Refused(
            "no_question",
            f"{key} is not open any more: it was already answered, or its turn ended. Yours does not count.",
        )
    return key, Decided(
        what="answer",
        text=one_of(question.choices, text, free=question.kind not in ("exhausted", "pause", "programs")),
        question=question.text,
    )


def only_question(state: RunState) -> str:
    """The key of the one open question. Raises `Refused` (`no_question`) when there is none, or are several."""
    if len(state.questions) == 1:
        return next(iter(state.questions))
    if not state.questions:
        raise Refused("no_question", "No question of this run is open; look at it with `sprintwright show`.")
    raise Refused("no_question", f"Say which question: --question KEY, one of {', '.join(state.questions)}.")


def again(records: Iterable[Record], leaf: str) -> Decision:
    """Do a leaf, a pass, a sprint or a stage again. Raises `Refused` (`unknown_leaf`) with those that can be."""
    finished = History.load(records).finished
    keys = tuple(key for key in finished if key == leaf or key.startswith((f"{leaf}/", f"{leaf}[")))
    if not leaf or not keys:
        known = sorted({*finished, *(around for key in finished for around in ancestors(key))})
        listed = "\n".join(f"  {key}" for key in known) or "  (nothing is finished yet)"
        raise Refused(
            "unknown_leaf", f"Nothing of {leaf!r} is finished. Give one of these, in quotes:\n{listed}", known=known
        )
    return leaf, SetAside(keys=keys, reason="rerun")


def limits(max_passes: int = 0, raised: Limits | None = None) -> list[Decision]:
    """New limits of the run."""
    found: list[Decision] = []
    if max_passes:
        found.append(("", Decided(what="max_passes", number=max_passes)))
    if raised is not None and raised != Limits():
        found.append(("", Decided(what="limits", limits=raised)))
    return found


def roles(given: Mapping[str, str]) -> Decision:
    """Other agents for roles; both in their configured spelling."""
    return "", Decided(what="roles", roles=dict(given))
