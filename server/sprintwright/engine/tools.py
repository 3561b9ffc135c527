"""Our tools in the hands of one turn's agent: what a call does, and what came of all of them.

A call is never an error of ours: whatever an agent sends, the answer says what was done or what to do instead.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Literal, TypeAlias, cast

from sprintwright.engine.lane import Lane
from sprintwright.engine.ports import Answer, Tool, ToolAnswer
from sprintwright.engine.question import storable
from sprintwright.engine.run import Run
from sprintwright.engine.tool_arguments import (
    Arguments,
    AskUser,
    ExitLoop,
    FinishWorkflow,
    GiveVerdict,
    ListArtifacts,
    LoadArtifact,
    ReportFinding,
    SaveArtifact,
    read_arguments,
)
from sprintwright.engine.tool_artifacts import MOST_TEXT, listed, load, refused, save
from sprintwright.engine.tool_offer import offered
from sprintwright.model.definition import AgentTurn
from sprintwright.model.finding import Finding
from sprintwright.model.results import Report
from sprintwright.model.value import Json
from sprintwright.model.verdict import UNKNOWN
from sprintwright.paths import relative_inside
from sprintwright.reading.places import MOST_FINDINGS, make_finding
from sprintwright.text import did_you_mean, fold, one_line

MOST_CALLS = 1_000
MOST_ARGUMENTS = 20_000_000
"""Characters of all texts of a call."""
_MOST_PARTS = 10_000
_MOST_QUESTIONS = 20
_MOST_QUESTION = 12_000
_MOST_NOTES = 50
_WHO = frozenset(("item", "role", "run", "runid", "run_id", "agent", "pass", "stage"))
"""Arguments that would say who acts: that is known from the connection (X61)."""
OVER = ToolAnswer(text="The turn is over; nothing was done.", failed=True)

Ask: TypeAlias = Callable[[Literal["ask", "permission"], str, tuple[str, ...]], Awaitable[Answer]]


class TurnTools:
    """The tools of one turn.

    Args:
        stage: whose turn it is.
        key: the turn's.
        ask: asks the user.

    Attributes:
        offered: what may be called.
        verdicts: the keys that `give_verdict` takes.
        verdict: the one that was given last; None: none was.
        findings: what was reported, in order.
        exits: whether the loop around the stage is to end.
        report: the outcome that was told last.
    """

    def __init__(self, run: Run, stage: AgentTurn, lane: Lane, key: str, ask: Ask) -> None:
        self._run, self._stage, self._lane, self._key, self._ask = run, stage, lane, key, ask
        self.offered: tuple[Tool, ...] = offered(run.definition, stage, key)
        self.verdicts: tuple[str, ...] = tuple(name for name in stage.verdict if name != UNKNOWN)
        self.verdict: str | None = None
        self.findings: tuple[Finding, ...] = ()
        self.exits = False
        self.report: Report | None = None
        self._closed = False
        self._calls = self._questions = 0
        self._noted: set[str] = set()

    def close(self) -> None:
        """The turn is over: later calls are told so and do nothing (R72)."""
        self._closed = True

    async def call(self, tool: str, arguments: Mapping[str, Json]) -> ToolAnswer:
        """Carry out a call. Raises only what asking the user raises, and `JournalBroken`."""
        if self._closed:
            return OVER
        self._calls += 1
        if self._calls > MOST_CALLS:
            self._note("tool_calls", f"More than {MOST_CALLS} calls of tools in one turn; the rest was refused.")
            return refused(f"These are more than {MOST_CALLS} calls in one turn. Come to an end without tools.")
        known: Tool | None = next((name for name in self.offered if tool == name), None)
        if known is None:
            return self._unknown(tool)
        if wrong := _too_large(arguments):
            return refused(f"{known} was not carried out: {wrong}.")
        for name in arguments:
            if fold(name[:20]) in _WHO:
                self._note("tool_argument", f"{known} was called with {name!r}, which says who acts; it was ignored.")
        read = read_arguments(known, {name: self._clean(value) for name, value in arguments.items()})
        return refused(read) if isinstance(read, str) else await self._do(read)

    async def _do(self, arguments: Arguments) -> ToolAnswer:
        match arguments:
            case GiveVerdict():
                return self._give_verdict(arguments.verdict)
            case ReportFinding():
                return self._report_finding(arguments)
            case AskUser():
                return await self._ask_user(arguments.question, arguments.choices)
            case SaveArtifact():
                return await save(self._run, self._stage.role, arguments.name, arguments.content, self._note)
            case LoadArtifact():
                return await load(self._run, arguments.name)
            case ListArtifacts():
                return await listed(self._run)
            case ExitLoop():
                self.exits = True
                return ToolAnswer(text="Recorded: no other pass follows. Finish what you are doing.")
            case FinishWorkflow():
                return self._finish(arguments.summary.strip(), arguments.links)
            case _:
                raise AssertionError(f"no tool takes {type(arguments).__name__}")

    def _unknown(self, tool: str) -> ToolAnswer:
        """K39: what is not offered does nothing, and the user can see that it was tried."""
        name = self._run.ports.mask(storable(one_line(tool, 60)))
        self._note("tool_refused", f"The tool {name!r} was called, which {self._stage.role!r} does not have here.")
        mine = ", ".join(self.offered) or "none"
        return refused(f"There is no tool {name!r}. Your tools are: {mine}.")

    def _give_verdict(self, given: str) -> ToolAnswer:
        word = fold(given.strip()[:200])
        key = next((name for name in self.verdicts if fold(name) == word), None)
        if key is None:
            shown, known = one_line(given, 60), ", ".join(self.verdicts)
            hint = did_you_mean(shown, self.verdicts)
            return refused(f"{shown!r} is no verdict here and was not taken.{hint} Give one of: {known}.")
        self.verdict = key
        return ToolAnswer(text=f"Recorded: {key}.")

    def _report_finding(self, told: ReportFinding) -> ToolAnswer:
        if not told.message.strip():
            return refused("A finding needs a message.")
        folder = Path(self._run.started.folder)
        made, warning = make_finding(
            lambda path: relative_inside(path, folder),
            told.message,
            severity=told.severity,
            path=told.path,
            line=told.line,
            column=told.column,
            end_line=told.end_line,
            code=told.code,
            snippet=told.snippet,
            suggestion=told.suggestion,
        )
        if made in self.findings:
            return ToolAnswer(text="Recorded already.")
        if len(self.findings) >= MOST_FINDINGS:
            return refused(f"There are {MOST_FINDINGS} findings already; no more are taken. Sum the rest up in words.")
        self.findings = (*self.findings, made)
        if warning:
            self._note("finding_place", warning)
            return ToolAnswer(text=f"Recorded as a remark about the whole. {warning}")
        return ToolAnswer(text=f"Recorded{f' at {made.place}' if made.place else ''}.")

    async def _ask_user(self, question: str, choices: tuple[str, ...]) -> ToolAnswer:
        if not question.strip():
            return refused("There is no question.")
        if len(question) > _MOST_QUESTION or any(len(one) > _MOST_QUESTION for one in choices):
            return refused(f"A question has at most {_MOST_QUESTION:,} characters; ask for less at a time.")
        self._questions += 1
        if self._questions > _MOST_QUESTIONS:
            return refused(f"{_MOST_QUESTIONS} questions were asked in this turn. Decide yourself.")
        answer = await self._ask("ask", question, tuple(one for one in choices if one.strip()))
        return ToolAnswer(text=answer.text or "(The answer is empty.)")

    def _finish(self, summary: str, links: tuple[str, ...]) -> ToolAnswer:
        if not summary:
            return refused("The summary is missing; nothing was recorded.")
        self.report = Report(summary=summary, links=tuple(one.strip() for one in links if one.strip()))
        return ToolAnswer(text="Recorded.")

    def _clean(self, value: Json) -> Json:
        """A text as it may be kept, masked where it enters; texts in a list, too."""
        if isinstance(value, str):
            return self._run.ports.mask(storable(value))
        return (
            [self._clean(one) if isinstance(one, str) else one for one in value] if isinstance(value, list) else value
        )

    def _note(self, code: str, text: str) -> None:
        """Record once what the user should know; the transcript has every call."""
        if text not in self._noted and len(self._noted) < _MOST_NOTES:
            self._noted.add(text)
            self._run.note(self._lane, self._key, code, text)


def _too_large(arguments: Mapping[str, Json]) -> str:
    """Why the arguments are more than is taken; empty when they are not. Never recursive: depth is the sender's."""
    size = parts = 0
    rest: list[object] = [arguments]
    while rest:
        one = rest.pop()
        parts += 1
        if parts > _MOST_PARTS:
            return f"its arguments have more than {_MOST_PARTS:,} parts"
        if isinstance(one, str):
            size += len(one)
            if len(one) > MOST_TEXT or size > MOST_ARGUMENTS:
                return f"a text has at most {MOST_TEXT:,} characters"
        elif isinstance(one, Mapping):
            rest.extend(cast("Mapping[object, object]", one).keys())
            rest.extend(cast("Mapping[object, object]", one).values())
        elif isinstance(one, list | tuple):
            rest.extend(cast("list[object]", one))
    return ""
