"""Agents that are known by name: how each is started, signed in, and made to ask (agents.md sections 2 and 3)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from sprintwright.model.definition import Permissions

UsageScope = Literal["turn", "session", "last_request"]


@dataclass(frozen=True, slots=True)
class Preset:
    """What is known of one agent.

    Attributes:
        title: its name as its makers write it.
        command: program and arguments; the program is found on PATH.
        install: what a user types to get it.
        sign_in: what a user signs in with, behind these words.
        passes: variables of our environment that it gets beyond the usual ones: its own keys and folders.
        env: variables that are set for it.
        modes: session modes by permissions, best first; the first that it offers is set.
        reads: whether it is offered to read files through us.
        usage: what the usage in its answers counts.
        tools_seconds: how long its first turn waits for it to find our tools: it opens a session before it has them.
    """

    title: str
    command: tuple[str, ...]
    install: str
    sign_in: str
    passes: tuple[str, ...] = ()
    env: Mapping[str, str] = field(default_factory=dict[str, str])
    modes: Mapping[Permissions, tuple[str, ...]] = field(default_factory=dict[Permissions, tuple[str, ...]])
    reads: bool = True
    usage: UsageScope = "last_request"
    tools_seconds: float = 0


ASKING: Mapping[Permissions, tuple[str, ...]] = {
    # Even where we allow everything in the folder the agent is to ask: then it is we who decide, and it is recorded.
    "read_only": ("plan", "read-only", "read_only", "default", "ask"),
    "ask": ("default", "ask", "read-only"),
    "workspace_write": ("default", "ask", "workspace-write", "auto"),
    "full": ("default", "ask", "workspace-write", "auto"),
}
"""Modes for agents that are not known: those that ask, by the names that are in use."""

_DEFAULT_ONLY: Mapping[Permissions, tuple[str, ...]] = dict.fromkeys(
    ("read_only", "ask", "workspace_write", "full"), ("default",)
)

PRESETS: Mapping[str, Preset] = {
    "claude": Preset(
        "Claude Code",
        ("claude-agent-acp",),
        "npm install -g @agentclientprotocol/claude-agent-acp",
        "`claude /login`, or with ANTHROPIC_API_KEY",
        ("ANTHROPIC_API_KEY", "ANTHROPIC_AUTH_TOKEN", "ANTHROPIC_BASE_URL", "CLAUDE_CODE_OAUTH_TOKEN",
         "CLAUDE_CONFIG_DIR", "ANTHROPIC_MODEL", "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC", "DISABLE_AUTOUPDATER"),
        # Its `plan` ends a turn with a request to leave it, so a role that only reads is held by what it asks.
        modes=_DEFAULT_ONLY,
        usage="turn",
        tools_seconds=5,  # measured under load: its first request to its model had none of ours
    ),
    "codex": Preset(
        "Codex",
        ("codex-acp",),
        "npm install -g @agentclientprotocol/codex-acp",
        "`codex login`, or with OPENAI_API_KEY",
        ("OPENAI_API_KEY", "CODEX_API_KEY", "CODEX_HOME", "OPENAI_BASE_URL"),
        {"NO_BROWSER": "1"},
        {"read_only": ("read-only",), "ask": ("read-only",), "workspace_write": ("workspace-write", "auto", "agent"),
         "full": ("workspace-write", "auto", "agent")},
        usage="turn",
    ),
    "gemini": Preset(
        "Gemini CLI",
        ("gemini", "--acp"),
        "npm install -g @google/gemini-cli",
        "`gemini`, which asks for it, or with GEMINI_API_KEY",
        ("GEMINI_API_KEY", "GOOGLE_API_KEY", "GOOGLE_CLOUD_PROJECT", "GOOGLE_CLOUD_LOCATION",
         "GOOGLE_GENAI_USE_VERTEXAI", "GOOGLE_GEMINI_BASE_URL", "GEMINI_CLI_TRUST_WORKSPACE"),
        {"GEMINI_CLI_NO_RELAUNCH": "true"},
        _DEFAULT_ONLY,
        reads=False,  # it takes our "not found" for a failure, and can't create a file
    ),
    "opencode": Preset(
        "opencode",
        ("opencode", "acp"),
        "npm install -g opencode-ai",
        "`opencode auth login`",
        ("OPENCODE_CONFIG", "OPENCODE_CONFIG_CONTENT", "OPENCODE_DISABLE_AUTOUPDATE", "OPENCODE_DISABLE_MODELS_FETCH",
         "OPENCODE_DISABLE_LSP_DOWNLOAD", "ANTHROPIC_API_KEY", "OPENAI_API_KEY", "OPENROUTER_API_KEY"),
        modes={"read_only": ("plan",), "ask": ("build",), "workspace_write": ("build",), "full": ("build",)},
    ),
    "qwen": Preset(
        "Qwen Code",
        ("qwen", "--acp"),
        "npm install -g @qwen-code/qwen-code",
        "`qwen`, which asks for it, or with OPENAI_API_KEY and OPENAI_BASE_URL",
        ("OPENAI_API_KEY", "OPENAI_BASE_URL", "OPENAI_MODEL", "DASHSCOPE_API_KEY"),
        modes=_DEFAULT_ONLY,
    ),
    "goose": Preset(
        "Goose", ("goose", "acp"), "see the manual of Goose", "`goose configure`",
        ("GOOSE_PROVIDER", "GOOSE_MODEL", "OPENAI_API_KEY", "ANTHROPIC_API_KEY", "GOOGLE_API_KEY"),
    ),
    "vibe": Preset(
        "Mistral Vibe", ("vibe-acp",), "pip install mistral-vibe (Python 3.12)",
        "`vibe --setup`, or with MISTRAL_API_KEY",
        ("MISTRAL_API_KEY",),
        modes=_DEFAULT_ONLY,
        usage="session",
    ),
    "pi": Preset(
        "pi", ("pi-acp",), "npm install -g pi-acp @mariozechner/pi-coding-agent", "`/login` in `pi`",
        ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "PI_CODING_AGENT_DIR"),
    ),
    "copilot": Preset(
        "GitHub Copilot CLI", ("copilot", "--acp"), "npm install -g @github/copilot", "`/login` in `copilot`",
        ("GH_TOKEN", "GITHUB_TOKEN"),
    ),
}  # fmt: skip
