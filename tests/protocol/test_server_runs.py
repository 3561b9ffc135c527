"""Runs in an editor, on the real server: listed, started, shown to their end, asked about, paused, cancelled, closed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types

from tests.protocol.support import is_alive
from tests.protocol.workplace import GOOD, Editor, Workplace

pytestmark = pytest.mark.asyncio(loop_scope="module")

PLAN = """The plan.
max_passes: 3

## Sprint 1: one
Do one.

## Sprint 2: two
Do two.

## Sprint 3: three
Do three.
"""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def work(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Workplace]:
    async with Workplace(tmp_path_factory.mktemp("work")) as made:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(work: Workplace) -> Editor:
    """One server for all that fits into one session, with a second folder open."""
    other = work.path("other")
    other.mkdir()
    return await work.editor([work.place.project, other])


async def test_workflows_and_agents_are_listed_with_what_a_client_asks_for(editor: Editor, work: Workplace) -> None:
    work.define("broken", "id: a, kind: agent_turn, rolle: w")
    found = {one["name"]: one for one in (await editor.command("workflow.list"))["workflows"]}
    assert [role["name"] for role in found["dev"]["roles"]] == ["designer", "generator", "evaluator"]
    assert found["dev"]["problems"] == []
    assert any("rolle" in problem["message"] for problem in found["broken"]["problems"])
    refused = await editor.refused("workflow.start", workflow="broken", task="x", folder=str(work.place.project))
    assert refused.data["code"] == "definition_invalid" and refused.data["path"].endswith("broken.yaml")
    agents = (await editor.command("agents.list"))["agents"]
    assert [one["plays"] for one in agents if one["name"] == "scripted"] == [["primary"]]


async def test_a_run_is_shown_from_its_question_to_its_end(editor: Editor, work: Workplace) -> None:
    """The main story: started, asked through our own request, progress with sprints and percent, a tree that is whole."""
    gate = work.path("judge")
    work.script(
        {
            "designer": [{"text": "## Questions\nQ1 Which colour?\n## Defaults\nQ1 red"}],
            "designer/second_turn": [{"text": PLAN}],
            "sprints[2]/passes[1]/evaluator": [{**GOOD, "wait_for": str(gate)}],
        }
    )
    run_id = await editor.begin("dev")
    asked = await editor.question("Which colour?")
    assert asked.method == "sprintwright/question/ask"
    assert (asked.params["runId"], asked.params["kind"]) == (run_id, "questions")
    run = await editor.status(run_id, "waiting")
    assert [one["key"] for one in run["questions"]] == [asked.params["key"]] == ["designer/question"]
    await editor.until(lambda: "waits for your answer" in messages(editor, run_id))
    asked.answer({"text": "blue"})

    await editor.until(lambda: "Sprint 2/3 · pass 1 · evaluator" in messages(editor, run_id))
    assert run.node("sprints[2]/passes[1]/evaluator") == "running"
    assert editor.progress(run_id)[-1].percentage == 33
    gate.touch()
    await editor.status(run_id, "completed", "none")
    assert any("Which colour" in turn["prompt"] and "blue" in turn["prompt"] for turn in work.place.prompts())

    (token,) = editor.tokens(run_id)
    begun, *reports, ended = await editor.until(lambda: ended_progress(editor, run_id))
    assert (begun.kind, begun.cancellable, begun.title) == ("begin", True, "dev: do dev")
    assert {one.kind for one in reports} == {"report"} and (ended.kind, ended.message) == ("end", "completed")
    assert editor.client.progress_reports[token][-1] is ended
    percents = [one.percentage for one in reports if one.percentage is not None]
    assert percents == sorted(percents)

    whole = await editor.get(run_id)
    assert not run.is_stale and run.revision == whole["revision"]
    assert run.nodes == {node["id"]: node for node in whole["nodes"]}
    assert run.nodes["sprints[3]/passes[1]/evaluator"]["verdict"] == "good_to_go"
    assert "VERDICT: good_to_go" in editor.output[run_id]
    (head,) = [one for one in (await editor.command("run.list"))["runs"] if one["runId"] == run_id]
    assert (head["status"], head["owner"], head["own"], head["task"]) == ("completed", "none", True, "do dev")


def messages(editor: Editor, run_id: str) -> list[str]:
    """What the progress of a run said."""
    return [one.message for one in editor.progress(run_id)]


def ended_progress(editor: Editor, run_id: str) -> list[Any]:
    """All progress of a run once it ended, else nothing."""
    found = editor.progress(run_id)
    return found if found and found[-1].kind == "end" else []


@pytest.mark.parametrize("way", ["command", "progress"])
async def test_b079_a_run_is_cancelled_and_its_agent_is_gone(editor: Editor, work: Workplace, way: str) -> None:
    told = work.signal(f"at-work-{way}")
    work.script({f"first_{way}": [GOOD], f"hang_{way}": [{"hang": True, "tell": told.path}]})
    work.turns(f"hangs_{way}", f"first_{way}", f"hang_{way}")
    run_id = await editor.begin(f"hangs_{way}")
    await told.wait()
    if way == "command":
        assert (await editor.command("run.cancel", runId=run_id))["runId"] == run_id
    else:
        (token,) = await editor.until(lambda: editor.tokens(run_id))
        editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(token))
    run = await editor.status(run_id, "cancelled", "none")
    assert (run.node(f"first_{way}"), run.node(f"hang_{way}")) == ("done", "cancelled")
    assert not is_alive(work.pid(f"hang_{way}"))
    assert (await editor.until(lambda: ended_progress(editor, run_id)))[-1].message == "cancelled"
    again = await editor.refused("run.cancel", runId=run_id)
    assert again.code == -32803 and "not being carried on" in again.message

    work.script({f"hang_{way}": [GOOD]})
    assert (await editor.command("workflow.resume", runId=run_id, interrupted="redo"))["effect"] == "advanced"
    await editor.status(run_id, "completed", "none")
    assert work.place.turns()[f"first_{way}"] == 1 and len(editor.tokens(run_id)) == 2


async def test_a_paused_run_gives_up_after_the_turn_in_hand_and_goes_on(editor: Editor, work: Workplace) -> None:
    told, gate = work.signal("pausing"), work.path("go-on")
    work.script({"pause_1": [{"text": "one", "tell": told.path, "wait_after": str(gate)}]})
    work.turns("pauses", "pause_1", "pause_2")
    run_id = await editor.begin("pauses")
    await told.wait()
    assert (await editor.command("run.pause", runId=run_id))["status"] == "running"
    gate.touch()
    run = await editor.status(run_id, "paused", "none")
    assert run.node("pause_1") == "done" and run.node("pause_2") in ("", "not_started")
    assert (await editor.get(run_id))["reason"] == "Paused by you."
    assert (await editor.until(lambda: ended_progress(editor, run_id)))[-1].message == "paused"
    assert (await editor.command("run.continue", runId=run_id))["effect"] == "advanced"
    await editor.status(run_id, "completed", "none")
    assert [work.place.turns()[key] for key in ("pause_1", "pause_2")] == [1, 1]
    idle = await editor.command("run.continue", runId=run_id)
    assert idle["effect"] == "idle" and "nothing to continue" in idle["message"]


async def test_s042_a_run_is_closed_only_when_everything_is_there(editor: Editor, work: Workplace) -> None:
    """`end` in the middle and without a file is `endBlocked`, and says what is missing."""
    work.script({"close_1": [{"text": "P"}], "close_2": [{"text": "built, not said"}, {"text": "built\nDONE: yes"}]})
    work.define(
        "closes",
        "id: close_1, kind: agent_turn, role: w, prompt: plan, pause_after: true",
        "id: close_2, kind: agent_turn, role: w, prompt: build, artifact: done.md",
        head="completion: explicit\nclose_artifacts: [{file: done.md, marker: 'DONE: yes'}]\n",
    )
    run_id = await editor.begin("closes")
    (await editor.question("close_1/pause")).answer({"text": "stop"})
    await editor.status(run_id, "paused", "none")
    early = await editor.command("workflow.end", runId=run_id)
    assert (early["effect"], early["missing"]) == ("endBlocked", "close_2")
    await editor.command("run.continue", runId=run_id)
    await editor.node(run_id, "close_2", "done")
    await editor.status(run_id, "paused", "none")
    blocked = await editor.command("workflow.end", runId=run_id)
    assert (blocked["effect"], blocked["missing"]) == ("endBlocked", "done.md") and "DONE: yes" in blocked["reason"]

    await editor.command("run.rerun", runId=run_id, leaf="close_2")
    run = await editor.status(run_id, "terminal_ready", "none")
    assert not run.is_stale
    closed = await editor.command("workflow.end", runId=run_id)
    assert closed["effect"] == "closed"
    await editor.status(run_id, "completed", "none")
    assert (await editor.command("workflow.end", runId=run_id))["effect"] == "idle"


async def test_r087_one_run_writes_in_a_folder_and_the_same_token_is_the_same_run(
    editor: Editor, work: Workplace
) -> None:
    """Two at once only in two folders, or when it is wanted; each is told of apart."""
    gate, other = work.path("both"), work.path("other")
    work.script({"both": [{**GOOD, "wait_for": str(gate)}]})
    work.turns("both_at_once", "both")
    start = {"workflow": "both_at_once", "task": "x", "folder": str(work.place.project)}
    answers = await asyncio.gather(*(editor.command("workflow.start", **start, startToken="t1") for _ in range(3)))
    (first,) = {one["runId"] for one in answers}
    assert sorted(one["effect"] for one in answers) == ["alreadyActive", "alreadyActive", "started"]
    refused = await editor.command("workflow.start", **start)
    assert (refused["effect"], refused["runId"]) == ("alreadyActive", first)

    second = (await editor.command("workflow.start", **start, concurrent=True))["runId"]
    third = (await editor.command("workflow.start", **{**start, "folder": other.as_uri()}))["runId"]
    unsaid = await editor.refused("workflow.start", workflow="both_at_once", task="x")
    assert unsaid.data == {"code": "bad_argument", "folders": [str(work.place.project), str(other)]}
    runs = (first, second, third)
    for run_id in runs:
        await editor.node(run_id, "both")
    listed = {one["runId"]: one for one in (await editor.command("run.list"))["runs"]}
    assert [listed[run_id]["owner"] for run_id in runs] == ["here"] * 3
    assert [one["runId"] for one in (await editor.command("run.list", folder=str(other)))["runs"]] == [third]
    gate.touch()
    for run_id in runs:
        await editor.status(run_id, "completed", "none")
        await editor.until(lambda run_id=run_id: ended_progress(editor, run_id))
    assert len({editor.tokens(run_id)[0] for run_id in runs}) == 3
    assert (await editor.command("workflow.start", **start, startToken="t1"))["runId"] == first
    assert work.place.turns()["both"] == 3
