"""How the agent's process is started, and which key it gets."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from functools import partial
from importlib.util import find_spec
from pathlib import Path

from sprintwright.agents.acp.launch import Launch
from sprintwright.agents.config import EditorAgentConfig, ModelAgentConfig
from sprintwright.agents.editor_models import EditorModels, ModelCall
from sprintwright.agents.model.settings import Settings
from sprintwright.engine.ports import TurnRequest
from sprintwright.errors import Operational
from sprintwright.processes import Leftovers, child_environment

INSTALL = "pip install 'sprintwright[models]'"
_PROGRAM = Path(__file__).resolve().with_name("main.py")


def missing(config: ModelAgentConfig | EditorAgentConfig) -> str:
    """What is to be installed before the agent can be started, in words; empty when it is all there."""
    for module in ("pydantic_ai", *([config.service.module] if isinstance(config, ModelAgentConfig) else [])):
        try:
            found = find_spec(module) is not None
        except ImportError:  # the package around it is missing
            found = False
        if not found:
            return f"agents of kind `{config.kind}` need a package that is not installed ({module}). Type: {INSTALL}"
    return ""


def launch_of_editor(
    name: str,
    config: EditorAgentConfig,
    models: EditorModels | None,
    request: TurnRequest,
    parent: Mapping[str, str],
    leftovers: Leftovers,
) -> Launch:
    """How the agent is started for a model of the editor.

    Raises:
        Operational: a package is missing (`spawn`), or no editor with models carries the run on (`sign_in`).
    """
    if models is None:
        raise Operational(
            "sign_in",
            f"Agent {name!r} uses a model of your editor, and no editor that offers models carries this run on. "
            "Resume the run in VS Code, or choose another agent for the role.",
        )
    if fault := missing(config):
        raise Operational("spawn", f"Agent {name!r} was not started: {fault}", transient=False)
    call = ModelCall(
        run_id=request.run_id,
        agent=name,
        title=f"Sprintwright asks for an answer of a language model, for the role {request.role} (agent {name}).",
        model=config.selector,
    )
    settings = Settings(
        title="The editor's model",
        speaks="editor",
        base_url="",
        is_official=False,
        model=" ".join(config.selector.values()) or "editor",
        sessions=str(leftovers.folder.parent / "model"),
        processes=str(leftovers.folder),
        run_id=request.run_id,
    )
    return Launch(
        name=name,
        argv=_argv(settings),
        env=child_environment(parent, {}),
        folder=Path(request.folder),
        models=partial(models.ask, call),
    )


def _argv(settings: Settings) -> tuple[str, ...]:
    return (sys.executable, "-I", "-X", "utf8", str(_PROGRAM), settings.model_dump_json())


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
        argv=_argv(settings),
        env=child_environment(parent, {}, listed=[key] if key else []),
        folder=folder,
        sign_in=f"a valid key in {key}" if key else "",
    )
