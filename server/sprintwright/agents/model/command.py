"""The tool for commands: asked about first, bounded in time and output, and ended with all that it started."""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import AsyncGenerator
from functools import partial
from pathlib import Path

from acp import schema
from pydantic import BaseModel, Field

from sprintwright.agents.model.hands import Call, Hands, ToolFault
from sprintwright.errors import Operational
from sprintwright.processes import Leftovers, child_environment, run_process

_MOST_CHARACTERS = 20_000
_GRACE_SECONDS = 0.5
_SIGN_OF_LIFE_SECONDS = 10.0
_SHELL = "/bin/sh"


class RunCommand(BaseModel):
    command: str = Field(min_length=1, description="Command line for `sh`; it starts in the working folder.")
    timeout_seconds: float = Field(default=120, gt=0, le=1_800, description="After so many seconds it is ended.")


async def run_command(hands: Hands, call: Call, given: RunCommand) -> str:
    call.given = {"command": given.command}
    await hands.allow(call)
    leftovers = Leftovers(Path(hands.settings.processes))
    try:
        async with _signs_of_life(hands, call):
            finished = await run_process(
                [_SHELL, "-c", given.command],
                cwd=hands.folder,
                env=child_environment(os.environ, {}),  # without our key
                watch=partial(leftovers.watch, hands.settings.run_id),
                timeout=given.timeout_seconds,
                output_cap=_MOST_CHARACTERS,
                grace=_GRACE_SECONDS,
            )
    except Operational as error:
        raise ToolFault(error.message) from error
    dropped = f"({finished.dropped} characters before this are left out)\n" if finished.dropped else ""
    printed = "\n".join(part for part in (finished.stdout.rstrip(), finished.stderr.rstrip()) if part)
    return f"{dropped}{printed}\n(exit status {finished.returncode})"


@contextlib.asynccontextmanager
async def _signs_of_life(hands: Hands, call: Call) -> AsyncGenerator[None]:
    """A command that prints nothing for minutes is no silent agent: it has a limit of its own."""

    async def tell() -> None:
        while True:
            await asyncio.sleep(_SIGN_OF_LIFE_SECONDS)
            await hands.tell(
                schema.ToolCallProgress(session_update="tool_call_update", tool_call_id=call.id, status="in_progress")
            )

    task = asyncio.create_task(tell(), name="signs of life")
    try:
        yield
    finally:
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
