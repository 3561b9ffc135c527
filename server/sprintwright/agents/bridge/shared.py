"""One bridge for all agents of a program: it listens from the first session on, and until the last one is over."""

from __future__ import annotations

from pathlib import Path

from sprintwright.agents.bridge.connection import Connection
from sprintwright.agents.bridge.listener import ToolBridge
from sprintwright.engine.ports import TurnRequest

SERVER = "sprintwright"
"""The name of our tool server at agents."""


class SharedBridge:
    """Opens tools for sessions. ``runtime``: the user's runtime folder, for the socket."""

    def __init__(self, runtime: Path) -> None:
        self._runtime = runtime
        self._bridge: ToolBridge | None = None
        self._open = 0
        self._told: set[tuple[str, str]] = set()

    def unused(self, request: TurnRequest) -> tuple[str, ...]:
        """A warning that the agent of a turn did not start our tools; once for an agent in a run."""
        told = (request.run_id, request.agent)
        if told in self._told:
            return ()
        self._told.add(told)
        return (
            f"Agent {request.agent!r} did not start our tools: its verdicts and findings are read from its words, "
            "and it can't ask you anything.",
        )

    async def open(self, request: TurnRequest) -> Connection:
        """Tools for the session of a turn; `close` must follow. Raises as `ToolBridge`."""
        self._open += 1
        try:
            if self._bridge is None:
                self._bridge = await ToolBridge(self._runtime).__aenter__()
            return self._bridge.open(request.tools, request.verdicts)
        except BaseException:
            await self._rest()
            raise

    async def close(self, connection: Connection) -> None:
        """The session is over."""
        try:
            await connection.close()
        finally:
            await self._rest()

    async def _rest(self) -> None:
        self._open -= 1
        if self._open == 0 and self._bridge is not None:
            bridge, self._bridge = self._bridge, None
            await bridge.__aexit__(None, None, None)
