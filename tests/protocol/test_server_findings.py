"""Findings of real runs in an editor: published where they are meant, mended, dismissed, and gone with what made them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from pathlib import Path

import pytest
import pytest_asyncio
from lsprotocol import types

from sprintwright.lsp.uris import to_path
from tests.protocol.workplace import GOOD, Editor, Workplace

pytestmark = pytest.mark.asyncio(loop_scope="module")

JUDGED = (
    "id: passes, kind: loop, max_iterations: 4, body: ["
    "{id: make, kind: agent_turn, role: w, prompt: make}, "
    "{id: judge, kind: agent_turn, role: w, prompt: judge, save_as: findings, verdict: "
    "{good_to_go: {action: break}, needs_refinement: {action: retry}}}]"
)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def work(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Workplace]:
    async with Workplace(tmp_path_factory.mktemp("work")) as made:
        made.define("judged", JUDGED)
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(work: Workplace) -> Editor:
    return await work.editor()


def judge(work: Workplace, *passes: Mapping[str, object]) -> None:
    """Say what the judge of each pass says; whatever was said in runs before is forgotten."""
    work.place.counts.unlink(missing_ok=True)
    work.script({f"passes[{number}]/judge": [dict(one)] for number, one in enumerate(passes, start=1)})


def bad(*lines: str) -> dict[str, object]:
    """A judgement with findings."""
    return {"text": "\n".join([*lines, "VERDICT: needs_refinement"])}


async def actions(editor: Editor, file: Path, about: types.Diagnostic) -> list[types.CodeAction]:
    """What the editor's menu has for a diagnostic."""
    params = types.CodeActionParams(
        text_document=types.TextDocumentIdentifier(file.as_uri()),
        range=about.range,
        context=types.CodeActionContext([about]),
    )
    found = await editor.client.text_document_code_action_async(params)
    return [one for one in found or [] if isinstance(one, types.CodeAction)]


async def choose(editor: Editor, file: Path, about: types.Diagnostic, title: str, **more: object) -> object:
    """Choose one of them, as a user does."""
    (action,) = [one for one in await actions(editor, file, about) if one.title.startswith(title)]
    assert action.command is not None and action.command.arguments is not None
    (argument,) = action.command.arguments
    assert isinstance(argument, dict)
    return await editor.command(action.command.command.removeprefix("sprintwright."), **{**argument, **more})


async def test_findings_are_shown_while_the_run_goes_on_and_cleared_once_a_later_pass_has_them_fixed(
    editor: Editor, work: Workplace
) -> None:
    file, gates = work.place.project / "app é.txt", [work.path(f"judge-{number}") for number in (2, 3)]
    file.write_text("one\né😀 bad, so bad\nthree\n", encoding="utf-8")
    judge(
        work,
        bad("app é.txt:2:4: error: this is bad [E1]", "app é.txt:3: warning: and this"),
        {**bad("app é.txt:2:4: error: this is bad [E1]"), "wait_for": str(gates[0])},
        {**GOOD, "wait_for": str(gates[1])},
    )
    run_id = await editor.begin("judged")
    first, second = sorted(await editor.diagnostics(file, 2), key=lambda one: one.range.start.line)
    assert (first.range.start, first.source) == (types.Position(1, 4), "sprintwright"), "in UTF-16 units"
    assert first.severity == types.DiagnosticSeverity.Error and "this is bad" in first.message
    assert second.severity == types.DiagnosticSeverity.Warning and second.range.start.line == 2
    assert first.related_information and "pass 1" in first.related_information[0].message
    shown = {one["id"]: one for one in (await editor.get(run_id))["findings"]}
    assert {one.data["finding"] for one in (first, second)} == set(shown)  # type: ignore[index]
    assert editor.run(run_id)["openFindings"] == 2

    gates[0].touch()
    (left,) = await editor.diagnostics(file, 1)
    assert left.data == first.data and left.related_information
    assert {one["status"] for one in (await editor.get(run_id))["findings"]} == {"open", "fixed"}
    gates[1].touch()
    await editor.diagnostics(file, 0)
    await editor.status(run_id, "completed", "none")
    assert not editor.run(run_id).is_stale


async def test_a_finding_is_dismissed_mended_by_an_agent_and_gone_with_its_run(editor: Editor, work: Workplace) -> None:
    file = work.place.project / "b.txt"
    file.write_text("".join(f"line {number}\n" for number in range(9)))
    judge(work, *[bad("b.txt:1: error: first", "b.txt:2: error: second", "b.txt:3: hint: third")] * 4)
    run_id = await editor.begin("judged")
    await editor.status(run_id, "not_converged", "none")
    first, second, third = sorted(await editor.diagnostics(file, 3), key=lambda one: one.range.start.line)
    offered = await actions(editor, file, first)
    assert [one.title.partition(":")[0].partition(" of run")[0] for one in offered] == [
        "Fix with an agent",
        "Dismiss this finding",
        "Open the findings report",
    ]
    report = offered[2].command
    assert report is not None and report.arguments is not None and isinstance(report.arguments[0], dict)
    path = to_path(report.arguments[0]["uri"])
    assert path is not None and "second" in path.read_text(encoding="utf-8")

    assert await choose(editor, file, first, "Dismiss") == {"runId": run_id, "status": "not_converged"}
    assert [one.data for one in await editor.diagnostics(file, 2)] == [second.data, third.data]
    assert first.data is not None
    twice = await editor.refused("finding.dismiss", **first.data)  # type: ignore[arg-type]
    assert twice.data["code"] == "unknown_finding" and "dismissed already" in twice.message

    work.script({"passes[1]/generator": [{"text": "mended", "writes": {"b.txt": "all new\n"}}]})
    work.script({"passes[1]/evaluator": [GOOD]})
    begun = await choose(editor, file, second, "Fix", startToken="fix once")
    assert isinstance(begun, dict) and begun["effect"] == "started"
    await editor.status(begun["runId"], "completed", "none")
    told = next(turn["prompt"] for turn in work.place.prompts() if turn["key"] == "passes[1]/generator")
    assert "Place: b.txt:2" in told and "second" in told and "first" not in told
    assert "all new" in (await editor.command("run.changes", runId=begun["runId"]))["diff"]
    assert [one.data for one in await editor.diagnostics(file, 1)] == [third.data]
    assert second.data is not None
    twice = await editor.refused("finding.fix", **{**second.data, "startToken": "fix once"})  # type: ignore[arg-type]
    assert twice.data["code"] == "unknown_finding" and "fixed already" in twice.message

    assert await editor.command("run.delete", runId=run_id) == {"runId": run_id, "problems": []}
    await editor.diagnostics(file, 0)
    assert run_id in editor.deleted
    assert (await editor.refused("run.get", runId=run_id)).data["code"] == "unknown_run"


async def test_x045_x048_a_finding_is_plain_text_and_never_outside_of_the_folder(
    editor: Editor, work: Workplace
) -> None:
    file, outside, gate = work.place.project / "c.txt", work.path("outside.txt"), work.path("enough")
    for one in (file, outside):
        one.write_text("x\n")
    said = bad("../outside.txt:1: error: outside", "c.txt:1: error: see [here](command:evil) \x1b[31mred")
    judge(work, said, {**GOOD, "wait_for": str(gate)})
    run_id = await editor.begin("judged")
    (shown,) = await editor.diagnostics(file, 1)
    assert "see [here](command:evil)" in shown.message and "\x1b" not in shown.message
    assert all("](" not in one.title and "\x1b" not in one.title for one in await actions(editor, file, shown))
    gate.touch()
    await editor.diagnostics(file, 0)
    await editor.status(run_id, "completed", "none")
    assert outside.as_uri() not in editor.client.diagnostics
