"""How the agent's process is started, and which key it gets."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path

from sprintwright.agents.acp.launch import Launch
from sprintwright.agents.config import ModelAgentConfig
from sprintwright.agents.model.settings import Settings
from sprintwright.errors import Operational
from sprintwright.processes import Leftovers, child_environment

INSTALL = "pip install 'sprintwright[models]'"
_PROGRAM = Path(__file__).resolve().with_name("main.py")


def missing(config: ModelAgentConfig) -> str:
    """What is to be installed before the agent can be started, in words; empty when it is all there."""
    for module in ("pydantic_ai", config.service.module):
        try:
            found = find_spec(module) is not None
        except ImportError:  # the package around it is missing
            found = False
        if not found:
            return f"agents of kind `model` need a package that is not installed ({module}). Type: {INSTALL}"
    return ""


def key_of(config: ModelAgentConfig, origin: str) -> str:
    """The variable whose key the agent gets.

    An endpoint or a variable that a folder names never gets one: a repository could send it anywhere (faults.md X11).
    """
    if origin == "workspace" and (config.base_url or config.key_env):
        return ""
    return config.key


def launch_of(
    name: str,
    config: ModelAgentConfig,
    origin: str,
    run_id: str,
    parent: Mapping[str, str],
    leftovers: Leftovers,
    folder: Path,
) -> Launch:
    """How the agent is started in a folder.

    Args:
        origin: of the configuration: `builtin`, `user` or `workspace`.

    Raises:
        Operational: a package is missing (`spawn`), or the key (`sign_in`).
    """
    if fault := missing(config):
        raise Operational("spawn", f"Agent {name!r} was not started: {fault}", transient=False)
    key = key_of(config, origin)
    if key and not parent.get(key):
        raise Operational(
            "sign_in", f"Agent {name!r} has no key for {config.service.title}: set the variable {key}, then resume."
        )
    settings = Settings(
        title=config.service.title,
        speaks=config.service.speaks,
        base_url=config.endpoint,
        is_official=not config.base_url,
        model=config.model,
        key_env=key,
        max_tokens=config.max_tokens,
        temperature=config.temperature,
        context=config.context,
        sessions=str(leftovers.folder.parent / "model"),
        processes=str(leftovers.folder),
        run_id=run_id,
    )
    return Launch(
        name=name,
        argv=(sys.executable, "-I", "-X", "utf8", str(_PROGRAM), settings.model_dump_json()),
        env=child_environment(parent, {}, listed=[key] if key else []),
        folder=folder,
        sign_in=f"a valid key in {key}" if key else "",
    )
