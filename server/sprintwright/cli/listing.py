"""`sprintwright list`."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from sprintwright.app.look import head_as_json, list_runs
from sprintwright.app.places import Places
from sprintwright.state.reports import STATUS_WORDS
from sprintwright.text import one_line


def run(arguments: argparse.Namespace) -> int:
    """List runs, newest first."""
    places = Places.of(os.environ)
    folder = None if arguments.all else Path(arguments.folder).resolve()
    found = False
    for seen in list_runs(places, folder):
        found = True
        if arguments.json:
            print(json.dumps(head_as_json(seen)))
            continue
        state = seen.state
        workflow = one_line(state.started.workflow, 60) if state.started else "?"
        task = one_line(state.started.task, 60) if state.started else ""
        elsewhere = "" if seen.own else " (made elsewhere)"
        where = f"  {one_line(str(seen.place.folder), 200)}" if arguments.all else ""
        print(f"{seen.place.run_id}  {STATUS_WORDS[state.status]}{elsewhere}  {workflow}  {task}{where}")
    if not found and not arguments.json:
        print('No runs yet. Start one: sprintwright run dev "what is to be done", or see one: sprintwright demo')
    return 0
