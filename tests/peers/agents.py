"""The real agents that are tried, each with how it is set up for a model of ours and how it names its tools.

`make test-peers` installs them, pinned by package-lock.json and requirements.lock.
"""

from __future__ import annotations

import json
import os
import platform
import shutil
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.peers.wire import Data

INSTALLED = Path(os.environ.get("SPRINTWRIGHT_PEERS_HOME", Path.home() / ".cache" / "sprintwright-peers"))
_NPM = "node_modules/.bin"
PYTHON = "python/bin"
SERVER = "sprintwright"
"""The name of our tool server at agents."""
Setup = Callable[[Path, str], Mapping[str, str]]
"""From its home and the model's URL: its environment; files in its home are written."""


@dataclass(frozen=True)
class Peer:
    """One agent.

    Attributes:
        name: its preset, or just its name.
        program: what is started.
        setup: its environment.
        write: its tool that writes a file: name, and its arguments for path and text.
        shell: its tool that runs a command: name, and all its arguments, one of them the command.
        ours: the name of a tool of ours, with ``{}`` for it.
        usage: whether it says what a turn used.
        goes_on: whether a turn goes on when something was not allowed.
        loads: whether it opens a session of an earlier process each time; gemini does at some times only.
        asks_when_reading: what it asks about in a role that only reads; the rest it refuses by itself.
        arguments: behind the program.
        folder: where it is installed, beneath `INSTALLED`.
        known: whether there is a preset of its name.
        kind: how it is talked to; `cli`: one call a turn.
    """

    name: str
    program: str
    setup: Setup
    write: tuple[str, str, str]
    shell: tuple[str, Mapping[str, Any], str]
    ours: str
    usage: bool = False
    goes_on: bool = True
    loads: bool = True
    asks_when_reading: tuple[str, ...] = ("edit", "execute")
    arguments: tuple[str, ...] = ("--acp",)
    folder: str = _NPM
    known: bool = True
    kind: str = "acp"

    def path(self) -> Path | None:
        """Where it is installed."""
        pinned = INSTALLED / self.folder / self.program
        if pinned.exists():
            return pinned
        found = shutil.which(self.program) if self.folder == _NPM else None
        return Path(found) if found else None

    def config(self, home: Path, url: str) -> Data:
        """Its entry under `agents`."""
        home.mkdir(parents=True, exist_ok=True)
        env = {"HOME": str(home), **self.setup(home, url)}
        preset = {"preset": self.name} if self.known else {}
        return {"kind": self.kind, **preset, "command": [str(self.path()), *self.arguments], "env": env}

    def writes(self, path: Path, text: str) -> Data:
        """A call of its tool that writes a file."""
        name, path_field, text_field = self.write
        return {"name": name, "args": {path_field: str(path), text_field: text}}

    def runs(self, command: str) -> Data:
        """A call of its tool that runs a command."""
        name, more, field = self.shell
        return {"name": name, "args": {**more, field: command}}

    def calls(self, tool: str, **arguments: Any) -> Data:
        """A call of a tool of ours."""
        return {"name": self.ours.format(tool), "args": arguments}


def _file(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _claude(home: Path, url: str) -> Mapping[str, str]:
    quiet = {"CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1", "DISABLE_AUTOUPDATER": "1"}
    return {"ANTHROPIC_BASE_URL": url, "ANTHROPIC_API_KEY": "x", "CLAUDE_CONFIG_DIR": str(home / "claude"), **quiet}


def _quiet(signed_in_by: str) -> str:
    return json.dumps({
        "general": {"enableAutoUpdate": False}, "privacy": {"usageStatisticsEnabled": False},
        "security": {"auth": {"selectedType": signed_in_by}}, "telemetry": {"enabled": False},
    })  # fmt: skip


def _qwen(home: Path, url: str) -> Mapping[str, str]:
    _file(home / ".qwen" / "settings.json", _quiet("openai"))
    return {"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "fake"}


def _gemini(home: Path, url: str) -> Mapping[str, str]:
    _file(home / ".gemini" / "settings.json", _quiet("gemini-api-key"))
    return {"GEMINI_API_KEY": "x", "GOOGLE_GEMINI_BASE_URL": url, "GEMINI_CLI_TRUST_WORKSPACE": "true"}


def _opencode(_home: Path, url: str) -> Mapping[str, str]:
    model = {"tool_call": True, "limit": {"context": 32000, "output": 4096}}
    options = {"baseURL": f"{url}/v1", "apiKey": "x"}
    provider = {"npm": "@ai-sdk/openai-compatible", "options": options, "models": {"fake": model}}
    config = {
        "model": "fake/fake", "small_model": "fake/fake", "share": "disabled", "autoupdate": False,
        "permission": {"edit": "ask", "bash": "ask"}, "provider": {"fake": provider},
    }  # fmt: skip
    off = ("OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH", "OPENCODE_DISABLE_LSP_DOWNLOAD")
    return {**dict.fromkeys(off, "1"), "OPENCODE_CONFIG_CONTENT": json.dumps(config)}


def _pydantic(_home: Path, url: str) -> Mapping[str, str]:
    return {"OPENAI_API_KEY": "x", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "fake"}


_MACHINES = {"x86_64": "x64", "aarch64": "arm64", "arm64": "arm64"}
_WORDS = {"description": "Do it"}
CLAUDE = Peer(
    "claude", "claude-agent-acp", _claude, ("Write", "file_path", "content"), ("Bash", _WORDS, "command"),
    f"mcp__{SERVER}__{{}}", usage=True, arguments=(),
)  # fmt: skip
QWEN = Peer(
    "qwen", "qwen", _qwen, ("write_file", "file_path", "content"),
    ("run_shell_command", {**_WORDS, "is_background": False}, "command"), f"mcp__{SERVER}__{{}}", usage=True,
)  # fmt: skip
OPENCODE = Peer(
    "opencode", "opencode", _opencode, ("write", "filePath", "content"), ("bash", _WORDS, "command"),
    f"{SERVER}_{{}}", usage=True, goes_on=False, asks_when_reading=("edit",), arguments=("acp",),
)  # fmt: skip
GEMINI = Peer(
    "gemini", "gemini", _gemini, ("write_file", "file_path", "content"), ("run_shell_command", _WORDS, "command"),
    f"mcp_{SERVER}_{{}}", loads=False, arguments=("--acp", "-m", "gemini-2.5-pro"),
)  # fmt: skip
PYDANTIC = Peer(
    "pydantic", "python", _pydantic, ("write_file", "path", "content"), ("run_command", {}, "command"), f"{SERVER}_{{}}",
    usage=True, arguments=(str(Path(__file__).with_name("pydantic_agent.py")),), folder=PYTHON, known=False,
)  # fmt: skip
PEERS = (CLAUDE, QWEN, OPENCODE, GEMINI, PYDANTIC)
_CLAUDE_ITSELF = f"node_modules/@anthropic-ai/claude-agent-sdk-{sys.platform}-{_MACHINES.get(platform.machine(), '')}"
"""Where claude-agent-acp has the program that it starts."""
CLAUDE_LINE = replace(CLAUDE, program="claude", folder=_CLAUDE_ITSELF, kind="cli")
QWEN_LINE = replace(QWEN, arguments=(), kind="cli")
OPENCODE_LINE = replace(OPENCODE, arguments=(), kind="cli")
GEMINI_LINE = replace(GEMINI, arguments=("-m", "gemini-2.5-pro"), kind="cli")
