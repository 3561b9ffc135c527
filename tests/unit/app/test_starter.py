"""`workflow.create`: a starter, or a copy of a known workflow, in the folder's own place."""

from __future__ import annotations

from pathlib import Path

import pytest

from sprintwright.app.places import Places
from sprintwright.app.start import catalogue
from sprintwright.app.starter import create_workflow
from sprintwright.definitions.discovery import builtin_folder
from sprintwright.errors import Refused


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places.of({"HOME": str(tmp_path / "home")})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "project"
    made.mkdir()
    return made


def test_the_starter_can_be_run_as_it_is_and_git_ignores_it(places: Places, folder: Path) -> None:
    path = create_workflow(places, folder, "my-review")
    found = catalogue(places, folder).find("my-review")
    assert found is not None and found.path == path and not found.loaded.problems
    assert (folder / ".sprintwright" / ".gitignore").read_text() == "*\n"


def test_a_copy_of_a_built_in_workflow_takes_its_place_in_the_folder(places: Places, folder: Path) -> None:
    path = create_workflow(places, folder, "dev", copy=True)
    assert path.read_text() == (builtin_folder() / "dev.yaml").read_text()
    found = catalogue(places, folder).find("dev")
    assert found is not None and (found.origin, found.replaces) == ("workspace", "builtin")


@pytest.mark.parametrize(
    ("name", "copy", "code"),
    [
        ("dev", False, "bad_argument"),  # it would take the place of the built-in one unasked
        ("mine", False, "bad_argument"),  # it is there already
        ("mine", True, "bad_argument"),
        ("none", True, "unknown_workflow"),
        ("../x", False, "bad_argument"),
        ("A b", False, "bad_argument"),
        ("", False, "bad_argument"),
    ],
)
def test_what_can_not_be_created_is_refused_and_nothing_is_written(
    places: Places, folder: Path, name: str, copy: bool, code: str
) -> None:
    create_workflow(places, folder, "mine")
    before = sorted(folder.rglob("*"))
    with pytest.raises(Refused) as caught:
        create_workflow(places, folder, name, copy=copy)
    assert caught.value.code == code
    assert sorted(folder.rglob("*")) == before


def test_a_link_in_the_way_is_not_followed(places: Places, folder: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (folder / ".sprintwright").symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused) as caught:
        create_workflow(places, folder, "mine")
    assert caught.value.code == "folder_read_only"
    assert not list((tmp_path / "elsewhere").iterdir())
