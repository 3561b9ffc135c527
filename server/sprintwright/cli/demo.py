"""`sprintwright demo`: the `dev` workflow on a sample project, with recorded agents and a real evaluator."""

from __future__ import annotations

import argparse
import asyncio

from sprintwright.app.demo import make_demo, start_demo
from sprintwright.app.live import LiveRun, World
from sprintwright.cli.drive import Session, Wishes, drive
from sprintwright.cli.words import program
from sprintwright.model.effects import Outcome


def run(arguments: argparse.Namespace) -> int:
    """Make the sample project, run `dev` on it, and say how to go on with an agent of one's own."""
    request = asyncio.run(make_demo())
    folder = request.folder
    arguments.folder = str(folder)
    print(
        f"A small project with a bug and a missing feature:\n  {folder}\n"
        "Recorded: what designer and generator say and write.\n"
        "Real: the files that change, and the evaluator: it runs the project's tests.\n"
        "Pass 1 of sprint 1 really fails; its failures become findings; pass 2 mends them.\n"
    )
    session = Session.of(arguments)

    async def begin(world: World) -> LiveRun | Outcome:
        return await start_demo(request, world, session.settings)

    code = drive(session, begin, Wishes())
    print(
        f"look at it again: {program()} show --folder {folder}\n"
        f"with an agent of your own: {program()} agents  (says what to configure), then in your project\n"
        f'  {program()} run dev "what is to be done"'
    )
    return code
