"""`sprintwright resume`."""

from __future__ import annotations

import argparse
import asyncio
import math

from sprintwright.app.again import Wish, carry_out, done_again, plan_resume
from sprintwright.app.live import LiveRun, World
from sprintwright.app.resume import Choice, Interrupted, policy, prepare
from sprintwright.cli.drive import Session, Wishes, drive
from sprintwright.cli.people import ask_line
from sprintwright.cli.run import positive
from sprintwright.cli.words import LIMITS, changes_in_words, option_of
from sprintwright.errors import Refused
from sprintwright.model.limits import Limits
from sprintwright.text import one_line


def run(arguments: argparse.Namespace) -> int:
    """Go on with a run; a turn that was cut off is done again only in the open."""
    session, place = Session.with_run(arguments)
    shorter = arguments.accept_shorter
    prepared = asyncio.run(prepare(place, session.looking(), accept_shorter=shorter))
    if prepared.reaped and not session.json:
        plural = "" if prepared.reaped == 1 else "es"
        print(f"Ended {prepared.reaped} agent process{plural} that the interrupted run had left behind.")
    choice = _choice(session, prepared.interrupted, arguments.interrupted)
    if not session.json:
        for leaf in prepared.interrupted:
            print(f"{leaf.key}: {_changed(leaf)}")
    wishes = Wishes.of(arguments)

    wish = Wish(
        definition=arguments.definition or "frozen",
        interrupted=choice,
        artifacts=wishes.artifacts,
        max_passes=positive(arguments.max_passes, "--max-passes"),
        limits=_limits(arguments),
        consent=wishes.consent,
        concurrent=wishes.concurrent,
        accept_shorter=shorter,
    )

    async def begin(world: World) -> LiveRun:
        plan = await plan_resume(place, world, wish)
        if plan.prepared.loaded.last != prepared.loaded.last:
            raise Refused(
                "run_owned", f"Run {place.run_id!r} was gone on with meanwhile. Look at it: sprintwright show."
            )
        if wish.definition == "current":
            await _shown(session, await done_again(plan, world))
        elif plan.prepared.state.code == "blocked" and not session.json:
            print("\n".join(shown_again(await done_again(plan, world))))
        return await carry_out(plan, world, wish)

    return drive(session, begin, wishes)


def shown_again(keys: list[str], most: int = 20) -> list[str]:
    """Finished steps that will be done again, in words."""
    if not keys:
        return ["No finished step is done again."]
    more = [f"  and {len(keys) - most} more"] if len(keys) > most else []
    return ["These finished steps will be done again:", *(f"  {one_line(key, 150)}" for key in keys[:most]), *more]


async def _shown(session: Session, gone: list[str]) -> None:
    """What the edited workflow costs is shown first; with a person there it is asked."""
    if not session.json:
        print("\n".join(shown_again(gone)))
    if gone and session.interactive and (await ask_line("Go on with it? [y/N] ")).strip().lower() not in ("y", "yes"):
        raise Refused("stopped", "The run stays as it is.")


def _limits(arguments: argparse.Namespace) -> Limits | None:
    given = {name: value for name in LIMITS if (value := getattr(arguments, name)) is not None}
    for name, value in given.items():
        if not 0 < value < math.inf:
            raise Refused("bad_argument", f"{option_of(name)} takes a number above 0.")
    return Limits.model_validate(given) if given else None


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
