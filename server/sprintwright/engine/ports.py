"""What the engine needs of the world. Everything here is a value or a `Protocol`; the engine imports no technology."""

from __future__ import annotations

import asyncio
import datetime
import random
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Literal, Protocol

from sprintwright.model.changes import Change, Snapshot
from sprintwright.model.definition import CheckFormat, Permissions
from sprintwright.model.finding import Finding
from sprintwright.model.records import Payload, QuestionKind
from sprintwright.model.results import ArtifactVersion
from sprintwright.model.usage import Usage
from sprintwright.model.value import Json, Value

Stream = Literal["prompt", "text", "error", "note"]
Output = Callable[[Stream, str], None]


class Journal(Protocol):
    """The owner's end of a run's journal."""

    def append(self, key: str, payload: Payload) -> int:
        """Queue a record; its sequence number. Raises `JournalBroken` when nothing can be recorded any more."""
        ...

    async def sync(self) -> None:
        """Return when everything appended so far is durable. Raises `JournalBroken`."""
        ...

    def resolve(self, value: dict[str, Json]) -> dict[str, Json]:
        """The value with texts that live in blobs put back."""
        ...


class TurnRequest(Value):
    """One turn as a value: it could be sent to another machine."""

    run_id: str
    key: str
    role: str
    agent: str
    prompt: str
    folder: str
    permissions: Permissions
    turn_seconds: float | None = None
    idle_seconds: float | None = None
    talk: str = ""
    """Name of the conversation that this turn belongs to, the same for later passes of its stage."""
    session: str = ""
    """The agent's own id of the session to continue; empty: a new one."""
    counted: Usage | None = None
    """What the agent had counted for that session by the end of its last turn, if it counts whole sessions."""
    tools: tuple[Tool, ...] = ()
    """Our tools that the turn may call, by `Desk.call`."""
    verdicts: tuple[str, ...] = ()
    """The keys that `give_verdict` takes."""


class TurnAnswer(Value):
    """What an agent answered. ``passed`` and ``findings`` only from real commands."""

    text: str
    passed: bool | None = None
    findings: tuple[Finding, ...] = ()
    warnings: tuple[str, ...] = ()
    session: str = ""
    """The agent's own id of the session that the turn had; empty: it has none that can be continued."""
    usage: Usage | None = None
    """Of this turn alone; None: unknown."""
    counted: Usage | None = None
    """What the agent counts for the whole session by now, for agents that do."""


Tool = Literal[
    "give_verdict",
    "report_finding",
    "ask_user",
    "save_artifact",
    "load_artifact",
    "list_artifacts",
    "exit_loop",
    "finish_workflow",
]
ActKind = Literal["read", "search", "think", "fetch", "edit", "delete", "move", "execute", "tool", "other"]


class ToolAnswer(Value):
    """What a call of one of our tools came to; ``failed``: the agent is told so and may call again."""

    text: str
    failed: bool = False


class Act(Value):
    """What an agent asks leave for. ``tool`` is a call of one of ours, which every role may make."""

    kind: ActKind
    title: str
    text: str = ""
    """The whole command, or the whole difference: what the user reads and agrees to."""
    paths: tuple[str, ...] = ()
    """Files that it touches, absolute or relative to the folder."""


class AgentTraits(Value):
    """What the engine must know of an agent before its turn."""

    person: bool = False
    reminded: bool = True
    """Whether a turn without a verdict is followed by one reminder."""
    writes: bool = True
    """Whether a turn can change the folder at all."""


class Desk(Protocol):
    """What a turn reaches of the engine while it is at work."""

    def output(self, stream: Stream, text: str) -> None:
        """Live output of the turn."""
        ...

    async def ask(self, kind: Literal["ask", "permission"], text: str, choices: tuple[str, ...] = ()) -> Answer:
        """Ask the user, or whatever policy answers in their place; recorded before and after.

        A cancellation or a pause ends the wait: `Parked` or `CancelledError` is raised.
        """
        ...

    def plays(self, version: str) -> None:
        """Told before the agent gets its prompt: what plays, by name and version, or by file and date."""
        ...

    def asking(self) -> AbstractContextManager[None]:
        """While a person is waited for in another way, and it is not the agent that is silent."""
        ...

    async def permit(self, act: Act) -> bool:
        """Whether the agent may do that: by its role's permissions, or as the user says; recorded. Raises as `ask`."""
        ...

    async def call(self, tool: str, arguments: Mapping[str, Json]) -> ToolAnswer:
        """Carry out one of our tools. A call that can't be taken is an answer, too. Raises as `ask`."""
        ...


class Agents(Protocol):
    """The configured agents, by name."""

    def traits(self, agent: str) -> AgentTraits:
        """What kind of agent that is."""
        ...

    async def turn(self, request: TurnRequest, desk: Desk) -> TurnAnswer:
        """Take one turn. Raises `Operational`; a cancellation ends everything that the turn started."""
        ...

    async def leave(self, run_id: str, talk: str = "") -> None:
        """End what is kept alive for the conversations of a run whose name begins so."""
        ...


class CheckRequest(Value):
    """Commands to run for a `check` stage."""

    run_id: str
    key: str
    folder: str
    commands: tuple[tuple[str, ...], ...]
    format: CheckFormat
    timeout_seconds: float


class Checks(Protocol):
    """Runs real commands."""

    async def run(self, request: CheckRequest, output: Output) -> TurnAnswer:
        """Run them all, in order; ``passed`` when each exited with 0. Raises `Operational`."""
        ...


class Question(Value):
    """What a person is asked, and by which stage; ``by`` names the role and its agent where an agent asks."""

    key: str
    kind: QuestionKind
    text: str
    by: str = ""
    choices: tuple[str, ...] = ()


class Answer(Value):
    """A person's words; ``asked`` is False when the policy answered in their place."""

    text: str
    asked: bool = True


class People(Protocol):
    """Whoever can be asked."""

    async def ask(self, question: Question) -> Answer | None:
        """The answer, or None when nobody is there: then the run parks."""
        ...


class Workspace(Protocol):
    """The folder that the agents work in."""

    async def take(self) -> Snapshot:
        """The files as they are now. Raises `WorkspaceError`."""
        ...

    async def ignored(self) -> Mapping[str, str]:
        """What git ignores, by name, with a state that is equal as long as its stamps are. Raises `WorkspaceError`."""
        ...

    async def changes(self, before: str, after: str) -> tuple[Change, ...]:
        """What differs between two trees."""
        ...

    async def diff(self, before: str, after: str, *, limit: int | None = None) -> str:
        """The difference as text, cut at ``limit`` characters with a line that says so."""
        ...

    async def has_history(self) -> bool:
        """Whether the user's repository has a commit."""
        ...

    async def is_empty(self) -> bool:
        """Whether the folder has no files of the user's."""
        ...


class Artifacts(Protocol):
    """The run's `artifacts/`: the engine is its only writer."""

    @property
    def folder(self) -> str:
        """Path of the folder, relative to the workspace, as prompts name it."""
        ...

    async def write(self, name: str, text: str) -> ArtifactVersion:
        """Write a version, whole or not at all, and keep it. Raises `PathRefused`, `OSError`."""
        ...

    def read(self, name: str) -> str | None:
        """The file as it is now; None when there is none that can be read."""
        ...

    def read_version(self, version: ArtifactVersion) -> str | None:
        """A version as it was written; None when it was not kept."""
        ...

    def exists(self, name: str) -> bool:
        """Whether a file of that name is there."""
        ...

    def names(self) -> tuple[tuple[str, int], ...]:
        """Every artifact that is there, by name, with its size in bytes."""
        ...

    def whole_path(self, text: str) -> str:
        """The path, relative to the folder, where `keep_whole` puts a text."""
        ...

    async def keep_whole(self, text: str) -> None:
        """Keep a text that a prompt has only in part."""
        ...


class Clock(Protocol):
    """Time, so that tests have their own."""

    def monotonic(self) -> float:
        """Seconds; never goes back."""
        ...

    def now(self) -> datetime.datetime:
        """The time of day, UTC."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        ...


@dataclass(frozen=True, slots=True)
class Ports:
    """Everything that a run needs of the world."""

    journal: Journal
    agents: Agents
    checks: Checks
    people: People
    workspace: Workspace
    artifacts: Artifacts
    clock: Clock
    output: Callable[[int, str, Stream, str], None]
    """Live output: sequence number of the leaf's `started`, its key, the stream, the text."""
    mask: Callable[[str], str]
    silence: float | None = None
    """Seconds of an agent's silence that are told of, whatever ends its turn; None: only half of those."""
    slots: asyncio.Semaphore | None = None
    """As many turns of agents are at work at once, of all runs that share it; None: any number."""
    chance: Callable[[], float] = random.random
    """A number from 0 to 1, for the length of waits and nothing else."""
