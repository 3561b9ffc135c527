"""Files of a folder by which an agent itself runs programs of that folder: shown and agreed to (faults.md X12)."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from pathlib import Path

from sprintwright.agents.config import AcpAgentConfig, AgentConfig, CliAgentConfig
from sprintwright.errors import PathRefused
from sprintwright.paths import read_beneath

_FILES: Mapping[str, tuple[str, ...]] = {
    "claude": (".mcp.json", ".claude/settings.json", ".claude/settings.local.json"),
    "codex": (".codex/config.toml", ".codex/hooks.json"),
    "gemini": (".gemini/settings.json", ".gemini/.env"),
    "qwen": (".qwen/settings.json", ".qwen/.env"),
    "opencode": ("opencode.json", "opencode.jsonc", ".opencode/opencode.json"),
    "goose": (".goose/config.yaml", ".goosehints"),
    "vibe": (".vibe/config.toml",),
    "pi": (".pi/settings.json", ".pi/mcp.json"),
    "copilot": (".github/copilot/mcp.json", ".vscode/mcp.json"),
}
_MOST_BYTES = 1024 * 1024


def vendor_items(name: str, config: AgentConfig, folder: Path) -> Iterator[str]:
    """A sentence for each such file that is there, with its content's hash. An agent that is not known may read any."""
    if not isinstance(config, AcpAgentConfig | CliAgentConfig):
        return
    preset = config.preset or _named(config.words[0])
    for file in _FILES.get(preset, ()):
        if (content := _content(folder, file)) is not None:
            yield f"agent {name} runs what {file} of this folder says ({content})"


def _named(program: str) -> str:
    """The known agent that a program's name begins with, as in `claude-agent-acp`."""
    base = program.replace("\\", "/").rpartition("/")[2]
    return next((known for known in _FILES if base == known or base.startswith(f"{known}-")), "")


def _content(folder: Path, file: str) -> str | None:
    if not (folder / file).exists():
        return None
    try:
        return hashlib.sha256(read_beneath(folder, file, _MOST_BYTES)).hexdigest()[:12]
    except (OSError, PathRefused):
        return "it can't be read"
