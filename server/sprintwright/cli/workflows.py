"""`sprintwright workflows`."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from sprintwright.app.places import Places
from sprintwright.app.start import catalogue
from sprintwright.text import clean, one_line


def run(arguments: argparse.Namespace) -> int:
    """List every workflow with its origin, roles and problems."""
    known = catalogue(Places.of(os.environ), Path(arguments.folder).resolve())
    for entry in known.entries:
        definition = entry.loaded.value
        errors = [p for p in entry.loaded.problems if p.severity == "error"]
        roles = list(definition.roles) if definition else []
        title = definition.title if definition else ""
        if arguments.json:
            row = {
                "name": entry.name,
                "title": title,
                "origin": entry.origin,
                "path": str(entry.path),
                "roles": roles,
                "replaces": entry.replaces,
                "problems": [p.model_dump(exclude_defaults=True) for p in entry.loaded.problems],
            }
            print(json.dumps(row))
            continue
        replaces = f", in place of the {entry.replaces} one" if entry.replaces else ""
        print(f"{one_line(entry.name, 60)}  {one_line(title, 70)}  ({entry.origin}{replaces})")
        if roles:
            print(f"    roles: {one_line(', '.join(roles), 200)}")
        for problem in errors:
            place = clean(f"{entry.path}:{problem.range.line + 1}", newlines=False)
            print(f"    problem: {place}: {one_line(problem.message, 200)}")
    return 0
