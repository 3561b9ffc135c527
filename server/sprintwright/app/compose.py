"""Puts the parts together: one world for the runs of a folder."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from pathlib import Path

from sprintwright.agents.check import CommandChecks
from sprintwright.agents.config import Config
from sprintwright.agents.editor_models import EditorModels
from sprintwright.agents.found import found_agents
from sprintwright.agents.registry import Registry
from sprintwright.app.config import Settings, load_settings
from sprintwright.app.live import MOST_AT_WORK, OnOutput, OnRecord, World
from sprintwright.app.places import Places
from sprintwright.engine.ports import People
from sprintwright.processes import LOGIN, WARDEN, Leftovers
from sprintwright.workspace.git import Git
from sprintwright.workspace.snapshots import Snapshots


def settings_of(environment: Mapping[str, str], folder: Path | None, editor: Config | None = None) -> Settings:
    """The configuration that is in force in a folder; ``editor``: settings of the editor that started us."""
    ours = Places.of(environment).config / "config.yaml"
    found = found_agents(environment.get("PATH", ""), folder)
    if not found and editor is not None:  # it may have been started from a desktop, where PATH is short
        found = found_agents(LOGIN.path(), folder)
    return load_settings(ours, folder, editor, found)


def make_world(
    environment: Mapping[str, str],
    folder: Path,
    settings: Settings,
    people: People,
    *,
    models: EditorModels | None = None,
    slots: asyncio.Semaphore | None = None,
    on_record: OnRecord = lambda _record, _delta, _state: None,
    on_output: OnOutput = lambda _key, _stream, _text: None,
) -> World:
    """Everything that runs in one folder need of the outside.

    Args:
        models: those of the editor that started us.
        slots: places for agents at work, where several folders share them.
    """
    places = Places.of(environment)
    leftovers = Leftovers(places.state / "processes", WARDEN)
    checks = CommandChecks(environment, leftovers)
    return World(
        environment=environment,
        places=places,
        people=people,
        registry=Registry(settings.agents, environment, people, checks, leftovers, places.runtime, models),
        checks=checks,
        leftovers=leftovers,
        workspace=Snapshots(folder, git=Git(folder, environment)),
        slots=slots or asyncio.Semaphore(MOST_AT_WORK),
        on_record=on_record,
        on_output=on_output,
    )
