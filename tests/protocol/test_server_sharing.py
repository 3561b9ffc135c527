"""Several programs on one folder: a server after a crash, two windows, a window and a terminal, and the end of one."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.protocol.support import is_alive
from tests.protocol.workplace import GOOD, Editor, Workplace

pytestmark = pytest.mark.asyncio(loop_scope="module")

PLAIN = types.ClientCapabilities(window=types.WindowClientCapabilities(work_done_progress=True))
"""A client that has no buttons."""


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def work(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Workplace]:
    async with Workplace(tmp_path_factory.mktemp("work")) as made:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def windows(work: Workplace) -> tuple[Editor, Editor]:
    """Two on one folder; the second can't ask its user anything."""
    first, second = await asyncio.gather(work.editor(), work.editor(capabilities=PLAIN, questions=False))
    return first, second


def ask(key: str) -> str:
    """A stage that asks."""
    return f"id: {key}, kind: user_checkpoint, prompt: 'What of {key}?', save_as: {key}_answer"


def turn(key: str, prompt: str = "go") -> str:
    """A stage that is a turn."""
    return f"id: {key}, kind: agent_turn, role: w, prompt: '{prompt}'"


async def test_r083_a_new_server_after_a_crash_shows_it_all_and_goes_on_without_doing_a_thing_twice(
    work: Workplace,
) -> None:
    """Killed with a turn at work, findings shown, and a question asked."""
    file, told = work.place.project / "f.txt", work.signal("killed")
    file.write_text("a\nb\n")
    work.script(
        {
            "once[1]/judge": [{"text": "f.txt:2: warning: left over\nVERDICT: good_to_go"}],
            "hang": [{"hang": True, "tell": told.path}, GOOD],
        }
    )
    judge = turn("judge") + ", save_as: findings, verdict: {good_to_go: {action: break}}"
    work.define("crashing", f"id: once, kind: loop, max_iterations: 1, body: [{{{judge}}}]", turn("hang"))
    work.define("asking", ask("first"), ask("second"), turn("told", "{{first_answer}} and {{second_answer}}"))
    killed = await work.editor()
    crashing = await killed.begin("crashing")
    await told.wait()
    asking = await killed.begin("asking", concurrent=True)
    await killed.question("first")
    await killed.diagnostics(file, 1)
    before = {run_id: (await killed.get(run_id))["revision"] for run_id in (crashing, asking)}
    await killed.kill()

    after = await work.editor(questions=False)
    lost = await after.status(crashing, "interrupted", "none")
    waits = await after.until(lambda: after.run(asking)["questions"] and after.run(asking))
    assert [one["key"] for one in waits["questions"]] == ["first"] and not after.asked
    assert all(after.run(run_id).revision >= before[run_id] for run_id in before)
    assert lost.node("hang") == "interrupted" and len(await after.diagnostics(file, 1)) == 1
    listed = {one["runId"]: one["status"] for one in (await after.command("run.list"))["runs"]}
    assert listed[crashing] == "interrupted" and listed[asking] == waits["status"]

    cut = await after.refused("workflow.resume", runId=crashing)
    assert cut.data["code"] == "needs_choice" and cut.data["interrupted"][0]["key"] == "hang"
    left = work.pid("hang")
    assert (await after.command("workflow.resume", runId=crashing, interrupted="redo"))["effect"] == "advanced"
    await after.status(crashing, "completed", "none")
    assert not is_alive(left), "what the killed server left at work was ended first"
    assert [work.place.turns()[key] for key in ("once[1]/judge", "hang")] == [1, 2]
    twice = await after.refused("workflow.resume", runId=crashing)
    assert twice.data["code"] == "already_done"

    assert (await after.command("run.answer", runId=asking, text="red"))["effect"] == "advanced"
    second = await after.question("What of second?")
    assert second.method == types.WINDOW_SHOW_MESSAGE_REQUEST
    assert [one.title for one in second.params.actions] == ["Go on without an answer", "Later"]
    second.answer(types.MessageActionItem("Later"))
    assert (await after.command("run.answer", runId=asking, text="blue"))["effect"] == "advanced"
    await after.status(asking, "completed", "none")
    assert work.place.prompts()[-1]["prompt"].endswith("red and blue") and len(after.asked) == 1
    assert not lost.is_stale and not waits.is_stale
    assert (await after.get(asking))["revision"] == waits.revision


async def test_r089_a_second_window_looks_on_and_its_user_can_act_through_the_owner(
    work: Workplace, windows: tuple[Editor, Editor]
) -> None:
    """Two servers and a terminal on one folder: one owner; every act reaches it, and everybody sees what came of it."""
    told, gate = work.signal("shared"), work.path("shared-gate")
    work.script({"slow": [{**GOOD, "tell": told.path, "wait_after": str(gate)}]})
    work.define("shared", turn("slow"), turn("next"), ask("where"), ask("when"), turn("never"))
    work.script({"never": [{"hang": True}]})
    owner, other = windows
    run_id = await owner.begin("shared")
    await told.wait()
    seen = await other.node(run_id, "slow")
    assert (seen["status"], seen["owner"]) == ("running", "elsewhere")
    assert not other.tokens(run_id)
    for verb, more in (
        ("workflow.resume", {}),
        ("workflow.end", {}),
        ("run.delete", {}),
        ("run.rerun", {"leaf": "slow"}),
    ):
        refused = await other.refused(verb, runId=run_id, **more)
        assert (refused.data["code"], refused.data["pid"]) == ("run_owned", owner.client.process.pid), verb
        assert f"process {owner.client.process.pid}" in refused.message
    active = await other.command("workflow.start", workflow="shared", task="x")
    assert (active["effect"], active["runId"]) == ("alreadyActive", run_id)

    await other.command("run.pause", runId=run_id)
    gate.touch()
    await owner.status(run_id, "paused", "none")
    assert (await owner.command("run.continue", runId=run_id))["effect"] == "advanced"
    await owner.question("where")
    first, second = await asyncio.gather(
        *(answered(one, run_id, "where", word) for one, word in ((owner, "here"), (other, "there")))
    )
    assert sorted((first, second)) == ["advanced", "no_question"], "the first answer counts, and the other is told"
    await owner.question("when")
    said = await asyncio.to_thread(work.place.call, "answer", run_id, "now")
    assert said.returncode == 0, said.stderr
    await owner.node(run_id, "never")
    assert owner.run(run_id).nodes["when"]["detail"] == "answered: now"
    assert (await other.command("run.cancel", runId=run_id))["runId"] == run_id
    await asyncio.gather(*(one.status(run_id, "cancelled", "none") for one in (owner, other)))
    assert not other.asked and not other.client.messages, "only the owner's user is asked"
    assert other.run(run_id).nodes == owner.run(run_id).nodes and not other.run(run_id).is_stale
    assert [work.place.turns()[key] for key in ("slow", "next", "never")] == [1, 1, 1]


async def answered(editor: Editor, run_id: str, key: str, text: str) -> str:
    """Answer; the effect, or why not."""
    try:
        return (await editor.command("run.answer", runId=run_id, question=key, text=text))["effect"]
    except JsonRpcException as refused:
        assert isinstance(refused.data, dict)
        return str(refused.data["code"])


@pytest.mark.exhaustive
async def test_r089_of_two_windows_that_answer_at_once_one_counts_a_hundred_times(
    work: Workplace, windows: tuple[Editor, Editor]
) -> None:
    keys = [f"q{number}" for number in range(100)]
    work.define("quiz", *(ask(key) for key in keys))
    owner, other = windows
    run_id = await owner.begin("quiz", concurrent=True)
    for key in keys:
        await owner.until(lambda key=key: owner.run(run_id).node(key) == "waiting")
        both = ((owner, "owner"), (other, "other"))
        effects = await asyncio.gather(*(answered(one, run_id, key, word) for one, word in both))
        assert sorted(effects) == ["advanced", "no_question"]
        winner = both[effects.index("advanced")][1]
        await owner.node(run_id, key, "done")
        assert owner.run(run_id).nodes[key]["detail"] == f"answered: {winner}"
    await owner.status(run_id, "completed", "none")


@pytest.mark.exhaustive
async def test_r089_a_run_of_a_terminal_is_seen_and_acted_on_in_a_window(
    work: Workplace, windows: tuple[Editor, Editor]
) -> None:
    _, editor = windows
    told = work.signal("terminal")
    work.script({"stays": [{"hang": True, "tell": told.path}]})
    work.define("by_terminal", turn("stays"))
    process = work.place.start("run", "by_terminal", "x", "--concurrent")
    try:
        await told.wait()
        run = (await editor.until(lambda: [one for one in editor.runs.values() if one.node("stays")]))[0]
        assert (run["owner"], run["status"]) == ("elsewhere", "running")
        refused = await editor.refused("workflow.resume", runId=run["runId"])
        assert refused.data["pid"] == process.pid and refused.data["program"].startswith("sprintwright ")
        await editor.command("run.cancel", runId=run["runId"])
        await editor.status(run["runId"], "cancelled", "none")
        await asyncio.to_thread(process.communicate, None, 60)
        assert process.returncode == 130, "as for Ctrl+C"
    finally:
        process.kill()
        process.communicate()
    assert not is_alive(work.pid("stays"))


async def test_a_client_that_cannot_ask_is_told_which_command_answers(
    work: Workplace, windows: tuple[Editor, Editor]
) -> None:
    _, editor = windows
    work.define("puzzled", ask("puzzle"))
    run_id = await editor.begin("puzzled", concurrent=True)
    (shown,) = await editor.until(lambda: [one for one in editor.client.messages if run_id in one.message])
    assert "What of puzzle?" in shown.message and "sprintwright.run.answer" in shown.message
    assert (await editor.command("run.answer", runId=run_id, text="solved"))["effect"] == "advanced"
    await editor.status(run_id, "completed", "none")
    assert not editor.asked


async def test_r092_shutdown_in_the_middle_of_runs_leaves_them_resumable_and_no_agent(work: Workplace) -> None:
    """Three turns at work, and a question that the client still shows."""
    signals = {f"busy_{number}": work.signal(f"busy-{number}") for number in range(3)}
    work.script({key: [{"hang": True, "tell": told.path}] for key, told in signals.items()})
    for key in signals:
        work.define(key, turn(key))
    work.define("waiting", ask("open_question"))
    editor = await work.editor()
    busy = [await editor.begin(key, concurrent=True) for key in signals]
    asking = await editor.begin("waiting", concurrent=True)
    await asyncio.gather(*(told.wait() for told in signals.values()), editor.question("open_question"))
    assert await editor.shut_down() == 0
    assert not any(is_alive(work.pid(key)) for key in signals)
    assert [editor.run(run_id)["status"] for run_id in busy] == ["interrupted"] * 3, "the client is told before"

    listed = (await asyncio.to_thread(work.place.call, "list", "--json")).stdout.splitlines()
    found = {one["runId"]: one["status"] for one in map(json.loads, listed)}
    assert [found[run_id] for run_id in busy] == ["interrupted"] * 3
    assert found[asking] == "paused"
