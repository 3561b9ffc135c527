"""A restore that did not come to its end: told, and nothing else is done to the run until it is finished or undone."""

from __future__ import annotations

import shlex

from sprintwright.errors import Refused
from sprintwright.journal.store import RunFolder
from sprintwright.state.fold import RunState
from sprintwright.state.moments import START, RestoreLeaf


def refuse_cut_off(place: RunFolder, state: RunState) -> None:
    """Raise `Refused` (`restore_cut_off`) while a restore of the run is neither finished nor undone."""
    if (leaf := state.moments.cut_off) is not None:
        raise Refused("restore_cut_off", cut_off_words(place, state, leaf), key=leaf.key, to=leaf.to)


def cut_off_words(place: RunFolder, state: RunState, leaf: RestoreLeaf) -> str:
    """What is to be said of a restore that did not come to its end, with both ways out of it."""
    why = f" ({leaf.problem})" if leaf.problem else ""
    undo = state.moments.undo(leaf.key)
    return (
        f"The restore to {leaf.words} was cut off{why}: some files are restored and some are not.\n"
        f"finish it: {restore_command(place, leaf.to)}\nundo it:   {restore_command(place, undo)}"
    )


def restore_command(place: RunFolder, to: str) -> str:
    """What to type."""
    return f"sprintwright restore {place.run_id} --to {shlex.quote(to or START)} --apply"
