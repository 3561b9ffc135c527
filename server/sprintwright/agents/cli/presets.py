"""What the known command lines are called with: a new turn, a further one, and what a role may do.

Measured with the versions of agents.md section 3. Nobody can be asked during such a turn: what a program would ask
leave for, it refuses by itself. So `ask` gets what `read_only` gets, and none of them more than its role may do.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any, cast

from sprintwright.agents.bridge.shared import SERVER
from sprintwright.agents.config import Preset
from sprintwright.model.definition import Permissions
from sprintwright.model.value import Value

_SESSION = re.compile(r"[A-Za-z0-9][\w.:-]{0,199}", re.ASCII)

_CLAUDE: Mapping[Permissions, str] = {
    "read_only": "plan",
    "ask": "default",
    "workspace_write": "acceptEdits",
    "full": "bypassPermissions",
}
_CODEX: Mapping[Permissions, str] = {
    "read_only": "read-only",
    "ask": "read-only",
    "workspace_write": "workspace-write",
    "full": "danger-full-access",
}
_GEMINI: Mapping[Permissions, str] = {
    "read_only": "default",
    "ask": "default",
    "workspace_write": "auto_edit",
    "full": "yolo",
}
_OPENCODE: Mapping[Permissions, Mapping[str, str]] = {
    # `ask` would end the whole turn at the first refusal; what is denied, the model is told and goes on.
    "read_only": {"edit": "deny", "bash": "deny", "task": "deny", "external_directory": "deny"},
    "ask": {"edit": "deny", "bash": "deny", "task": "deny", "external_directory": "deny"},
    "workspace_write": {"edit": "allow", "bash": "deny", "external_directory": "deny"},
    "full": {"*": "allow"},
}
_OPENCODE_RULES = "OPENCODE_PERMISSION"
_OPENCODE_CONFIG = "OPENCODE_CONFIG_CONTENT"
_PI_READS = "read,grep,find,ls"
_PI: Mapping[Permissions, tuple[str, ...]] = {
    # It asks for nothing and has no sandbox: what it has no tool for, it can't do.
    "read_only": ("--tools", _PI_READS),
    "ask": ("--tools", _PI_READS),
    "workspace_write": ("--tools", f"{_PI_READS},edit,write"),
    "full": (),
}


class Call(Value):
    """How a program is called: arguments behind its name, and variables that it gets."""

    arguments: tuple[str, ...]
    env: dict[str, str] = {}


def call_of(preset: Preset, permissions: Permissions, *, session: str = "", model: str = "") -> Call:
    """The call for one turn, the prompt being on standard input.

    Args:
        session: the program's own id of the session to go on with, as `is_session` accepts it; empty: a new one.
        model: empty: the program's own choice.
    """
    by_name = ("--model", model) if model else ()
    short = ("-m", model) if model else ()
    resume = ("--resume", session) if session else ()
    env: dict[str, str] = {}
    match preset:
        case "claude":
            head = ("-p", "--output-format", "stream-json", "--verbose", "--include-partial-messages")
            words = (*head, "--permission-mode", _CLAUDE[permissions], *by_name, *resume)
        case "codex":
            # `exec resume` has no -s of its own; it keeps what stands before it.
            head = ("exec", "-s", _CODEX[permissions], "-c", 'approval_policy="never"')
            words = (*head, *(("resume", session) if session else ()), *short, "--json", "--skip-git-repo-check", "-")
        case "gemini":
            words = ("-o", "stream-json", "--approval-mode", _GEMINI[permissions], *short, *resume)
        case "qwen":
            mode = _GEMINI[permissions].replace("_", "-")
            head = ("-o", "stream-json", "--include-partial-messages")
            words = (*head, "--approval-mode", mode, *short, *resume)
        case "opencode":
            words = ("run", "--format", "json", *short, *(("--session", session) if session else ()))
            env = {_OPENCODE_RULES: json.dumps(_OPENCODE[permissions])}
        case "pi":
            going_on = ("--session", session) if session else ()
            words = ("-p", "--mode", "json", *_PI[permissions], *by_name, *going_on)
    return Call(arguments=words, env=env)


def takes_tools(preset: Preset, env: Mapping[str, str]) -> bool:
    """Whether a call can be told of our tools; ``env``: the variables that the agent is configured with.

    pi has no MCP. gemini takes a tool server from its settings alone: a file of those in the user's home, in the folder
    of the work, or in a system folder. A variable moves the system's, but gemini 0.61.0 then passes over each file
    that not root alone can write, so an ordinary user has no place for one. It takes our tools by ACP.
    """
    if preset == "opencode":
        return _opencode_config(env) is not None
    return preset in ("claude", "codex", "qwen")


def with_tools(
    preset: Preset, call: Call, command: tuple[str, ...], tools: tuple[str, ...], env: Mapping[str, str]
) -> Call:
    """The call with our tool server, started by ``command``; its tools need no leave, all else stays as it was.

    ``env``, as for `takes_tools`, is not in the call; a variable of it that has to say more is, with both in it.
    """
    program, *arguments = command
    words, variables = call.arguments, call.env
    match preset:
        case "codex":
            # TOML's strings and lists are JSON's. They stand behind `exec`, where options of all its forms do.
            at = f"mcp_servers.{SERVER}"
            values = {"command": program, "args": arguments, "default_tools_approval_mode": "approve"}
            options = [word for name, value in values.items() for word in ("-c", f"{at}.{name}={json.dumps(value)}")]
            words = (words[0], *options, *words[1:])
        case "claude" | "qwen":
            # claude's first request goes out without the tools of a server that is slow to start, else.
            more = {"trust": True} if preset == "qwen" else {"alwaysLoad": True}
            server = {"command": program, "args": arguments, **more}
            words = (*words, "--mcp-config", json.dumps({"mcpServers": {SERVER: server}}))
            if preset == "claude":
                words = (*words, "--allowedTools", ",".join(f"mcp__{SERVER}__{tool}" for tool in tools))
        case "opencode" if (config := _opencode_config(env)) is not None:
            server = {"type": "local", "command": list(command), "enabled": True}
            config["mcp"] = {**config.get("mcp", {}), SERVER: server}
            # The last rule that fits counts, and those of the user's files stand before these.
            rules = {**json.loads(variables[_OPENCODE_RULES]), f"{SERVER}_*": "allow"}
            variables = {**variables, _OPENCODE_CONFIG: json.dumps(config), _OPENCODE_RULES: json.dumps(rules)}
        case _:
            pass
    return call.model_copy(update={"arguments": words, "env": variables})


def _opencode_config(env: Mapping[str, str]) -> dict[str, Any] | None:
    """What is laid over the user's own files; None when it is something that nothing of ours can be put into."""
    try:
        config = json.loads(env.get(_OPENCODE_CONFIG) or "{}")
    except (ValueError, RecursionError):
        return None
    fits = isinstance(config, dict) and isinstance(cast("dict[str, Any]", config).get("mcp", {}), dict)
    return cast("dict[str, Any]", config) if fits else None


def is_session(session: str) -> bool:
    """Whether this can be an id of theirs; never something that a program would take for an option."""
    return _SESSION.fullmatch(session) is not None
