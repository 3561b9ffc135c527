"""Which findings of runs are shown, and when: folders, runs, versions, work that overlaps."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from sprintwright.journal.store import RunFolder
from sprintwright.lsp.finding_diagnostics import FileJob, diagnostics_of
from sprintwright.lsp.findings import RunFindings
from sprintwright.lsp.uris import to_uri
from sprintwright.model.finding import Finding
from sprintwright.state.fold import RunState
from tests.unit.lsp.editor import NEW, OLD, Editor, found


@pytest.fixture
def editor(tmp_path: Path) -> Editor:
    return Editor(tmp_path)


# Which findings are shown


async def test_only_open_findings_are_shown_and_one_is_open_while_one_evaluator_finds_it(editor: Editor) -> None:
    editor.write("a.py")
    await editor.run(
        found("open"), found("fixed", "fixed"), found("none", "dismissed"), found("both"), found("both", "fixed", "b")
    )
    assert editor.texts() == ["open", "both"]
    related = editor.shows[editor.uri("a.py")][1].related_information or []
    assert len(related) == 1


@pytest.mark.parametrize("later", ["open", "fixed", "dismissed"])
@pytest.mark.parametrize("order", [(OLD, NEW), (NEW, OLD)])
async def test_of_several_runs_the_newest_that_knows_a_finding_decides(
    editor: Editor, later: str, order: tuple[str, str]
) -> None:
    editor.write("a.py")
    by_run = {OLD: [found("same"), found("old only")], NEW: [found("same", later)]}
    for run_id in order:
        await editor.run(*by_run[run_id], run_id=run_id)
    assert sorted(editor.texts()) == (["old only", "same"] if later == "open" else ["old only"])
    if later == "open":
        data = {one.message: one.data["runId"] for one in editor.shows[editor.uri("a.py")] if one.data}
        assert data == {"same": NEW, "old only": OLD}


async def test_what_a_deleted_run_found_is_cleared_and_the_run_before_decides_again(editor: Editor) -> None:
    editor.write("a.py")
    await editor.run(found("same"))
    await editor.run(found("same", "dismissed"), found("new"), run_id=NEW)
    assert editor.texts() == ["new"]
    assert editor.board.folder_of(NEW) == editor.folder
    editor.board.set_run(None, NEW)
    await editor.settled()
    assert editor.texts() == ["same"]
    editor.board.set_run(None, OLD)
    editor.board.set_run(None, "20260303-000000000-cccc")
    await editor.settled()
    assert editor.all == {}
    assert editor.board.folder_of(NEW) is None


@pytest.mark.parametrize(
    "path", ["", "/etc/passwd", "../outside.py", "sub/../../outside.py", "C:\\x", "\\\\server\\share", "a\0b", ".", "\ud800"]
)  # fmt: skip
async def test_x029_paths_outside_of_the_folder_and_none_have_no_diagnostic(editor: Editor, path: str) -> None:
    (editor.folder.parent / "outside.py").write_text("out")
    await editor.run(found(path=path))
    assert editor.sent == []


async def test_two_ways_to_write_a_path_are_one_file(editor: Editor) -> None:
    editor.write("a.py")
    await editor.run(found("one", path="./a.py"), found("two"), found("three", path=".//a.py"))
    assert editor.texts() == ["one", "two", "three"]


async def test_x029_links_that_lead_out_of_the_folder_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "secret.py").write_text("secret\n")
    editor = Editor(tmp_path / "in")
    (editor.folder / "file.py").symlink_to(tmp_path / "out" / "secret.py")
    (editor.folder / "dir").symlink_to(tmp_path / "out")
    (editor.folder / "loop").symlink_to("loop")
    editor.write("real.py")
    (editor.folder / "link.py").symlink_to("real.py")
    paths = ["file.py", "dir/secret.py", "loop", "link.py"]
    await editor.run(*(found(path=path, snippet="three") for path in paths))
    assert list(editor.all) == [editor.uri("link.py")]
    assert editor.only("link.py").range.start.line == 2


async def test_r090_a_removed_folder_is_cleared_and_shown_once_when_it_is_added_again(tmp_path: Path) -> None:
    editor = Editor(tmp_path / "one")
    other = tmp_path / "two"
    editor.write("a.py")
    editor.write("../two/a.py")
    await editor.run(found())
    await editor.run(found(), run_id=NEW, folder=other)
    editor.board.remove_folder(editor.folder)
    await editor.settled()
    assert list(editor.all) == [to_uri(other / "a.py")]
    await editor.run(found(), found("more", line=3))
    assert list(editor.all) == [to_uri(other / "a.py")]
    editor.sent.clear()
    for _ in range(2):
        editor.board.add_folder(editor.folder)
    await editor.settled()
    assert editor.texts() == ["wrong", "more"]
    assert len(editor.sent) == 1


async def test_r091_a_file_in_two_nested_folders_shows_the_findings_of_both(editor: Editor) -> None:
    editor.write("sub/a.py")
    await editor.run(found("outer", path="sub/a.py"))
    await editor.run(found("inner"), run_id=NEW, folder=editor.folder / "sub")
    assert editor.texts("sub/a.py") == ["outer", "inner"]
    editor.board.remove_folder(editor.folder)
    await editor.settled()
    assert editor.texts("sub/a.py") == ["inner"]


# Versions, and work that overlaps


class Held:
    """Holds the working out of files in its thread until it is let go."""

    def __init__(self) -> None:
        self.jobs: list[FileJob] = []
        self._loop = asyncio.get_running_loop()
        self.begun: asyncio.Queue[Callable[[], None]] = asyncio.Queue()
        self.most = self._now = 0

    async def to_thread(self, work: Callable[..., Any], *arguments: Any) -> Any:
        if work is not diagnostics_of:
            return work(*arguments)
        self.jobs.append(arguments[0])
        self._now += 1
        self.most = max(self.most, self._now)
        gate = self._loop.create_future()
        self.begun.put_nowait(lambda: gate.set_result(None))
        await gate
        self._now -= 1
        return work(*arguments)

    async def let_go(self) -> None:
        (await self.begun.get())()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Callable[[], Held]:
    def hold() -> Held:
        made = Held()
        monkeypatch.setattr("sprintwright.lsp.findings.asyncio.to_thread", made.to_thread)
        return made

    return hold


async def test_b145_only_the_newest_version_of_many_edits_is_published(
    editor: Editor, held: Callable[[], Held]
) -> None:
    editor.write("a.py")
    await editor.run(found(snippet="three"))
    editor.sent.clear()
    hold, uri = held(), editor.uri("a.py")
    editor.open(uri, "three\n", 1)
    await asyncio.sleep(0)
    for version in range(2, 50):
        editor.open(uri, "\n" * version + "three\n", version)
    await hold.let_go()
    await hold.let_go()
    await editor.settled()
    assert len(hold.jobs) == 2
    assert [(version, shown[0].range.start.line) for _, version, shown in editor.sent] == [(49, 49)]


async def test_b145_a_document_that_is_closed_meanwhile_is_located_in_its_file(
    editor: Editor, held: Callable[[], Held]
) -> None:
    editor.write("a.py")
    await editor.run(found(snippet="three"))
    editor.sent.clear()
    hold, uri = held(), editor.uri("a.py")
    editor.open(uri, "x\n" * 9 + "three", 3)
    await asyncio.sleep(0)
    del editor.documents[uri]  # and nobody says so
    await hold.let_go()
    await hold.let_go()
    await editor.settled()
    assert all(version is None and shown[0].range.start.line == 2 for _, version, shown in editor.sent)


async def test_b145_a_run_that_changes_meanwhile_is_shown_as_it_is_now(
    editor: Editor, held: Callable[[], Held]
) -> None:
    editor.write("a.py")
    hold = held()
    editor.board.set_run(RunFindings(OLD, editor.folder, "dev", "", (found("before"),)), OLD)
    let_go = await hold.begun.get()
    editor.board.remove_folder(editor.folder)
    await editor.tasks[-1]  # judged, and there is nothing to show
    let_go()
    await editor.settled()
    assert editor.sent == []


async def test_one_slow_file_does_not_hold_up_others_and_few_are_worked_out_at_once(
    editor: Editor, held: Callable[[], Held]
) -> None:
    hold = held()
    for number in range(30):
        editor.write(f"{number}.py")
    many = tuple(found(path=f"{number}.py") for number in range(30))
    editor.board.set_run(RunFindings(OLD, editor.folder, "dev", "", many), OLD)
    slow = await hold.begun.get()
    for _ in range(29):
        await hold.let_go()
    others = {await editor.published.get() for _ in range(29)}
    assert editor.uri("0.py") not in others
    slow()
    await editor.settled()
    assert len(editor.all) == 30
    assert hold.most == 2
    assert len(hold.jobs) == 30


async def test_a_fault_with_one_file_leaves_the_others(
    editor: Editor, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def work(job: FileJob) -> list[types.Diagnostic]:
        if job.uri.endswith("/b.py"):
            raise RuntimeError("planted")
        return diagnostics_of(job)

    monkeypatch.setattr("sprintwright.lsp.findings.diagnostics_of", work)
    for name in ("a.py", "b.py", "c.py"):
        editor.write(name)
    await editor.run(*(found(path=name) for name in ("a.py", "b.py", "c.py")))
    assert sorted(editor.all) == [editor.uri("a.py"), editor.uri("c.py")]
    assert "planted" in caplog.text


async def test_what_did_not_change_is_not_worked_out_again(editor: Editor, held: Callable[[], Held]) -> None:
    for name in ("a.py", "b.py"):
        editor.write(name)
    await editor.run(found(), found(path="b.py"))
    hold = held()
    editor.board.set_run(
        RunFindings(OLD, editor.folder, "dev", "", (found(), found(path="b.py"), found("more", path="b.py"))), OLD
    )
    await hold.let_go()
    await editor.settled()
    assert [job.uri for job in hold.jobs] == [editor.uri("b.py")]


def test_a_snapshot_of_a_run_does_not_change_with_it(tmp_path: Path) -> None:
    state = RunState()
    state.ledger.judge("e", "a/b", [Finding(message="m", path="a.py")])
    view = RunFindings.of(RunFolder(tmp_path, OLD), state)
    state.ledger.judge("e", "a/c", [])
    assert [one.status for one in view.tracked] == ["open"]
