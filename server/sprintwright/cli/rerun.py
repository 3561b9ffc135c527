"""`sprintwright rerun`."""

from __future__ import annotations

import argparse
import asyncio
from dataclasses import replace

from sprintwright.app.again import Wish, carry_out, done_again, plan_rerun
from sprintwright.app.live import LiveRun, World
from sprintwright.cli.drive import Session, Wishes, drive
from sprintwright.cli.people import ask_line
from sprintwright.cli.resume import shown_again
from sprintwright.errors import Refused


def run(arguments: argparse.Namespace) -> int:
    """Do a step again, and with it what stands behind it; first shown, then asked."""
    session, place = Session.with_run(arguments)
    wishes = Wishes.of(arguments)
    wish = Wish(artifacts=wishes.artifacts, consent=wishes.consent, concurrent=wishes.concurrent)

    async def gone() -> list[str]:
        world = session.looking()
        return await done_again(await plan_rerun(place, world, arguments.leaf, wish), world)

    print("\n".join(shown_again(asyncio.run(gone()))))
    if arguments.preview:
        return 0
    if not arguments.yes:
        if not session.interactive:
            raise Refused("needs_choice", "Nothing was done. To do these steps again, say --yes.")
        if asyncio.run(ask_line("Do them again? [y/N] ")).strip().lower() not in ("y", "yes"):
            raise Refused("stopped", "Nothing was done.")

    session = replace(session, yes=False)  # it said yes to these steps, and to nothing that they will ask

    async def begin(world: World) -> LiveRun:
        return await carry_out(await plan_rerun(place, world, arguments.leaf, wish), world, wish)

    return drive(session, begin, wishes)
