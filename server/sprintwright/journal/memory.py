"""A journal without a file, for tests of the engine and for those who use it without a folder."""

from __future__ import annotations

from collections.abc import Callable

from sprintwright.model.records import Payload, Record
from sprintwright.model.value import Json


class InMemoryJournal:
    """Implements `sprintwright.engine.ports.Journal`; ``durable`` counts the records that a power cut would leave."""

    def __init__(
        self, records: list[Record] | None = None, resolve: Callable[[dict[str, Json]], dict[str, Json]] = dict
    ) -> None:
        self.records = list(records or [])
        self.durable = len(self.records)
        self._resolve = resolve

    def append(self, key: str, payload: Payload) -> int:
        """Keep a record; its number."""
        number = len(self.records) + 1
        self.records.append(Record(number, "", key, payload, self.durable))
        return number

    async def sync(self) -> None:
        """Everything so far counts as durable."""
        self.durable = len(self.records)

    def resolve(self, value: dict[str, Json]) -> dict[str, Json]:
        """The value; by default nothing of it lives elsewhere."""
        return self._resolve(value)
