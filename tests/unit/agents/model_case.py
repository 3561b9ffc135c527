"""A model behind our own agent: over the real process (`ModelCase`), or only its turn, in this process (`InProcess`)."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import acp
from acp import schema
from pydantic_ai.messages import ModelMessage

from sprintwright.agents.acp.pool import Pool
from sprintwright.agents.bridge.shared import SharedBridge
from sprintwright.agents.config import ModelAgentConfig
from sprintwright.agents.model.conversation import turn
from sprintwright.agents.model.dialogue import Dialogue, End
from sprintwright.agents.model.endpoints import Speech
from sprintwright.agents.model.hands import Hands
from sprintwright.agents.model.http import client_for
from sprintwright.agents.model.provider import model_of
from sprintwright.agents.model.settings import Settings
from sprintwright.agents.model.tools import offered
from sprintwright.engine.ports import Tool, TurnAnswer, TurnRequest
from sprintwright.model.definition import Permissions
from sprintwright.processes import Leftovers
from tests.support.fake_llm import FakeModel
from tests.unit.agents.acp_case import FakeDesk

KEY = "sk-of-this-test-alone"


class ModelCase:
    """A folder, a service, and an agent of the user that reaches it with a key."""

    def __init__(self, tmp_path: Path, model: FakeModel) -> None:
        self.folder = tmp_path / "project"
        self.folder.mkdir()
        self.state = tmp_path / "state"
        self.model = model
        self.desk: FakeDesk = FakeDesk()
        self.runtime = Path(tempfile.mkdtemp(prefix="sw-"))  # a socket's path has to be short
        self._bridge = SharedBridge(self.runtime)
        parent = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "MY_KEY": KEY, "OTHER_API_KEY": "sk-of-another"}
        self.pool = Pool(parent, Leftovers(self.state / "processes"), self._bridge)

    async def turn(
        self,
        prompt: str,
        *,
        session: str = "",
        permissions: Permissions = "workspace_write",
        tools: tuple[Tool, ...] = (),
        config: ModelAgentConfig | None = None,
    ) -> TurnAnswer:
        """Take a turn with the fake model, or with another one that ``config`` names."""
        config = config or ModelAgentConfig(
            kind="model", provider="ollama", base_url=f"{self.model.url}/v1", model="fake", key_env="MY_KEY"
        )
        request = TurnRequest(
            run_id="r1",
            key="t",
            role="builder",
            agent="mine",
            prompt=prompt,
            folder=str(self.folder),
            permissions=permissions,
            talk="t",
            session=session,
            tools=tools,
            verdicts=("good_to_go",),
        )
        return await turn(config, "user", request, self.desk, self.pool)

    def bodies(self) -> list[dict[str, Any]]:
        """What the service was asked."""
        return [body for _, _, body in self.model.requests]

    async def close(self) -> None:
        await self.pool.leave("r1")
        shutil.rmtree(self.runtime)


class Engine:
    """Implements the part of `acp.Client` that the agent's tools use, on a folder."""

    def __init__(self, folder: Path, allows: Callable[[schema.ToolCallUpdate], bool] = lambda _asked: True) -> None:
        self.folder, self._allows = folder, allows
        self.updates: list[Any] = []
        self.asked: list[schema.ToolCallUpdate] = []

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        self.updates.append(update)

    async def request_permission(
        self, session_id: str, tool_call: schema.ToolCallUpdate, options: list[schema.PermissionOption], **_: Any
    ) -> schema.RequestPermissionResponse:
        self.asked.append(tool_call)
        kind = "allow_once" if self._allows(tool_call) else "reject_once"
        chosen = next(option for option in options if option.kind == kind)
        outcome = schema.AllowedOutcome(option_id=chosen.option_id, outcome="selected")
        return schema.RequestPermissionResponse(outcome=outcome)

    async def read_text_file(
        self, session_id: str, path: str, line: int | None = None, limit: int | None = None, **_: Any
    ) -> schema.ReadTextFileResponse:
        return schema.ReadTextFileResponse(content=self._read(path, line, limit))

    async def write_text_file(self, session_id: str, path: str, content: str, **_: Any) -> None:
        self._write(Path(path), content)

    def _read(self, path: str, line: int | None, limit: int | None) -> str:
        if not Path(path).is_file():
            raise acp.RequestError.resource_not_found(path)
        return "".join(Path(path).read_text().splitlines(keepends=True)[(line or 1) - 1 :][:limit])

    def _write(self, path: Path, content: str) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)

    def said(self) -> str:
        """The texts of the model."""
        return "".join(update.content.text for update in self.updates if isinstance(update, schema.AgentMessageChunk))


def settings_for(url: str, tmp_path: Path, speaks: Speech = "openai", **more: Any) -> Settings:
    path = "/v1" if speaks == "openai" else ""
    values: dict[str, Any] = {
        "title": "Ollama", "speaks": speaks, "base_url": url + path, "is_official": False, "model": "fake",
        "sessions": str(tmp_path / "model"), "processes": str(tmp_path / "processes"), "run_id": "r1", **more,
    }  # fmt: skip
    return Settings.model_validate(values)


class InProcess:
    """The agent's turn without its process."""

    def __init__(
        self, tmp_path: Path, settings: Settings, allows: Callable[[schema.ToolCallUpdate], bool] = lambda _asked: True
    ) -> None:
        self.folder = tmp_path / "project"
        self.folder.mkdir(exist_ok=True)
        self._http = client_for(settings.base_url)
        self.engine = Engine(self.folder, allows)
        self.hands = Hands(self.engine, "s", self.folder, settings)  # pyright: ignore[reportArgumentType]
        self.messages: list[ModelMessage] = []
        self.dialogue = Dialogue(
            model_of(settings, self._http),
            self.hands,
            {tool.name: tool for tool in offered(reads_only=False)},
            self.messages,
        )

    async def take(self, prompt: str = "Do it.") -> End:
        try:
            return await self.dialogue.take(prompt)
        finally:
            await self._http.aclose()
