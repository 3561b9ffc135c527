"""A journal without a file, for tests of the engine and for those who use it without a folder."""

from __future__ import annotations

from sprintwright.model.records import Payload, Record
from sprintwright.model.value import Json


class InMemoryJournal:
    """Implements `sprintwright.engine.ports.Journal`; ``durable`` counts the records that a power cut would leave."""

    def __init__(self, records: list[Record] | None = None) -> None:
        self.records = list(records or [])
        self.durable = len(self.records)

    def append(self, key: str, payload: Payload) -> int:
        """Keep a record; its number."""
        number = len(self.records) + 1
        self.records.append(Record(number, "", key, payload, self.durable))
        return number

    async def sync(self) -> None:
        """Everything so far counts as durable."""
        self.durable = len(self.records)

    def resolve(self, value: dict[str, Json]) -> dict[str, Json]:
        """The value as it is: nothing lives elsewhere."""
        return value
