"""`sprintwright workflows`."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from sprintwright.app.places import Places
from sprintwright.app.start import catalogue
from sprintwright.text import one_line


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
        print(f"{entry.name}  {one_line(title, 70)}  ({entry.origin}{replaces})")
        if roles:
            print(f"    roles: {', '.join(roles)}")
        for problem in errors:
            print(f"    problem: {entry.path}:{problem.range.line + 1}: {one_line(problem.message, 200)}")
    return 0
