"""Prompts, rendered inside the leaf that sends them."""

from __future__ import annotations

from sprintwright.engine.lane import Lane
from sprintwright.engine.run import Run
from sprintwright.prompts.budget import render_prompt
from sprintwright.prompts.template import parse_template


async def rendered(run: Run, template: str, lane: Lane) -> str:
    """The prompt for a lane as it stands; texts that are cut for the budget are kept whole beside the run."""
    cut: list[str] = []

    def whole_at(_name: str, text: str) -> str:
        cut.append(text)
        return run.ports.artifacts.whole_path(text)

    prompt = render_prompt(parse_template(template), lane.vars, whole_at)
    for text in cut:
        await run.ports.artifacts.keep_whole(text)
    return prompt.text
