"""Questions at a terminal: what is explained, and what is understood."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import nullcontext

import pytest

from sprintwright.cli import people
from sprintwright.cli.people import Terminal
from sprintwright.engine.permits import FOR_THIS_RUN, NEVER, ONCE
from sprintwright.engine.ports import Question


async def asked(monkeypatch: pytest.MonkeyPatch, question: Question, *typed: str, width: int = 0) -> str | None:
    """The answer to a question at a terminal of that width, where somebody types these lines."""
    lines: Iterator[str] = iter(typed)

    async def read_line() -> str | None:
        return next(lines, None)

    monkeypatch.setattr(people, "_read_line", read_line)
    monkeypatch.setattr(people, "columns", lambda: width)
    answer = await Terminal(nullcontext).ask(question)
    return None if answer is None else answer.text


def permission(*choices: str) -> Question:
    return Question(key="a/permission", kind="permission", text="execute ls", by="worker", choices=choices)


@pytest.mark.parametrize("width", [80, 40])
async def test_what_can_be_allowed_is_explained_in_whole_words(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], width: int
) -> None:
    assert await asked(monkeypatch, permission(ONCE, FOR_THIS_RUN, NEVER), "y", width=width) == ONCE
    shown = capsys.readouterr().out
    assert "once: now; for this run: the very same again, too; never: not now" in " ".join(shown.split())
    explained = shown[shown.index("── once") : shown.index("[once")].splitlines()
    assert all(len(line) <= width for line in explained)


async def test_only_the_choices_that_are_offered_are_explained(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert await asked(monkeypatch, permission(ONCE, NEVER), "n") == NEVER
    shown = capsys.readouterr().out
    assert "once: now; never: not now and not later in this run" in shown and FOR_THIS_RUN not in shown


@pytest.mark.parametrize("typed", ["needs refinement", "Needs-Refinement", "needs", "needs_refinement"])
async def test_a_verdict_that_is_asked_for_is_taken_however_it_is_spelt(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], typed: str
) -> None:
    question = Question(key="e", kind="turn", text="Which?", choices=("good_to_go", "needs_refinement"))
    assert await asked(monkeypatch, question, "hm", typed) == "needs_refinement"
    assert "Please say one of: good_to_go, needs_refinement." in capsys.readouterr().out
