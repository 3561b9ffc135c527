"""A start request as the command that asks for the same."""

from __future__ import annotations

import shlex
from collections.abc import Iterator

from sprintwright.app.start import StartRequest
from sprintwright.cli.words import program
from sprintwright.text import clean

_LONGEST_TASK = 60


def as_command(request: StartRequest) -> str:
    """What can be typed instead of answering; a long task stands for a file's name."""
    return clean(" ".join([program(), "run", *_words(request)]), newlines=False)


def _words(request: StartRequest) -> Iterator[str]:
    task = request.task.strip()
    yield shlex.quote(request.workflow)
    yield shlex.quote(task) if task.isprintable() and len(task) <= _LONGEST_TASK else "--task-file FILE"
    yield from (f"--role {shlex.quote(f'{role}={agent}')}" for role, agent in request.roles.items())
    yield from (f"--var {shlex.quote(f'{name}={value}')}" for name, value in request.vars.items())
    yield from (f"--pause-after {shlex.quote(stage)}" for stage in request.pause_after)
    if request.max_passes:
        yield f"--max-passes {request.max_passes}"
    if request.concurrent:
        yield "--concurrent"
    if request.untrusted:
        yield "--untrusted"
