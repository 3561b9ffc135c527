"""One call of a known command line, as it is read while it runs: what is shown, and what it came to."""

from __future__ import annotations

import re
import time

from sprintwright.agents.bridge.shared import SERVER
from sprintwright.agents.cli.events import Event, EventKind
from sprintwright.agents.cli.lines import EventLines
from sprintwright.agents.cli.readers import reader_of
from sprintwright.agents.config import Preset
from sprintwright.engine.ports import Output, Stream
from sprintwright.model.usage import Usage
from sprintwright.pulse import Pulse, shortened
from sprintwright.text import without_escapes

_SHOWN: dict[EventKind, Stream] = {"text": "text", "thought": "note", "tool": "note", "error": "error"}
_OURS = (f"[mcp__{SERVER}__", f"[{SERVER}")
"""How calls of our tools are shown."""
_ENDS = ("final", "failed", "cut")
_NO_SESSION = re.compile(
    r"\bno (?:previous |saved )?(?:conversations?|sessions?|rollout) found\b"
    r"|\b(?:session|conversation|thread)(?: id)? not found\b|\binvalid session identifier\b",
    re.I,
)
"""What the six say of a session that they don't have (each was tried)."""
_MOST_SESSIONS = 1000


class Reading:
    """Takes what a program prints, shows it, and keeps its last answer."""

    def __init__(self, preset: Preset, who: str, output: Output) -> None:
        self._lines, self._reader, self._output = EventLines(who), reader_of(preset), output
        self._answer = self._before = ""
        self.pulse = Pulse(time.monotonic)
        """When it last told something."""
        self.session = ""
        self.usage: Usage | None = None
        """As it was told: of the turn, or of the whole session (``whole_thread``)."""
        self.end = Event("text")
        """How the turn ended: `final`, `failed` or `cut`; any other kind: it did not end."""
        self.refused = ""
        """Why a tool was refused, if that was the last thing that happened."""
        self.begun = False
        """Whether the agent said or did anything."""

    @property
    def whole_thread(self) -> bool:
        """Whether ``usage`` counts all turns of the session."""
        return self._reader.whole_thread

    @property
    def answer(self) -> str:
        """The last whole message, without escape codes; with what came before it where only our tools stood between."""
        return without_escapes(f"{self._before}\n{self._answer}").strip()

    def feed(self, text: str) -> None:
        """Take what was printed. Raises `Operational` for a line that is too long."""
        before = self._lines.noise
        for event in self._lines.feed(text):
            self._take(event)
        self.pulse.rattle(self._lines.noise - before)
        if not before and self._lines.noise:
            self._output("note", f"(printed beside its events: {self._lines.first_noise})\n")

    def finish(self) -> None:
        """There is no more."""
        for event in self._lines.finish():
            self._take(event)
        if self._lines.noise > 1:
            self._output("note", f"({self._lines.noise} lines were no events)\n")

    def misses_session(self, stderr: str) -> bool:
        """Whether the program stopped at once because it does not have the session that it was to go on with."""
        if self.begun or self.end.kind == "final":
            return False
        told = (stderr, self.end.text, self._lines.first_noise)
        return any(_NO_SESSION.search(without_escapes(said[-4000:])) for said in told)

    def _take(self, told: dict[str, object]) -> None:
        self.pulse.hear(f"{shortened(told)}\n")  # a sign of life alone is the same again and again
        for event in self._reader.read(told):
            if event.text:
                self.pulse.hear(event.text)
            if (stream := _SHOWN.get(event.kind)) is not None and event.text:
                self._output(stream, event.text)
            match event.kind:
                case "session":
                    self.session = event.text
                case "answer":
                    self._answer = event.text
                case "tool" if event.text.startswith(_OURS):  # a review, `give_verdict`, a closing word: one answer
                    self._before, self._answer = f"{self._before}\n{self._answer}".strip(), ""
                case "usage":
                    self.usage = event.usage
                case "refused":
                    self.refused = event.text
                case "text" | "thought" | "tool":
                    self.begun = True
                    self._before = "" if event.kind == "tool" else self._before
                    self.refused = "" if event.kind == "text" else self.refused
                case _:
                    pass
            if event.kind in _ENDS:
                self.end = event


class ThreadTotals:
    """What sessions counted so far, for programs that count a session as a whole: the difference is the turn."""

    def __init__(self) -> None:
        self._totals: dict[str, Usage] = {}

    def of_turn(self, session: str, total: Usage | None, *, resumed: bool) -> Usage | None:
        """What the last turn used. Where earlier turns are not known, at least nothing: a lower bound."""
        if total is None:
            return None
        before = self._totals.pop(session, None)
        self._totals[session] = total
        while len(self._totals) > _MOST_SESSIONS:
            del self._totals[next(iter(self._totals))]
        if not resumed:
            return total
        if before is None:
            return Usage(precision="lower_bound")
        if total.input_tokens < before.input_tokens or total.output_tokens < before.output_tokens:
            return total  # it begins anew, or a newer version counts the turn alone
        return _difference(total, before)


def _difference(total: Usage, before: Usage) -> Usage:
    cost = None if total.cost is None or before.cost is None else max(0.0, total.cost - before.cost)
    return Usage(
        input_tokens=total.input_tokens - before.input_tokens,
        output_tokens=total.output_tokens - before.output_tokens,
        cached_tokens=max(0, total.cached_tokens - before.cached_tokens),
        cost=cost,
    )
