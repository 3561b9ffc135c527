"""`sprintwright demo`: the `dev` workflow on a sample project, with recorded agents and a real evaluator."""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from sprintwright.app.live import LiveRun, World
from sprintwright.app.start import StartRequest, start
from sprintwright.cli.drive import Session, Wishes, drive
from sprintwright.cli.words import program
from sprintwright.errors import Refused
from sprintwright.model.effects import Outcome
from sprintwright.workspace.git import Git

_TASK = "Make parse() read durations of several units such as 1h30m, and add describe() for the way back."
_SAMPLE = Path(__file__).resolve().parent.parent / "demo"
_AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Sprintwright demo"), ("EMAIL", "demo@localhost"))
}


def run(arguments: argparse.Namespace) -> int:
    """Make the sample project, run `dev` on it, and say how to go on with an agent of one's own."""
    folder = Path(tempfile.mkdtemp(prefix="sprintwright-demo-")).resolve()
    asyncio.run(_make_project(folder))
    arguments.folder = str(folder)
    print(
        f"A small project with a bug and a missing feature:\n  {folder}\n"
        "Recorded: what designer and generator say and write.\n"
        "Real: the files that change, and the evaluator: it runs the project's tests.\n"
        "Pass 1 of sprint 1 really fails; its failures become findings; pass 2 mends them.\n"
    )
    session = Session.of(arguments)
    request = StartRequest("dev", _TASK, folder)

    async def begin(world: World) -> LiveRun | Outcome:
        try:
            return await start(request, world, session.settings)
        except Refused as refused:  # what runs here came with this program: the demo agrees to its own sample
            if refused.code != "consent_needed":
                raise
            return await start(replace(request, consent=refused.data["hash"]), world, session.settings)

    code = drive(session, begin, Wishes())
    print(
        f"look at it again: {program()} show --folder {folder}\n"
        f"with an agent of your own: {program()} agents  (says what to configure), then in your project\n"
        f'  {program()} run dev "what is to be done"'
    )
    return code


async def _make_project(folder: Path) -> None:
    shutil.copytree(_SAMPLE / "project", folder, dirs_exist_ok=True, ignore=shutil.ignore_patterns("__pycache__"))
    settings = folder / ".sprintwright"
    settings.mkdir(mode=0o700)
    shutil.copy(_SAMPLE / "recording.yaml", settings)
    (settings / "config.yaml").write_text(
        "agents:\n"
        "  recorded: {kind: replay, file: recording.yaml, description: Turns recorded for the demo.}\n"
        f"  tests: {{kind: check, commands: [[{json.dumps(sys.executable)}, -B, check.py]], format: gcc}}\n"
        "primary: recorded\n"
        "roles: {evaluator: tests}\n",
        encoding="utf-8",
    )
    git = Git(folder, os.environ)
    await git.run("init", "--quiet", "--initial-branch=main")
    await git.run("add", "--all", "--", ":!.sprintwright")
    await git.run("commit", "--quiet", "--message", "A sample project", identity=_AUTHOR)
