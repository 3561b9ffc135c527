"""`sprintwright show --follow`: a run that another program carries on, live in this terminal."""

from __future__ import annotations

import asyncio
import os
import sys

from sprintwright.app.follow import Follower
from sprintwright.app.places import Places
from sprintwright.cli.exits import exit_of
from sprintwright.cli.views import JsonView, PlainView, View
from sprintwright.journal.store import RunFolder

_POLL_SECONDS = 1.0


def follow(places: Places, place: RunFolder, *, as_json: bool) -> int:
    """Show the run until nobody carries it on any more; its exit code. Ctrl-C ends the watching only."""
    with Follower(places, place) as follower:
        asyncio.run(_follow(follower, as_json))
        return exit_of(follower.state.status)


async def _follow(follower: Follower, as_json: bool) -> None:
    view = _view(as_json)
    if as_json:
        follower.poll(view.record)
    else:
        follower.poll()  # what happened so far is in the tree
    with view.showing(follower):
        if isinstance(view, PlainView):
            _print_tree(follower)
        await _keep_up(follower, view)
    view.ended(follower)


async def _keep_up(follower: Follower, view: View) -> None:
    while not follower.ended:
        await asyncio.sleep(_POLL_SECONDS)
        follower.poll(view.record)


def _print_tree(follower: Follower) -> None:
    from sprintwright.cli.tree import make_console, tree_of

    make_console().print(tree_of(follower.state))


def _view(as_json: bool) -> View:
    if as_json:
        return JsonView()
    if sys.stdout.isatty() and os.environ.get("TERM", "") not in ("", "dumb"):
        from sprintwright.cli.tree import TreeView

        return TreeView()
    return PlainView()
