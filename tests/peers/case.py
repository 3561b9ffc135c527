"""Runs of the real program with real agents in its roles, each with a model of its own that a test scripts."""

from __future__ import annotations

import contextlib
import json
from collections.abc import Generator
from pathlib import Path
from typing import Any
from typing import cast as cast_to

from tests.peers.agents import Peer
from tests.peers.model import Model
from tests.peers.wire import Data
from tests.support.terminal import Place

ONE_STAGE = """name: one
roles:
  worker: {{permissions: {permissions}}}
stages:
  - id: work
    kind: agent_turn
    role: worker
    prompt: |-
      {{{{task}}}}
"""


class Case(Place):
    """A place with real agents; made by `cast`."""

    models: dict[str, Model]
    """Those of the roles that real agents play."""

    def results(self) -> dict[str, Data]:
        """What the finished steps of the newest run came to, by key."""
        folder = sorted((self.project / ".sprintwright" / "runs").iterdir())[-1]
        records = map(json.loads, (folder / "journal.jsonl").read_text(encoding="utf-8").splitlines())
        return {record["key"]: record["data"]["value"] for record in records if record["kind"] == "finished"}

    def notes(self) -> str:
        """What the newest run has to say beside its results."""
        return "\n".join(self.show()["notes"])

    def alive(self) -> list[str]:
        """Command lines of live processes that were started here: each has the folder in its environment."""
        mark, found = str(self.base).encode(), list[str]()
        for folder in Path("/proc").glob("[0-9]*"):
            with contextlib.suppress(OSError):  # gone, or not ours
                if mark in (folder / "environ").read_bytes():
                    found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode("utf-8", "replace"))
        return found


@contextlib.contextmanager
def cast(base: Path, peers: dict[str, Peer], script: dict[str, list[Data]] | None = None) -> Generator[Case]:
    """A place where each role is played by its peer; the roles that have none, by the scripted command line."""
    case = Case(base, script or {})
    with contextlib.ExitStack() as open_models:
        case.models = {role: open_models.enter_context(Model([])) for role in peers}
        agents: dict[str, Any] = {
            role: peer.config(base / "homes" / role, case.models[role].url) for role, peer in peers.items()
        }
        case.configure(agents=agents, roles={role: role for role in peers})
        yield case


def texts(body: Data) -> list[str]:
    """All texts of a request, the system's included."""
    found: list[str] = []
    left: list[Any] = [body]
    while left:
        value = left.pop()
        if isinstance(value, str):
            found.append(value)
        elif isinstance(value, list):
            left += cast_to("list[Any]", value)
        elif isinstance(value, dict):
            left += cast_to("dict[str, Any]", value).values()
    return found


def said(body: Data) -> str:
    """All texts of a request as one."""
    return "\n".join(texts(body))
