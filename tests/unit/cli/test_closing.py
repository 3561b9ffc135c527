"""How each state of a run is said, and what is offered to type."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from sprintwright.cli.closing import closing_lines
from sprintwright.cli.tree import tree_of
from sprintwright.cli.words import history, status_words
from sprintwright.journal.store import RunFolder
from sprintwright.model.finding import Finding
from sprintwright.model.records import (
    Decided,
    Ended,
    Entered,
    Failed,
    Finished,
    Outline,
    Payload,
    Record,
    Released,
    RunStarted,
    ScopeEntry,
    Started,
    Waiting,
)
from sprintwright.state.fold import RunState

RUN = "20260101-000000000-abcd"
PLACE = RunFolder(Path("/work/my project"), RUN)
OUTLINE = (
    Outline(id="plan", kind="agent_turn", role="planner", artifact="plan.md"),
    Outline(id="audit", kind="agent_turn", role="judge", artifact="review.md"),
)


def folded(*records: tuple[str, Payload], task: str = "Do it") -> RunState:
    state = RunState()
    begun = RunStarted(
        run_id=RUN, workflow="dev", origin="", definition_hash="", task=task, folder="/", roles={}, outline=OUTLINE
    )
    for seq, (key, payload) in enumerate([("", begun), *records], start=1):
        state.apply(Record(seq, "2026-01-01T00:00:00.000Z", key, payload))
    return state


def ended(status: Any, **fields: Any) -> tuple[str, Payload]:
    return "", Ended(status=status, **fields)


def said(state: RunState, **how: Any) -> str:
    return "\n".join(closing_lines(state, PLACE, **how))


def drawn(state: RunState, *, columns: int = 80, height: int = 10_000) -> list[str]:
    out = io.StringIO()
    Console(file=out, width=columns, highlight=False, markup=False, emoji=False).print(tree_of(state, height=height))
    return out.getvalue().splitlines()


QUESTION = (
    "plan/question",
    Started(after="", what="question", person=True, text="Which colour?\nBlue?", question="questions"),
)
CHOICE = (
    "loop/exhausted",
    Started(after="", what="question", person=True, text="More?", question="exhausted", choices=("more", "stop")),
)
ARTIFACT: dict[str, Any] = {"name": "plan.md", "sha256": "0", "size": 1}
BLOCKED = ("plan", Finished(after="", value={"artifact": ARTIFACT, "gate": "the line READY is missing."}))


@pytest.mark.parametrize(
    ("records", "status", "words"),
    [
        ([ended("completed")], "completed", [f"show {RUN} --changes"]),
        ([ended("not_converged", stage="plan")], "not converged", [f"resume {RUN} --max-passes"]),
        ([ended("failed", reason="No disk.")], "failed", ["No disk.", f"resume {RUN}"]),
        ([ended("cancelled")], "cancelled", [f"resume {RUN}"]),
        ([QUESTION, ended("cancelled")], "cancelled", [f"answer {RUN} 'YOUR ANSWER'", "be asked again: "]),
        ([ended("terminal_ready")], "ready to be ended", [f"end {RUN}"]),
        (
            [QUESTION, ended("paused", code="question", stage="plan/question")],
            "paused: a question waits",
            ["plan/question asks:\n  Which colour?\n  Blue?", f"answer {RUN} 'YOUR ANSWER'", f"resume {RUN}"],
        ),
        (
            [QUESTION, CHOICE, ended("paused", code="question", stage="plan/question")],
            "paused: a question waits",
            ["[more, stop]", "--question plan/question", "--question loop/exhausted"],
        ),
        ([ended("paused", code="pause_after", stage="plan")], "paused for you to look", [f"continue {RUN}"]),
        ([ended("paused", code="paused")], "paused by you", [f"continue {RUN}"]),
        (
            [BLOCKED, ended("paused", code="blocked", stage="plan", missing="plan.md", reason="No.")],
            "paused: plan.md is not approved",
            [
                "plan.md (plan): not approved: the line READY is missing.",
                f"'/work/my project/.sprintwright/runs/{RUN}/artifacts/plan.md'",
                f"continue {RUN}",
                f"rerun {RUN} plan",
                "review.md (audit): missing",
            ],
        ),
        (
            [ended("paused", code="needs_artifacts", missing="review.md", reason="review.md is needed.")],
            "paused: review.md is needed",
            ["artifacts/review.md", f"end {RUN}"],
        ),
        ([ended("paused", code="limit", reason="25 turns. --turns N")], "a limit is reached", ["--turns N"]),
        ([ended("paused", code="limit", reason="60 tokens. --tokens N")], "a limit", [f"{RUN} --tokens N"]),
        ([ended("paused", code="limit", reason="time. --wall-seconds N")], "a limit", [f"{RUN} --wall-seconds N"]),
        ([ended("paused", code="needs_you")], "paused, needs you", [f"resume {RUN}"]),
    ],
)
def test_every_status_is_said_with_what_to_type_next(
    records: list[tuple[str, Payload]], status: str, words: list[str]
) -> None:
    state = folded(*records)
    text = said(state)
    assert status in status_words(state) and f"\n{status_words(state)}: " in text
    assert status in drawn(state)[0]
    for word in words:
        assert word in text


def test_a_live_run_is_watched_paused_or_cancelled_and_its_question_answered() -> None:
    text = said(folded(QUESTION))
    assert "waiting for you" in text
    for word in (f"answer {RUN}", f"show {RUN} --follow", f"cancel {RUN}"):
        assert word in text


def test_an_interrupted_run_is_resumed_and_one_that_never_started_removed() -> None:
    state = folded(("plan", Started(after="", what="turn", agent="a")), ("", Released()))
    assert state.status == "interrupted" and f"resume {RUN}" in said(state)
    never = RunState()
    never.status = "interrupted"
    assert "never started" in said(never) and f"delete {RUN}" in said(never) and "resume" not in said(never)


@pytest.mark.parametrize("status", ["cancelled", "failed", "not_converged", "paused", "terminal_ready", "completed"])
def test_nothing_of_a_run_made_elsewhere_is_offered_to_be_acted_on(status: Any) -> None:
    text = said(folded(QUESTION, ended(status, code="question")), own=False)
    for word in ("resume", "continue", " end ", "answer ", "rerun", "fix "):
        assert f"sprintwright {word.strip()} {RUN}" not in text
    assert "run of your own" in text


def test_a_run_that_waits_for_its_agents_limit_says_until_when() -> None:
    wait = Waiting(agent="ann", cause="rate_limit", seconds=300, until="2026-01-01T12:34:56.000Z")
    failed = Failed(cause="rate_limit", message="Too many.", final=False)
    state = folded(("plan", Started(after="", what="turn", agent="ann")), ("plan", failed), ("plan", wait))
    assert status_words(state) == "waiting until 12:34 UTC"
    assert "12:34:56 UTC" in said(state) and "waiting for you" not in said(state)
    assert any("waits" in line and "12:34:56" in line for line in drawn(state, columns=120))


def judged(key: str, verdict: str, action: str, found: int) -> tuple[str, Payload]:
    findings: list[Any] = [Finding(message=f"m{n}").model_dump() for n in range(found)]
    return key, Finished(after="", value={"verdict": {"key": verdict, "action": action}, "findings": findings})


def sprint_of_two_passes() -> list[tuple[str, Payload]]:
    return [
        ("sprints", Entered(label="Sprint", entries=(ScopeEntry(number=1, title="one"),))),
        ("sprints[1]/passes", Entered(label="pass", limit=4)),
        ("sprints[1]/passes[1]/judge", Started(after="", what="turn", agent="ann")),
        judged("sprints[1]/passes[1]/judge", "needs_refinement", "retry", 3),
        ("sprints[1]/passes[2]/judge", Started(after="", what="turn", agent="ann")),
        judged("sprints[1]/passes[2]/judge", "good_to_go", "break", 0),
    ]


def test_a_sprints_verdicts_stand_in_order_with_their_findings() -> None:
    state = folded(*sprint_of_two_passes(), ended("completed"))
    told = history(state, state.nodes["sprints[1]"])
    assert told == "pass 1 ↻ needs refinement (3 findings), pass 2 ✓ good to go"
    lines = drawn(state)
    assert any("↻ Pass 1 · needs refinement · 3 findings" in line for line in lines)
    assert any("✓ Pass 2 · good to go" in line for line in lines)
    folded_up = drawn(state, height=3, columns=120)
    assert any(f"✓ Sprint 1: one · {told}" in line for line in folded_up)
    assert not any("Pass 1" in line for line in folded_up)


def test_a_stage_around_an_open_question_does_not_run_while_nobody_carries_the_run_on() -> None:
    turn = ("plan", Started(after="", what="turn", agent="ann"))
    done = ("plan", Finished(after="", value={"text": "?", "questions": True}))
    state = folded(turn, done, QUESTION, ended("paused", code="question", stage="plan/question"))
    assert not any("running" in line for line in drawn(state))


def test_the_title_and_every_line_of_the_tree_fit_the_terminal() -> None:
    state = folded(*sprint_of_two_passes(), task="a very long task " * 20)
    for columns in (40, 80):
        assert all(len(line) <= columns for line in drawn(state, columns=columns))
        assert any(line.endswith("…") for line in drawn(state, columns=columns))


def test_emoji_codes_and_markup_of_agents_are_text() -> None:
    state = folded(("plan", Finished(after="", value={"findings": [{"message": "m:warning:[red]", "path": "a.py"}]})))
    assert "m:warning:[red]" in said(state)


def test_open_findings_have_numbers_and_short_ids_and_a_fix_is_offered() -> None:
    one, two = Finding(message="one", path="a.py", line=3), Finding(message="two")
    value: dict[str, Any] = {"findings": [one.model_dump(), two.model_dump()]}
    dismissed = ("", Decided(what="dismiss", text=one.identity))
    text = said(folded(("plan", Finished(after="", value=value)), dismissed, ended("completed")))
    assert f" 2. warning two [{two.identity[:8]}]" in text and "one" not in text.split("open finding")[1]
    assert f"fix {RUN} 2" in text


def test_controls_in_agents_words_do_not_reach_the_terminal() -> None:
    evil = "\x1b[2Jred\x07 \u202e"
    question = Started(after="", what="question", person=True, text=evil, question="ask", choices=(evil,))
    value: dict[str, Any] = {"findings": [{"message": evil, "path": "a.py"}], "artifact": ARTIFACT, "gate": evil}
    state = folded(("plan", Finished(after="", value=value)), ("q", question), ended("failed", reason=evil), task=evil)
    text = said(state) + "\n".join(drawn(state))
    assert "\x1b" not in text and "\x07" not in text and "\u202e" not in text
