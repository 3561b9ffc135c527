"""Every command on the real server: what it refuses and how it says so, and each that changes a run used once."""

from __future__ import annotations

import json
import sys
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import pytest_asyncio
from pydantic import BaseModel

from sprintwright.lsp.methods import PROTOCOL
from tests.protocol.golden import COMMANDS, FOLDER
from tests.protocol.workplace import Editor, Workplace
from tests.support.terminal import AGENT

pytestmark = pytest.mark.asyncio(loop_scope="module")

NOBODY = "20260101-000000000-none"


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def work(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Workplace]:
    async with Workplace(tmp_path_factory.mktemp("work")) as made:
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(work: Workplace) -> Editor:
    return await work.editor()


def faults(name: str, model: type[BaseModel]) -> Iterator[tuple[object, str]]:
    """Wrong arguments of a command, and a word that its error must have: each field missing, of another type, unknown."""
    whole = json.loads((FOLDER / f"{name}.argument.json").read_text(encoding="utf-8"))
    schema = model.model_json_schema(by_alias=True)
    yield "text", "dictionary"
    yield [whole], "dictionary"
    yield {**whole, "colour": 1}, "colour"
    for field, kind in schema["properties"].items():
        takes_words = any(one.get("type") == "string" and "enum" not in one for one in [kind, *kind.get("anyOf", ())])
        yield {**whole, field: 5 if takes_words else "x"}, field
        if field in schema.get("required", ()):
            yield {key: value for key, value in whole.items() if key != field}, field
            yield {key: value for key, value in whole.items() if key != field} | {snake(field): "x"}, field


def snake(field: str) -> str:
    """A field's name as it is inside; on the wire it is not known."""
    return "".join(f"_{one.lower()}" if one.isupper() else one for one in field) + ("_" if field.islower() else "")


@pytest.mark.parametrize("command", COMMANDS)
async def test_wrong_arguments_are_refused_by_name_and_the_server_goes_on(editor: Editor, command: str) -> None:
    model, _ = COMMANDS[command]
    name = command.removeprefix("sprintwright.")
    for argument, word in faults(name, model):
        refused = await editor.refused_with(name, argument)
        assert refused.code == -32602, (argument, refused)
        assert word in refused.message, (argument, refused)
    if "runId" in model.model_json_schema(by_alias=True)["properties"]:
        whole = json.loads((FOLDER / f"{name}.argument.json").read_text(encoding="utf-8"))
        unknown = await editor.refused(name, **{**whole, "runId": NOBODY})
        assert (unknown.code, unknown.data["code"]) == (-32803, "unknown_run"), unknown
        assert f"There is no run '{NOBODY}'." in unknown.message
    assert "runs" in await editor.command("run.list")


@pytest.mark.parametrize(
    ("given", "field"),
    [
        ({"limits": {"turnSeconds": "5"}}, "limits.turnSeconds"),
        ({"limits": {"cost": True}}, "limits.cost"),
        ({"limits": {"wallSeconds": 0}}, "limits.wallSeconds"),
        ({"limits": {"turns": 0}}, "limits.turns"),
        ({"limits": {"turns": True}}, "limits.turns"),
        ({"limits": {"hours": 1}}, "limits.hours"),
        ({"roles": {"w": 1}}, "roles.w"),
        ({"pauseAfter": ["a", 1]}, "pauseAfter.1"),
        ({"maxPasses": -1}, "maxPasses"),
        ({"concurrent": 1}, "concurrent"),
        ({"workflow": ""}, "workflow"),
    ],
)
async def test_a_wrong_value_deep_in_an_argument_is_named(editor: Editor, given: dict[str, Any], field: str) -> None:
    refused = await editor.refused("workflow.start", **{"workflow": "dev", "task": "x", **given})
    assert refused.code == -32602 and refused.message.startswith(f"{field}: "), refused


@pytest.mark.parametrize(
    ("given", "code", "words"),
    [
        ({"workflow": "dve"}, "unknown_workflow", "Did you mean 'dev'?"),
        ({"roles": {"designr": "scripted"}}, "unknown_role", "designer"),
        ({"roles": {"designer": "nobody"}}, "unknown_agent", "scripted"),
        ({"task": " "}, "no_task", "Say what is to be done"),
        ({"vars": {"colour": "red"}}, "bad_argument", "plan_instructions"),
        ({"pauseAfter": ["nowhere"]}, "bad_argument", "sprints"),
        ({"folder": "/"}, "bad_argument", "is not an open folder; open are:"),
        ({"folder": "project"}, "bad_argument", "is not an open folder; open are:"),
    ],
)
async def test_a_start_that_cannot_be_names_what_there_is_and_leaves_nothing(
    editor: Editor, work: Workplace, given: dict[str, Any], code: str, words: str
) -> None:
    refused = await editor.refused("workflow.start", **{"workflow": "dev", "task": "x", **given})
    assert (refused.code, refused.data["code"]) == (-32803, code), refused
    assert words in refused.message
    assert not any(one["workflow"] == "dev" for one in (await editor.command("run.list"))["runs"])


async def test_a_workflow_is_created_and_can_be_started_at_once(editor: Editor) -> None:
    made = await editor.command("workflow.create", name="mine-too")
    listed = (await editor.command("workflow.list"))["workflows"]
    assert [(one["uri"], one["problems"]) for one in listed if one["name"] == "mine-too"] == [(made["uri"], [])]
    again = await editor.refused("workflow.create", name="mine-too")
    assert again.data["code"] == "bad_argument"


async def test_every_verb_that_changes_a_run_is_used_once_for_real(editor: Editor, work: Workplace) -> None:
    run_id = await paused_run(editor, work)
    await reconfigure_say_and_answer(editor, work, run_id)
    await look_at_changes(editor, run_id)
    await rerun_restore_and_delete(editor, work, run_id)


async def paused_run(editor: Editor, work: Workplace) -> str:
    """A run of two turns with a question between them, in the pause before the question."""
    other = {"kind": "cli", "command": [sys.executable, str(AGENT), str(work.path("script")), str(work.place.counts)]}
    work.settings["agents"] = {"other": other}
    work.script(
        {
            "make": [{"text": "a.txt:1: error: not good", "writes": {"a.txt": "made\n"}}],
            "paint": [{"text": "painted", "writes": {"a.txt": "painted\n", "b.txt": "new\n"}}],
        }
    )
    work.define(
        "house",
        "id: make, kind: agent_turn, role: w, prompt: 'make it'",
        "id: ask, kind: user_checkpoint, prompt: 'Which colour?', save_as: colour",
        "id: paint, kind: agent_turn, role: w, prompt: 'paint it {{colour}}'",
    )
    (work.place.project / "a.txt").write_text("mine\n")
    run_id = await editor.begin("house", pauseAfter=["make"])
    asked = await editor.question("make/pause")
    assert asked.params["choices"] == ["continue", "stop"]
    wrong = await editor.refused("run.answer", runId=run_id, text="perhaps")
    assert wrong.data["code"] == "bad_argument" and "continue, stop" in wrong.message
    live = await editor.refused("run.reconfigure", runId=run_id, roles={"w": "other"})
    assert live.data["code"] == "run_owned" and live.data["pid"] == editor.client.process.pid
    asked.answer({"text": "stop"})
    await editor.status(run_id, "paused", "none")
    return run_id


async def reconfigure_say_and_answer(editor: Editor, work: Workplace, made: str) -> None:
    """To the run's end."""
    nobody = await editor.refused("run.reconfigure", runId=made, roles={"w": "nobody"})
    assert nobody.data["code"] == "unknown_agent" and "other" in nobody.data["known"]
    unknown = await editor.refused("run.reconfigure", runId=made, roles={"v": "other"})
    assert unknown.data["code"] == "unknown_role" and unknown.data["known"] == ["w"]
    assert (await editor.get(made))["roles"] == {"w": "scripted"}
    changed = await editor.command("run.reconfigure", runId=made, roles={"w": "other"})
    assert changed == {"runId": made, "status": "paused", "roles": {"w": "other"}}

    nothing = await editor.refused("run.answer", runId=made, text="blue", question="nowhere")
    assert nothing.data["code"] == "no_question"
    empty = await editor.refused("run.say", runId=made, text=" \n")
    assert empty.data["code"] == "bad_argument" and "give the words" in empty.message
    lost = await editor.refused("run.say", runId=made, text="x", lane="items[9]")
    assert lost.data["code"] == "unknown_leaf"
    assert await editor.command("run.say", runId=made, text="mind the gap") == {"runId": made, "status": "paused"}

    assert (await editor.command("run.continue", runId=made))["effect"] == "advanced"
    asked = await editor.question("Which colour?")
    assert (await editor.command("run.say", runId=made, text="and the cat"))["status"] == "waiting"
    answered = await editor.command("run.answer", runId=made, text="blue", question=asked.params["key"])
    assert answered["effect"] == "advanced" and "answered" in answered["message"]
    run = await editor.status(made, "completed", "none")
    assert run.nodes["make"]["agent"] == "scripted" and run.nodes["paint"]["agent"] == "other"
    (told,) = [turn["prompt"] for turn in work.place.prompts() if turn["key"] == "paint"]
    assert all(words in told for words in ("paint it blue", "mind the gap", "and the cat"))
    asked.answer({"text": "red"})  # too late: it changes nothing
    late = await editor.refused("run.answer", runId=made, text="red")
    assert late.data["code"] == "no_question"


async def look_at_changes(editor: Editor, made: str) -> None:
    """Of the whole run, and of a turn."""
    whole = await editor.command("run.changes", runId=made)
    assert "-mine" in whole["diff"] and "+painted" in whole["diff"] and "+made" not in whole["diff"]
    leaf = await editor.command("run.changes", runId=made, leaf="make")
    assert "+made" in leaf["diff"] and "painted" not in leaf["diff"]
    assert leaf["files"] == [{"path": "a.txt", "status": "modified"}]
    named = await editor.command("run.changes", runId=made, leaf="make", diff=False)
    assert named == {**leaf, "diff": ""}
    assert whole["before"] == leaf["before"] and whole["after"] != leaf["after"]
    assert [one["path"] for one in whole["files"]] == ["a.txt", "b.txt"]
    await look_at_files(editor, made, leaf["before"], leaf["after"])
    nowhere = await editor.refused("run.changes", runId=made, leaf="nowhere")
    assert nowhere.data["code"] == "unknown_leaf" and "paint" in nowhere.data["known"]


async def look_at_files(editor: Editor, made: str, before: str, after: str) -> None:
    """As they were at a moment of the run, and of no other."""
    for tree, text in ((before, "mine\n"), (after, "made\n")):
        there = await editor.command("run.fileAt", runId=made, tree=tree, path="a.txt")
        assert there == {"runId": made, "tree": tree, "path": "a.txt", "text": text}
    for tree, path in (
        (after, "b.txt"), (after, "../a.txt"), (after, "/etc/passwd"), (after, "."), (after, "a.txt\n"),
        ("0" * 40, "a.txt"), ("HEAD", "a.txt"), (f"{after}:", "a.txt"), ("--help", "a.txt"),
    ):  # fmt: skip
        refused = await editor.refused("run.fileAt", runId=made, tree=tree, path=path)
        assert refused.data["code"] == "bad_argument", (tree, path)


async def rerun_restore_and_delete(editor: Editor, work: Workplace, made: str) -> None:
    """Each first refused, or looked at, then done."""
    file, new = work.place.project / "a.txt", work.place.project / "b.txt"
    preview = await editor.command("run.rerun", runId=made, leaf="paint", preview=True)
    assert preview == {"runId": made, "again": ["paint"]} and work.place.turns()["paint"] == 1
    nowhere = await editor.refused("run.rerun", runId=made, leaf="nowhere")
    assert nowhere.data["code"] == "unknown_leaf"
    told = len(editor.run(made).told)
    assert (await editor.command("run.rerun", runId=made, leaf="paint"))["effect"] == "advanced"
    await editor.status(made, "completed", "none", after=told)
    assert (work.place.turns()["make"], work.place.turns()["paint"]) == (1, 2)

    seen = await editor.command("run.restore", runId=made, to="make")
    assert (seen["applied"], seen["undo"]) == (False, "") and file.read_text() == "painted\n"
    assert seen["changes"] == [{"path": "a.txt", "status": "modified"}, {"path": "b.txt", "status": "deleted"}]
    done = await editor.command("run.restore", runId=made, to="make", apply=True)
    assert done["applied"] and (file.read_text(), new.exists()) == ("mine\n", False)
    undone = await editor.command("run.restore", runId=made, to=done["undo"], apply=True)
    assert undone["applied"] and (file.read_text(), new.read_text()) == ("painted\n", "new\n")
    nowhere = await editor.refused("run.restore", runId=made, to="nowhere")
    assert nowhere.data["code"] == "unknown_leaf" and "make" in nowhere.data["known"]

    finding = await editor.refused("finding.fix", runId=made, finding="zz")
    assert finding.data["code"] == "unknown_finding"
    resumed = await editor.refused("workflow.resume", runId=made)
    assert resumed.data["code"] == "already_done"
    assert not editor.run(made).is_stale
    assert await editor.command("run.delete", runId=made) == {"runId": made, "problems": []}
    await editor.until(lambda: made in editor.deleted)
    assert file.read_text() == "painted\n", "the folder's own files stay"
    assert (await editor.refused("run.delete", runId=made)).data["code"] == "unknown_run"


async def test_r088_a_client_of_another_protocol_is_told_both_versions_and_gets_nothing_half(work: Workplace) -> None:
    older = await work.editor(protocol=PROTOCOL + 1)
    (shown,) = await older.until(lambda: older.client.messages)
    for command in COMMANDS:
        refused = await older.refused(command.removeprefix("sprintwright."))
        assert refused.data == {"code": "protocol_mismatch"} and refused.message == shown.message
    assert f"version {PROTOCOL + 1} of" in shown.message and f"version {PROTOCOL}." in shown.message
    assert "Update" in shown.message and not older.runs


async def test_x001_nothing_is_done_in_a_workspace_that_is_not_trusted(work: Workplace) -> None:
    careful = await work.editor(trusted="true")  # only true itself is
    for command in COMMANDS:
        refused = await careful.refused(command.removeprefix("sprintwright."))
        assert refused.data["code"] == "untrusted" and "Trust the workspace" in refused.message
    assert not careful.runs
