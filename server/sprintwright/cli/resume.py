"""`sprintwright resume`."""

from __future__ import annotations

import argparse
import asyncio
from pathlib import Path

from sprintwright.app.compose import make_world
from sprintwright.app.live import World
from sprintwright.app.resume import Choice, Interrupted, find_run, interrupted_leaves, policy, read_resumable, resume
from sprintwright.cli.drive import Session, drive
from sprintwright.cli.people import Nobody, ask_line
from sprintwright.cli.run import positive
from sprintwright.cli.words import changes_in_words
from sprintwright.errors import Refused
from sprintwright.journal.reader import Loaded
from sprintwright.journal.store import RunFolder
from sprintwright.model.definition import Definition
from sprintwright.text import one_line


def run(arguments: argparse.Namespace) -> int:
    """Go on with a run; a turn that was cut off is done again only in the open."""
    session = Session.of(arguments)
    place = find_run(session.places, Path(arguments.folder).resolve(), arguments.run)
    session = session.at(place.folder)
    loaded, definition = read_resumable(session.places, place, accept_shorter=arguments.accept_shorter)
    looking = make_world(session.environment, place.folder, session.settings, Nobody())
    reaped, leaves = asyncio.run(_look(looking, place, loaded, definition))
    if reaped and not session.json:
        print(f"Ended {reaped} agent process{'' if reaped == 1 else 'es'} that the interrupted run had left behind.")
    max_passes = positive(arguments.max_passes)
    choice = _choice(session, leaves, arguments.interrupted)

    if not session.json:
        for leaf in leaves:
            print(f"{leaf.key}: {_changed(leaf)}")
    return drive(
        session,
        lambda world: resume(
            place, definition, leaves, choice, world, seen=loaded.last, max_passes=max_passes, consent=arguments.consent
        ),
    )


async def _look(
    world: World, place: RunFolder, loaded: Loaded, definition: Definition
) -> tuple[int, list[Interrupted]]:
    """End what the last owner left at work, and then see what changed."""
    reaped = await world.leftovers.reap(place.run_id)
    return reaped, await interrupted_leaves(loaded, definition, world.workspace)


def _changed(leaf: Interrupted) -> str:
    if not leaf.compared:
        return "what it had changed is not known"
    return f"changed since it began: {changes_in_words(leaf.changes) or 'nothing'}"


def _choice(session: Session, leaves: list[Interrupted], given: Choice | None) -> Choice:
    open_leaves = [leaf for leaf in leaves if leaf.needs_choice]
    if given is not None or not open_leaves:
        return given or "redo"
    if not session.interactive:
        choice = policy(open_leaves)
        if choice == "stop":
            raise Refused(
                "stopped",
                f"{', '.join(leaf.key for leaf in open_leaves)} was cut off and may do everything (full): nothing is "
                "done again without you. Say: --interrupted redo, or --interrupted stop.",
            )
        return choice
    return _ask(open_leaves)


def _ask(leaves: list[Interrupted]) -> Choice:
    print("These steps were cut off:")
    for leaf in leaves:
        print(f"  {leaf.key} ({leaf.started.agent or leaf.started.what})")
        for change in leaf.changes[:10]:
            print(f"      {change.status} since then: {one_line(change.path, 100)}")
        if len(leaf.changes) > 10:
            print(f"      and {len(leaf.changes) - 10} more files")
        if not leaf.changes:
            print("      nothing changed in the folder since then" if leaf.compared else "      changes are not known")
    choices: list[Choice] = ["redo", "keep", "stop"] if all(leaf.can_keep for leaf in leaves) else ["redo", "stop"]
    words = ", ".join(choices)
    while True:
        answer = (
            asyncio.run(ask_line(f"Do them again, or leave the run as it is? [{words}] (Enter: redo) ")).strip().lower()
        )
        for choice in choices:
            if answer == choice or (not answer and choice == "redo"):
                return choice
        print(f"Please say one of: {words}.")
