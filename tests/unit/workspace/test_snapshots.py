"""Snapshots: what they hold, what they say, and what they leave alone."""

import asyncio
import os
import re
import shutil
from pathlib import Path

import pytest
from tests.support.repositories import git, repository

from sprintwright.errors import WorkspaceError
from sprintwright.model.changes import Change, moved
from sprintwright.workspace import tree as tree_module
from sprintwright.workspace.changes import MOST_CHANGES
from sprintwright.workspace.git import Git
from sprintwright.workspace.selection import LARGEST
from sprintwright.workspace.snapshots import Snapshots


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return repository(tmp_path / "project", {"a.py": "one\n", "src/b.py": "two\n", ".gitignore": "*.log\n"})


async def test_equal_files_are_equal_trees(project: Path) -> None:
    snapshots = Snapshots(project)
    first = await snapshots.take()
    assert first == await snapshots.take()
    (project / "a.py").write_text("changed\n")
    changed = await snapshots.take()
    (project / "a.py").write_text("one\n")
    assert first == await snapshots.take()
    assert changed.tree != first.tree


async def test_changes_have_paths_and_kinds(project: Path) -> None:
    snapshots = Snapshots(project)
    before = await snapshots.take()
    (project / "a.py").chmod(0o755)
    (project / "src/b.py").unlink()
    (project / "src/new é.py").write_text("new\n")
    (project / ".gitignore").write_text("*.log\n*.tmp\n")
    (project / "ignored.log").write_text("x")
    after = await snapshots.take()
    assert await snapshots.changes(before.tree, after.tree) == (
        Change(path=".gitignore", status="modified"),
        Change(path="a.py", status="mode"),
        Change(path="src/b.py", status="deleted"),
        Change(path="src/new é.py", status="added"),
    )
    assert await snapshots.changes(after.tree, after.tree) == ()


async def test_a_file_and_a_folder_change_places(project: Path) -> None:
    snapshots = Snapshots(project)
    before = await snapshots.take()
    (project / "a.py").unlink()
    (project / "a.py").mkdir()
    (project / "a.py" / "inner").write_text("x")
    shutil.rmtree(project / "src")
    (project / "src").write_text("a file now")
    after = await snapshots.take()
    assert [(change.path, change.status) for change in await snapshots.changes(before.tree, after.tree)] == [
        ("a.py", "deleted"),
        ("a.py/inner", "added"),
        ("src", "added"),
        ("src/b.py", "deleted"),
    ]


async def test_a_long_list_of_changes_is_cut_and_says_so(project: Path) -> None:
    snapshots = Snapshots(project)
    before = await snapshots.take()
    for number in range(MOST_CHANGES + 7):
        (project / f"f{number}").touch()
    changes = await snapshots.changes(before.tree, (await snapshots.take()).tree)
    assert len(changes) == MOST_CHANGES + 1
    assert changes[-1] == Change(path="7 more files", status="more")


async def test_the_diff_is_text_and_names_binary_files(project: Path) -> None:
    snapshots = Snapshots(project)
    before = await snapshots.take()
    (project / "a.py").write_text("eins\n")
    (project / "é.bin").write_bytes(b"\0\1\2")
    diff = await snapshots.diff(before.tree, (await snapshots.take()).tree)
    assert "-one\n+eins\n" in diff
    assert "Binary files /dev/null and b/é.bin differ" in diff


async def test_a_long_diff_is_cut_at_a_line_and_says_how_much_is_missing(project: Path) -> None:
    snapshots = Snapshots(project)
    before = await snapshots.take()
    (project / "long").write_text("".join(f"line {number} é\n" for number in range(1_000)), encoding="utf-8")
    after = await snapshots.take()
    whole = await snapshots.diff(before.tree, after.tree)
    cut = await snapshots.diff(before.tree, after.tree, limit=500)
    kept, _, note = cut.removesuffix("\n").rpartition("\n")
    assert whole.startswith(kept + "\n")
    assert len(kept) <= 500
    missing = len(whole.encode()) - len(kept.encode()) - 1
    assert note == f"… {missing:,} more bytes of this diff are not shown."


async def test_waiting_callers_share_the_next_snapshot(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    snapshots, taken, go = Snapshots(project), 0, asyncio.Event()
    take = tree_module.TreeWriter.write

    async def slow(*arguments: object) -> object:
        nonlocal taken
        taken += 1
        await go.wait()
        return await take(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(tree_module.TreeWriter, "write", slow)
    first = asyncio.create_task(snapshots.take())
    while not taken:  # noqa: ASYNC110
        await asyncio.sleep(0)
    waiting = [asyncio.create_task(snapshots.take()) for _ in range(5)]
    await asyncio.sleep(0)
    (project / "a.py").write_text("written while the first one ran\n")
    go.set()
    results = await asyncio.gather(first, *waiting)
    assert taken == 2
    assert len({id(result) for result in results[1:]}) == 1


async def test_a_folder_without_a_repository_has_snapshots(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    snapshots = Snapshots(tmp_path)
    before = await snapshots.take()
    assert before.beside == {}
    assert not await snapshots.has_history()
    (tmp_path / "a").write_text("y")
    assert [change.path for change in await snapshots.changes(before.tree, (await snapshots.take()).tree)] == ["a"]


async def test_an_empty_folder_is_empty_whatever_is_ours(tmp_path: Path) -> None:
    snapshots = Snapshots(tmp_path)
    await snapshots.take()
    git(tmp_path, "init", "-q")
    (tmp_path / "only" / "folders").mkdir(parents=True)
    assert await snapshots.is_empty()
    (tmp_path / "only" / "a").touch()
    assert not await snapshots.is_empty()


async def test_history_begins_with_the_first_commit(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q")
    snapshots = Snapshots(tmp_path)
    assert not await snapshots.has_history()
    await snapshots.take()
    (tmp_path / "a").touch()
    git(tmp_path, "add", "a")
    git(tmp_path, "commit", "-q", "-m", "x")
    assert await snapshots.has_history()


async def test_files_over_the_limit_are_named_and_never_read(project: Path) -> None:
    with (project / "big.bin").open("wb") as file:
        file.truncate(LARGEST + 1)
    snapshots = Snapshots(project)
    taken = await snapshots.take()
    assert taken.not_covered == ("big.bin",)
    assert "big.bin" not in git(project, f"--git-dir={snapshots_store(project)}", "ls-tree", "-r", taken.tree)


def snapshots_store(project: Path) -> Path:
    return project / ".sprintwright" / "snapshots.git"


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads every file")
async def test_files_that_cannot_be_read_are_named(project: Path) -> None:
    (project / "locked").write_text("x")
    (project / "locked").chmod(0)
    assert (await Snapshots(project).take()).not_covered == ("locked",)


async def test_files_that_fail_while_they_are_read_are_named_and_the_rest_is_taken(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A FIFO that replaces a file after the look at it: git refuses it, and the others must not suffer."""
    select = tree_module.select

    def then_replaced(*arguments: object) -> object:
        selection = select(*arguments)  # type: ignore[arg-type]
        (project / "a.py").unlink(missing_ok=True)
        os.mkfifo(project / "a.py")
        return selection

    monkeypatch.setattr(tree_module, "select", then_replaced)
    taken = await Snapshots(project).take()
    assert taken.not_covered == ("a.py",)
    assert "src/b.py" in git(project, f"--git-dir={snapshots_store(project)}", "ls-tree", "-r", taken.tree)


async def test_tracked_files_are_covered_although_ignored(project: Path) -> None:
    (project / "kept.log").write_text("tracked")
    git(project, "add", "-f", "kept.log")
    snapshots = Snapshots(project)
    before = await snapshots.take()
    (project / "kept.log").write_text("changed")
    after = await snapshots.take()
    assert await snapshots.changes(before.tree, after.tree) == (Change(path="kept.log", status="modified"),)


async def test_rules_above_the_folder_and_in_info_exclude_count(tmp_path: Path) -> None:
    top = repository(tmp_path, {".gitignore": "secret.env\n/packages/app/dist\n", "packages/app/a.py": "x"})
    (top / ".git/info/exclude").write_text("notes.txt\n")
    app = top / "packages/app"
    (app / "dist").mkdir()
    for name in ("secret.env", "notes.txt", "dist/out.js"):
        (app / name).write_text("x")
    taken = await Snapshots(app).take()
    listed = git(app, f"--git-dir={snapshots_store(app)}", "ls-tree", "-r", "--name-only", taken.tree)
    assert listed.split() == ["a.py"]
    assert taken.beside["branch"]


async def test_our_own_folder_is_never_in_a_snapshot_whatever_the_rules_say(project: Path) -> None:
    (project / ".gitignore").write_text("*\n!.*\n!.sprintwright/**\n")
    taken = await Snapshots(project).take()
    listed = git(project, f"--git-dir={snapshots_store(project)}", "ls-tree", "-r", "--name-only", taken.tree)
    assert ".sprintwright" not in listed


async def test_kept_trees_are_held_and_dropped_ones_are_let_go(project: Path) -> None:
    snapshots = Snapshots(project)
    first = await snapshots.take()
    await snapshots.keep("run-1", first.tree)
    (project / "a.py").write_text("two\n")
    second = await snapshots.take()
    await snapshots.keep("run-1", second.tree)
    await snapshots.keep("run-1", second.tree)
    store = f"--git-dir={snapshots_store(project)}"
    assert git(project, store, "log", "--format=%T", "refs/sprintwright/run-1").split() == [second.tree, first.tree]
    await snapshots.drop("run-1")
    await snapshots.drop("run-1")
    assert git(project, store, "for-each-ref") == ""
    assert await snapshots.changes(first.tree, second.tree)


@pytest.mark.parametrize("run_id", ["", "-x", "a..b", "a/b", "a.lock", "x" * 201, "a b", "--exec=x", "a\n"])
async def test_a_run_id_that_is_no_ref_is_refused(project: Path, run_id: str) -> None:
    with pytest.raises(WorkspaceError, match="no run id"):
        await Snapshots(project).keep(run_id, "0" * 40)


@pytest.mark.parametrize("tree", ["", "HEAD", "--output=/tmp/x", "0" * 39])
async def test_what_is_no_tree_is_refused(project: Path, tree: str) -> None:
    with pytest.raises(WorkspaceError, match="no snapshot"):
        await Snapshots(project).diff(tree, "0" * 40)


async def test_r069_the_parts_of_the_repository_that_moved_are_named(project: Path) -> None:
    snapshots = Snapshots(project)
    seen = (await snapshots.take()).beside

    async def now_moved() -> tuple[str, ...]:
        nonlocal seen
        before, seen = seen, (await snapshots.take()).beside
        return tuple(re.sub(r"[0-9a-f]{12}", "…", words) for words in moved(before, seen))

    git(project, "status")
    os.utime(project / "a.py")
    git(project, "update-index", "--refresh")
    assert await now_moved() == ()
    branch = git(project, "branch", "--show-current").strip()
    git(project, "checkout", "-q", "-b", "other")
    assert await now_moved() == (f"branch: {branch} -> other", "branches changed")
    (project / "a.py").write_text("staged\n")
    git(project, "add", "a.py")
    assert await now_moved() == ("index changed",)
    git(project, "commit", "-q", "-m", "second")
    assert await now_moved() == ("HEAD: … -> …", "branches changed")
    git(project, "tag", "v1")
    assert await now_moved() == ("tags added",)
    (project / "a.py").write_text("stashed\n")
    git(project, "stash")
    assert await now_moved() == ("stash added",)
    git(project, "config", "user.name", "x")
    assert await now_moved() == (".git/config changed",)
    git(project, "remote", "add", "origin", ".")
    git(project, "fetch", "-q")
    assert await now_moved() == (".git/config changed", "remotes added")
    git(project, "checkout", "-q", "-b", "tracks", "origin/other")
    assert await now_moved() == ("branch: other -> tracks", "branches changed")
    (project / ".git/hooks").mkdir(exist_ok=True)
    (project / ".git/hooks/pre-commit").write_text("#!/bin/sh\n")
    assert await now_moved() == (".git/hooks/pre-commit added",)
    git(project, "checkout", "-q", "--detach")
    assert await now_moved() == ("branch: tracks -> detached",)
    (project / ".git").rename(project / "away")
    assert await now_moved() == (".git: no repository any more",)


async def test_many_files_are_written_as_one_pack(project: Path) -> None:
    for number in range(600):
        (project / f"f{number}.txt").write_text(f"{number} and some more\n")
    await Snapshots(project).take()
    counted = git(project, f"--git-dir={snapshots_store(project)}", "count-objects", "-v")
    assert re.search(r"in-pack: 60\d\n", counted)


async def test_a_time_limit_is_said_in_words(project: Path) -> None:
    with pytest.raises(WorkspaceError, match="longer than 0 seconds") as caught:
        await Snapshots(project, seconds=0).take()
    assert caught.value.data["reason"] == "timeout"


async def test_without_git_one_sentence_says_so(project: Path, tmp_path: Path) -> None:
    with pytest.raises(WorkspaceError, match="Without git there are no snapshots"):
        await Snapshots(project, git=Git(project, {"PATH": str(tmp_path)})).take()


async def test_a_file_is_read_as_it_was_then(project: Path) -> None:
    (project / "src" / "odd : name é.txt").write_bytes(b"a\r\nb")
    (project / "link").symlink_to("a.py")
    snapshots = Snapshots(project)
    before = (await snapshots.take()).tree
    (project / "a.py").write_text("changed\n")
    (project / "src" / "b.py").unlink()
    after = (await snapshots.take()).tree

    async def read(tree: str, name: str, limit: int = 100) -> tuple[int | None, bytes]:
        return await snapshots.file(tree, name, limit=limit)

    assert await read(before, "a.py") == (4, b"one\n") and await read(after, "a.py") == (8, b"changed\n")
    assert await read(before, "src/b.py") == (4, b"two\n") and await read(after, "src/b.py") == (None, b"")
    assert await read(before, "src/odd : name é.txt") == (4, b"a\r\nb")
    assert await read(before, "link") == (4, b"a.py")
    assert await read(before, "src") == (None, b"") == await read(before, "")
    assert await read(after, "a.py", 7) == (8, b"") and await read(after, "a.py", 8) == (8, b"changed\n")


async def test_a_file_of_what_is_no_snapshot_is_refused(project: Path) -> None:
    snapshots = Snapshots(project)
    tree = (await snapshots.take()).tree
    commit = git(project, "rev-parse", "HEAD").strip()
    blob = git(project, "rev-parse", "HEAD:a.py").strip()
    for odd in (commit, blob, "HEAD", "0" * 40, f"{tree}:src"):
        with pytest.raises(WorkspaceError):
            await snapshots.file(odd, "nothing", limit=100)
    with pytest.raises(WorkspaceError):
        await snapshots.file(tree, f"x\n{tree}:a.py", limit=100)
    shutil.rmtree(project / ".sprintwright")
    with pytest.raises(WorkspaceError, match="are gone"):
        await snapshots.file(tree, "a.py", limit=100)
