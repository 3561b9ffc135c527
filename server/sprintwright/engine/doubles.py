"""Doubles of the engine's ports, for tests of the engine and of what is built on it. They touch nothing outside."""

from __future__ import annotations

import asyncio
import datetime
import hashlib
from collections.abc import Awaitable, Callable, Mapping
from typing import TypeAlias

from sprintwright.engine.ports import (
    AgentTraits,
    Answer,
    CheckRequest,
    Desk,
    Journal,
    Output,
    Ports,
    Question,
    TurnAnswer,
    TurnRequest,
)
from sprintwright.model.changes import Change, Snapshot
from sprintwright.model.results import ArtifactVersion

Act: TypeAlias = Callable[["Desk"], Awaitable["TurnAnswer | str"]]
Script: TypeAlias = Callable[[TurnRequest], "TurnAnswer | str | Act"]


class ScriptedAgents:
    """Agents that answer by a function of the request; every call is kept in ``requests``.

    A script may raise `Operational`. The answer comes after one turn of the loop, so that lanes interleave.
    """

    def __init__(self, script: Script, traits: AgentTraits | None = None) -> None:
        self.requests: list[TurnRequest] = []
        self.left: list[str] = []
        self._script = script
        self._traits = traits or AgentTraits(writes=False)

    def traits(self, agent: str) -> AgentTraits:
        """The same for all."""
        return self._traits

    async def turn(self, request: TurnRequest, desk: Desk) -> TurnAnswer:
        """Answer by the script; a coroutine of it may ask at the desk."""
        self.requests.append(request)
        await asyncio.sleep(0)
        answer = self._script(request)
        if not isinstance(answer, str | TurnAnswer):
            answer = await answer(desk)
        return TurnAnswer(text=answer) if isinstance(answer, str) else answer

    async def leave(self, run_id: str, talk: str = "") -> None:
        """Nothing is kept alive; the names are kept in ``left``."""
        self.left.append(talk)


class ScriptedPeople:
    """A person who answers by a function of the question; None when nobody is there."""

    def __init__(self, script: Callable[[Question], str | None] = lambda _question: "") -> None:
        self.questions: list[Question] = []
        self._script = script

    async def ask(self, question: Question) -> Answer | None:
        """Answer by the script."""
        self.questions.append(question)
        await asyncio.sleep(0)
        text = self._script(question)
        return None if text is None else Answer(text=text)


class ScriptedChecks:
    """Commands that come out as they are told to."""

    def __init__(self, script: Callable[[CheckRequest], TurnAnswer]) -> None:
        self._script = script

    async def run(self, request: CheckRequest, output: Output) -> TurnAnswer:
        """Answer by the script."""
        await asyncio.sleep(0)
        return self._script(request)


class InMemoryWorkspace:
    """A folder in which each snapshot is new and nothing ever changes, unless ``changed`` says so."""

    def __init__(self, changed: tuple[Change, ...] = (), diff: str = "") -> None:
        self.taken = 0
        self.beside: dict[str, str] = {}
        """What snapshots hold beside their trees."""
        self._changed, self._diff = changed, diff

    async def take(self) -> Snapshot:
        """The next tree."""
        self.taken += 1
        return Snapshot(tree=f"tree-{self.taken}", beside=dict(self.beside))

    async def ignored(self) -> Mapping[str, str]:
        """Nothing."""
        return {}

    async def changes(self, before: str, after: str) -> tuple[Change, ...]:
        """What was given."""
        return self._changed

    async def diff(self, before: str, after: str, *, limit: int | None = None) -> str:
        """What was given."""
        return self._diff

    async def has_history(self) -> bool:
        """Yes."""
        return True

    async def is_empty(self) -> bool:
        """No."""
        return False


class InMemoryArtifacts:
    """Artifacts in a dictionary."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self.versions: dict[str, str] = {}
        self.folder = "artifacts"
        self.whole: list[str] = []

    async def write(self, name: str, text: str) -> ArtifactVersion:
        """Keep it."""
        self.texts[name] = text
        data = text.encode()
        digest = hashlib.sha256(data).hexdigest()
        self.versions[digest] = text
        return ArtifactVersion(name=name, sha256=digest, size=len(data))

    def read(self, name: str) -> str | None:
        """What was written, or what a test put there."""
        return self.texts.get(name)

    def read_version(self, version: ArtifactVersion) -> str | None:
        """What was written."""
        return self.versions.get(version.sha256)

    def exists(self, name: str) -> bool:
        """Whether it was written."""
        return name in self.texts

    def names(self) -> tuple[tuple[str, int], ...]:
        """What was written."""
        return tuple((name, len(text.encode())) for name, text in sorted(self.texts.items()))

    def whole_path(self, text: str) -> str:
        """A made-up path."""
        return f"whole/{len(text)}"

    async def keep_whole(self, text: str) -> None:
        """Keep it."""
        self.whole.append(text)


class ManualClock:
    """A clock that moves only when somebody sleeps, and then at once."""

    def __init__(self) -> None:
        self.now_seconds = 0.0

    def now(self) -> datetime.datetime:
        """The time of day: the beginning of 2026 and what was slept since."""
        return datetime.datetime(2026, 1, 1, tzinfo=datetime.UTC) + datetime.timedelta(seconds=self.now_seconds)

    def monotonic(self) -> float:
        """The time."""
        return self.now_seconds

    async def sleep(self, seconds: float) -> None:
        """Move on."""
        self.now_seconds += seconds
        await asyncio.sleep(0)


def scripted_ports(
    journal: Journal,
    agents: ScriptedAgents,
    *,
    people: ScriptedPeople | None = None,
    checks: ScriptedChecks | None = None,
    workspace: InMemoryWorkspace | None = None,
    artifacts: InMemoryArtifacts | None = None,
) -> Ports:
    """A whole world of doubles around a journal and a script."""
    return Ports(
        journal=journal,
        agents=agents,
        checks=checks or ScriptedChecks(lambda _request: TurnAnswer(text="ok", passed=True)),
        people=people or ScriptedPeople(),
        workspace=workspace or InMemoryWorkspace(),
        artifacts=artifacts or InMemoryArtifacts(),
        clock=ManualClock(),
        output=lambda _sequence, _key, _stream, _text: None,
        mask=lambda text: text,
        chance=lambda: 0.5,
    )
