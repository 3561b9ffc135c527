"""Definitions to break, and short ways to look at what is told about them."""

from __future__ import annotations

from pathlib import Path

from sprintwright.definitions.load import Loaded, load_definition
from sprintwright.model.definition import Definition
from sprintwright.model.problem import Problem

REPOSITORY = Path(__file__).parents[3]
EXAMPLES = REPOSITORY / "tests" / "golden" / "definitions"
HEAD = "name: trial\nroles: [dev]\nstages:\n"
TURN = "{id: work, kind: agent_turn, role: dev, prompt: go, save_as: work}"


def load_stages(*stages: str, head: str = HEAD) -> Loaded[Definition]:
    """A definition with these stages, each in flow notation."""
    return load_definition(head + "".join(f"  - {stage}\n" for stage in stages))


def told(loaded: Loaded[Definition]) -> set[tuple[str, str]]:
    """Code and severity of everything that is told."""
    return {(one.code, one.severity) for one in loaded.problems}


def only(loaded: Loaded[Definition], code: str) -> Problem:
    """The one problem with that code."""
    [found] = [one for one in loaded.problems if one.code == code]
    return found


def at(text: str, problem: Problem) -> str:
    """What stands between the two places of a problem's range."""
    lines = text.splitlines(keepends=True) or [""]
    where = problem.range
    if where.line == where.end_line:
        return lines[where.line][where.column : where.end_column]
    middle = "".join(lines[where.line + 1 : where.end_line])
    return lines[where.line][where.column :] + middle + lines[where.end_line][: where.end_column]


def fixed(text: str, problem: Problem) -> str:
    """The text after the problem's fix."""
    assert problem.fix is not None
    lines = text.splitlines(keepends=True)
    for edit in problem.fix.edits:
        where = edit.range
        assert where.line == where.end_line
        line = lines[where.line]
        lines[where.line] = line[: where.column] + edit.text + line[where.end_column :]
    return "".join(lines)
