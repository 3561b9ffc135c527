"""How agents in processes of their own reach our tools: a byte pipe that they start, and an MCP server in here."""

from sprintwright.agents.bridge.connection import Call, Connection
from sprintwright.agents.bridge.listener import ToolBridge

__all__ = ["Call", "Connection", "ToolBridge"]
