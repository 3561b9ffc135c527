"""`sprintwright validate`."""

from __future__ import annotations

import argparse
import json
import os
from pathlib import Path

from sprintwright.app.places import Places
from sprintwright.app.start import catalogue
from sprintwright.definitions.load import decode, load_definition
from sprintwright.model.problem import Problem
from sprintwright.text import clean, one_line

_MOST_BYTES = 2 * 1024 * 1024


def run(arguments: argparse.Namespace) -> int:
    """Print every problem with its place; 2 when there is an error among them."""
    worst = 0
    for path, problems in _checked(arguments):
        for problem in problems:
            worst = 2 if problem.severity == "error" else worst
            _print(path, problem, arguments.json)
        if not problems and not arguments.json:
            print(f"{clean(str(path), newlines=False)}: no problem")
    return worst


def _checked(arguments: argparse.Namespace) -> list[tuple[Path, list[Problem]]]:
    if not arguments.files:
        known = catalogue(Places.of(os.environ), Path(arguments.folder).resolve())
        return [(entry.path, list(entry.loaded.problems)) for entry in known.entries]
    return [(Path(name), _file(Path(name))) for name in arguments.files]


def _file(path: Path) -> list[Problem]:
    from sprintwright.errors import Refused

    if path.exists() and not path.is_file():
        raise Refused("bad_argument", f"{str(path)!r} is no regular file.")
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES)
    except OSError as error:
        raise Refused("bad_argument", f"{str(path)!r} can't be read: {error.strerror}.") from error
    text, problems = decode(data)
    return [*problems, *load_definition(text, json=path.suffix == ".json").problems]


def _print(path: Path, problem: Problem, as_json: bool) -> None:
    if as_json:
        print(json.dumps({"path": str(path), **problem.model_dump(exclude_defaults=True)}))
        return
    place = clean(f"{path}:{problem.range.line + 1}:{problem.range.column + 1}", newlines=False)
    print(f"{place}: {problem.severity}: {one_line(problem.message, 400)} [{problem.code}]")
