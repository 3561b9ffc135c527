"""One turn of a scripted agent over a real process, and what the engine would see of it."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import uuid
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Literal

from sprintwright.agents.acp.pool import Pool
from sprintwright.agents.acp.turn import turn
from sprintwright.agents.bridge.shared import SharedBridge
from sprintwright.agents.config import AcpAgentConfig
from sprintwright.engine.ports import Act, Answer, Stream, Tool, ToolAnswer, TurnAnswer, TurnRequest
from sprintwright.model.definition import Permissions
from sprintwright.model.usage import Usage
from sprintwright.model.value import Json
from sprintwright.processes import Leftovers

AGENT = Path(__file__).parents[2] / "support" / "acp_agent.py"


class FakeDesk:
    """Implements `sprintwright.engine.ports.Desk`; ``allows`` answers requests for permission."""

    def __init__(self, allows: Callable[[Act], bool] = lambda _act: True) -> None:
        self.said: list[tuple[Stream, str]] = []
        self.acts: list[Act] = []
        self.calls: list[tuple[str, dict[str, Json]]] = []
        self._allows = allows
        self.version = ""
        self._wanted, self._heard = "", asyncio.Event()

    def output(self, stream: Stream, text: str) -> None:
        self.said.append((stream, text))
        if self._wanted and self._wanted in self.transcript("text"):
            self._heard.set()

    async def hears(self, text: str) -> None:
        """Return when the agent has said that."""
        self._wanted = text
        await self._heard.wait()

    def transcript(self, stream: Stream) -> str:
        return "".join(text for of, text in self.said if of == stream)

    async def ask(self, kind: Literal["ask", "permission"], text: str, choices: tuple[str, ...] = ()) -> Answer:
        return Answer(text="")

    def plays(self, version: str) -> None:
        self.version = version

    def asking(self) -> AbstractContextManager[None]:
        return nullcontext()

    async def permit(self, act: Act) -> bool:
        self.acts.append(act)
        return self._allows(act)

    async def call(self, tool: str, arguments: Mapping[str, Json]) -> ToolAnswer:
        self.calls.append((tool, dict(arguments)))
        return ToolAnswer(text="recorded")


class Case:
    """A folder with a scripted agent."""

    def __init__(self, tmp_path: Path) -> None:
        self.folder = tmp_path / "project"
        self.folder.mkdir()
        self.log = tmp_path / "log.jsonl"
        self._script = tmp_path / "script.json"
        self._home = tmp_path
        self.runtime = Path("/tmp") / f"sw-{os.getpid()}"
        self.bridge = SharedBridge(self.runtime)
        self.pool = Pool(
            {"PATH": os.environ["PATH"], "HOME": str(tmp_path)}, Leftovers(tmp_path / "processes"), self.bridge
        )
        self.desk: FakeDesk = FakeDesk()
        self._mark = f"case-{uuid.uuid4().hex}"

    async def turn(
        self,
        *turns: list[list[Any]],
        session: str = "",
        talk: str = "t",
        permissions: Permissions = "workspace_write",
        idle: float | None = None,
        tools: tuple[Tool, ...] = (),
        counted: Usage | None = None,
        prompt: str = "Build it.",
        **script: Any,
    ) -> TurnAnswer:
        """Take a turn with an agent that does these steps."""
        self._script.write_text(json.dumps({"turns": list(turns), **script}))
        command = (sys.executable, str(AGENT), str(self._script), str(self.log))
        request = TurnRequest(
            run_id="r1",
            key=talk,
            role="builder",
            agent="scripted",
            prompt=prompt,
            folder=str(self.folder),
            permissions=permissions,
            idle_seconds=idle,
            talk=talk,
            session=session,
            counted=counted,
            tools=tools,
            verdicts=("good_to_go",),
        )
        return await turn(
            AcpAgentConfig(kind="acp", command=command, env={"TEST_CASE": self._mark}), request, self.desk, self.pool
        )

    def arrived(self, method: str) -> list[dict[str, Any]]:
        """Parameters of the messages of a method that the agent got."""
        messages = [json.loads(line) for line in self.log.read_text().splitlines()]
        return [message["params"] for message in messages if message.get("method") == method]

    def live(self) -> frozenset[int]:
        """Programs of the run that are remembered and alive."""
        return self.pool.leftovers.live_pids("r1")

    def started(self) -> list[int]:
        """Every living process that the agents of this case started, in whatever group it is."""
        return processes_with(f"TEST_CASE={self._mark}")


def processes_with(entry: str) -> list[int]:
    """Living processes whose environment has this entry."""
    found: list[int] = []
    for place in Path("/proc").iterdir():
        try:
            if place.name.isdigit() and entry.encode() in (place / "environ").read_bytes().split(b"\0"):
                found.append(int(place.name))
        except OSError:
            continue
    return found
