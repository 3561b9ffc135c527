"""Each effect from each state: behaviours-selesai.md 2.3 as a table, with in-memory doubles and no file."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sprintwright.app import decisions
from sprintwright.app.artifacts import ArtifactChoice, decide, differences
from sprintwright.app.effects import Situation, Step, on_continue, on_end, standing
from sprintwright.engine.doubles import ScriptedPeople
from sprintwright.errors import Refused
from sprintwright.model.effects import Effect, Outcome
from sprintwright.model.records import Ended, SetAside
from tests.unit.engine.support import Bench, define, turn

READY = "x\nPLAN: ready"
PLAN = {"file": "plan.md", "marker": "PLAN: ready"}
CLOSE = [{"file": "review.md", "marker": "REVIEW: clean"}]


def run_of(answers: dict[str, str], *, pause: bool = False, close: Any = (), last: Any = "review.md") -> Bench:
    stages = (
        turn("plan", artifact=PLAN, pause_after=pause, save_as="plan"),
        turn("reuse", artifact="reuse.md"),
        turn("audit", artifact=last),
    )
    definition = define(*stages, completion="explicit", close_artifacts=close)
    return Bench(definition, lambda r: answers.get(r.key, "fine"), people=ScriptedPeople(lambda _q: None))


def situation(bench: Bench) -> Situation:
    found = differences(bench.records, bench.state, bench.definition, bench.artifacts)
    return Situation("r", bench.state, bench.definition, found, bench.artifacts.read)


def walked(bench: Bench, step: Step) -> Outcome:
    """What the verb says, and the run carried out."""
    if step.decisions is not None:
        for key, payload in step.decisions:
            bench.decide(key, payload)
    if step.walks:
        bench.run()
    return step.outcome


def paused() -> Bench:
    bench = run_of({"plan": READY}, pause=True)
    bench.run()
    return bench


def blocked() -> Bench:
    bench = run_of({"plan": "no marker"})
    bench.run()
    return bench


def blocked_and_mended() -> Bench:
    bench = blocked()
    bench.artifacts.texts["plan.md"] = "by hand\nPLAN: ready"
    return bench


def blocked_and_badly_mended() -> Bench:
    bench = blocked()
    bench.artifacts.texts["plan.md"] = "by hand\nPLAN: nearly"
    return bench


def ready() -> Bench:
    bench = run_of({"plan": READY, "audit": "REVIEW: clean"}, close=CLOSE)
    bench.run()
    return bench


def ready_and_overwritten() -> Bench:
    bench = ready()
    bench.artifacts.texts["review.md"] = "REVIEW: blocking"
    return bench


def incomplete() -> Bench:
    bench = run_of({"plan": READY, "audit": "REVIEW: blocking"}, close=CLOSE)
    bench.run()
    return bench


def incomplete_and_mended() -> Bench:
    bench = incomplete()
    bench.artifacts.texts["review.md"] = "REVIEW: clean"
    return bench


def completed() -> Bench:
    bench = ready()
    walked(bench, on_end(situation(bench), None))
    return bench


def failed() -> Bench:
    bench = run_of({"plan": ""})
    bench.run()
    return bench


CONTINUE: list[tuple[Callable[[], Bench], ArtifactChoice | None, Effect, dict[str, Any]]] = [
    (paused, None, "advanced", {"phase": "reuse", "step": 2, "total": 3}),
    (blocked, None, "blocked", {"phase": "plan", "missing": "plan.md"}),
    (blocked_and_mended, "mine", "advanced", {"phase": "reuse", "step": 2}),
    (blocked_and_mended, "back", "blocked", {"missing": "plan.md"}),
    (blocked_and_badly_mended, "mine", "blocked", {"missing": "plan.md"}),
    (incomplete, None, "terminalNeedsArtifacts", {"phase": "audit", "missing": "review.md"}),
    (incomplete_and_mended, "mine", "terminalReady", {"phase": "audit", "missing": ""}),
    (ready, None, "terminalReady", {"phase": "audit", "step": 3}),
    (completed, None, "idle", {}),
    (failed, None, "noOp", {}),
]


@pytest.mark.parametrize(("made", "choice", "effect", "carries"), CONTINUE)
def test_continue_has_its_effect_in_each_state(
    made: Callable[[], Bench], choice: ArtifactChoice | None, effect: Effect, carries: dict[str, Any]
) -> None:
    bench = made()
    calls = len(bench.keys)
    step = on_continue(situation(bench), choice)
    outcome = step.outcome
    assert outcome.effect == effect and {name: getattr(outcome, name) for name in carries} == carries
    assert outcome.message, "every effect says what happened"
    if effect in ("blocked", "terminalNeedsArtifacts"):
        assert outcome.reason
    if not step.walks:
        assert effect != "advanced" and len(bench.keys) == calls
    walked(bench, step)
    if effect == "advanced":
        assert len(bench.keys) > calls and bench.state.status == "terminal_ready"


END: list[tuple[Callable[[], Bench], ArtifactChoice | None, Effect, dict[str, Any]]] = [
    (paused, None, "endBlocked", {"missing": "audit"}),
    (blocked, None, "endBlocked", {"missing": "audit"}),
    (failed, None, "endBlocked", {"missing": "audit"}),
    (incomplete, None, "endBlocked", {"missing": "review.md"}),
    (ready_and_overwritten, None, "endBlocked", {"missing": "review.md"}),
    (incomplete_and_mended, "mine", "closed", {}),
    (ready, None, "closed", {"phase": "audit"}),
    (completed, None, "idle", {}),
]


@pytest.mark.parametrize(("made", "choice", "effect", "carries"), END)
def test_s042_s043_s061_end_has_its_effect_in_each_state(
    made: Callable[[], Bench], choice: ArtifactChoice | None, effect: Effect, carries: dict[str, Any]
) -> None:
    bench = made()
    before = bench.state.status
    step = on_end(situation(bench), choice)
    assert step.outcome.effect == effect and not step.walks
    assert {name: getattr(step.outcome, name) for name in carries} == carries
    walked(bench, step)
    assert bench.state.status == ("completed" if effect == "closed" else before)


def test_s061_a_close_artifact_that_was_overwritten_as_blocking_says_why() -> None:
    outcome = on_end(situation(ready_and_overwritten()), None).outcome
    assert "blocking" in outcome.reason and outcome.message


def test_files_that_are_not_as_the_run_left_them_are_asked_about_before_anything_happens() -> None:
    for verb in (on_continue, on_end):
        bench = incomplete_and_mended()
        with pytest.raises(Refused) as caught:
            verb(situation(bench), None)
        assert caught.value.code == "needs_choice" and caught.value.data["artifacts"] == ["review.md"]


LANDED: list[tuple[Callable[[], Bench], Effect]] = [
    (paused, "advanced"),
    (blocked, "blocked"),
    (incomplete, "terminalNeedsArtifacts"),
    (ready, "terminalReady"),
    (completed, "closed"),
]


@pytest.mark.parametrize(("made", "effect"), LANDED)
def test_s009_s039_an_artifact_that_lands_leads_to_its_effect(made: Callable[[], Bench], effect: Effect) -> None:
    bench = made()
    assert standing("r", bench.state, bench.definition).effect == effect


def test_s016_a_jumped_stage_is_named_with_the_effect() -> None:
    stages = (turn("plan"), turn("reuse", skip_when={"artifact_exists": "reuse.md"}), turn("audit", pause_after=True))
    bench = Bench(define(*stages), people=ScriptedPeople(lambda _q: None))
    bench.artifacts.texts["reuse.md"] = "x"
    bench.run()
    outcome = standing("r", bench.state, bench.definition)
    assert (outcome.phase, outcome.skipped) == ("audit", "reuse")


def test_s010_two_triggers_at_once_advance_once() -> None:
    bench = paused()
    found = situation(bench)
    first, second = on_continue(found, None), on_continue(found, None)
    walked(bench, first)
    calls = len(bench.keys)
    assert second.decisions is not None
    for key, payload in second.decisions:
        bench.decide(key, payload)
    bench.run()
    assert len(bench.keys) == calls, "the second decision finds nothing to answer"


def test_s060_a_file_of_a_later_stage_put_there_by_hand_moves_nothing() -> None:
    bench = run_of({"plan": READY}, pause=True)
    bench.artifacts.texts["reuse.md"] = "by hand"
    bench.run()
    assert bench.state.code == "pause_after" and bench.keys == ["plan"]
    found = differences(bench.records, bench.state, bench.definition, bench.artifacts)
    assert [(one.what, one.name) for one in found] == [("found", "reuse.md")]


def test_s046_d3_found_files_are_offered_from_where_the_run_stands_as_far_as_they_are_approved() -> None:
    bench = run_of({})
    bench.artifacts.texts |= {"plan.md": READY, "reuse.md": "r", "review.md": "REVIEW: clean"}
    found = differences(bench.records, bench.state, bench.definition, bench.artifacts)
    assert [one.name for one in found] == ["plan.md", "reuse.md", "review.md"]
    bench.artifacts.texts["plan.md"] = "no marker"
    found = differences(bench.records, bench.state, bench.definition, bench.artifacts)
    assert [(one.name, bool(one.gate)) for one in found] == [("plan.md", True)]


def test_r029_a_deleted_artifact_is_put_back_or_its_stage_is_done_again() -> None:
    bench = ready()
    del bench.artifacts.texts["plan.md"]
    found = differences(bench.records, bench.state, bench.definition, bench.artifacts)
    assert [(one.what, one.key) for one in found] == [("deleted", "plan")]
    (key, payload), *_ = decide(found, "mine")
    assert (key, payload) == ("plan", SetAside(keys=("plan",), reason="rerun"))


def test_an_answer_has_to_be_one_of_the_choices_and_to_an_open_question() -> None:
    bench = paused()
    key, decided = decisions.answer(bench.state, "CONT")
    assert key == "plan/pause" and getattr(decided, "text", "") == "continue"
    for text, question in (("maybe", ""), ("continue", "plan/other")):
        with pytest.raises(Refused):
            decisions.answer(bench.state, text, question)
    with pytest.raises(Refused) as caught:
        decisions.answer(ready().state, "x")
    assert caught.value.code == "no_question"


def test_s043_the_end_of_a_run_is_a_record_of_its_own() -> None:
    bench = completed()
    assert bench.records[-1].payload == Ended(status="completed")
