"""`sprintwright show`."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
from pathlib import Path

from rich.console import Console

from sprintwright.app.look import changes_of, run_as_json, see
from sprintwright.app.places import Places
from sprintwright.app.resume import find_run
from sprintwright.cli.tree import tree_of
from sprintwright.cli.words import closing_lines
from sprintwright.text import clean, one_line


def run(arguments: argparse.Namespace) -> int:
    """Show a run as a tree, as JSON, or as the diff of what it changed."""
    places = Places.of(os.environ)
    seen = see(places, find_run(places, Path(arguments.folder).resolve(), arguments.run))
    if arguments.changes is not None:
        from sprintwright.workspace.snapshots import Snapshots

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
    for line in closing_lines(seen.state, seen.place):
        console.print(line, soft_wrap=True)
    return 0
