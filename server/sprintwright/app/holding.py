"""A run held by this process for something beside its walk, such as a restore."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncGenerator
from typing import Any

from sprintwright.app.control import ControlSocket
from sprintwright.app.live import World, remember
from sprintwright.errors import Refused, SprintwrightError
from sprintwright.journal.owner import OwnedRun
from sprintwright.journal.store import RunFolder
from sprintwright.model.records import Record
from sprintwright.state.fold import RunState


@contextlib.asynccontextmanager
async def holding(place: RunFolder, world: World) -> AsyncGenerator[tuple[OwnedRun, RunState]]:
    """Own a run and count as alive meanwhile; every verb of others is refused. The state follows what is on disk.

    Raises:
        Refused: `run_owned`, `run_unreadable`, `folder_read_only`.
    """
    state = RunState()

    def durable(records: list[Record]) -> None:
        for record in records:
            state.apply(record)

    owned = OwnedRun(place, durable)
    durable(owned.records)
    control: ControlSocket | None = None
    try:
        control = await _alive(place, world)
        yield owned, state
    finally:
        await owned.release()
        if control is not None:
            await control.close()
        if state.started is not None:
            with contextlib.suppress(OSError, SprintwrightError):
                remember(world.places, place, state.started.definition_hash, state.revision)


async def _alive(place: RunFolder, world: World) -> ControlSocket:
    try:
        control = ControlSocket.bind(world.places.runtime, place.run_id)
        await control.serve(_refuse)
    except OSError as error:
        where = str(world.places.runtime)
        raise Refused("folder_read_only", f"The run's socket can't be made in {where!r}: {error}.") from error
    return control


async def _refuse(request: dict[str, Any], _pid: int | None) -> dict[str, Any]:
    raise Refused("run_owned", "The files of this run's folder are being restored; try again in a moment.")
