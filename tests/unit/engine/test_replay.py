"""The replay rules of design.md section 3, on the real engine with a journal in memory.

Each history is a random row of: crash at record n (page cache kept, or only the synced part), a failing leaf, a rerun,
an edited definition, an artifact that the user replaced, words of the user, nobody there to answer, a cancellation
at the n-th turn of the loop. After it, a plain run must
come to an end in which every recorded answer was given to exactly the prompt that the walk sends at that place,
nothing stale is left, and running once more writes nothing.
"""

from __future__ import annotations

import asyncio
import hashlib
import random
from collections.abc import Generator, Iterable

import pytest

from sprintwright.engine.doubles import ScriptedAgents, ScriptedPeople, scripted_ports
from sprintwright.engine.history import History
from sprintwright.engine.ports import TurnRequest
from sprintwright.engine.run import Run
from sprintwright.engine.walk import walk_run
from sprintwright.errors import Operational
from sprintwright.journal.memory import InMemoryJournal
from sprintwright.model.definition import Definition
from sprintwright.model.records import Decided, Ended, Payload, Record, RunStarted, Said, SetAside
from sprintwright.model.results import ArtifactVersion
from sprintwright.state.fold import RunState
from tests.support.grid import grid

HISTORIES, MORE_HISTORIES = 250, 2_000
NAMES = ("task", "previous", "plan", "told", "built", "remarks", "sprint", "n", "item", "made", "extra", "results")
ALL = "|".join("{{" + name + "}}" for name in NAMES)
KEYS = {"good": {"action": "break"}, "again": {"action": "retry"}, "unknown": {"action": "retry"}}


def turn(stage_id: str, **more: object) -> dict[str, object]:
    return {"id": stage_id, "kind": "agent_turn", "role": "w", "prompt": ALL, **more}


def definition(variant: int) -> Definition:
    """The same workflow as four people might have edited it."""
    passes = {
        "id": "passes", "kind": "loop", "max_iterations": 3, "iteration_var": "n", "on_exhausted": "continue",
        "body": [turn("build", save_as="built"), turn("judge", save_as="remarks", verdict=KEYS)],
    }  # fmt: skip
    tries = {
        "id": "tries", "kind": "loop", "max_iterations": 2, "iteration_var": "n",
        "body": [turn("fix", save_as="made"), turn("look", save_as="remarks", verdict=KEYS)],
    }  # fmt: skip
    stages: list[dict[str, object]] = [
        turn("plan", save_as="plan", artifact="plan.md"),
        {"id": "ask", "kind": "user_checkpoint", "prompt": ALL, "save_as": "told"},
        {"id": "sprints", "kind": "loop", "over": "Sprint", "from": "plan", "body": [passes]},
        {
            "id": "fan", "kind": "parallel_group", "over": "Item", "from": "plan", "max_concurrency": 2,
            "save_as": "results", "body": [turn("work", save_as="made"), tries],
        },
        turn("last", save_as="extra"),
    ]  # fmt: skip
    if variant == 1:
        stages.insert(2, turn("inserted", save_as="extra"))
    elif variant == 2:
        del stages[1]
        stages.insert(0, {"id": "ask", "kind": "user_checkpoint", "prompt": ALL, "save_as": "told"})
    elif variant == 3:
        passes["body"] = [turn("build", save_as="built"), turn("extra", save_as="extra"), turn("judge", verdict=KEYS)]
    return Definition.model_validate({"name": "x", "roles": ["w"], "vars": {}, "stages": stages})


DEFINITIONS = [definition(variant) for variant in range(4)]
STARTED = RunStarted(
    run_id="r", workflow="x", origin="test", definition_hash="", task="task", folder="/", roles={"w": "agent"}
)


RUNNER = asyncio.Runner()


@pytest.fixture(scope="module", autouse=True)
def closed_runner() -> Generator[None]:
    with RUNNER:
        yield


class Crash(BaseException):
    """The process is gone."""


class CrashingJournal(InMemoryJournal):
    """A journal whose process dies at a record."""

    def __init__(self, records: Iterable[Record], crash_at: int | None = None) -> None:
        super().__init__(list(records))
        self.crash_at = crash_at
        self.live = History.load(self.records)

    def append(self, key: str, payload: Payload) -> int:
        if self.crash_at is not None and len(self.records) >= self.crash_at:
            raise Crash
        self.live.apply(key, payload)
        return super().append(key, payload)

    async def sync(self) -> None:
        await asyncio.sleep(0)
        if self.crash_at is not None and len(self.records) >= self.crash_at:
            raise Crash
        await super().sync()


def digest(prompt: str) -> str:
    return hashlib.sha256(prompt.encode()).hexdigest()[:12]


class World:
    """The agent, with its own counter, over all the processes of one history."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.calls = 0
        self.records: list[Record] = []
        self.failing = ""
        self.variant = 0

    def answer(self, journal: CrashingJournal, request: TurnRequest) -> str:
        assert request.key not in journal.live.finished, f"{request.key} is performed though it is finished"
        self.calls += 1
        if self.failing and self.failing in request.key:
            raise Operational("exit", "told to fail")
        said = f"in={digest(request.prompt)} n={self.calls}"
        if request.key == "plan":
            titles = self.calls % 3
            items = (
                "## Item 1\n## Item 2 (depends_on: 1)\n## Item 4" if titles else "## Item 1\n## Item 4 (depends_on: 1)"
            )
            return f"{said}\n## Sprint 1\n## Sprint 3\n{items}"
        if request.key.endswith(("judge", "look")):
            return f"{said}\nVERDICT: {'good' if self.calls % 3 else 'again'}"
        return said

    def run(self, *, crash_at: int | None = None, nobody: bool = False, cancel_at: int | None = None) -> Ended | None:
        """One process over the records so far; what it leaves on disk is what the next one loads."""
        journal = CrashingJournal(self.records, crash_at)
        agents = ScriptedAgents(lambda request: self.answer(journal, request))
        people = ScriptedPeople(lambda question: None if nobody else f"in={digest(question.text)} n={self.calls}")
        run = Run(
            DEFINITIONS[self.variant],
            STARTED,
            scripted_ports(journal, agents, people=people),
            History.load(self.records),
        )

        async def walk() -> Ended | None:
            task = asyncio.ensure_future(walk_run(run))
            if cancel_at is not None:
                for _ in range(cancel_at):
                    await asyncio.sleep(0)
                task.cancel()
            try:
                return await task
            except asyncio.CancelledError:
                return None

        end: Ended | None = None
        try:
            end = RUNNER.run(walk())
        except Crash:
            if self.random.random() < 0.5:
                del journal.records[journal.durable :]
        self.records = journal.records
        assert end is None or end.code != "internal_error", end.reason
        return end

    def disturb(self) -> None:
        """One random act of fate, or of the user."""
        choice = self.random.randrange(8)
        if choice == 0:
            self.run(crash_at=len(self.records) + self.random.randrange(60))
        elif choice == 1:
            self.failing = self.random.choice(["build", "judge", "fan[1]", "fan[4]", "work", "last", "tries[2]"])
            self.run()
            self.failing = ""
        elif choice == 2:
            finished = sorted(History.load(self.records).finished)
            if finished:
                self.append("", SetAside(keys=(self.random.choice(finished),), reason="rerun"))
            self.run(crash_at=len(self.records) + self.random.randrange(40))
        elif choice == 3:
            self.variant = self.random.randrange(len(DEFINITIONS))
            self.append("", Decided(what="definition"))
            self.run(crash_at=len(self.records) + self.random.randrange(80))
        elif choice == 4:
            self.run(nobody=True)
        elif choice == 5:
            text = f"mine {self.calls}\n## Sprint 1\n## Item 1\n## Item {self.random.randrange(2, 6)} (depends_on: 1)"
            version = ArtifactVersion(name="plan.md", sha256="0", size=0)
            self.append("plan", Decided(what="mine", artifact=version, text=text, number=1))
            self.run(crash_at=len(self.records) + self.random.randrange(60))
        elif choice == 6:
            lane = self.random.choice(["", "plan", "sprints[1]", "fan[4]"])
            self.append(lane, Said(text=f"said {len(self.records)}"))
            self.run(crash_at=len(self.records) + self.random.randrange(60))
        else:
            self.run(cancel_at=self.random.randrange(120))

    def append(self, key: str, payload: Payload) -> None:
        self.records.append(Record(len(self.records) + 1, "", key, payload))


def check_answers(world: World) -> None:
    """A second engine, told the recorded answers, must send each of them the prompt that it was given for."""
    loaded = History.load(world.records)
    finished = loaded.finished
    journal = InMemoryJournal()
    seen: set[str] = set()

    def recorded(key: str, prompt: str) -> str:
        seen.add(key)
        text = str(finished[key].value["text"])
        assert text.startswith("mine") or f"in={digest(prompt)} " in text, f"{key} was answered for another prompt"
        return text

    people = ScriptedPeople(lambda question: recorded(question.key, question.text))
    agents = ScriptedAgents(lambda request: recorded(request.key, request.prompt))
    run = Run(
        DEFINITIONS[world.variant], STARTED, scripted_ports(journal, agents, people=people), History(given=loaded.given)
    )
    RUNNER.run(walk_run(run))
    assert seen == set(finished), "stale results are left"


@pytest.mark.slow
@pytest.mark.parametrize(
    "seeds", grid([range(HISTORIES), range(HISTORIES, MORE_HISTORIES)], [range(HISTORIES)]), ids=str
)
def test_random_histories_keep_every_answer_to_its_prompt(seeds: range) -> None:
    for seed in seeds:
        one_history(seed)


def one_history(seed: int) -> None:
    world = World(seed)
    try:
        for _ in range(world.random.randrange(1, 3)):
            world.disturb()
        world.run()
        check_answers(world)
        before = list(world.records)
        world.run()
        assert world.records == before, "a second run wrote something"
        state = RunState()
        for record in before:
            state.apply(record)
        assert state.status == "completed"
    except AssertionError as error:
        raise AssertionError(f"seed {seed}: {error}") from error
