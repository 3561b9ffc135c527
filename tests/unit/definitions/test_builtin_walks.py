"""`task`, `quick` and `prototype` against behaviours-selesai.md: whole walks of them."""

from __future__ import annotations

import re

import pytest

from sprintwright.engine.doubles import ScriptedPeople
from sprintwright.model.records import Decided, Record
from sprintwright.model.results import ArtifactVersion
from tests.unit.definitions.selesai import (
    ANSWERS,
    ARTIFACTS,
    BLOCKING,
    CLEAN,
    PHASES,
    NoHistory,
    agreeable,
    changed,
    unless,
    walk,
)


@pytest.mark.parametrize(("name", "questions"), [("prototype", 6), ("quick", 5), ("task", 0)])
def test_s001_a_walk_goes_through_every_phase_and_waits_for_end(name: str, questions: int) -> None:
    bench = walk(name)
    end = bench.run()
    assert (end.status, bench.phase(), bench.named) == ("terminal_ready", "", [])
    assert [key.partition("[")[0] for key in bench.keys if not key.startswith(("loop[1]/r", "grilling[1]/a"))] == (
        PHASES[name]
    )
    assert set(bench.written) == {ARTIFACTS[phase][0] for phase in PHASES[name]} | {"loop-review-1.md"}
    assert len(bench.people.questions) == questions


@pytest.mark.parametrize("name", ["prototype", "task"])
def test_s016_s018_without_history_reuse_is_skipped_and_later_prompts_say_why(name: str) -> None:
    bench = walk(name, workspace=NoHistory())
    assert bench.run().status == "terminal_ready"
    assert "reuse" not in bench.keys and "reuse.md" not in bench.written and bench.named == []
    assert bench.state.nodes["reuse"].status == "skipped"
    for key in ("handoff", "loop[1]/build"):
        assert "skipped, because: The folder has no git history." in bench.prompt(key)


def test_s016_with_history_reuse_is_done() -> None:
    bench = walk("prototype")
    bench.run()
    assert bench.keys[bench.keys.index("plan") + 1] == "reuse"
    assert bench.written["reuse.md"] == "`report.py`, lines 3 to 9, can be called."
    assert "`report.py`, lines 3 to 9" in bench.prompt("handoff") and "skipped" not in bench.prompt("handoff")


def test_s019_a_definition_without_a_skip_rule_skips_nothing() -> None:
    bench = walk(changed("task", lambda data: data["stages"][1].pop("skip_when")), workspace=NoHistory())
    bench.run()
    assert "reuse" in bench.keys


def test_s020_of_two_skip_rules_in_a_row_only_the_first_is_asked() -> None:
    definition = changed("task", lambda data: data["stages"][2].update(skip_when="no_git_history"))
    bench = walk(definition, workspace=NoHistory())
    assert bench.run().status == "terminal_ready"
    assert "reuse" not in bench.keys and "handoff" in bench.keys


@pytest.mark.parametrize("phase", ["grilling", "research", "plan", "reuse", "handoff"])
def test_s021_prototype_pauses_after_each_artifact_and_sends_nothing(phase: str) -> None:
    bench = walk("prototype", people=lambda q: None if q.key == f"{phase}/pause" else agreeable(q))
    end = bench.run()
    assert (end.status, end.code) == ("paused", "pause_after")
    assert ARTIFACTS[phase][0] in bench.written
    assert bench.keys[-1].partition("[")[0] == phase


def test_s021_the_next_prompt_goes_out_once_when_the_user_continues() -> None:
    bench = walk("quick", people=lambda q: None if q.kind == "pause" else agreeable(q))
    assert bench.run().code == "pause_after"
    bench.people = ScriptedPeople(agreeable)
    assert bench.run().status == "terminal_ready"
    assert len(bench.keys) == len(set(bench.keys))


def test_s022_task_flows_without_a_question() -> None:
    bench = walk("task", people=lambda _question: None)
    assert bench.run().status == "terminal_ready"
    assert bench.keys == ["plan", "reuse", "handoff", "loop[1]/build", "loop[1]/review"]


@pytest.mark.parametrize(
    ("phase", "marker"), [("plan", "WORKFLOW_PLAN_STATUS"), ("handoff", "WORKFLOW_HANDOFF_STATUS")]
)
def test_s012_s023_without_its_marker_an_artifact_is_written_and_not_approved(phase: str, marker: str) -> None:
    bench = walk("task", {phase: "There is more to say."})
    end = bench.run()
    assert (end.status, end.code, end.stage, end.missing) == ("paused", "blocked", phase, f"{phase}.md")
    assert f"{marker}: ready" in end.reason and bench.keys[-1] == phase
    assert bench.written[f"{phase}.md"] == "There is more to say."


@pytest.mark.parametrize("line", ["workflow_plan_status: READY", "**WORKFLOW_PLAN_STATUS :  ready**"])
def test_s013_a_marker_is_read_in_any_case_and_with_blanks(line: str) -> None:
    assert walk("task", {"plan": f"Do it.\n{line}"}).run().status == "terminal_ready"


@pytest.mark.parametrize(
    "text", ["End with the line WORKFLOW_PLAN_STATUS: ready when it is.", "> WORKFLOW_PLAN_STATUS: ready",
             "```\nWORKFLOW_PLAN_STATUS: ready\n```", "WORKFLOW_PLAN_STATUS: ready\nWORKFLOW_PLAN_STATUS: draft"],
)  # fmt: skip
def test_f1_a_marker_that_is_quoted_or_taken_back_does_not_count(text: str) -> None:
    assert walk("task", {"plan": text}).run().code == "blocked"


def test_s015_artifacts_without_a_marker_hold_what_they_like() -> None:
    answers = {"interview": "REQUIREMENTS_CLEAR\n?", "research": "none", "reuse": "REUSE_DECIDED\nNothing."}
    bench = walk("prototype", answers)
    assert bench.run().status == "terminal_ready"
    assert [bench.written[f"{name}.md"] for name in ("requirements", "research", "reuse")] == ["?", "none", "Nothing."]


def test_s025_a_marker_in_another_stages_answer_moves_nothing() -> None:
    bench = walk("task", {"build": "WORKFLOW_LOOP_STATUS: clean", "review": BLOCKING})
    assert bench.run().status == "not_converged"
    assert "loop-complete.md" not in bench.written and bench.phase() == "loop"


def test_s031_a_blocking_review_is_kept_and_reaches_the_next_build() -> None:
    review = f"## Blocker\na.py:1: error: it is wrong\n\n{BLOCKING}"
    bench = walk("task", {"loop[1]/review": review}, people=lambda _question: None)
    bench.run()
    assert bench.written["loop-review-1.md"] == review
    assert review in bench.prompt("loop[2]/build") and "Round 2 of at most 3." in bench.prompt("loop[2]/build")
    assert "it is wrong" not in bench.prompt("loop[1]/build")


@pytest.mark.parametrize(
    "review", ["I had no time.", "All fine: the working tree is clean.", "", f"{CLEAN}\n{BLOCKING}",
               f"They say:\n> {CLEAN}", f"a.py:1: error: it is wrong\n\n{CLEAN}"],
)  # fmt: skip
def test_s032_a_review_without_a_clear_verdict_is_as_blocking(review: str) -> None:
    answers = {"loop[1]/review": review, "reminder": "I can't say."}
    bench = walk("task", answers)
    assert bench.run().status == "terminal_ready"
    assert "loop[2]/build" in bench.keys and "Rounds of review: 2." in bench.written["loop-complete.md"]
    assert bench.written["loop-review-1.md"]


def test_s033_a_clean_second_round_ends_the_loop_and_the_audit_follows() -> None:
    bench = walk("quick", {"loop[1]/review": BLOCKING})
    assert bench.run().status == "terminal_ready"
    complete = bench.written["loop-complete.md"]
    assert "Rounds of review: 2." in complete and complete.endswith("\nWORKFLOW_LOOP_STATUS: clean")
    assert bench.keys[-1] == "audit[1]/verify" and "accepted" not in complete


def test_s034_after_three_blocking_reviews_the_user_is_asked_once() -> None:
    bench = walk("task", {"review": BLOCKING}, people=lambda _question: None)
    end = bench.run()
    assert (end.status, end.code, bench.phase()) == ("paused", "question", "loop")
    assert [question.kind for question in bench.people.questions] == ["exhausted"]
    assert {name for name in bench.written if name.startswith("loop")} == {f"loop-review-{n}.md" for n in (1, 2, 3)}
    assert bench.keys.count("loop[3]/review") == 1 and "loop[4]/build" not in bench.keys


def test_s035_after_the_limit_one_more_round_that_is_clean_goes_on() -> None:
    answers = {f"loop[{number}]/review": BLOCKING for number in (1, 2, 3)}
    bench = walk("task", answers, people=unless("exhausted", "more"))
    assert bench.run().status == "terminal_ready"
    assert "Rounds of review: 4." in bench.written["loop-complete.md"]
    assert "Round 4 of at most 4." in bench.prompt("loop[4]/build")


def test_f3_work_that_the_user_accepts_is_not_called_clean_by_a_review() -> None:
    bench = walk("task", {"review": BLOCKING}, people=unless("exhausted", "accept"))
    assert bench.run().status == "terminal_ready"
    assert "the user accepted the work as it is" in bench.written["loop-complete.md"]


@pytest.mark.parametrize("name", ["quick", "prototype"])
def test_s040_an_audit_that_is_not_clean_holds_the_end_back_and_says_why(name: str) -> None:
    bench = walk(name, {"verify": BLOCKING}, people=unless("exhausted", "accept"))
    end = bench.run()
    assert (end.status, end.code, end.missing) == ("paused", "needs_artifacts", "review.md")
    assert CLEAN in end.reason


def test_f11_the_audit_mends_and_reviews_at_most_three_times() -> None:
    bench = walk("quick", {"verify": BLOCKING})
    assert bench.run().status == "not_converged"
    assert [key for key in bench.keys if key.startswith("audit")] == [
        "audit[1]/verify", "audit[2]/mend", "audit[2]/verify", "audit[3]/mend", "audit[3]/verify",
    ]  # fmt: skip


def test_the_audit_mends_what_the_review_lists_and_overwrites_it() -> None:
    first = f"## Blocker\na.py:1: error: too complicated\n\n{BLOCKING}"
    bench = walk("quick", {"audit[1]/verify": first})
    assert bench.run().status == "terminal_ready"
    assert "too complicated" in bench.prompt("audit[2]/mend") and "It is mended." in bench.prompt("audit[2]/verify")
    assert bench.written["review.md"] == ANSWERS["verify"]


def test_s060_a_file_of_a_later_phase_jumps_nothing() -> None:
    bench = walk("task")
    bench.artifacts.texts["handoff.md"] = ANSWERS["handoff"]
    bench.run()
    assert bench.keys[:3] == ["plan", "reuse", "handoff"]


# Asking


def test_grilling_writes_the_requirements_only_after_approval() -> None:
    bench = walk("quick", people=unless("checkpoint"))
    assert bench.run().status == "paused"
    (question,) = bench.people.questions
    assert "artifacts/requirements.md" in question.text and "A flag." in question.text
    assert question.choices == ("approve", "change") and bench.written == {}


def test_grilling_takes_what_the_user_says_into_the_next_draft() -> None:
    said = iter(["also in the summary", "approve"])
    answers = {"grilling[2]/interview": "REQUIREMENTS_CLEAR\nA flag, also in the summary."}
    bench = walk("quick", answers, people=lambda q: next(said) if q.kind == "checkpoint" else agreeable(q))
    assert bench.run().status == "terminal_ready"
    second = bench.prompt("grilling[2]/interview")
    assert "also in the summary" in second and "A flag." in second
    assert bench.written["requirements.md"] == "A flag, also in the summary."
    assert "A flag, also in the summary." in bench.prompt("plan")


def test_grilling_asks_first_and_drafts_from_the_answers() -> None:
    answers = {"interview": "Q1: short or long?", "grilling[1]/interview/second_turn": "## Goal\nA long flag."}
    people = {"questions": "long", "checkpoint": "approve", "pause": "continue"}
    bench = walk("prototype", answers, people=lambda q: people[q.kind])
    assert bench.run().status == "terminal_ready"
    second = bench.prompt("grilling[1]/interview/second_turn")
    assert "Q1: short or long?" in second and "\nlong\n" in second
    assert bench.written["requirements.md"] == "## Goal\nA long flag."


def test_quick_asks_at_most_four_questions_and_prototype_until_nothing_is_ambiguous() -> None:
    quick, prototype = walk("quick"), walk("prototype")
    for bench in (quick, prototype):
        bench.run()
    assert "at most 4 in the whole phase" in " ".join(quick.prompt("grilling[1]/interview").split())
    assert "until nothing is ambiguous" in prototype.prompt("grilling[1]/interview")
    assert "at most" not in prototype.prompt("grilling[1]/interview")


def test_reuse_asks_one_question_when_it_cannot_decide() -> None:
    answers = {"reuse": "Is the old parser still in use?", "reuse/second_turn": "It is: parser.py."}
    bench = walk("task", answers, people=lambda _question: "yes")
    assert bench.run().status == "terminal_ready"
    assert "Is the old parser still in use?" in bench.prompt("reuse/second_turn")
    assert bench.written["reuse.md"] == "It is: parser.py."


@pytest.mark.parametrize(("name", "files"), [("task", 2), ("quick", 3), ("prototype", 4)])
def test_the_briefing_points_at_every_earlier_artifact(name: str, files: int) -> None:
    bench = walk(name)
    bench.run()
    prompt = bench.prompt("handoff")
    assert len(set(re.findall(r"artifacts/([\w-]+\.md)", prompt)) - {"handoff.md"}) == files
    assert "secrets and personal data" in prompt


def test_the_users_own_requirements_are_what_is_planned() -> None:
    bench = walk("quick", people=unless("pause"))
    assert bench.run().code == "pause_after"
    mine = ArtifactVersion(name="requirements.md", sha256="0", size=4)
    decisions = {
        "grilling/artifact": Decided(what="mine", artifact=mine, text="No flag at all.", number=1),
        "grilling/pause": Decided(what="answer", text="continue"),
    }
    for key, decided in decisions.items():
        bench.records.append(Record(len(bench.records) + 1, "", key, decided))
    bench.run()
    assert "No flag at all." in bench.prompt("plan") and "A flag." not in bench.prompt("plan")
