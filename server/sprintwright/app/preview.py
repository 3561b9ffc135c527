"""What would be done again: a walk in memory over what is recorded, that stops where something would be performed."""

from __future__ import annotations

from collections.abc import Iterable

from sprintwright.app.decisions import Decision
from sprintwright.engine.history import History
from sprintwright.engine.ports import Ports
from sprintwright.engine.run import Run
from sprintwright.engine.walk import walk_run
from sprintwright.journal.memory import InMemoryJournal
from sprintwright.model.definition import Definition
from sprintwright.model.records import Finished, Record, SetAside


async def done_again(
    records: Iterable[Record],
    decisions: Iterable[Decision],
    definition: Definition,
    ports: Ports,
    journal: InMemoryJournal,
) -> list[str]:
    """Keys of finished leaves that would be done again, in the order in which they were recorded.

    Nothing is performed and nothing is written: the walk is parked before it begins, so every lane stops at the
    first leaf that it would have to perform, after it has said what that sets aside.

    Args:
        ports: the run's, around ``journal``, which only puts texts back and is thrown away.
    """
    history = History.load(records)
    before = list(history.finished)
    gone: set[str] = set()
    for key, payload in decisions:
        history.apply(key, payload)
        gone.update(payload.keys if isinstance(payload, SetAside) else ())
    if history.started is None:
        return []
    history.ended = None
    run = Run(definition, history.started, ports, history)
    run.park("", "This is only a preview.", "preview")
    await walk_run(run)
    for record in journal.records:
        if isinstance(record.payload, SetAside):
            gone.update(record.payload.keys)
        elif isinstance(record.payload, Finished):
            gone.discard(record.key)
    return [key for key in before if key in gone]
