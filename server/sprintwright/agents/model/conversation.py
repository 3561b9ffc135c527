"""One turn of a model: the same as of any agent that speaks the protocol, with our own program at the other end."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path

from sprintwright.agents.acp.launch import Known
from sprintwright.agents.acp.pool import Pool
from sprintwright.agents.acp.turn import converse
from sprintwright.agents.config import EditorAgentConfig, ModelAgentConfig
from sprintwright.agents.editor_models import EditorModels
from sprintwright.agents.model.launch import launch_of, launch_of_editor
from sprintwright.engine.ports import Desk, TurnAnswer, TurnRequest
from sprintwright.model.definition import Permissions

_MODES: Mapping[Permissions, tuple[str, ...]] = {
    "read_only": ("read-only",), "ask": ("default",), "workspace_write": ("default",), "full": ("default",)
}  # fmt: skip


async def turn(config: ModelAgentConfig, origin: str, request: TurnRequest, desk: Desk, pool: Pool) -> TurnAnswer:
    """Take one turn.

    Args:
        origin: of the configuration; a folder's own endpoint gets no key.

    Raises:
        Operational: as `converse`, and when a package or a key is missing.
    """
    launch = partial(
        launch_of, request.agent, config, origin, request.run_id, pool.parent, pool.leftovers, Path(request.folder)
    )
    return await converse(Known(launch, "turn", _MODES), request, desk, pool)


async def turn_by_editor(
    config: EditorAgentConfig, models: EditorModels | None, request: TurnRequest, desk: Desk, pool: Pool
) -> TurnAnswer:
    """Take one turn with a model of the editor. Raises as `turn`, and when no editor has models."""
    launch = partial(launch_of_editor, request.agent, config, models, request, pool.parent, pool.leftovers)
    return await converse(Known(launch, "turn", _MODES), request, desk, pool)
