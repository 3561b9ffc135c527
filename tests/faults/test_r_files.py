"""Small files, links and names: rows R11, R25 and R26 of the faults paper."""

import errno
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprintwright.errors import PathRefused, WorkspaceError
from sprintwright.paths import make_private_dir, read_beneath, refuse_links, remove_leftovers, write_atomic
from sprintwright.text import fold
from sprintwright.workspace.snapshots import Snapshots

WRITE = (
    "import sys; from pathlib import Path; from sprintwright.paths import write_atomic; "
    "write_atomic(Path(sys.argv[1]), 'plan.md', b'new')"
)


@pytest.mark.parametrize(("point", "content"), [("artifact.temp_written", b"old"), ("artifact.renamed", b"new")])
def test_r011_killed_while_a_file_is_replaced_leaves_the_old_or_the_new(
    tmp_path: Path, point: str, content: bytes
) -> None:
    write_atomic(tmp_path, "plan.md", b"old")
    environment = os.environ | {"SPRINTWRIGHT_TEST_STOP": point}
    killed = subprocess.run([sys.executable, "-c", WRITE, str(tmp_path)], env=environment, check=False)
    assert killed.returncode == -signal.SIGKILL
    assert read_beneath(tmp_path, "plan.md", 100) == content
    leftovers = [path for path in tmp_path.iterdir() if path.name != "plan.md"]
    assert all(path.name.startswith(".tmp-") and path.stat().st_mode & 0o777 == 0o600 for path in leftovers)
    assert remove_leftovers(tmp_path) == len(leftovers) == (point == "artifact.temp_written")
    assert [path.name for path in tmp_path.iterdir()] == ["plan.md"]


@pytest.mark.parametrize("call", ["rename", "fsync", "write"])
def test_r011_an_error_of_the_disk_leaves_the_old_content_and_no_leftover(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    write_atomic(tmp_path, "plan.md", b"old")

    def broken(*_arguments: object, **_options: object) -> None:
        raise OSError(errno.EIO, "broken disk")

    with monkeypatch.context() as patched, pytest.raises(OSError, match="broken disk"):
        patched.setattr(os, call, broken)
        write_atomic(tmp_path, "plan.md", b"new")
    assert [(path.name, path.read_bytes()) for path in tmp_path.iterdir()] == [("plan.md", b"old")]


def test_r011_file_and_folder_are_synced_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[str] = []
    fsync, rename = os.fsync, os.rename

    def logged_fsync(descriptor: int) -> None:
        calls.append("folder" if os.path.isdir(f"/proc/self/fd/{descriptor}") else "file")  # noqa: PTH112
        fsync(descriptor)

    def logged_rename(*arguments: str, src_dir_fd: int, dst_dir_fd: int) -> None:
        calls.append("rename")
        rename(*arguments, src_dir_fd=src_dir_fd, dst_dir_fd=dst_dir_fd)

    monkeypatch.setattr(os, "fsync", logged_fsync)
    monkeypatch.setattr(os, "rename", logged_rename)
    write_atomic(tmp_path, "plan.md", b"new")
    assert calls == ["file", "rename", "folder"]


PLACES = [
    *(".sprintwright", ".sprintwright/runs", ".sprintwright/runs/r", ".sprintwright/runs/r/journal.jsonl"),
    *(".sprintwright/runs/r/lock", ".sprintwright/runs/r/artifacts/plan.md"),
]


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("loop", [False, True])
def test_r025_nothing_is_written_through_a_link(tmp_path: Path, place: str, loop: bool) -> None:
    folder, elsewhere = tmp_path / "w", tmp_path / "elsewhere"
    link = folder / place
    link.parent.mkdir(parents=True)
    is_folder = link.suffix == "" and link.name not in ("lock",)
    if is_folder:
        elsewhere.mkdir()
    else:
        elsewhere.write_text("untouched")
    link.symlink_to(link if loop else elsewhere)
    target = f"{place}/plan.md" if is_folder else place
    with pytest.raises(PathRefused, match=link.name):
        refuse_links(folder / target, folder)
    with pytest.raises(PathRefused, match=link.name):
        write_atomic(folder, target, b"x", parents=True)
    if is_folder:
        with pytest.raises(PathRefused, match=link.name):
            make_private_dir(link)
        assert list(elsewhere.iterdir()) == []
    else:
        assert elsewhere.read_text() == "untouched"


@pytest.mark.parametrize("place", [".sprintwright", ".sprintwright/snapshots.git"])
async def test_r025_the_snapshot_store_is_not_made_through_a_link(tmp_path: Path, place: str) -> None:
    folder, elsewhere = tmp_path / "w", tmp_path / "elsewhere"
    elsewhere.mkdir()
    (folder / place).parent.mkdir(parents=True)
    (folder / place).symlink_to(elsewhere)
    with pytest.raises(WorkspaceError, match="symbolic link"):
        await Snapshots(folder).take()
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Dev", "dev"),
        ("Plan.md", "plan.md"),
        ("\u00e9", "e\u0301"),
        ("ÉTÉ", "été"),
        ("ß", "SS"),
        ("ﬀ", "FF"),
        ("İ", "i̇"),
    ],
)
def test_r026_names_that_differ_in_case_or_form_only_are_one(one: str, other: str) -> None:
    assert fold(one) == fold(other)


@given(st.text(max_size=20))
def test_r026_a_name_is_one_with_its_other_cases(name: str) -> None:
    assert fold(name.casefold()) == fold(name)
    assert fold(name.lower().casefold()) == fold(name.lower())
