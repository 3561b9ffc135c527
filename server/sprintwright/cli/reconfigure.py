"""`sprintwright reconfigure`."""

from __future__ import annotations

import argparse
import asyncio

from sprintwright.app.acting import reconfigure
from sprintwright.cli.drive import Session
from sprintwright.cli.people import ask_line
from sprintwright.cli.run import roles_of
from sprintwright.errors import Refused
from sprintwright.text import clean


def run(arguments: argparse.Namespace) -> int:
    """Give roles of a run to other agents; what is finished stays as it is."""
    session, place = Session.with_run(arguments)
    given = roles_of(arguments)
    if not given and session.interactive:
        given = asyncio.run(_ask(session, asyncio.run(reconfigure(place, session.looking(), {}))))
    elif not given:
        raise Refused("bad_argument", "Say which role gets which agent: --ROLE AGENT, or --role ROLE=AGENT.")
    roles = asyncio.run(reconfigure(place, session.looking(), given))
    for role, agent in roles.items():
        print(f"  {clean(role, newlines=False)}: {clean(agent, newlines=False)}")
    print(f"Go on: sprintwright resume {place.run_id}")
    return 0


async def _ask(session: Session, roles: dict[str, str]) -> dict[str, str]:
    names = ", ".join(sorted(session.settings.agents))
    print(f"Agents: {names}. Enter keeps what is shown.")
    given: dict[str, str] = {}
    for role, agent in roles.items():
        if answer := (await ask_line(f"{role} [{agent}] ")).strip():
            given[role] = answer
    return given
