"""`sprintwright show`."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from pathlib import Path

from rich.console import Console

from sprintwright.app.look import Seen, changes_of, cut_off, run_as_json, see
from sprintwright.app.places import Places
from sprintwright.app.resume import find_run
from sprintwright.cli.tree import tree_of
from sprintwright.cli.words import changes_in_words, closing_lines
from sprintwright.model.changes import Change
from sprintwright.text import clean, one_line
from sprintwright.workspace.snapshots import Snapshots


def run(arguments: argparse.Namespace) -> int:
    """Show a run as a tree, as JSON, or as the diff of what it changed."""
    places = Places.of(os.environ)
    seen = see(places, find_run(places, Path(arguments.folder).resolve(), arguments.run))
    if arguments.changes is not None:
        diff = asyncio.run(changes_of(seen, arguments.changes, Snapshots(seen.place.folder)))
        print(clean(diff, newlines=True) or "nothing changed")
        return 0
    if arguments.json:
        print(json.dumps(run_as_json(seen), indent=2))
        return 0
    console = Console(highlight=False, markup=False)
    console.print(f"run {seen.place.run_id} in {seen.place.folder}", style="dim", soft_wrap=True)
    if not seen.own:
        console.print("made elsewhere: it is only shown, nothing in it is acted on", style="yellow")
    console.print(tree_of(seen.state))
    for _, text in seen.state.notes[-10:]:
        console.print(f"note: {one_line(text, 300)}", style="yellow", soft_wrap=True)
    for key, changes in asyncio.run(_cut_off(seen)).items():
        known = changes_in_words(changes) or "nothing" if changes is not None else "not known"
        console.print(f"{key} was cut off; changed since it began: {known}", style="yellow", soft_wrap=True)
    for line in closing_lines(seen.state, seen.place):
        console.print(line, soft_wrap=True)
    return 0


async def _cut_off(seen: Seen) -> dict[str, tuple[Change, ...] | None]:
    return await cut_off(seen, Snapshots(seen.place.folder))
