"""What snapshots do not hold: protected places that git ignores, and what else it ignores."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from tests.unit.workspace.test_snapshots import git, repository

from sprintwright.model.changes import TOO_MANY, differing
from sprintwright.workspace import stamps as stamps_module
from sprintwright.workspace.places import Places
from sprintwright.workspace.repository import RepositoryWatch, find_repository
from sprintwright.workspace.snapshots import Snapshots


def test_x033_files_in_protected_places_are_known_by_their_content(tmp_path: Path) -> None:
    places = Places(tmp_path)
    assert places.look() == {}
    for name in (
        ".vscode/tasks.json",
        ".envrc",
        ".github/workflows/ci.yml",
        ".github/other",
        ".sprintwright/config.yaml",
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("one\n")
    seen = places.look()
    assert sorted(seen) == [".envrc", ".github/workflows/ci.yml", ".sprintwright/config.yaml", ".vscode/tasks.json"]
    os.utime(tmp_path / ".envrc", (1, 1))
    assert places.look() == seen
    (tmp_path / ".envrc").write_text("two\n")
    (tmp_path / ".vscode/tasks.json").unlink()
    assert differing(seen, places.look()) == [".envrc", ".vscode/tasks.json"]


def test_x031_x033_what_is_no_file_in_a_protected_place_is_named_and_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret/key").write_text("x")
    (tmp_path / ".claude").mkdir()
    (tmp_path / ".claude/link").symlink_to("../secret")
    (tmp_path / ".vscode").symlink_to("secret")
    os.mkfifo(tmp_path / ".envrc")
    places = Places(tmp_path)
    seen = places.look()
    assert sorted(seen) == [".claude/link", ".envrc", ".vscode"]
    (tmp_path / "secret/key").write_text("y")
    assert places.look() == seen
    (tmp_path / ".vscode").unlink()
    (tmp_path / ".vscode").symlink_to("elsewhere")
    assert differing(seen, places.look()) == [".vscode"]


@pytest.mark.parametrize(
    ("written", "tells"),
    [
        ('[branch "x"]\n\tremote = origin\n\tmerge = refs/heads/x\n', False),
        ("[core]\n\thooksPath = /evil\n", True),
        ('[branch "x"]\n\tdescription = a\n[core]\n\thooksPath = /evil\n', True),
        ('[user]\n\tname = a\\\n[branch "x"]\n\temail = b\n', True),
        ('[branch "x"] remote = a\n', True),
    ],
)
async def test_x033_settings_of_a_branch_run_nothing_and_all_others_may(
    tmp_path: Path, written: str, tells: bool
) -> None:
    project = repository(tmp_path, {"a.py": "x"})
    found = find_repository(project)
    snapshots = Snapshots(project)
    assert found is not None
    watch = RepositoryWatch(snapshots._git, found)  # pyright: ignore[reportPrivateUsage]
    before = await watch.state()
    with (project / ".git/config").open("a") as config:
        config.write(written)
    assert (differing(before, await watch.state()) == [".git/config"]) == tells


async def test_x073_what_git_ignores_is_looked_at_by_its_stamps(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = repository(tmp_path, {".gitignore": "/dist\n*.log\n", "a.py": "x"})
    (project / "dist/sub").mkdir(parents=True)
    (project / "dist/sub/out.js").write_text("one")
    (project / "kept.log").write_text("x")
    snapshots = Snapshots(project)
    await snapshots.take()
    seen = await snapshots.ignored()
    assert sorted(seen) == ["dist/", "kept.log"]
    (project / "dist/sub/tmp").write_text("x")
    (project / "dist/sub/tmp").unlink()
    assert await snapshots.ignored() == seen
    (project / "dist/sub/out.js").write_text("other")
    (project / "new.log").write_text("x")
    assert differing(seen, await snapshots.ignored()) == ["dist/", "new.log"]
    monkeypatch.setattr(stamps_module, "_MOST_FILES", 2)
    assert (await snapshots.ignored())["dist/"] == TOO_MANY
    git(project, "status")


async def test_without_a_repository_nothing_is_ignored(tmp_path: Path) -> None:
    (tmp_path / "a").write_text("x")
    assert await Snapshots(tmp_path).ignored() == {}
