"""Snapshots under bad conditions: rows R39, R40 and R95 to R111 of the faults paper, as far as they concern them."""

import asyncio
import os
import shutil
import signal
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from sprintwright.errors import WorkspaceError
from sprintwright.workspace.git import Git
from sprintwright.workspace.snapshots import Snapshots
from tests.support.repositories import fingerprint, git, repository

TAKE = """
import asyncio, sys
from pathlib import Path
from sprintwright.workspace.snapshots import Snapshots
async def main():
    snapshots = Snapshots(Path(sys.argv[1]))
    taken = await snapshots.take()
    await snapshots.keep("run", taken.tree)
asyncio.run(main())
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    return repository(tmp_path / "project", {"a.py": "one\n", "src/b.py": "two\n"})


def store(project: Path) -> Path:
    return project / ".sprintwright" / "snapshots.git"


async def changed_since(snapshots: Snapshots, before: str) -> list[tuple[str, str]]:
    changes = await snapshots.changes(before, (await snapshots.take()).tree)
    return [(change.path, change.status) for change in changes]


@pytest.mark.parametrize("point", ["snapshot.tree_written", "snapshot.ref_written"])
async def test_r039_killed_at_a_snapshot_it_is_made_again(project: Path, point: str) -> None:
    user = fingerprint(project / ".git")
    environment = os.environ | {"SPRINTWRIGHT_TEST_STOP": point}
    killed = subprocess.run([sys.executable, "-c", TAKE, str(project)], env=environment, check=False)  # noqa: ASYNC221
    assert killed.returncode == -signal.SIGKILL
    snapshots = Snapshots(project)
    taken = await snapshots.take()
    await snapshots.keep("run", taken.tree)
    assert git(project, f"--git-dir={store(project)}", "rev-list", "--count", "refs/sprintwright/run") == "1\n"
    assert fingerprint(project / ".git") == user


async def test_r039_locks_of_a_killed_owner_block_nobody(project: Path) -> None:
    snapshots = Snapshots(project)
    first = await snapshots.take()
    await snapshots.keep("run", first.tree)
    (project / "a.py").write_text("two\n")
    for stale in ("index.lock", "refs/sprintwright/run.lock", "packed-refs.lock", ".tmp-left"):
        (store(project) / stale).touch()
    second = await snapshots.take()
    await snapshots.keep("run", second.tree)
    assert second.tree != first.tree
    assert not list(store(project).glob(".tmp-*"))


async def test_r039_an_orphan_that_still_writes_keeps_its_lock(project: Path) -> None:
    """git outlives a killed owner for a moment. While it does, nobody may take its index lock away."""
    snapshots = Snapshots(project)
    await snapshots.take()
    lock = os.open(store(project) / "owner.lock", os.O_RDWR)
    import fcntl

    fcntl.flock(lock, fcntl.LOCK_EX)
    orphan = subprocess.Popen(["sleep", "3600"], pass_fds=(lock,))  # noqa: ASYNC220
    os.close(lock)
    waiting = asyncio.create_task(snapshots.take())
    done, _ = await asyncio.wait([waiting], timeout=0.2)
    assert not done
    orphan.kill()
    orphan.wait()
    assert (await waiting).tree


async def test_r040_cancelled_at_any_moment_nothing_is_left_and_the_next_one_works(project: Path) -> None:
    snapshots = Snapshots(project)
    await snapshots.take()
    await asyncio.sleep(0)
    descriptors, tasks = len(os.listdir("/proc/self/fd")), len(asyncio.all_tasks())  # noqa: PTH208
    for turns in (*range(12), *range(12, 400, 30)):
        (project / "a.py").write_text(f"{turns}\n")
        taking = asyncio.create_task(snapshots.take())
        for _ in range(turns):
            await asyncio.sleep(0 if turns < 12 else 0.0002)
        taking.cancel()
        with pytest.raises(asyncio.CancelledError):
            await taking
            raise asyncio.CancelledError  # it was done before it was cancelled
        assert len(asyncio.all_tasks()) == tasks
        assert len(os.listdir("/proc/self/fd")) <= descriptors  # noqa: PTH208
    last = await snapshots.take()
    assert await Snapshots(project).take() == last
    assert await changed_since(snapshots, last.tree) == []


async def test_r095_uncommitted_work_is_covered_and_left_alone(project: Path) -> None:
    (project / "a.py").write_text("staged\n")
    git(project, "add", "a.py")
    git(project, "stash", "push", "-q")
    (project / "a.py").write_text("staged again\n")
    git(project, "add", "a.py")
    (project / "a.py").write_text("and modified\n")
    (project / "src/b.py").unlink()
    (project / "untracked").write_text("x")
    user = fingerprint(project / ".git")
    snapshots = Snapshots(project)
    taken = await snapshots.take()
    listed = git(project, f"--git-dir={store(project)}", "ls-tree", "-r", "--name-only", taken.tree)
    assert listed.split() == ["a.py", "untracked"]
    assert fingerprint(project / ".git") == user


async def test_r096_nested_repositories_are_named_and_not_touched(project: Path) -> None:
    inner, empty = repository(project / "vendor/inner"), project / "empty"
    empty.mkdir()
    git(empty, "init", "-q")
    user = fingerprint(inner / ".git")
    snapshots = Snapshots(project)
    before = await snapshots.take()
    assert before.not_covered == ("empty/", "vendor/inner/")
    (inner / "a.py").write_text("an edit that nobody sees\n")
    after = await snapshots.take()
    assert after.not_covered == before.not_covered
    assert await snapshots.changes(before.tree, after.tree) == ()
    assert fingerprint(inner / ".git") == user


async def test_r096_submodules_are_not_covered(project: Path, tmp_path: Path) -> None:
    repository(tmp_path / "other")
    git(project, "submodule", "--quiet", "add", "../other", "sub")
    git(project, "commit", "-q", "-m", "sub")
    assert (await Snapshots(project).take()).not_covered == ("sub/",)


async def test_r097_filters_that_are_missing_do_not_matter(project: Path) -> None:
    (project / ".gitattributes").write_text("* filter=lfs diff=lfs merge=lfs -text\n")
    git(project, "config", "filter.lfs.required", "true")
    git(project, "config", "filter.lfs.clean", "no-such-program %f")
    snapshots = Snapshots(project)
    before = await snapshots.take()
    (project / "a.py").write_text("raw bytes\n")
    assert await changed_since(snapshots, before.tree) == [("a.py", "modified")]


@pytest.mark.parametrize("state", ["detached", "unborn", "merging", "bisecting"])
async def test_r099_snapshots_work_in_every_state(project: Path, state: str) -> None:
    if state == "detached":
        git(project, "checkout", "-q", "--detach")
    elif state == "unborn":
        git(project, "checkout", "-q", "--orphan", "new")
    elif state == "merging":
        git(project, "checkout", "-q", "-b", "side")
        git(project, "commit", "-q", "--allow-empty", "-m", "side")
        git(project, "checkout", "-q", "main")
        git(project, "merge", "-q", "--no-ff", "--no-commit", "side")
    else:
        git(project, "bisect", "start")
    snapshots = Snapshots(project)
    before = await snapshots.take()
    assert "branch" in before.beside
    (project / "a.py").write_text("changed\n")
    assert await changed_since(snapshots, before.tree) == [("a.py", "modified")]


async def test_r100_a_bare_repository_is_refused(tmp_path: Path) -> None:
    git(tmp_path, "init", "-q", "--bare", "bare")
    with pytest.raises(WorkspaceError, match="open a folder with a work tree"):
        await Snapshots(tmp_path / "bare").take()


async def test_r100_a_linked_worktree_is_a_folder_like_others(project: Path, tmp_path: Path) -> None:
    git(project, "worktree", "add", "-q", "../tree")
    user = fingerprint(project / ".git")
    snapshots = Snapshots(tmp_path / "tree")
    before = await snapshots.take()
    (tmp_path / "tree/a.py").write_text("changed\n")
    assert await changed_since(snapshots, before.tree) == [("a.py", "modified")]
    assert await snapshots.has_history()
    assert fingerprint(project / ".git") == user


async def test_r100_git_variables_of_the_parent_are_dropped(
    project: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = repository(tmp_path / "other", {"x": "y"})
    expected = await Snapshots(project).take()
    user = fingerprint(other)
    for name, value in (
        ("GIT_DIR", other / ".git"),
        ("GIT_INDEX_FILE", other / ".git/index"),
        ("GIT_WORK_TREE", other),
    ):
        monkeypatch.setenv(name, str(value))
    assert await Snapshots(project).take() == expected
    assert fingerprint(other) == user


async def test_r104_no_identity_and_signing_programs_do_not_matter(project: Path, tmp_path: Path) -> None:
    git(project, "config", "commit.gpgSign", "true")
    git(project, "config", "gpg.program", "sleep")
    (tmp_path / "home").mkdir()
    tool = Git(project, {"PATH": os.environ["PATH"], "HOME": str(tmp_path / "home")})
    snapshots = Snapshots(project, git=tool)
    await snapshots.keep("run", (await snapshots.take()).tree)
    author = git(project, f"--git-dir={store(project)}", "log", "-1", "--format=%an %cn", "refs/sprintwright/run")
    assert author == "Sprintwright Sprintwright\n"


def give_away(folder: Path) -> None:
    for path in (folder, *folder.rglob("*")):
        os.chown(path, 65534, 65534)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
async def test_r106_a_folder_of_another_user_has_snapshots_and_says_that_git_refused(
    project: Path, tmp_path: Path
) -> None:
    give_away(project)
    tool = Git(project, {"PATH": os.environ["PATH"], "HOME": str(tmp_path)})
    snapshots = Snapshots(project, git=tool)
    taken = await snapshots.take()
    assert taken.tree
    assert list(taken.beside) == ["repository"]
    with pytest.raises(WorkspaceError, match=r"safe\.directory"):
        await snapshots.has_history()


async def test_r107_a_missing_object_is_said_in_words(project: Path) -> None:
    snapshots = Snapshots(project)
    before = await snapshots.take()
    (project / "a.py").write_text("changed\n")
    after = await snapshots.take()
    (store(project) / "objects" / before.tree[:2] / before.tree[2:]).unlink()
    with pytest.raises(WorkspaceError, match="Cannot compare: object missing"):
        await snapshots.changes(before.tree, after.tree)


async def test_r107_a_damaged_index_is_made_anew(project: Path) -> None:
    snapshots = Snapshots(project)
    before = await snapshots.take()
    (store(project) / "index").write_bytes(b"")
    assert (await Snapshots(project).take()).tree == before.tree
    (store(project) / "index").write_bytes(b"garbage" * 100)
    assert (await Snapshots(project).take()).tree == before.tree


async def test_r107_objects_that_a_power_cut_emptied_are_written_again(project: Path) -> None:
    snapshots = Snapshots(project)
    before = await snapshots.take()
    for kept in store(project).glob("objects/??/*"):
        kept.chmod(0o600)
        kept.write_bytes(b"")
    (store(project) / "boot").write_text("another boot")
    again = Snapshots(project)
    assert (await again.take()).tree == before.tree
    (project / "a.py").write_text("changed\n")
    assert "-one\n+changed\n" in await again.diff(before.tree, (await again.take()).tree)


BROKEN_GIT = {
    "fails": "echo 'fatal: kaputt' >&2; exit 128",
    "old": "echo git version 1.8.3",
    "something else": "echo hello",
    "asks": "read answer; echo git version $answer",
}


@pytest.mark.parametrize("kind", BROKEN_GIT)
async def test_r108_a_git_that_cannot_be_used_is_one_sentence(project: Path, tmp_path: Path, kind: str) -> None:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin/git"
    program.write_text(f"#!/bin/sh\n{BROKEN_GIT[kind]}\n")
    program.chmod(0o755)
    with pytest.raises(WorkspaceError, match="git"):
        await Snapshots(project, git=Git(project, {"PATH": f"{tmp_path}/bin"})).take()


async def test_r108_a_git_that_hangs_meets_the_limit(project: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin/git"
    program.write_text("#!/bin/sh\nexec sleep 3600\n")
    program.chmod(0o755)
    tool = Git(project, {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})
    with pytest.raises(WorkspaceError, match="longer than"):
        await Snapshots(project, git=tool, seconds=0.3).take()


async def test_r108_gits_words_are_cleaned(project: Path, tmp_path: Path) -> None:
    (tmp_path / "bin").mkdir()
    program, real = tmp_path / "bin/git", shutil.which("git")
    program.write_text(
        textwrap.dedent(f"""\
        #!/bin/sh
        case "$1" in --version) exec {real} --version;; esac
        printf 'fatal: \\033[31mkaputt\\033]0;title\\007\\n' >&2; exit 128
        """)
    )
    program.chmod(0o755)
    with pytest.raises(WorkspaceError, match=r"fatal: kaputt$"):
        await Snapshots(project, git=Git(project, {"PATH": f"{tmp_path}/bin:{os.environ['PATH']}"})).take()


async def test_r109_names_of_every_kind_are_right(tmp_path: Path) -> None:
    names = [b"new\nline", b"tab\t", b'"quoted"', b"-dash", b"--exec=x", b"\xff\xfe", b"dot.", b"space ", b"x" * 255]
    names += [b"git~1", b"a\\b", b"\xe2\x80\xae", b"'", b"$(x)", b":(top)x", b"*", b"#x", b"!x"]
    for name in names:
        (tmp_path / os.fsdecode(name)).write_bytes(name)
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "loop").symlink_to("loop")
    (tmp_path / "outside").symlink_to("/etc")
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(str(tmp_path / "socket"))
    snapshots = Snapshots(tmp_path)
    empty = git(tmp_path, "hash-object", "-t", "tree", "/dev/null").strip()
    taken = await snapshots.take()
    listener.close()
    listed = {change.path for change in await snapshots.changes(empty, taken.tree)}
    assert listed == {name.decode("utf-8", "backslashreplace") for name in names} | {"loop", "outside"}
    assert taken.not_covered == ()
    modes = git(tmp_path, f"--git-dir={store(tmp_path)}", "ls-tree", taken.tree, "outside", "loop")
    assert modes.count("120000 blob") == 2


async def test_r109_a_file_that_becomes_special_is_taken_out(project: Path) -> None:
    snapshots = Snapshots(project)
    before = await snapshots.take()
    (project / "a.py").unlink()
    os.mkfifo(project / "a.py")
    assert await changed_since(snapshots, before.tree) == [("a.py", "deleted")]


async def test_r110_no_bit_of_the_users_index_hides_a_change(project: Path) -> None:
    git(project, "update-index", "--assume-unchanged", "a.py")
    git(project, "update-index", "--skip-worktree", "src/b.py")
    for key, value in (("core.autocrlf", "true"), ("core.fileMode", "false"), ("core.sparseCheckout", "true")):
        git(project, "config", key, value)
    user = fingerprint(project / ".git")
    snapshots = Snapshots(project)
    before = await snapshots.take()
    (project / "a.py").write_bytes(b"one\r\n")
    (project / "src/b.py").chmod(0o755)
    assert await changed_since(snapshots, before.tree) == [("a.py", "modified"), ("src/b.py", "mode")]
    assert fingerprint(project / ".git") == user


async def test_r110_an_edit_of_the_same_size_and_time_is_seen(project: Path) -> None:
    snapshots = Snapshots(project)
    before = await snapshots.take()
    was = (project / "a.py").stat()
    (project / "a.py").write_text("two\n")
    os.utime(project / "a.py", ns=(was.st_atime_ns, was.st_mtime_ns))
    assert await changed_since(snapshots, before.tree) == [("a.py", "modified")]


async def test_r111_files_that_come_and_go_meanwhile_do_no_harm(project: Path) -> None:
    stop = asyncio.Event()

    async def user() -> None:
        while not stop.is_set():
            (project / "busy").write_text("x")
            await asyncio.sleep(0)
            (project / "busy").unlink()
            await asyncio.sleep(0)

    writing = asyncio.create_task(user())
    snapshots = Snapshots(project)
    for _ in range(10):
        assert (await snapshots.take()).tree
    stop.set()
    await writing
