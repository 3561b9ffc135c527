"""Stays with a live run: shows it, passes signals on, and ends with its exit code."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TypeAlias

from sprintwright.app.artifacts import ArtifactChoice
from sprintwright.app.compose import make_world, settings_of
from sprintwright.app.config import Settings
from sprintwright.app.findings import settle_fix
from sprintwright.app.live import LiveRun, World
from sprintwright.app.places import Places
from sprintwright.app.runs import find_run
from sprintwright.app.user_state import UserState
from sprintwright.cli.exits import FAILED, HUNG_UP, INTERRUPTED, NEEDS_YOU, OK, REFUSED, TERMINATED, exit_of
from sprintwright.cli.log import log_to
from sprintwright.cli.people import Absent, Terminal, ask_line
from sprintwright.cli.raising import ask_for_more, go_on_with, is_limited
from sprintwright.cli.streams import Unhurried
from sprintwright.cli.views import JsonView, PlainView, View
from sprintwright.engine.ports import People
from sprintwright.errors import Refused
from sprintwright.journal.store import RunFolder
from sprintwright.model.effects import Outcome
from sprintwright.text import clean

Begin: TypeAlias = Callable[[World], Awaitable[LiveRun | Outcome]]
_SIGNALS = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED, signal.SIGHUP: HUNG_UP}
_LAST_LINES_SECONDS = 1.0
"""So long whoever ended us may take what was not read yet."""


@dataclass(frozen=True, slots=True)
class Session:
    """What one call of the program works with."""

    environment: Mapping[str, str]
    places: Places
    folder: Path
    settings: Settings
    json: bool = False
    yes: bool = False
    plain: bool = False

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Session:
        """The session that the arguments and the environment ask for."""
        places = Places.of(os.environ)
        folder = Path(arguments.folder).resolve()
        settings = settings_of(os.environ, None if getattr(arguments, "untrusted", False) else folder)
        json, yes = getattr(arguments, "json", False), getattr(arguments, "yes", False)
        return cls(os.environ, places, folder, settings, json, yes, getattr(arguments, "plain", False))

    @classmethod
    def with_run(cls, arguments: argparse.Namespace) -> tuple[Session, RunFolder]:
        """The session in the folder of the run that the arguments name, and that run. Raises `Refused`."""
        session = cls.of(arguments)
        place = find_run(session.places, session.folder, arguments.run)
        if place.folder != session.folder:
            session = replace(session, folder=place.folder, settings=settings_of(session.environment, place.folder))
        return session, place

    def looking(self) -> World:
        """A world in which nobody is asked and nothing is shown, for verbs that only look or record."""
        return make_world(self.environment, self.folder, self.settings, Absent())

    @property
    def interactive(self) -> bool:
        """Whether somebody can be asked: a terminal at both ends, and no `--yes` or `--json`."""
        return bool(sys.stdin) and sys.stdin.isatty() and sys.stdout.isatty() and not (self.json or self.yes)


@dataclass(slots=True)
class Wishes:
    """What the user says about files of the folder: by flags, or when they are asked."""

    consent: str | None = None
    artifacts: ArtifactChoice | None = None
    concurrent: bool = False

    @classmethod
    def of(cls, arguments: argparse.Namespace) -> Wishes:
        """By flags."""
        return cls(
            getattr(arguments, "consent", None),
            getattr(arguments, "artifacts", None),
            getattr(arguments, "concurrent", False),
        )


def drive(session: Session, begin: Begin, wishes: Wishes) -> int:
    """Begin, stay with what is live then, and give its exit code; what the user has to decide first is asked."""
    log_to(session.places.state)
    while True:
        try:
            code, live = _driven(session, begin)
        except Refused as refused:
            if not session.interactive or not _asked(session, refused, wishes):
                raise
            continue
        if live is None or not (session.interactive and is_limited(live.state)):
            return code
        if (more := asyncio.run(ask_for_more(live.state))) is None:
            return code
        begin = partial(go_on_with, live, limits=more)


def _asked(session: Session, refused: Refused, wishes: Wishes) -> bool:
    """Ask about what was refused; whether it is worth another try."""
    if refused.code == "consent_needed":
        print("Files of this folder ask for more than a prompt:")
        for item in refused.data["items"]:
            print(f"  - {clean(item, newlines=False)}")
        answer = asyncio.run(ask_line("Run this? Your answer is kept until it changes. [y/N] ")).strip().lower()
        if answer in ("y", "yes"):
            UserState(session.places.state).agree(refused.data["hash"])
        return answer in ("y", "yes")
    if refused.code == "needs_choice" and "artifacts" in refused.data and wishes.artifacts is None:
        print(clean(refused.message.rpartition("\n")[0], newlines=True))
        for diff in refused.data["diffs"].values():
            print(clean("\n".join(diff), newlines=True))
        print("(With `back` your version is kept in the run's folder, as kept/NAME.)")
        wishes.artifacts = asyncio.run(_mine_or_back())
        return wishes.artifacts is not None
    return False


async def _mine_or_back() -> ArtifactChoice | None:
    while True:
        match (await ask_line("Use yours, or put them back? [mine, back, stop] ")).strip().lower():
            case "mine":
                return "mine"
            case "back":
                return "back"
            case "stop" | "":
                return None
            case _:
                print("Please say mine, back or stop.")


def _driven(session: Session, begin: Begin) -> tuple[int, LiveRun | None]:
    """Carry the run to its end; then wait for the reader of our output, outside of the loop: signals end that."""
    out, exits = Unhurried(), list[int]()
    try:
        return asyncio.run(_drive(session, begin, _view(session, out), exits))
    finally:
        out.close(_LAST_LINES_SECONDS if exits else None)


async def _drive(session: Session, begin: Begin, view: View, exits: list[int]) -> tuple[int, LiveRun | None]:
    people: People = Terminal(view.paused) if session.interactive else Absent(agreed=session.yes)
    world = make_world(
        session.environment, session.folder, session.settings, people, on_record=view.record, on_output=view.output
    )
    begun: list[LiveRun] = []
    loop = asyncio.get_running_loop()
    for number, code in _SIGNALS.items():  # before the run begins: a signal at that moment cancels it as any other
        loop.add_signal_handler(number, _on_signal, begun, view, code, exits)
    live = await begin(world)
    if isinstance(live, Outcome):
        return _told(session, live), None
    begun.append(live)
    if exits:
        live.cancel()
    try:
        with view.showing(live):
            await live.wait()
        if live.problem is not None:
            live.state.leave()  # what could not be recorded is not going on
        view.ended(live)
    except OSError:  # the terminal is gone; the run is not: what is left of it goes on and is recorded
        await live.wait()
    await settle_fix(live, session.looking())
    if live.problem is not None:
        print(f"sprintwright: {clean(live.problem.message, newlines=True)}", file=sys.stderr)
        print(f"Go on when that is mended: sprintwright resume {live.place.run_id}", file=sys.stderr)
        return FAILED, live
    return exits[0] if exits and live.state.status == "cancelled" else exit_of(live.state.status), live


def _told(session: Session, outcome: Outcome) -> int:
    """Say what a verb did that leaves nothing to stay with."""
    going_on = outcome.effect == "noOp" and not outcome.reason
    code = (
        OK
        if going_on
        else {"advanced": OK, "closed": OK, "idle": REFUSED, "alreadyActive": REFUSED}.get(outcome.effect, NEEDS_YOU)
    )
    if session.json:
        print(outcome.model_dump_json(exclude_defaults=True))
    else:
        text = clean(outcome.message, newlines=True) or outcome.effect
        print(text, file=sys.stderr if code == REFUSED else sys.stdout)
    return code


def _on_signal(begun: list[LiveRun], view: View, code: int, exits: list[int]) -> None:
    exits.append(code)
    for live in begun:
        live.cancel()
    with contextlib.suppress(OSError):  # the terminal may be gone, and with it the reason to say anything
        view.say("Cancelling. The same again ends it at once." if len(exits) == 1 else "Ending at once.")


def _view(session: Session, out: Unhurried) -> View:
    if session.json:
        return JsonView(out.print, Unhurried("stderr").print)
    if sys.stdout.isatty() and not session.plain and os.environ.get("TERM", "") not in ("", "dumb"):
        from sprintwright.cli.tree import TreeView

        return TreeView()
    return PlainView() if sys.stdout.isatty() else PlainView(out.print)
