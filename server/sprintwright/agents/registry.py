"""The configured agents by name, and the one place that turns a name into a turn."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from dataclasses import dataclass
from pathlib import Path

from sprintwright.agents.acp.pool import Pool
from sprintwright.agents.bridge.shared import SharedBridge
from sprintwright.agents.config import (
    AcpAgentConfig,
    AgentConfig,
    CheckAgentConfig,
    CliAgentConfig,
    EditorAgentConfig,
    HumanAgentConfig,
    ModelAgentConfig,
    ReplayAgentConfig,
)
from sprintwright.agents.editor_models import EditorModels
from sprintwright.engine.ports import AgentTraits, Checks, Desk, People, TurnAnswer, TurnRequest
from sprintwright.errors import Refused
from sprintwright.processes import Leftovers
from sprintwright.text import did_you_mean, fold

BUILT_IN: Mapping[str, AgentConfig] = {"human": HumanAgentConfig(kind="human", description="You, at this terminal.")}
_TRAITS: dict[str, AgentTraits] = {
    "human": AgentTraits(person=True, reminded=False, writes=False),
    "check": AgentTraits(reminded=False),
}


@dataclass(frozen=True, slots=True)
class Configured:
    """An agent with the file that configures it."""

    name: str
    config: AgentConfig
    origin: str
    """`builtin`, `user` or `workspace`."""
    base: Path
    """Folder that relative names in the configuration start from."""


class Registry:
    """Implements `sprintwright.engine.ports.Agents`.

    Args:
        agents: what is configured.
        parent: the environment that agents' own environment is taken from, by an allow-list.
        people: whoever can be asked, for `human`.
        checks: runs commands, for `check`.
        leftovers: remembers live programs.
        runtime: the user's runtime folder, for the socket of our tools.
        models: those of the editor, for `editor`.
    """

    def __init__(
        self,
        agents: Mapping[str, Configured],
        parent: Mapping[str, str],
        people: People,
        checks: Checks,
        leftovers: Leftovers,
        runtime: Path,
        models: EditorModels | None = None,
    ) -> None:
        self._agents = {fold(name): agent for name, agent in agents.items()}
        self._parent, self._people, self._checks, self._leftovers = parent, people, checks, leftovers
        self._models = models
        self._bridge = SharedBridge(runtime)
        self._pool = Pool(parent, leftovers, self._bridge)

    def asking(self, people: People) -> Registry:
        """The same agents, with other people to ask."""
        other = copy(self)
        other._people = people
        return other

    def names(self) -> list[str]:
        """The configured names, sorted."""
        return sorted(agent.name for agent in self._agents.values())

    def get(self, name: str) -> Configured:
        """The agent of that name; case does not matter. Raises `Refused` with the known names."""
        found = self._agents.get(fold(name.strip()))
        if found is None:
            hint = did_you_mean(name, self.names())
            raise Refused(
                "unknown_agent",
                f"There is no agent {name!r}.{hint} Known agents: {', '.join(self.names())}.",
                known=self.names(),
            )
        return found

    def traits(self, agent: str) -> AgentTraits:
        """What the engine must know before a turn."""
        return _TRAITS.get(self.get(agent).config.kind, AgentTraits())

    async def turn(self, request: TurnRequest, desk: Desk) -> TurnAnswer:
        """Take one turn with the agent of the request."""
        configured = self.get(request.agent)
        match configured.config:
            case AcpAgentConfig() as config:
                from sprintwright.agents.acp import turn

                return await turn.turn(config, request, desk, self._pool)
            case CliAgentConfig() as config:
                from sprintwright.agents.cli import turn

                return await turn.turn(config, request, desk, self._parent, self._leftovers, self._bridge)
            case ModelAgentConfig() as config:
                from sprintwright.agents.model import conversation

                return await conversation.turn(config, configured.origin, request, desk, self._pool)
            case EditorAgentConfig() as config:
                from sprintwright.agents.model import conversation

                return await conversation.turn_by_editor(config, self._models, request, desk, self._pool)
            case CheckAgentConfig() as config:
                from sprintwright.agents import check

                return await check.turn(config, request, self._checks, desk.output)
            case HumanAgentConfig():
                from sprintwright.agents import human

                return await human.turn(request, self._people)
            case ReplayAgentConfig() as config:
                from sprintwright.agents import replay

                return await replay.turn(configured.base / config.file, request, desk)

    async def leave(self, run_id: str, talk: str = "") -> None:
        """End what is kept alive for the conversations of a run whose name begins so."""
        await self._pool.leave(run_id, talk)
