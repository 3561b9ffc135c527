"""`sprintwright list`."""

from __future__ import annotations

import argparse
import json
import os
from itertools import islice
from pathlib import Path

from sprintwright.app.look import Head, head_as_json, list_runs
from sprintwright.app.places import Places
from sprintwright.cli.words import program
from sprintwright.state.reports import STATUS_WORDS
from sprintwright.text import one_line

_NEWEST = 50


def run(arguments: argparse.Namespace) -> int:
    """List runs, newest first; people get the newest, programs all."""
    places = Places.of(os.environ)
    folder = None if arguments.all else Path(arguments.folder).resolve()
    most = max(0, arguments.limit) if arguments.limit is not None else 0 if arguments.json else _NEWEST
    runs = islice(list_runs(places, folder), most or None)
    if arguments.json:
        for head in runs:
            print(json.dumps(head_as_json(head)), flush=True)
        return 0
    heads = list(runs)
    for head in heads:
        print(_line(head, with_folder=arguments.all))
    if most and len(heads) == most:
        print(f"… the newest {most}; all of them: {program()} list --limit 0")
    if not heads:
        print(f'No runs yet. Start one: {program()} run dev "what is to be done", or see one: {program()} demo')
    return 0


def _line(head: Head, *, with_folder: bool) -> str:
    where = f"  {one_line(str(head.place.folder), 200)}" if with_folder else ""
    elsewhere = "" if head.own else " (made elsewhere)"
    if head.started is None:
        how = "never started" if head.status == "interrupted" else STATUS_WORDS[head.status]
        return f"{head.place.run_id}  {how}{elsewhere}{where}"
    workflow, task = one_line(head.started.workflow, 60), one_line(head.started.task, 60)
    return f"{head.place.run_id}  {STATUS_WORDS[head.status]}{elsewhere}  {workflow}  {task}{where}"
