"""How a live run is shown where there is no live tree: one line an event, for people or for programs."""

from __future__ import annotations

import json
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from typing import Protocol, TypeAlias

from sprintwright.cli.closing import closing_lines
from sprintwright.cli.words import node_line
from sprintwright.engine.ports import Stream
from sprintwright.journal.store import RunFolder
from sprintwright.model.records import Entered, Failed, Finished, Left, Record, Started, Waiting
from sprintwright.state.fold import RunState
from sprintwright.state.tree import Delta
from sprintwright.text import one_line

Print: TypeAlias = Callable[[str], None]


def at_once(line: str) -> None:
    """Print a line, and keep nothing back."""
    print(line, flush=True)


class Watched(Protocol):
    """A run whose state is kept up to date: carried on by this program, or followed."""

    @property
    def place(self) -> RunFolder:
        """Its folder."""
        ...

    @property
    def state(self) -> RunState:
        """Its state now."""
        ...


class View(ABC):
    """What is told about a run while it is going on; every call is on the loop."""

    def __init__(self, put: Print = at_once) -> None:
        self._print = put
        self._notes_told = 0

    @abstractmethod
    def record(self, record: Record, delta: Delta, state: RunState) -> None:
        """A record is on disk."""

    def output(self, key: str, stream: Stream, text: str) -> None:  # noqa: B027 - most views show none
        """Live output of a leaf."""

    def new_notes(self, state: RunState) -> list[str]:
        """Notes that were not told yet, each on one line."""
        new = [one_line(text, 300) for _, text in state.notes[self._notes_told :]]
        self._notes_told = len(state.notes)
        return new

    @abstractmethod
    def say(self, text: str) -> None:
        """A word to the user that is not about a node."""

    @abstractmethod
    def ended(self, live: Watched) -> None:
        """The run has ended; say how, and what to type next."""

    @contextmanager
    def showing(self, live: Watched) -> Generator[None]:
        """Show the run for as long as the context lasts."""
        yield

    @contextmanager
    def paused(self) -> Generator[None]:
        """Stand still while somebody types."""
        yield


class PlainView(View):
    """One line an event; for pipes, logs and terminals without cursor movement."""

    @contextmanager
    def showing(self, live: Watched) -> Generator[None]:
        """Name the run first, so that it can be resumed whatever happens."""
        self._notes_told = len(live.state.notes)
        self._print(f"run {live.place.run_id} in {live.place.folder}")
        with super().showing(live):
            yield

    def record(self, record: Record, delta: Delta, state: RunState) -> None:
        """Print what a person would want to read again."""
        match record.payload:
            case Started() | Finished() | Failed() | Left() | Waiting() if record.key in state.nodes:
                if isinstance(record.payload, Started) and record.payload.what == "skip":
                    return
                if isinstance(record.payload, Failed) and not record.payload.final:
                    return  # the wait that follows says why
                self._print(f"{record.key}: {node_line(state.nodes[record.key], leaf=True)}")
            case Finished() if record.key.endswith("/skip"):
                key = record.key.removesuffix("/skip")
                if key in state.nodes and state.nodes[key].status == "skipped":
                    self._print(f"{key}: {node_line(state.nodes[key], leaf=True)}")
            case Entered(entries=entries) if entries:
                names = ", ".join(f"{record.payload.label} {entry.number}" for entry in entries)
                self._print(f"{record.key}: {names}")
            case _:
                pass
        for note in self.new_notes(state):
            self._print(f"note: {note}")

    def say(self, text: str) -> None:
        """Print it."""
        self._print(text)

    def ended(self, live: Watched) -> None:
        """Print the end and the next step."""
        for line in closing_lines(live.state, live.place):
            self._print(line)


class JsonView(View):
    """One record a line, as JSON: what is printed is on disk.

    Args:
        out: prints an event.
        tell: prints a sentence for people, elsewhere.
    """

    def __init__(self, out: Print = at_once, tell: Print | None = None) -> None:
        super().__init__(out)
        self._tell = tell or partial(print, file=sys.stderr)

    def record(self, record: Record, delta: Delta, state: RunState) -> None:
        """Print the record and the status that it leads to."""
        data = record.payload.model_dump(mode="json", exclude_defaults=True)
        self._print(json.dumps({**record.header(), "data": data, "status": state.status}))

    def say(self, text: str) -> None:
        """To standard error: standard output is for events only."""
        self._tell(text)

    def ended(self, live: Watched) -> None:
        """Nothing: the last event said it."""
