"""`sprintwright show`."""

from __future__ import annotations

import argparse
import asyncio
import os
from pathlib import Path
from typing import Literal

from sprintwright.app.changes import difference, span_of
from sprintwright.app.look import Seen, cut_off, see
from sprintwright.app.places import Places
from sprintwright.app.runs import find_run
from sprintwright.errors import Refused
from sprintwright.journal.store import RUN_ID
from sprintwright.model.changes import Change
from sprintwright.state.tree import AT_WORK
from sprintwright.text import clean, one_line
from sprintwright.workspace.snapshots import Snapshots

Wanted = Literal["tree", "json", "github", "sarif"]
_MOST_NODES = 300
"""A longer tree is folded."""
_MOST_FINDINGS = 100


def run(arguments: argparse.Namespace) -> int:
    """Show a run: as a tree, once or for as long as it goes on, for other programs, or the diff of what it changed."""
    if RUN_ID.fullmatch(arguments.changes or "") and arguments.run == "last":
        arguments.run, arguments.changes = arguments.changes, ""  # `show --changes RUN`: all that this run changed
    places = Places.of(os.environ)
    place = find_run(places, Path(arguments.folder).resolve(), arguments.run)
    wanted = _format(arguments)
    seen = see(places, place)
    if arguments.follow:
        return _follow(places, seen, wanted)
    if arguments.changes is not None:
        diff = asyncio.run(difference(span_of(seen, arguments.changes), Snapshots(place.folder)))
        print(clean(diff, newlines=True) or "nothing changed")
    elif wanted == "tree":
        _show(seen)
    else:
        from sprintwright.cli.formats import formatted

        for line in formatted(seen, wanted):
            print(line)
    return 0


def _follow(places: Places, seen: Seen, wanted: Wanted) -> int:
    from sprintwright.cli.exits import exit_of
    from sprintwright.cli.follow import follow

    if wanted in ("github", "sarif"):
        raise Refused("bad_argument", f"--follow and --format {wanted} do not go together: show it when it is done.")
    if wanted == "tree" and seen.state.status not in AT_WORK:
        _show(seen)
        return exit_of(seen.state.status)
    return follow(places, seen.place, as_json=wanted == "json")


def _format(arguments: argparse.Namespace) -> Wanted:
    if arguments.json and arguments.format not in (None, "json"):
        raise Refused("bad_argument", f"--json and --format {arguments.format}: say one of them.")
    return "json" if arguments.json else arguments.format or "tree"


def _show(seen: Seen) -> None:
    from sprintwright.cli.closing import closing_lines
    from sprintwright.cli.tree import make_console, tree_of
    from sprintwright.cli.words import changes_in_words

    console = make_console()
    console.print(
        f"run {seen.place.run_id} in {clean(str(seen.place.folder), newlines=False)}", style="dim", soft_wrap=True
    )
    if not seen.own:
        console.print("made elsewhere: it is only shown, nothing in it is acted on", style="yellow")
    console.print(tree_of(seen.state, height=_MOST_NODES))
    for _, text in seen.state.notes[-10:]:
        console.print(f"note: {one_line(text, 300)}", style="yellow", soft_wrap=True)
    for key, changes in (asyncio.run(_cut_off(seen)) if seen.own else {}).items():
        known = changes_in_words(changes) or "nothing" if changes is not None else "not known"
        console.print(f"{key} was cut off; changed since it began: {known}", style="yellow", soft_wrap=True)
    for line in closing_lines(seen.state, seen.place, own=seen.own, most_findings=_MOST_FINDINGS):
        console.print(line, soft_wrap=True)


async def _cut_off(seen: Seen) -> dict[str, tuple[Change, ...] | None]:
    return await cut_off(seen, Snapshots(seen.place.folder))
