"""The client side of tests of the real server: pytest-lsp's client, told of each message, and what a client keeps.

pytest-lsp holds every message to the specification and to what the client said it can. Two faults of the libraries at
the client's end are mended here: custom params stay plain data, and code actions with a command stay code actions.
"""

from __future__ import annotations

import asyncio
from asyncio.subprocess import Process
from collections.abc import Callable
from typing import Any

from lsprotocol import types
from pygls.protocol import default_converter
from pygls.protocol.json_rpc import JsonRPCNotification, JsonRPCRequestMessage
from pytest_lsp import LanguageClient
from pytest_lsp.client import register_lsp_features
from pytest_lsp.protocol import LanguageClientProtocol


class Asked:
    """A request of the server that waits for its user."""

    def __init__(self, method: str, params: Any) -> None:
        self.method, self.params = method, params
        self._answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()

    def answer(self, value: object) -> None:
        """Give it. Without effect when the server is gone."""
        if not self._answer.done():
            self._answer.set_result(value)

    async def wait(self) -> Any:
        """What the user says."""
        return await self._answer


class SeenRun:
    """A run as a client keeps it, by the rules of docs/protocol.md; ``is_stale`` when it would have to ask again."""

    def __init__(self) -> None:
        self.nodes: dict[str, dict[str, Any]] = {}
        self.revision = 0
        self.is_stale = False
        self.told: list[dict[str, Any]] = []

    def take(self, change: dict[str, Any]) -> None:
        """Take in a `didChange`."""
        self.told.append(change)
        if change["base"] not in (0, self.revision):
            self.is_stale = True
        if change["base"] == 0:
            self.nodes.clear()
        for key in change["removed"]:
            self.nodes.pop(key, None)
        self.nodes.update({node["id"]: node for node in change["nodes"]})
        self.revision = change["revision"]

    def __getitem__(self, name: str) -> Any:
        """A field of the newest change, as ``status``; empty before the first one."""
        return self.told[-1][name] if self.told else ""

    def is_told(self, after: int) -> bool:
        """Whether something came after so many changes."""
        return len(self.told) > after

    def node(self, key: str) -> str:
        """A node's status; empty before it is there."""
        return self.nodes[key]["status"] if key in self.nodes else ""


class _Protocol(LanguageClientProtocol):
    """Tells the editor of each message once it was worked off."""

    _server: Client  # type: ignore[assignment]

    def _handle_notification(self, method_name: str, params: Any) -> None:
        super()._handle_notification(method_name, params)
        self._server.heard(method_name, params)

    def _handle_request(self, msg_id: int | str, method_name: str, params: Any) -> None:
        super()._handle_request(msg_id, method_name, params)
        self._server.heard(method_name, params)


class Client(LanguageClient):
    """One client. ``heard`` is called with each message."""

    def __init__(self) -> None:
        super().__init__(protocol_cls=_Protocol, converter_factory=_converter)
        register_lsp_features(self)
        self.heard: Callable[[str, Any], None] = lambda _method, _params: None

    @property
    def process(self) -> Process:
        """The server's."""
        assert self._server is not None
        return self._server


def _converter() -> Any:
    """pygls's own, but custom params stay plain data, and a code action that has a command stays a code action."""
    converter = default_converter()

    def action(found: dict[str, Any], _kind: Any) -> types.Command | types.CodeAction:
        kind = types.Command if isinstance(found.get("command"), str) else types.CodeAction
        return converter.structure(found, kind)

    converter.register_structure_hook(types.Command | types.CodeAction, action)
    for kind in (JsonRPCNotification, JsonRPCRequestMessage):
        converter.register_structure_hook(kind, lambda found, cls: cls(**found))
    return converter
