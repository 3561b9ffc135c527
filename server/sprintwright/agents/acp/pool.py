"""Agents that are kept alive between the passes of a stage: one process a conversation, ended with it."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sprintwright.agents.bridge.shared import SERVER, SharedBridge
from sprintwright.engine.ports import TurnRequest
from sprintwright.processes import Leftovers

if TYPE_CHECKING:  # the protocol's library takes half a second to load: only a turn needs it
    from acp import schema

    from sprintwright.agents.acp.session import AgentSession

MOST_IDLE = 4
"""Agents of a run that wait for a later pass; beyond, the one that has waited longest is ended and loads it again."""


class Pool:
    """Live sessions by run and conversation.

    Args:
        parent: the environment that agents' own environment is taken from.
        leftovers: remembers live programs.
        bridge: how they reach our tools.
    """

    def __init__(self, parent: Mapping[str, str], leftovers: Leftovers, bridge: SharedBridge) -> None:
        self.parent, self.leftovers, self.bridge = parent, leftovers, bridge
        self._held: dict[tuple[str, str], AgentSession] = {}
        self._idle: dict[tuple[str, str], None] = {}

    def take(self, run_id: str, talk: str, session: str) -> AgentSession | None:
        """The live session of a conversation, if it is the one to continue; it is at work then."""
        name = (run_id, talk)
        held = self._held.get(name)
        if held is None or not held.alive or not session or held.id != session:
            return None
        self._idle.pop(name, None)
        return held

    def hold(self, run_id: str, talk: str, session: AgentSession) -> None:
        """Know of a session that is at work."""
        self._held[run_id, talk] = session

    async def keep(self, run_id: str, talk: str, session: AgentSession) -> None:
        """The turn is over: the session waits for the next one."""
        self._idle[run_id, talk] = None
        waiting = [name for name in self._idle if name[0] == run_id]
        for name in waiting[: max(0, len(waiting) - MOST_IDLE)]:
            await self.drop(*name)

    async def drop(self, run_id: str, talk: str) -> None:
        """End the session of a conversation, if there is one."""
        self._idle.pop((run_id, talk), None)
        held = self._held.pop((run_id, talk), None)
        if held is not None:
            try:
                await held.close()
            finally:
                if held.tools is not None:
                    await self.bridge.close(held.tools)

    async def leave(self, run_id: str, talk: str = "") -> None:
        """End all sessions of a run whose conversation's name begins so."""
        names = [name for name in self._held if name[0] == run_id and name[1].startswith(talk)]
        await asyncio.gather(*(self.drop(*name) for name in names))

    async def servers(self, request: TurnRequest, session: AgentSession) -> list[schema.McpServerStdio]:
        """The tool servers that a session is given: ours, where the turn has tools; it belongs to the session then."""
        from acp import schema

        if not request.tools:
            return []
        session.catalogue = (request.tools, request.verdicts)
        session.tools = await self.bridge.open(request)
        program, *arguments = session.tools.command
        return [schema.McpServerStdio(name=SERVER, command=program, args=arguments, env=[])]
