"""`sprintwright rerun`."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace

from sprintwright.app import decisions
from sprintwright.app.decisions import Decision
from sprintwright.app.live import LiveRun, World
from sprintwright.app.resume import Prepared, go_on, policy, prepare, preview, to_resume
from sprintwright.cli.drive import Session, Wishes, drive
from sprintwright.cli.people import ask_line
from sprintwright.cli.resume import shown_again
from sprintwright.errors import Refused


def run(arguments: argparse.Namespace) -> int:
    """Do a step again, and with it what stands behind it; first shown, then asked."""
    session, place = Session.with_run(arguments)
    wishes = Wishes.of(arguments)

    async def plan(world: World) -> tuple[Prepared, list[Decision], list[str]]:
        prepared = await prepare(place, world)
        found: list[Decision] = [decisions.again(prepared.loaded.records, arguments.leaf)]
        return prepared, found, await preview(prepared, found, world)

    _, _, gone = asyncio.run(plan(session.looking()))
    print("\n".join(shown_again(gone)))
    if arguments.preview:
        return 0
    if not arguments.yes:
        if not session.interactive:
            raise Refused("needs_choice", "Nothing was done. To do these steps again, say --yes.")
        if asyncio.run(ask_line("Do them again? [y/N] ")).strip().lower() not in ("y", "yes"):
            raise Refused("stopped", "Nothing was done.")

    session = replace(session, yes=False)  # it said yes to these steps, and to nothing that they will ask

    async def begin(world: World) -> LiveRun:
        prepared, found, _ = await plan(world)
        if prepared.state.status == "completed":
            about_it: list[Decision] = []
        else:
            about_it = to_resume(prepared, policy(prepared.interrupted), artifacts=wishes.artifacts)
        keep = [(key, payload) for key, payload in about_it if (key, payload) not in found]
        return await go_on(prepared, [*keep, *found], world, consent=wishes.consent, concurrent=wishes.concurrent)

    return drive(session, begin, wishes)
