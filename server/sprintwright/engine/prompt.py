"""Prompts, rendered inside the leaf that sends them."""

from __future__ import annotations

from sprintwright.engine.lane import Lane
from sprintwright.engine.run import Run
from sprintwright.errors import Operational
from sprintwright.prompts.budget import render_prompt
from sprintwright.prompts.template import parse_template


async def rendered(run: Run, template: str, lane: Lane) -> str:
    """The prompt for a lane as it stands; texts that are cut for the budget are kept whole beside the run."""
    cut: list[str] = []

    def whole_at(_name: str, text: str) -> str:
        cut.append(text)
        return run.ports.artifacts.whole_path(text)

    prompt = render_prompt(parse_template(template), lane.vars, whole_at)
    try:
        for text in cut:
            await run.ports.artifacts.keep_whole(text)
    except OSError as error:
        why = error.strerror or error
        raise Operational("artifact", f"A text of the prompt can't be kept whole: {why}.") from error
    return prompt.text
