"""`sprintwright restore`."""

from __future__ import annotations

import argparse
import asyncio
import shlex
from collections.abc import Iterator, Sequence

from sprintwright.app.cut_off import restore_command
from sprintwright.app.restore import RestoreDone, RestorePreview, preview_restore, restore
from sprintwright.cli.drive import Session
from sprintwright.cli.people import ask_line
from sprintwright.cli.words import changes_in_words, count
from sprintwright.errors import Refused
from sprintwright.journal.store import RunFolder
from sprintwright.model.changes import ChangeStatus
from sprintwright.state.moments import START
from sprintwright.text import one_line

_MOST_FILES, _MOST_NAMED = 20, 5
_VERBS: dict[ChangeStatus, str] = {
    "added": "bring back", "modified": "change", "deleted": "delete", "mode": "set the permissions of", "more": "",
}  # fmt: skip


def run(arguments: argparse.Namespace) -> int:
    """Show what a restore would do; with `--apply` do it."""
    session, place = Session.with_run(arguments)
    preview = asyncio.run(preview_restore(place, arguments.to, session.looking()))
    asks = arguments.apply and session.interactive and bool(preview.plan.steps) and not preview.plan.conflicts
    if not arguments.apply or asks:
        print("\n".join(_preview_lines(preview)))
    if not arguments.apply:
        if preview.plan.steps and not preview.plan.conflicts:
            print(f"do it: {restore_command(place, preview.to)}")
        return 0
    if asks and asyncio.run(ask_line("Do it? [y/N] ")).strip().lower() not in ("y", "yes"):
        raise Refused("stopped", "Nothing was restored.")
    done = asyncio.run(restore(place, arguments.to, session.looking()))
    print("\n".join(_done_lines(done, place)))
    return 0


def _preview_lines(preview: RestorePreview) -> Iterator[str]:
    plan = preview.plan
    if not plan.changes:
        yield f"The files are as they were {_when(preview)}; there is nothing to restore."
    else:
        yield f"To put the files back to {preview.words}, {count(len(plan.changes), 'file')} would change:"
        for change in plan.changes[:_MOST_FILES]:
            yield f"  {_VERBS[change.status]} {one_line(change.path, 200)}"
        if (more := len(plan.changes) - _MOST_FILES) > 0:
            counts = [(verb, sum(one.status == status for one in plan.changes)) for status, verb in _VERBS.items()]
            yield f"  and {more} more (in all: {', '.join(f'{verb} {n}' for verb, n in counts if n)})"
        yield "Only files change: HEAD, branch and index of your repository stay as they are."
    if plan.left:
        yield f"stays, though it was not there or was ignored then: {_named(plan.left)}"
    others = _named(preview.now.not_covered)
    yield f"left alone: ignored files{f', and what no snapshot holds: {others}' if others else ''}"
    if plan.conflicts:
        yield f"in the way: {_named(plan.conflicts)} - in no snapshot; move it away first, nothing is done until then"


def _done_lines(done: RestoreDone, place: RunFolder) -> Iterator[str]:
    if not done.key:
        yield f"The files are as they were {_when(done.preview)} already; nothing was changed."
        return
    changed = count(len(done.preview.plan.changes), "file")
    named = changes_in_words(done.preview.plan.changes, _MOST_FILES)
    yield f"The files are as they were {_when(done.preview)} ({done.key}). {changed} changed: {named}"
    if done.differing:
        yield f"But meanwhile somebody else changed: {changes_in_words(done.differing)}"
    if done.preview.plan.left:
        yield f"stays: {_named(done.preview.plan.left)}"
    yield f"undo it: {restore_command(place, done.undo)}"
    if done.preview.to != START and not done.preview.to.startswith("restore["):
        yield f"do the work again from there: sprintwright rerun {place.run_id} {shlex.quote(done.preview.to)}"


def _when(preview: RestorePreview) -> str:
    return "at the start of the run" if preview.to == START else preview.words


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _MOST_NAMED} more" if len(names) > _MOST_NAMED else ""
    return ", ".join(one_line(name, 120) for name in names[:_MOST_NAMED]) + more
