"""Stays with a live run: shows it, passes signals on, and ends with its exit code."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import signal
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from sprintwright.app.compose import make_world, settings_of
from sprintwright.app.config import Settings
from sprintwright.app.live import LiveRun, World
from sprintwright.app.places import Places
from sprintwright.cli.exits import FAILED, HUNG_UP, INTERRUPTED, TERMINATED, exit_of
from sprintwright.cli.log import log_to
from sprintwright.cli.people import Defaults, Nobody, Terminal, ask_line
from sprintwright.cli.views import JsonView, PlainView, View
from sprintwright.engine.ports import People
from sprintwright.errors import Refused
from sprintwright.text import clean

Begin: TypeAlias = Callable[[World], LiveRun]
_SIGNALS = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED, signal.SIGHUP: HUNG_UP}


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
        settings = settings_of(places, folder)
        json, yes = getattr(arguments, "json", False), getattr(arguments, "yes", False)
        return cls(os.environ, places, folder, settings, json, yes, getattr(arguments, "plain", False))

    def at(self, folder: Path) -> Session:
        """The same session in another folder, with the settings that are in force there."""
        return (
            self if folder == self.folder else replace(self, folder=folder, settings=settings_of(self.places, folder))
        )

    @property
    def interactive(self) -> bool:
        """Whether somebody can be asked: a terminal at both ends, and no `--yes` or `--json`."""
        return bool(sys.stdin) and sys.stdin.isatty() and sys.stdout.isatty() and not (self.json or self.yes)


def drive(session: Session, begin: Begin) -> int:
    """Begin a run, stay with it, and give its exit code. What the folder would run is shown and asked first."""
    log_to(session.places.state)
    try:
        return asyncio.run(_drive(session, begin))
    except Refused as refused:
        if refused.code != "consent_needed" or not session.interactive:
            raise
        return _with_consent(session, begin, refused)


def _with_consent(session: Session, begin: Begin, refused: Refused) -> int:
    from sprintwright.app.user_state import UserState

    print("Files of this folder ask for more than a prompt:")
    for item in refused.data["items"]:
        print(f"  - {clean(item, newlines=False)}")
    if asyncio.run(ask_line("Run this? Your answer is kept until it changes. [y/N] ")).strip().lower() not in (
        "y",
        "yes",
    ):
        raise refused
    UserState(session.places.state).agree(refused.data["hash"])
    return asyncio.run(_drive(session, begin))


async def _drive(session: Session, begin: Begin) -> int:
    view = _view(session)
    people: People = Defaults() if session.yes else Terminal(view.paused) if session.interactive else Nobody()
    world = make_world(
        session.environment, session.folder, session.settings, people, on_record=view.record, on_output=view.output
    )
    exits: list[int] = []
    begun: list[LiveRun] = []
    loop = asyncio.get_running_loop()
    for number, code in _SIGNALS.items():  # before the run begins: a signal at that moment cancels it as any other
        loop.add_signal_handler(number, _on_signal, begun, view, code, exits)
    live = begin(world)
    begun.append(live)
    try:
        with view.showing(live):
            await live.wait()
        if live.problem is not None:
            live.state.leave()  # what could not be recorded is not going on
        view.ended(live)
    except OSError:  # the terminal is gone; the run is not: what is left of it goes on and is recorded
        await live.wait()
    if live.problem is not None:
        print(f"sprintwright: {clean(live.problem.message, newlines=True)}", file=sys.stderr)
        print(f"Go on when that is mended: sprintwright resume {live.place.run_id}", file=sys.stderr)
        return FAILED
    return exits[0] if exits and live.state.status == "cancelled" else exit_of(live.state.status)


def _on_signal(begun: list[LiveRun], view: View, code: int, exits: list[int]) -> None:
    exits.append(code)
    with contextlib.suppress(OSError):  # the terminal may be gone, and with it the reason to say anything
        view.say("Cancelling. The same again ends it at once." if len(exits) == 1 else "Ending at once.")
    for live in begun:
        live.cancel()


def _view(session: Session) -> View:
    if session.json:
        return JsonView()
    if sys.stdout.isatty() and not session.plain and os.environ.get("TERM", "") not in ("", "dumb"):
        from sprintwright.cli.tree import TreeView

        return TreeView()
    return PlainView()
