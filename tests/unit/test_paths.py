"""`sprintwright.paths`: which paths are allowed, and files beneath a folder."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprintwright.errors import PathRefused
from sprintwright.paths import (
    artifact_name,
    make_private_dir,
    open_beneath,
    read_beneath,
    relative_inside,
    remove_leftovers,
    resolve_inside,
    write_atomic,
)
from sprintwright.text import fold


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("a/b.py", "a/b.py"),
        ("./a//b.py", "a/b.py"),
        ("a/b/", "a/b"),
        ("e\u0301.md", "é.md"),
        ("~/a", "~/a"),
        ("$HOME/%x%", "$HOME/%x%"),
        ("..a/b..", "..a/b.."),
        ("ab:c", "ab:c"),
    ],
)
def test_ordinary_paths_are_made_relative_and_normal(path: str, expected: str) -> None:
    assert relative_inside(path) == expected


def test_an_absolute_path_beneath_the_folder_becomes_relative() -> None:
    assert relative_inside("/w/app/src/a.py", Path("/w/app")) == "src/a.py"


@given(st.text())
def test_what_is_allowed_stays_inside_and_is_stable(path: str) -> None:
    try:
        rel = relative_inside(path)
    except PathRefused:
        return
    assert os.path.normpath(os.path.join("/w", rel)).startswith("/w/")  # noqa: PTH118
    assert relative_inside(rel) == rel


@pytest.mark.parametrize("name", ["plan.md", "Plan 2.md", "a", "_x", "9.txt"])
def test_plain_artifact_names_are_allowed(name: str) -> None:
    assert artifact_name(name) == name


@given(st.sets(st.from_regex(r"[A-Za-z0-9_][A-Za-z0-9._ -]{0,5}", fullmatch=True), max_size=5))
def test_reserved_artifact_names_are_refused_in_any_case(names: set[str]) -> None:
    for name in names | {"LOCK", "Blobs", "journal.JSONL"}:
        try:
            allowed = artifact_name(name)
        except PathRefused:
            continue
        assert fold(allowed) not in {"lock", "blobs", "journal.jsonl"}


def test_a_file_is_written_and_read_whole(tmp_path: Path) -> None:
    write_atomic(tmp_path, "a/b/plan.md", b"one", parents=True)
    write_atomic(tmp_path, "a/b/plan.md", b"two")
    assert read_beneath(tmp_path, "a/b/plan.md", 3) == b"two"
    assert [found.name for found in (tmp_path / "a/b").iterdir()] == ["plan.md"]


def test_an_empty_file_is_read(tmp_path: Path) -> None:
    write_atomic(tmp_path, "empty", b"")
    assert read_beneath(tmp_path, "empty", 0) == b""


def test_a_missing_folder_is_an_error_with_the_whole_path(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere"):
        write_atomic(tmp_path, "nowhere/plan.md", b"x")
    with pytest.raises(FileNotFoundError, match=r"plan\.md"):
        read_beneath(tmp_path, "plan.md", 10)


def test_opening_to_truncate_truncates(tmp_path: Path) -> None:
    write_atomic(tmp_path, "a", b"long content")
    os.close(open_beneath(tmp_path, "a", os.O_WRONLY | os.O_TRUNC))
    assert (tmp_path / "a").read_bytes() == b""


def test_links_inside_the_folder_resolve_to_where_they_lead(tmp_path: Path) -> None:
    (tmp_path / "packages" / "app").mkdir(parents=True)
    (tmp_path / "app").symlink_to("packages/app")
    assert resolve_inside(tmp_path, "app/new/file.py") == "packages/app/new/file.py"


def test_leftovers_of_killed_writes_are_removed_and_nothing_else(tmp_path: Path) -> None:
    for name in (".tmp-1", ".tmp-2", "kept", ".tmpfile"):
        (tmp_path / name).touch()
    (tmp_path / ".tmp-folder").mkdir()
    assert remove_leftovers(tmp_path) == 2
    assert {found.name for found in tmp_path.iterdir()} == {"kept", ".tmpfile", ".tmp-folder"}


def test_a_private_folder_may_be_there_already(tmp_path: Path) -> None:
    make_private_dir(tmp_path / "own")
    make_private_dir(tmp_path / "own")
    (tmp_path / "file").touch()
    with pytest.raises(PathRefused, match="is a file"):
        make_private_dir(tmp_path / "file")
