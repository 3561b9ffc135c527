"""Recorded turns: what was answered, and the file changes that were made, found by the key of the leaf."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Literal

import yaml
from pydantic import Field, ValidationError

from sprintwright.engine.ports import Desk, TurnAnswer, TurnRequest
from sprintwright.errors import Operational, PathRefused
from sprintwright.model.value import Value
from sprintwright.paths import is_protected, relative_inside, write_atomic
from sprintwright.threads import in_thread

_MOST_BYTES = 4 * 1024 * 1024


class RecordedQuestion(Value):
    """What the agent asked in the turn: a question to the user, or leave to do something."""

    text: str
    kind: Literal["ask", "permission"] = "ask"
    choices: tuple[str, ...] = ()


class RecordedTurn(Value):
    """One turn: what was asked in it, its answer, and the files as they were after it."""

    asks: tuple[RecordedQuestion, ...] = ()
    text: str = ""
    writes: dict[str, str] = Field(default={})
    """Path in the folder to its whole content."""
    deletes: tuple[str, ...] = ()
    seconds: float = Field(default=0, ge=0, le=10)
    """How long the turn takes, so that it can be watched."""


class Recording(Value):
    """Turns by leaf key, such as ``sprints[1]/passes[2]/generator``."""

    turns: dict[str, RecordedTurn]


def load(file: Path) -> Recording:
    """Read a recording. Raises `Operational` with cause ``no_recording`` for one that can't be used (X72)."""
    try:
        if not file.is_file():
            raise Operational("no_recording", f"There is no recording {str(file)!r}.")
        if file.stat().st_size > _MOST_BYTES:
            raise Operational("no_recording", f"The recording {str(file)!r} is larger than {_MOST_BYTES} bytes.")
        return Recording.model_validate(yaml.safe_load(file.read_text("utf-8")))
    except (OSError, UnicodeDecodeError, yaml.YAMLError, ValidationError, RecursionError) as error:
        raise Operational("no_recording", f"The recording {str(file)!r} can't be read: {error}") from error


async def turn(file: Path, request: TurnRequest, desk: Desk) -> TurnAnswer:
    """Ask the recorded questions anew, make the recorded changes and give the recorded answer."""
    recorded = load(file).turns.get(request.key)
    if recorded is None:
        raise Operational("no_recording", f"The recording {str(file)!r} has no turn for {request.key!r}.")
    for asked in recorded.asks:
        answer = await desk.ask(asked.kind, asked.text, asked.choices)
        desk.output("note", f"asked: {asked.text}\nanswered: {answer.text}\n")
    await asyncio.sleep(recorded.seconds)
    for target in await in_thread(_change, Path(request.folder), recorded):
        desk.output("note", f"wrote {target}\n")
    desk.output("text", recorded.text)
    return TurnAnswer(text=recorded.text)


def _change(folder: Path, recorded: RecordedTurn) -> list[str]:
    """Make the recorded changes; the files that were written."""
    written: list[str] = []
    for path, content in recorded.writes.items():
        target = _target(path)
        (folder / target).parent.mkdir(parents=True, exist_ok=True)
        write_atomic(folder, target, content.encode(), mode=0o644)
        written.append(target)
    for path in recorded.deletes:
        (folder / _target(path)).unlink(missing_ok=True)
    return written


def _target(path: str) -> str:
    try:
        target = relative_inside(path, creating=True)
    except PathRefused as error:
        raise Operational(
            "no_recording", f"A recorded turn writes to a place that is not allowed: {error.message}"
        ) from error
    if is_protected(target):
        raise Operational("no_recording", f"A recorded turn writes to the protected place {target!r}.")
    return target
