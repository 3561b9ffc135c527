"""Which definitions there are, and which one a name means."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from sprintwright.definitions.discovery import builtin_folder, discover
from tests.unit.definitions.support import HEAD, TURN


def write(folder: Path, file: str, name: str, *, more: str = "") -> Path:
    """A good definition of that name."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file
    path.write_text(f"{HEAD.replace('trial', name)}  - {TURN}\n{more}", "utf-8")
    return path


def test_m005_a_later_definition_of_the_same_name_replaces_the_earlier_and_says_so(tmp_path: Path) -> None:
    write(tmp_path / "b", "dev.yaml", "dev")
    mine = write(tmp_path / "u", "mine.yml", "' DEV '")
    catalogue = discover(tmp_path / "b", tmp_path / "u", None)
    [entry] = catalogue.entries
    assert (entry.origin, entry.path, entry.replaces) == ("user", mine, "builtin")
    assert entry.replaced_path == tmp_path / "b" / "dev.yaml"
    theirs = write(tmp_path / "w", "x.yaml", "dev")
    [entry] = discover(tmp_path / "b", tmp_path / "u", tmp_path / "w").entries
    assert (entry.origin, entry.path, entry.replaces) == ("workspace", theirs, "user")


def test_m006_a_broken_file_is_told_with_its_path_and_the_rest_load(tmp_path: Path) -> None:
    write(tmp_path / "b", "dev.yaml", "dev")
    broken = tmp_path / "u" / "bad.yaml"
    broken.parent.mkdir()
    broken.write_text("name: other\nstages: [\n")
    catalogue = discover(tmp_path / "b", tmp_path / "u", None)
    assert catalogue.names() == ["dev", "other"]
    found = catalogue.find("other")
    assert found is not None and (found.path, found.loaded.value) == (broken, None)
    assert found.loaded.errors


def test_m007_missing_folders_are_empty(tmp_path: Path) -> None:
    write(tmp_path / "b", "dev.yaml", "dev")
    assert discover(tmp_path / "b", tmp_path / "no", tmp_path / "nothing").names() == ["dev"]
    assert discover(tmp_path / "no", None, None).names() == []


@pytest.mark.parametrize(
    ("file", "text"),
    [
        ("x.yaml", "name: dev\nstages: []\n"),
        ("x.yaml", "name: dev\nstages: [\n"),
        ("x.yaml", "title: [\nname: dev\n"),
        ("x.json", '{"name": "dev", '),
        ("x.json", '{"title": nope}\n"name": "dev"'),
        ("dev.yaml", "[\n"),
        ("x.yaml", "\tname: x\nname: dev\n"),
    ],
)
def test_b041_a_broken_definition_never_lets_the_built_in_run_in_its_place(
    tmp_path: Path, file: str, text: str
) -> None:
    write(tmp_path / "b", "dev.yaml", "dev")
    (tmp_path / "w").mkdir()
    (tmp_path / "w" / file).write_text(text)
    found = discover(tmp_path / "b", None, tmp_path / "w").find("dev")
    assert found is not None
    assert (found.origin, found.loaded.value, found.replaces) == ("workspace", None, "builtin")


def test_r026_two_files_of_one_folder_with_one_name_are_both_refused(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", "dev")
    write(tmp_path, "b.yaml", "Dev")
    [entry] = discover(tmp_path, None, None).entries
    assert entry.loaded.value is None
    assert "'b.yaml'" in entry.loaded.errors[0].message


def test_only_definition_files_are_read(tmp_path: Path) -> None:
    for file in ("a.yaml", "b.yml"):
        write(tmp_path, file, file[0])
    (tmp_path / "c.json").write_text('{"name": "c", "stages": [{"id": "x", "kind": "user_checkpoint", "prompt": "?"}]}')
    for file in (".hidden.yaml", "d.txt", "e.yaml.bak", "workflow.schema.json", "README"):
        write(tmp_path, file, "wrong")
    (tmp_path / "folder.yaml").mkdir()
    assert discover(tmp_path, None, None).names() == ["a", "b", "c"]


@pytest.mark.timeout(10)
def test_x031_special_files_do_not_block(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", "a")
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "zero.yaml").symlink_to("/dev/zero")
    assert discover(tmp_path, None, None).names() == ["a"]


def test_links_of_a_workspace_are_followed_inside_of_its_folder_only(tmp_path: Path) -> None:
    outside = write(tmp_path / "outside", "secret.yaml", "secret")
    inside = write(tmp_path / "w", "a.yaml", "a")
    (tmp_path / "w" / "good.yml").symlink_to(inside)
    (tmp_path / "w" / "bad.yaml").symlink_to(outside)
    (tmp_path / "w" / "round.yaml").symlink_to(tmp_path / "w" / "round.yaml")
    catalogue = discover(tmp_path / "no", None, tmp_path / "w")
    assert catalogue.names() == ["a", "bad", "round"]
    bad, loop = catalogue.find("bad"), catalogue.find("round")
    assert bad is not None and bad.text == "" and "link" in bad.loaded.errors[0].message
    assert loop is not None and loop.loaded.value is None


def test_links_of_the_user_are_followed(tmp_path: Path) -> None:
    (tmp_path / "u").mkdir()
    (tmp_path / "u" / "a.yaml").symlink_to(write(tmp_path / "dotfiles", "a.yaml", "a"))
    entry = discover(tmp_path / "no", tmp_path / "u", None).find("a")
    assert entry is not None and entry.loaded.value is not None


def test_a_workspace_folder_that_is_a_link_is_not_read(tmp_path: Path) -> None:
    write(tmp_path / "real", "a.yaml", "a")
    (tmp_path / "w").symlink_to(tmp_path / "real")
    assert discover(tmp_path / "no", None, tmp_path / "w").names() == []


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_a_file_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", "a").chmod(0)
    entry = discover(tmp_path, None, None).find("a")
    assert entry is not None and "can't be read" in entry.loaded.errors[0].message


def test_a_name_is_found_however_it_is_typed_and_a_near_one_is_offered(tmp_path: Path) -> None:
    write(tmp_path, "a.yaml", "Prüfung")
    catalogue = discover(tmp_path, None, None)
    assert catalogue.find(" pru\u0308FUNG ") is catalogue.entries[0]
    assert (catalogue.find("prufun"), catalogue.nearest("prufun")) == (None, "Prüfung")
    assert catalogue.nearest("zzz") is None


def test_the_built_in_definitions_are_found_and_good() -> None:
    catalogue = discover(builtin_folder(), None, None)
    assert {"author", "dev", "fix", "pair", "prototype", "quick", "swarm", "task"} == set(catalogue.names())
    assert [entry.loaded.errors for entry in catalogue.entries if entry.loaded.errors] == []
