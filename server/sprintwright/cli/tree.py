"""The live tree (rich): at most ten pictures a second, only on the loop's thread."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Generator
from dataclasses import replace

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text
from rich.tree import Tree

from sprintwright.cli.closing import closing_lines
from sprintwright.cli.views import View, Watched
from sprintwright.cli.words import COLOURS, findings_of, history, node_words, sign, status_words
from sprintwright.engine.ports import Stream
from sprintwright.model.records import Failed, Finished, Record
from sprintwright.state.fold import RunState
from sprintwright.state.node import Node
from sprintwright.state.tree import AT_WORK, Delta
from sprintwright.text import clean, one_line

_PICTURE_SECONDS = 0.1
_TICK_SECONDS = 1.0
_TAIL = 2_000
"""Characters of what an agent says that are kept."""
_MOST_SPEAKING = 3


def make_console() -> Console:
    """A console that shows text as it is: no markup, no emoji codes, no colours of its own."""
    return Console(highlight=False, markup=False, emoji=False)


def tree_of(state: RunState, *, height: int = 10_000) -> Tree:
    """The run as a tree. Over ``height`` lines, what is done is folded up, with its verdicts in one line."""
    started = state.started
    title = Text(style="bold", overflow="ellipsis", no_wrap=True)
    title.append(one_line(started.workflow, 60) if started else "run")
    title.append(f" · {status_words(state)}", style="dim")
    if started:
        title.append(f" · {one_line(started.task, 80)}", style="dim")
    tree = Tree(title, guide_style="dim")
    fold_done = len(state.nodes) + 2 > height
    _add(tree, state, "", fold_done)
    return tree


def _add(tree: Tree, state: RunState, parent: str, fold_done: bool) -> None:
    for child in state.children.get(parent, ()):
        node = _as_it_stands(state, state.nodes[child])
        if state.tree.is_told_by_its_children(child):
            _add(tree, state, child, fold_done)
            continue
        folded = fold_done and node.status == "done" and bool(state.children.get(child))
        branch = tree.add(_text(state, node, folded=folded))
        if not folded:
            _add(branch, state, child, fold_done)


def _as_it_stands(state: RunState, node: Node) -> Node:
    """Around an open question a stage counts as running; while nobody carries the run on, it waits like that one."""
    stands = node.status != "running" or state.status in AT_WORK
    return node if stands else replace(node, status="waiting", until="")


def _text(state: RunState, node: Node, *, folded: bool) -> Text:
    text = Text(overflow="ellipsis", no_wrap=True)
    text.append(f"{sign(node)} ", style=COLOURS[node.status])
    text.append(one_line(node.label, 60), style="" if node.status != "not_started" else "dim")
    words = node_words(node, findings_of(state, node))
    if folded and (told := history(state, node)):
        words = [told]
    gate = state.gates.get(node.id)
    if gate is not None and gate.status == "not_approved":
        words.append(f"{one_line(gate.file, 60)} is not approved")
    if words:
        text.append(" · " + " · ".join(words), style="dim")
    return text


class Speech:
    """What agents are saying: of each leaf at work the end, its pieces joined as they came."""

    def __init__(self) -> None:
        self._ends: dict[str, tuple[Stream, str]] = {}

    def add(self, key: str, stream: Stream, text: str) -> None:
        """More of a leaf's output; another stream begins on a line of its own."""
        before, end = self._ends.get(key, (stream, ""))
        self._ends[key] = (stream, f"{end}{'' if stream == before else chr(10)}{text}"[-_TAIL:])

    def forget(self, key: str) -> None:
        """A leaf is at work no longer."""
        self._ends.pop(key, None)

    def lines(self) -> list[str]:
        """``generator says: the line that it is at``, for each leaf, the last ones of many."""
        last = {key: clean(end, newlines=True).strip().splitlines() for key, (_, end) in self._ends.items()}
        said = [(key, one_line(lines[-1], 200)) for key, lines in last.items() if lines][-_MOST_SPEAKING:]
        return [f"{key if len(said) > 1 else key.rpartition('/')[2]} says: {line}" for key, line in said]


class TreeView(View):
    """The tree of a run, redrawn in place, and under it the lines that agents are at."""

    def __init__(self) -> None:
        super().__init__()
        self._console = make_console()
        self._live: Live | None = None
        self._run: Watched | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._due = False
        self._speech = Speech()

    @contextlib.contextmanager
    def showing(self, live: Watched) -> Generator[None]:
        """Draw until the context ends; the last picture stays."""
        self._run = live
        self._notes_told = len(live.state.notes)
        self._console.print(f"run {live.place.run_id} in {live.place.folder}", style="dim")
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._live.start()
        self._tick()
        try:
            yield
        finally:
            if self._timer is not None:
                self._timer.cancel()
            self._live.stop()
            self._live = None
        self._console.print(tree_of(live.state))

    @contextlib.contextmanager
    def paused(self) -> Generator[None]:
        """Take the picture away while somebody types."""
        if self._live is not None:
            self._draw()
            self._live.stop()
        try:
            yield
        finally:
            if self._live is not None:
                # A new one: the old one would wipe as many lines upwards as its last picture had.
                self._live = Live(console=self._console, auto_refresh=False, transient=True)
                self._live.start()

    def record(self, record: Record, delta: Delta, state: RunState) -> None:
        """Something changed: a new picture, soon."""
        if isinstance(record.payload, Finished | Failed):
            self._speech.forget(record.key)
        for note in self.new_notes(state):
            self.say(note)
        self._soon()

    def output(self, key: str, stream: Stream, text: str) -> None:
        """Keep the line that an agent is at."""
        if stream in ("text", "error"):
            self._speech.add(key, stream, text)
            self._soon()

    def say(self, text: str) -> None:
        """A line above the picture."""
        self._console.print(clean(text, newlines=True), style="yellow")

    def ended(self, live: Watched) -> None:
        """How it ended and what to type next."""
        for line in closing_lines(live.state, live.place):
            self._console.print(line, soft_wrap=True)

    def _soon(self) -> None:
        if not self._due and self._live is not None:
            self._due = True
            asyncio.get_running_loop().call_later(_PICTURE_SECONDS, self._draw)

    def _tick(self) -> None:
        self._draw()
        self._timer = asyncio.get_running_loop().call_later(_TICK_SECONDS, self._tick)

    def _draw(self) -> None:
        self._due = False
        if self._live is None or self._run is None or not self._live.is_started:
            return
        said = self._speech.lines()
        tree = tree_of(self._run.state, height=self._console.height - 3 - len(said))
        below = [Text(line, style="italic dim", overflow="ellipsis", no_wrap=True) for line in said]
        self._live.update(Group(tree, *below), refresh=True)
