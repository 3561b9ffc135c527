"""How long a run was at work, over all its owners."""

from __future__ import annotations

from dataclasses import dataclass

from sprintwright.model.records import Opened, Record


@dataclass(slots=True)
class ActiveTime:
    """The owners' own time, summed: between owners nobody worked. Never negative, whatever the clocks say."""

    seconds: float = 0.0
    _clock: float = 0.0

    def take(self, record: Record) -> None:
        """Count the time up to this record; with `Opened` the count of another owner begins."""
        if isinstance(record.payload, Opened):
            self._clock = record.clock
        self.seconds += max(0.0, record.clock - self._clock)
        self._clock = max(self._clock, record.clock)
