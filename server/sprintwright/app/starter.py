"""The verb `workflow.create`: a workflow file in a folder, from the starter or as a copy of a known one."""

from __future__ import annotations

import re
from pathlib import Path

from sprintwright.app.places import Places
from sprintwright.app.start import catalogue, usable_folder
from sprintwright.errors import PathRefused, Refused
from sprintwright.paths import make_private_dir, refuse_links, write_atomic
from sprintwright.text import fold

_NAME = re.compile(r"(?=.{1,60}\Z)[a-z][a-z0-9]*(?:[-_][a-z0-9]+)*")


def create_workflow(places: Places, folder: Path, name: str, *, copy: bool = False) -> Path:
    """Write `.sprintwright/workflows/<name>.yaml`; git ignores that folder.

    Args:
        copy: the workflow of that name that is known, built in or the user's own, instead of the starter. The copy
            takes its place in this folder.

    Returns:
        The file.

    Raises:
        Refused: `bad_argument`, `unknown_workflow`, `folder_missing`, `folder_read_only`.
    """
    folder = usable_folder(folder)
    if not _NAME.fullmatch(name):
        raise Refused("bad_argument", f"{name!r} can't be a workflow's name: use a-z, 0-9, - and _, as in `my-review`.")
    known = catalogue(places, folder)
    entry = known.find(name)
    if entry is not None and (not copy or entry.origin == "workspace"):
        raise Refused(
            "bad_argument", f"There is a workflow {entry.name!r} already ({entry.path}). Choose another name."
        )
    if entry is None and copy:
        raise Refused("unknown_workflow", f"There is no workflow {name!r} to copy.", known=known.names())
    text = starter(name) if entry is None else entry.text
    ours = folder / ".sprintwright"
    try:
        refuse_links(ours / "workflows", folder)
        make_private_dir(ours)
        if not (ours / ".gitignore").exists():
            write_atomic(ours, ".gitignore", b"*\n")
        write_atomic(ours, f"workflows/{name}.yaml", text.encode(), parents=True)
    except PathRefused as error:
        raise Refused("folder_read_only", f"The workflow can't be written: {error.message}") from error
    return ours / "workflows" / f"{name}.yaml"


def starter(name: str) -> str:
    """A small workflow that can be run as it is: plan, then build and review until it is good."""
    return _STARTER.replace("NAME", fold(name))


_STARTER = """\
# A starter: edit it, then `sprintwright validate`. Every field: `sprintwright schema`.
name: NAME
title: Plan, then build and review until it is good
roles:
  planner: {description: Writes a short plan., permissions: read_only}
  builder: {description: Does what the plan says., permissions: workspace_write}
  reviewer: {description: Judges what was built., permissions: read_only}
stages:
  - id: plan
    kind: agent_turn
    role: planner
    save_as: plan             # later prompts know this answer as {{plan}}
    artifact: plan.md         # and it is kept as a file of the run
    # pause_after: true       # look at the plan before anything is built
    prompt: |-
      Plan this task in a few steps. Change no files.

      {{task}}
  - id: rounds
    kind: loop
    max_iterations: 3
    iteration_var: pass
    on_exhausted: ask         # or: fail, continue
    body:
      - id: build
        kind: agent_turn
        role: builder
        prompt: |-
          Do what this plan says (pass {{pass}}):

          {{plan}}
          {{- if remarks}}

          Mend what the review of the pass before found:
          {{remarks}}
          {{- end}}
      # - {id: tests, kind: check, commands: [["python3", "-m", "pytest", "-q"]]}
      - id: review
        kind: agent_turn
        role: reviewer
        save_as: remarks
        prompt: |-
          Judge what was built against this plan. Look at the files; change none.

          {{plan}}

          One finding a line: `path:line: error: what is wrong and how to mend it`.
          The last line is your verdict: VERDICT: good or VERDICT: again
        verdict:
          good: {action: break}
          again: {action: retry}
          unknown: {action: retry, warn: true}
"""
