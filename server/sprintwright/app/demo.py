"""The demo: the workflow `dev` on a sample project, with recorded agents and a real evaluator."""

from __future__ import annotations

import json
import os
import shutil
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

from sprintwright.app.config import Settings
from sprintwright.app.live import LiveRun, World
from sprintwright.app.start import StartRequest, start
from sprintwright.errors import Refused
from sprintwright.model.effects import Outcome
from sprintwright.model.limits import Limits
from sprintwright.threads import in_thread
from sprintwright.workspace.git import Git

_TASK = "Make parse() read durations of several units such as 1h30m, and add describe() for the way back."
_ROLES = {"designer": "recorded", "generator": "recorded", "evaluator": "tests"}
_SAMPLE = Path(__file__).resolve().parent.parent / "demo"
_AUTHOR = {
    f"GIT_{who}_{what}": value
    for who in ("AUTHOR", "COMMITTER")
    for what, value in (("NAME", "Sprintwright demo"), ("EMAIL", "demo@localhost"))
}


async def make_demo() -> StartRequest:
    """Make the sample project in a new temporary folder; what is to be started in it. Raises `OSError`, `Refused`."""
    folder = await in_thread(_copy_sample)
    git = Git(folder, os.environ)
    await git.run("init", "--quiet", "--initial-branch=main")
    await git.run("add", "--all", "--", ":!.sprintwright")
    await git.run("commit", "--quiet", "--message", "A sample project", identity=_AUTHOR)
    return StartRequest("dev", _TASK, folder, roles=_ROLES)


async def start_demo(request: StartRequest, world: World, settings: Settings) -> LiveRun | Outcome:
    """Start it. What runs there came with this program: the demo agrees to its own sample.

    Nothing of the user's own counts: not who plays their roles, for a demo costs nothing, nor their limits.
    """
    settings = replace(settings, limits=Limits())
    try:
        return await start(request, world, settings)
    except Refused as refused:
        if refused.code != "consent_needed":
            raise
        return await start(replace(request, consent=refused.data["hash"]), world, settings)


def _copy_sample() -> Path:
    folder = Path(tempfile.mkdtemp(prefix="sprintwright-demo-")).resolve()
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
    return folder
