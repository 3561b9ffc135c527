"""Restoring files: exactly those of a snapshot, nothing outside, nothing that no snapshot holds."""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.support.repositories import fingerprint, git, repository

from sprintwright import stops
from sprintwright.errors import PathRefused, WorkspaceError
from sprintwright.model.changes import Change
from sprintwright.workspace.git import Git
from sprintwright.workspace.restore import Plan, Restorer
from sprintwright.workspace.selection import LARGEST
from sprintwright.workspace.snapshots import Snapshots


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return repository(tmp_path / "project", {"a.py": "one\n", "src/b.py": "two\n", ".gitignore": "*.log\n"})


async def plan_to(project: Path, target: str) -> Plan:
    return await Restorer(project, Git(project)).plan(await Snapshots(project).take(), target)


async def tree_of(project: Path) -> str:
    return (await Snapshots(project).take()).tree


async def restore(project: Path, target: str) -> Plan:
    """Restore, and see that the files are exactly those of the tree."""
    plan = await plan_to(project, target)
    assert plan.conflicts == ()
    await Restorer(project, Git(project)).apply(plan)
    differing = await Snapshots(project).changes(await tree_of(project), target)
    assert {change.path for change in differing} <= set(plan.left)
    return plan


def statuses(plan: Plan) -> dict[str, str]:
    return {change.path: change.status for change in plan.changes}


async def test_files_are_added_changed_and_deleted_as_they_were(project: Path) -> None:
    target = await tree_of(project)
    (project / "a.py").write_text("other\n")
    (project / "src/b.py").unlink()
    (project / "new" / "deep").mkdir(parents=True)
    (project / "new" / "deep" / "c").write_text("new")
    plan = await restore(project, target)
    assert plan.changes == (
        Change(path="a.py", status="modified"),
        Change(path="new/deep/c", status="deleted"),
        Change(path="src/b.py", status="added"),
    )
    assert (project / "a.py").read_text() == "one\n" and (project / "src/b.py").read_text() == "two\n"
    assert not (project / "new").exists()
    assert (await plan_to(project, target)).changes == ()


async def test_permissions_links_and_names_of_any_bytes_are_restored(project: Path) -> None:
    (project / "run.sh").write_text("#!/bin/sh\n")
    (project / "run.sh").chmod(0o750)
    (project / "plain").write_text("x")
    (project / "link").symlink_to("nowhere/at all")
    names = [b"bad\xff\xfename", b"new\nline", b" space ", b"-rf", "é".encode(), b'quo"te\\', b"tab\there"]
    paths = [project / os.fsdecode(name) for name in names]
    for path, name in zip(paths, names, strict=True):
        path.write_bytes(name)
    target = await tree_of(project)
    (project / "run.sh").chmod(0o640)
    (project / "plain").chmod(0o755)
    (project / "link").unlink()
    (project / "link").write_text("a file now")
    for path in paths:
        path.unlink()
    plan = await restore(project, target)
    assert statuses(plan)["run.sh"] == "mode" and statuses(plan)["link"] == "modified"
    assert stat.S_IMODE((project / "run.sh").stat().st_mode) == 0o750
    assert stat.S_IMODE((project / "plain").stat().st_mode) & 0o111 == 0
    assert (project / "link").readlink() == Path("nowhere/at all")
    assert [path.read_bytes() for path in paths] == names


async def test_a_replaced_file_keeps_its_permissions(project: Path) -> None:
    (project / "a.py").chmod(0o600)
    target = await tree_of(project)
    (project / "a.py").write_text("other")
    await restore(project, target)
    assert stat.S_IMODE((project / "a.py").stat().st_mode) == 0o600


async def test_files_folders_and_links_change_places(project: Path) -> None:
    (project / "dir").mkdir()
    (project / "dir" / "x").write_text("x")
    (project / "file").write_text("f")
    (project / "link").symlink_to("a.py")
    first = await tree_of(project)
    shutil.rmtree(project / "dir")
    (project / "dir").write_text("a file")
    (project / "file").unlink()
    (project / "file" / "deep").mkdir(parents=True)
    (project / "file" / "deep" / "y").write_text("y")
    (project / "file" / "empty").mkdir()
    (project / "link").unlink()
    (project / "link").mkdir()
    (project / "link" / "z").write_text("z")
    second = await tree_of(project)
    await restore(project, first)
    assert (project / "dir" / "x").read_text() == "x" and (project / "file").read_text() == "f"
    assert (project / "link").is_symlink()
    await restore(project, second)
    assert (project / "dir").is_file() and (project / "file" / "deep" / "y").read_text() == "y"


async def test_x040_a_folder_that_became_a_link_is_not_followed(project: Path, tmp_path: Path) -> None:
    target = await tree_of(project)
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "b.py").write_text("two\n")  # the same content: it must not pass for the restored file
    shutil.rmtree(project / "src")
    (project / "src").symlink_to(outside)
    before = fingerprint(outside)
    await restore(project, target)
    assert not (project / "src").is_symlink() and (project / "src/b.py").read_text() == "two\n"
    assert fingerprint(outside) == before


async def test_x040_a_folder_that_becomes_a_link_in_the_middle_is_refused(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = await tree_of(project)
    (project / "a.py").write_text("other")
    (project / "src/b.py").write_text("other")
    outside = tmp_path / "outside"
    outside.mkdir()
    plan = await plan_to(project, target)

    def swap(point: str) -> None:
        if point == "restore.file_written" and not (project / "src").is_symlink():
            (project / "src").rename(project / "moved")
            (project / "src").symlink_to(outside)

    monkeypatch.setattr("sprintwright.workspace.restore.stop", swap)
    with pytest.raises(PathRefused):
        await Restorer(project, Git(project)).apply(plan)
    assert not list(outside.iterdir())


async def test_a_hard_link_elsewhere_keeps_its_content(project: Path, tmp_path: Path) -> None:
    target = await tree_of(project)
    (tmp_path / "elsewhere").write_text("mine\n")
    (project / "a.py").unlink()
    os.link(tmp_path / "elsewhere", project / "a.py")
    await restore(project, target)
    assert (project / "a.py").read_text() == "one\n" and (tmp_path / "elsewhere").read_text() == "mine\n"


def ignored_file(project: Path) -> str:
    (project / "x.log").write_text("ignored")
    return "x.log"


def ignored_folder(project: Path) -> str:
    (project / "x.log").mkdir()
    (project / "x.log" / "inner").write_text("ignored")
    return "x.log/inner"


def ignored_link(project: Path) -> str:
    (project / "x.log").symlink_to("a.py")
    return "x.log"


def repository_inside(project: Path) -> str:
    repository(project / "x.log", {"f": "theirs\n"})
    return "x.log/.git/"


@pytest.mark.parametrize("make", [ignored_file, ignored_folder, ignored_link, repository_inside])
async def test_what_no_snapshot_holds_is_in_the_way_by_name(project: Path, make: Callable[[Path], str]) -> None:
    (project / ".gitignore").write_text("")
    (project / "x.log").write_text("covered")
    target = await tree_of(project)
    (project / "x.log").unlink()
    (project / ".gitignore").write_text("*.log\n")
    (project / "a.py").write_text("other\n")
    await tree_of(project)
    expected = make(project)
    plan = await plan_to(project, target)
    assert len(plan.conflicts) == 1 and plan.conflicts[0].startswith(expected)
    assert (project / "a.py").read_text() == "other\n"


async def test_a_special_file_and_an_ignored_link_above_are_in_the_way(project: Path) -> None:
    target = await tree_of(project)
    (project / "a.py").unlink()
    os.mkfifo(project / "a.py")
    shutil.rmtree(project / "src")
    (project / "src.log").mkdir()
    (project / ".gitignore").write_text("src\n")
    (project / "src").symlink_to("src.log")
    assert (await plan_to(project, target)).conflicts == ("a.py", "src")


async def test_a_file_below_a_repository_that_came_since_is_in_the_way(project: Path) -> None:
    target = await tree_of(project)
    (project / "src/b.py").unlink()
    await tree_of(project)
    git(project / "src", "init", "-q")
    assert (await plan_to(project, target)).conflicts == ("src/",)


async def test_a_file_too_large_for_snapshots_is_never_overwritten_or_removed(project: Path) -> None:
    target = await tree_of(project)
    (project / "new").write_text("small")
    await tree_of(project)
    with (project / "new").open("r+b") as file:
        file.truncate(LARGEST + 1)
    with (project / "a.py").open("r+b") as file:
        file.truncate(LARGEST + 1)
    (project / "src/b.py").write_text("other")
    second = await tree_of(project)
    plan = await plan_to(project, target)
    assert plan.left == ("new",) and statuses(plan) == {"src/b.py": "modified"}
    (project / "a.py").write_text("other")
    third = await tree_of(project)
    with (project / "a.py").open("r+b") as file:
        file.truncate(LARGEST + 1)
    assert (await plan_to(project, second)).conflicts == ("a.py",)
    assert third != second


async def test_what_the_older_rules_ignore_stays(project: Path) -> None:
    (project / "deep").mkdir()
    (project / "deep" / ".gitignore").write_text("out/\n")
    target = await tree_of(project)
    (project / ".gitignore").write_text("")
    (project / "deep" / ".gitignore").unlink()
    (project / "deep" / "out").mkdir()
    (project / "deep" / "out" / "big").write_text("built")
    (project / "x.log").write_text("log")
    (project / "new").write_text("new")
    plan = await restore(project, target)
    assert plan.left == ("deep/out/big", "x.log")
    assert statuses(plan) == {".gitignore": "modified", "deep/.gitignore": "added", "new": "deleted"}
    assert (project / "x.log").read_text() == "log" and not (project / "new").exists()


async def test_an_empty_folder_is_no_obstacle_and_its_parents_stay_when_used(project: Path) -> None:
    target = await tree_of(project)
    (project / "a.py").unlink()
    (project / "a.py" / "empty").mkdir(parents=True)
    (project / "src" / "new.py").write_text("x")
    (project / "src" / "x.log").write_text("ignored")
    await restore(project, target)
    assert (project / "a.py").read_text() == "one\n"
    assert sorted(path.name for path in (project / "src").iterdir()) == ["b.py", "x.log"]


async def test_x043_the_users_repository_is_not_written(project: Path) -> None:
    target = await tree_of(project)
    (project / "a.py").write_text("staged\n")
    git(project, "add", "a.py")
    git(project, "commit", "-q", "-m", "second")
    (project / "a.py").write_text("other\n")
    before = fingerprint(project / ".git")
    await restore(project, target)
    assert (project / "a.py").read_text() == "one\n" and fingerprint(project / ".git") == before


async def test_x039_x040_nothing_of_the_repository_runs(project: Path, tmp_path: Path) -> None:
    canary, trap = tmp_path / "CANARY", tmp_path / "trap"
    trap.write_text(f"#!/bin/sh\ntouch {canary}\ncat\n")
    trap.chmod(0o755)
    (project / ".gitattributes").write_text(
        "* filter=evil diff=evil text eol=crlf ident working-tree-encoding=UTF-16\n"
    )
    (project / "id").write_bytes(b"$Id$\r\nbytes \xff\n")
    for key in ("filter.evil.smudge", "filter.evil.clean", "diff.evil.textconv", "diff.external", "core.fsmonitor"):
        git(project, "config", key, str(trap))
    git(project, "config", "filter.evil.required", "true")
    for hook in ("post-checkout", "post-index-change", "reference-transaction"):
        shutil.copy(trap, project / ".git/hooks" / hook)
    target = await tree_of(project)
    (project / "id").write_text("other")
    (project / ".gitattributes").unlink()
    (project / "a.py").unlink()
    await restore(project, target)
    assert (project / "id").read_bytes() == b"$Id$\r\nbytes \xff\n"
    assert not canary.exists()


@pytest.mark.parametrize("name", [".git/hooks/x", "sub/.GIT/config", ".sprintwright/runs/x", "../outside"])
async def test_x040_a_forged_tree_writes_nowhere_else(project: Path, name: str) -> None:
    now = await tree_of(project)
    store = f"--git-dir={project / '.sprintwright/snapshots.git'}"
    blob = git(project, store, "hash-object", "-w", "a.py").strip()
    entry = f"100644 blob {blob}\t{name.split('/')[-1]}\n"
    for part in reversed(name.split("/")[:-1]):
        tree = make_tree(project, store, entry)
        entry = f"040000 tree {tree}\t{part}\n"
    forged = make_tree(project, store, entry)
    with pytest.raises(WorkspaceError, match="which no snapshot of ours holds"):
        await plan_to(project, forged)
    assert await tree_of(project) == now


def make_tree(project: Path, store: str, entry: str) -> str:
    """A tree with any name in it, made without git's own checks."""
    meta, _, name = entry.rstrip("\n").partition("\t")
    mode, _, oid = meta.split()
    (project.parent / "object").write_bytes(f"{mode.lstrip('0')} {name}\0".encode() + bytes.fromhex(oid))
    return git(project, store, "hash-object", "-t", "tree", "-w", "--literally", str(project.parent / "object")).strip()


async def test_a_missing_or_damaged_file_of_the_store_is_told_before_anything_happens(project: Path) -> None:
    target = await tree_of(project)
    (project / "a.py").write_text("other\n")
    (project / "src/b.py").write_text("other\n")
    await tree_of(project)
    blob = git(project, "hash-object", "--no-filters", "--stdin-paths", "--literally") if False else ""
    for kept in (project / ".sprintwright/snapshots.git/objects").glob("??/*"):
        blob = git(
            project,
            f"--git-dir={project / '.sprintwright/snapshots.git'}",
            "cat-file",
            "-t",
            kept.parent.name + kept.name,
        )
        content = git(
            project,
            f"--git-dir={project / '.sprintwright/snapshots.git'}",
            "cat-file",
            "-p",
            kept.parent.name + kept.name,
        )
        if blob == "blob\n" and content == "two\n":
            kept.unlink()
    with pytest.raises(WorkspaceError, match="missing"):
        await plan_to(project, target)
    assert (project / "a.py").read_text() == "other\n"
    shutil.rmtree(project / ".sprintwright/snapshots.git")
    with pytest.raises(WorkspaceError, match="are gone"):
        await plan_to(project, target)


async def test_many_and_large_files_are_restored_in_portions(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sprintwright.workspace.restore._PORTION_BYTES", 1_000)
    monkeypatch.setattr("sprintwright.workspace.restore._PORTION_FILES", 7)
    (project / "many").mkdir()
    for number in range(50):
        (project / "many" / str(number)).write_text(f"{number}\n" * (number * 20))
    target = await tree_of(project)
    shutil.rmtree(project / "many")
    plan = await restore(project, target)
    assert len(plan.changes) == 50
    assert (project / "many" / "49").read_text() == "49\n" * 980


async def test_an_error_in_the_middle_leaves_each_file_old_or_new(
    project: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        (project / f"f{number}").write_text("old\n")
    target = await tree_of(project)
    for number in range(6):
        (project / f"f{number}").write_text("new\n")
    plan = await plan_to(project, target)
    stops.read_environment(
        {"SPRINTWRIGHT_TEST_STOP": "restore.file_written:3", "SPRINTWRIGHT_TEST_STOP_ACTION": "raise"}
    )
    try:
        with pytest.raises(stops.Stopped):
            await Restorer(project, Git(project)).apply(plan)
    finally:
        stops.read_environment({})
    assert [(project / f"f{number}").read_text() for number in range(6)] == ["old\n"] * 3 + ["new\n"] * 3
    await restore(project, target)
    assert git(project, "ls-files", "--others", "--exclude-standard").split() == [f"f{number}" for number in range(6)]


async def test_r109_a_folder_that_became_an_ignored_link_is_gone_from_the_snapshot(
    project: Path, tmp_path: Path
) -> None:
    before = await tree_of(project)
    shutil.copytree(project / "src", tmp_path / "outside")
    shutil.rmtree(project / "src")
    (project / "src").symlink_to(tmp_path / "outside")
    (project / ".gitignore").write_text("src\n")
    now = await Snapshots(project).take()
    assert now.not_covered == ()
    changes = await Snapshots(project).changes(before, now.tree)
    assert [(change.path, change.status) for change in changes] == [(".gitignore", "modified"), ("src/b.py", "deleted")]
