"""The artifact workflows in the real program, from the start to `end`, with a scripted command-line agent."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest

from sprintwright.definitions.load import load_definition
from tests.support.docs import workflows
from tests.support.terminal import Place

CLEAN, BLOCKING = "WORKFLOW_REVIEW_STATUS: clean", "WORKFLOW_REVIEW_STATUS: blocking"
Script = dict[str, list[dict[str, Any]]]


def said(**texts: str) -> Script:
    return {key: [{"text": text}] for key, text in texts.items()}


def task_script() -> Script:
    return {
        **said(
            plan="Do it.\nWORKFLOW_PLAN_STATUS: ready",
            reuse="REUSE_DECIDED\nparser.py",
            handoff="All of it.\nWORKFLOW_HANDOFF_STATUS: ready",
        ),
        "loop[1]/build": [{"text": "built", "writes": {"a.txt": "1\n"}}],
        "loop[1]/review": [{"text": f"a.txt:1: error: it is 1\n{BLOCKING}"}],
        "loop[2]/build": [{"text": "mended", "writes": {"a.txt": "2\n"}}],
        "loop[2]/review": [{"text": CLEAN}],
    }


def quick_script() -> Script:
    return {
        **task_script(),
        "grilling[1]/interview": [{"text": "Q1: short or long?"}],
        "grilling[1]/interview/second_turn": [{"text": "A long flag."}],
        "audit[1]/verify": [{"text": CLEAN}],
    }


def artifacts(place: Place) -> dict[str, str]:
    """The artifacts of the newest run."""
    folder = sorted((place.project / ".sprintwright" / "runs").iterdir())[-1] / "artifacts"
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def with_history(place: Place) -> None:
    git = ["git", "-c", "user.name=x", "-c", "user.email=x@example.org"]
    for command in (["init", "-q"], ["commit", "-q", "--allow-empty", "-m", "x"]):
        subprocess.run([*git, *command], cwd=place.project, check=True, env=place.environment())


def ok(ran: subprocess.CompletedProcess[str], code: int = 0) -> str:
    """What was printed; 4 is also the code of a run that is ready to be ended."""
    assert ran.returncode == code, ran.stdout + ran.stderr
    return ran.stdout + ran.stderr


def is_ready(place: Place) -> bool:
    return place.show()["status"] == "terminal_ready"


def test_s018_s038_task_flows_to_its_end_and_waits_for_the_word(tmp_path: Path) -> None:
    place = Place(tmp_path, task_script())
    out = ok(place.call("run", "task", "Add a flag"), 4)
    assert "sprintwright end" in out
    assert is_ready(place)
    files = artifacts(place)
    assert set(files) == {"plan.md", "handoff.md", "loop-review-1.md", "loop-review-2.md", "loop-complete.md"}
    assert "Rounds of review: 2." in files["loop-complete.md"]
    assert "reuse" not in place.turns()
    ok(place.call("end"))
    assert place.show()["status"] == "completed"


def test_s016_task_looks_for_what_can_be_reused_where_there_is_history(tmp_path: Path) -> None:
    place = Place(tmp_path, task_script())
    with_history(place)
    ok(place.call("run", "task", "Add a flag"), 4)
    assert artifacts(place)["reuse.md"] == "parser.py" and place.turns()["reuse"] == 1


def test_s012_a_plan_without_its_marker_stops_the_run_until_the_user_mends_it(tmp_path: Path) -> None:
    place = Place(tmp_path, {**task_script(), "plan": [{"text": "Not done."}]})
    out = ok(place.call("run", "task", "Add a flag"), 4)
    assert "WORKFLOW_PLAN_STATUS: ready" in out and place.turns() == {"plan": 1}
    plan = next(place.project.glob(".sprintwright/runs/*/artifacts/plan.md"))
    plan.write_text("Mine.\nWORKFLOW_PLAN_STATUS: ready\n", encoding="utf-8")
    ok(place.call("continue", "--artifacts", "mine"), 4)
    assert place.turns()["plan"] == 1
    assert "Mine." in next(turn["prompt"] for turn in place.prompts() if turn["key"] == "handoff")


def test_s034_s035_after_three_blocking_reviews_nothing_is_done_before_the_user_says_so(tmp_path: Path) -> None:
    script = task_script()
    blocking = {f"loop[{number}]/review": [{"text": f"a.txt:1: error: {number}\n{BLOCKING}"}] for number in (1, 2, 3)}
    builds = {f"loop[{number}]/build": [{"text": "built"}] for number in (1, 2, 3, 4)}
    place = Place(tmp_path, {**script, **builds, **blocking, "loop[4]/review": [{"text": CLEAN}]})
    ok(place.call("run", "task", "Add a flag"), 3)
    files = artifacts(place)
    assert {name for name in files if name.startswith("loop")} == {f"loop-review-{n}.md" for n in (1, 2, 3)}
    ok(place.call("resume", "--max-passes", "4"), 4)
    assert "Rounds of review: 4." in artifacts(place)["loop-complete.md"] and place.turns()["loop[3]/review"] == 1
    ok(place.call("end"))


def test_s021_s061_quick_pauses_for_the_user_and_looks_again_at_the_end(tmp_path: Path) -> None:
    place = Place(tmp_path, quick_script())
    with_history(place)
    assert "Q1: short or long?" in ok(place.call("run", "quick", "Add a flag"), 4)
    out = ok(place.call("answer", "last", "long"), 4)
    assert "artifacts/requirements.md" in out and artifacts(place) == {}
    assert "is done" in ok(place.call("answer", "last", "approve"), 4)
    assert artifacts(place) == {"requirements.md": "A long flag."}
    for phase in ("plan", "reuse", "handoff"):
        before = place.turns()
        ok(place.call("continue"), 4)
        assert f"{phase}.md" in artifacts(place) and place.turns() - before == {phase: 1}
    ok(place.call("continue"), 4)
    assert is_ready(place)
    review = next(place.project.glob(".sprintwright/runs/*/artifacts/review.md"))
    review.write_text(f"On reflection:\n{BLOCKING}\n", encoding="utf-8")
    for choice in ((), ("--artifacts", "mine")):
        refused = place.call("end", *choice)
        assert refused.returncode != 0 and "review.md" in refused.stdout + refused.stderr
        assert place.show()["status"] != "completed"
    review.write_text(f"{CLEAN}\n", encoding="utf-8")
    ok(place.call("end", "--artifacts", "mine"))
    assert place.show()["status"] == "completed"


def test_quick_needs_nobody_with_yes(tmp_path: Path) -> None:
    place = Place(tmp_path, quick_script())
    ok(place.call("run", "quick", "Add a flag", "--yes"), 4)
    assert is_ready(place) and "requirements.md" in artifacts(place)


NINE = {
    **said(
        survey="a and b", history="why", sorting="sorted\nSORTING_STATUS: ready", outline="outline",
        notes="The notes.\nNOTES_STATUS: approved", checklist="- [x] notes",
    ),
    "drafting[1]/write": [{"text": "draft", "writes": {"NOTES.md": "draft\n"}}],
    "drafting[1]/judge": [{"text": "DRAFT_STATUS: needs_work"}],
    "drafting[2]/write": [{"text": "better draft", "writes": {"NOTES.md": "better\n"}}],
    "drafting[2]/judge": [{"text": "DRAFT_STATUS: good_enough"}],
}  # fmt: skip


def nine_phases(tmp_path: Path, script: Script) -> Place:
    """The document's workflow of nine phases in a folder, consent given, run up to its first pause."""
    place = Place(tmp_path, script)
    folder = place.project / ".sprintwright" / "workflows"
    folder.mkdir(parents=True)
    (folder / "release-notes.yaml").write_text(workflows()["release-notes"], encoding="utf-8")
    refused = place.call("run", "release-notes", "2.1")
    assert refused.returncode == 2 and '["test", "-s", "NOTES.md"]' in refused.stderr
    consent = refused.stderr.rpartition("--consent ")[2].strip()
    ok(place.call("run", "release-notes", "2.1", "--consent", consent), 4)
    return place


def test_s058_the_documents_nine_phases_run_to_their_end(tmp_path: Path) -> None:
    place = nine_phases(tmp_path, NINE)
    assert set(artifacts(place)) == {"survey.md", "sorting.md", "outline.md"}
    assert "no git history" in next(turn["prompt"] for turn in place.prompts() if turn["key"] == "sorting")
    out = ok(place.call("continue"), 4)
    assert "Is there anything to tell the readers first?" in out
    ok(place.call("answer", "last", "Thank you all."), 4)
    assert is_ready(place)
    ok(place.call("end"))
    state = place.show()
    phases = ["survey", "history", "sorting", "outline", "drafting", "proof", "notes", "word", "checklist"]
    assert state["status"] == "completed"
    assert [node["id"] for node in state["nodes"] if not node["parent"]] == phases
    assert "Passes: 2." in artifacts(place)["drafting.md"]
    assert "Thank you all." in next(turn["prompt"] for turn in place.prompts() if turn["key"] == "checklist")


@pytest.mark.parametrize(("stage", "file"), [("notes", "notes.md"), ("checklist", "checklist.md")])
def test_s041_each_of_two_close_files_holds_the_end_back(tmp_path: Path, stage: str, file: str) -> None:
    place = nine_phases(tmp_path, NINE)
    ok(place.call("continue"), 4)
    ok(place.call("answer", "last", "no"), 4)
    next(place.project.glob(f".sprintwright/runs/*/artifacts/{file}")).unlink()
    refused = place.call("end")
    assert refused.returncode != 0 and file in refused.stdout + refused.stderr


# The workflows that mend a finding and write a workflow


def test_fix_mends_one_finding_and_nothing_else_is_planned(tmp_path: Path) -> None:
    script: Script = {
        "passes[1]/generator": [{"text": "done", "writes": {"a.txt": "1\n"}}],
        "passes[1]/evaluator": [{"text": "a.txt:1: error: still wrong\nVERDICT: needs_refinement"}],
        "passes[2]/generator": [{"text": "done", "writes": {"a.txt": "2\n"}}],
        "passes[2]/evaluator": [{"text": "VERDICT: good_to_go"}],
    }
    place = Place(tmp_path, script)
    ok(place.call("run", "fix", "a.txt:1: error: it is wrong"))
    assert list(place.turns()) == list(script)
    assert "still wrong" in next(turn["prompt"] for turn in place.prompts() if turn["key"] == "passes[2]/generator")


def test_author_writes_a_workflow_that_the_real_validator_accepts(tmp_path: Path) -> None:
    good = workflows()["hello"]
    script: Script = {
        "drafts[1]/tries[1]/write": [{"text": good.replace("role: builder", "role: bulider")}],
        "drafts[1]/tries[2]/write": [{"text": good}],
    }
    place = Place(tmp_path, script)
    out = ok(place.call("run", "author", "Build and review"), 4)
    assert ".sprintwright/workflows/NAME.yaml" in out and "no problem" in out
    second = next(turn["prompt"] for turn in place.prompts() if turn["key"] == "drafts[1]/tries[2]/write")
    assert "'bulider'" in second and "workflow.yaml:" in second
    ok(place.call("answer", "last", "approve"))
    files = artifacts(place)
    assert load(files["workflow.yaml"]) == "hello" and "cp .sprintwright/runs/" in files["install.md"]


def load(text: str) -> str:
    loaded = load_definition(text)
    assert loaded.value is not None
    return loaded.value.name
