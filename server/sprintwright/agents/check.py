"""Real commands: for `check` stages, and as an agent that plays a role."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from functools import partial
from pathlib import Path

from sprintwright.agents.config import CheckAgentConfig
from sprintwright.engine.ports import CheckRequest, Checks, Output, TurnAnswer, TurnRequest
from sprintwright.paths import relative_inside
from sprintwright.processes import Leftovers, child_environment, find_command, run_process
from sprintwright.reading.reports import read_report
from sprintwright.threads import in_thread

_OUTPUT_CAP = 1024 * 1024


async def turn(config: CheckAgentConfig, request: TurnRequest, checks: Checks, output: Output) -> TurnAnswer:
    """Run the configured commands in place of a turn; the prompt is not read."""
    return await checks.run(
        CheckRequest(
            run_id=request.run_id,
            key=request.key,
            folder=request.folder,
            commands=config.commands,
            format=config.format,
            timeout_seconds=config.timeout_seconds,
        ),
        output,
    )


class CommandChecks:
    """Implements `sprintwright.engine.ports.Checks` with real processes."""

    def __init__(self, parent: Mapping[str, str], leftovers: Leftovers) -> None:
        self._parent, self._leftovers = parent, leftovers

    async def run(self, request: CheckRequest, output: Output) -> TurnAnswer:
        """Run each command in the folder, all of them even if one fails; the output becomes findings.

        Raises:
            Operational: a command could not be started or took too long.
        """
        folder = Path(request.folder)
        texts: list[str] = []
        answer = TurnAnswer(text="", passed=True)
        for command in request.commands:
            ran = await self._one(folder, command, request, output)
            texts.append(ran.text)
            answer = TurnAnswer(
                text="\n".join(texts),
                passed=bool(answer.passed and ran.passed),
                findings=(*answer.findings, *ran.findings),
            )
        return answer

    async def _one(self, folder: Path, command: tuple[str, ...], request: CheckRequest, output: Output) -> TurnAnswer:
        find = partial(find_command, path=self._parent.get("PATH"), folder=folder, setting="`commands`")
        program = await in_thread(find, command[0])
        line = shlex.join(command)
        output("note", f"$ {line}\n")
        finished = await run_process(
            [*program, *command[1:]],
            cwd=folder,
            env=child_environment(self._parent, {}),
            stdin=None,
            on_output=lambda _stream, text: output("text", text),
            watch=partial(self._leftovers.watch, request.run_id),
            timeout=request.timeout_seconds,
            output_cap=_OUTPUT_CAP,
        )
        printed = "\n".join(part for part in (finished.stdout.rstrip(), finished.stderr.rstrip()) if part)
        report = read_report(printed, request.format, lambda path: relative_inside(path, folder))
        verdict = "passed" if finished.returncode == 0 else f"failed with exit status {finished.returncode}"
        findings = report.findings if finished.returncode else ()
        return TurnAnswer(
            text=f"$ {line}\n{printed}\n(this command {verdict})", passed=finished.returncode == 0, findings=findings
        )
