"""Deleting runs, by word and by the limit of how many are kept."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pexpect
import pytest

from sprintwright.app.config import load_settings
from sprintwright.app.places import Places
from sprintwright.app.user_state import OwnRun, UserState
from sprintwright.errors import Refused
from sprintwright.journal.lock import RunLock
from sprintwright.journal.store import RunFolder, list_run_folders, make_run_folder
from sprintwright.journal.trash import empty, throw_away, thrown_away
from tests.support.terminal import PROGRAM, Place

ONE = "name: one\nroles: [w]\nstages:\n  - {id: a, kind: agent_turn, role: w, prompt: go}\n"


def made(tmp_path: Path) -> RunFolder:
    place = make_run_folder(tmp_path)
    (place.path / "artifacts" / "a.md").write_text("x")
    return place


def test_r032_a_run_is_renamed_first_and_removed_then(tmp_path: Path) -> None:
    place = made(tmp_path)
    throw_away(place)
    assert not place.path.exists() and list(list_run_folders(tmp_path)) == []
    assert list(thrown_away(tmp_path)) == [place.run_id]
    empty(tmp_path, place.run_id)
    assert list(place.path.parent.iterdir()) == []
    empty(tmp_path, place.run_id)


def test_r032_while_it_is_owned_nothing_is_renamed(tmp_path: Path) -> None:
    place = made(tmp_path)
    lock = RunLock(place.path)
    with pytest.raises(Refused, match="carried on") as refused:
        throw_away(place)
    assert refused.value.code == "run_owned" and place.path.is_dir()
    lock.release()
    throw_away(place)


def test_r032_links_are_removed_and_never_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_text("x")
    place = made(tmp_path)
    (place.path / "link").symlink_to(outside)
    shutil.rmtree(place.path / "artifacts")
    (place.path / "artifacts").symlink_to(outside)
    throw_away(place)
    empty(tmp_path, place.run_id)
    planted = place.path.parent / ".trash-20260101-000000000-abcd"
    planted.symlink_to(outside)
    for run_id in thrown_away(tmp_path):
        empty(tmp_path, run_id)
    assert not planted.is_symlink() and (outside / "kept").read_text() == "x"


@pytest.mark.parametrize("linked", ["run", "lock", "runs"])
def test_r032_a_run_that_is_a_link_is_not_deleted(tmp_path: Path, linked: str) -> None:
    place = made(tmp_path)
    real = {"run": place.path, "lock": place.path / "lock", "runs": place.path.parent}[linked]
    if linked == "lock":
        (tmp_path / "elsewhere").write_text("x")
    else:
        real.rename(tmp_path / "elsewhere")
    real.symlink_to(tmp_path / "elsewhere")
    with pytest.raises(Refused, match="symbolic link"):
        throw_away(place)
    assert (tmp_path / "elsewhere").exists()


def test_the_limit_counts_in_the_users_file_only(tmp_path: Path) -> None:
    user, folder = tmp_path / "config.yaml", tmp_path / "project"
    (folder / ".sprintwright").mkdir(parents=True)
    (folder / ".sprintwright" / "config.yaml").write_text("history: {runs: 1}\n")
    assert load_settings(user, folder).history_runs is None
    assert "ignored" in " ".join(load_settings(user, folder).warnings)
    user.write_text("history: {runs: 7}\n")
    assert load_settings(user, folder).history_runs == 7
    user.write_text("history: {runs: 0}\n")
    with pytest.raises(Refused):
        load_settings(user, folder)


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path, {"a": [{"text": "done", "writes": {"f": "1"}}]})
    place.define("one", ONE)
    return place


def runs(place: Place) -> list[str]:
    return [run.run_id for run in list_run_folders(place.project)]


def start_one(place: Place) -> str:
    assert place.call("run", "one", "x").returncode == 0
    return runs(place)[0]


def test_r032_a_start_deletes_own_finished_runs_beyond_the_limit_and_says_how_many(place: Place) -> None:
    ids = [start_one(place) for _ in range(4)]
    unreadable = RunFolder(place.project, ids[0]).path / "journal.jsonl"
    unreadable.write_bytes(unreadable.read_bytes().replace(b'"finished"', b'"finish3d"', 1))
    elsewhere = ids[1]
    UserState(Places.of(place.environment()).state).forget(elsewhere)
    place.configure(history={"runs": 1})
    place.define("pausing", ONE.replace("one", "pausing").replace("go}", "go, pause_after: true}"))
    assert place.call("run", "pausing", "x").returncode == 4
    paused = runs(place)[0]
    assert sorted(runs(place)) == sorted([ids[0], elsewhere, ids[3], paused])
    assert any("1 older run was deleted" in note for note in place.show()["notes"])
    newest = start_one(place)
    assert set(runs(place)) == {ids[0], elsewhere, ids[3], paused, newest}
    last = start_one(place)
    assert set(runs(place)) == {ids[0], elsewhere, paused, newest, last}
    assert not list((place.project / ".sprintwright").rglob(f"*{ids[2]}*"))


def test_without_a_limit_every_run_is_kept(place: Place) -> None:
    for _ in range(3):
        start_one(place)
    assert len(runs(place)) == 3


def test_r032_the_state_of_another_folder_is_not_forgotten(place: Place, tmp_path: Path) -> None:
    run = start_one(place)
    other = tmp_path / "other"
    shutil.copytree(place.project, other)
    assert place.call("delete", run, "--folder", str(other), "--yes").returncode == 0
    assert runs(place) == [], "an id alone means the user's own run"
    shutil.copytree(other, place.project, dirs_exist_ok=True)
    state = UserState(Places.of(place.environment()).state)
    state.remember(OwnRun(run_id=run, folder=str(place.project), definition_hash=""))
    throw_away(RunFolder(other, run))
    assert place.call("run", "one", "x", "--folder", str(other)).returncode == 0
    assert state.own_run(run) is not None and RunFolder(place.project, run).path.is_dir()
    assert list(thrown_away(other)) == []


def test_r032_a_start_token_of_a_deleted_run_starts_anew(tmp_path: Path) -> None:
    state = UserState(tmp_path)
    state.keep_token("t1", "20260101-000000000-abcd")
    state.keep_token("t2", "20260101-000000000-efgh")
    state.forget("20260101-000000000-abcd")
    assert (state.run_of_token("t1"), state.run_of_token("t2")) == ("", "20260101-000000000-efgh")


def test_delete_without_a_terminal_needs_yes_and_without_a_run_a_name(place: Place) -> None:
    run = start_one(place)
    refused = place.call("delete", run)
    assert refused.returncode == 4 and "--yes" in refused.stderr and runs(place) == [run]
    refused = place.call("delete", "--yes")
    assert refused.returncode == 2 and "which run" in refused.stderr and runs(place) == [run]


def test_several_runs_are_deleted_at_once(place: Place) -> None:
    ids = [start_one(place) for _ in range(3)]
    assert place.call("delete", ids[0], ids[2][-4:], "--yes").returncode == 0
    assert runs(place) == [ids[1]]


def typing(place: Place, run: str) -> pexpect.spawn[str]:
    return pexpect.spawn(
        PROGRAM[0], [*PROGRAM[1:], "delete", run], cwd=str(place.project), env=dict(place.environment()),  # pyright: ignore[reportArgumentType]
        encoding="utf-8", timeout=30,
    )  # fmt: skip


def end_of_input(terminal: pexpect.spawn[str]) -> None:
    terminal.sendeof()


def word(text: str) -> Callable[[pexpect.spawn[str]], None]:
    def type_it(terminal: pexpect.spawn[str]) -> None:
        terminal.sendline(text)

    return type_it


@pytest.mark.parametrize(
    "answer", [word("DELETE"), word("yes"), word(""), word(" delete"), end_of_input],
    ids=["upper case", "yes", "nothing", "a space before", "end of input"],
)  # fmt: skip
def test_m086_anything_but_the_word_cancels(place: Place, answer: Callable[[pexpect.spawn[str]], None]) -> None:
    run = start_one(place)
    terminal = typing(place, run)
    terminal.expect_exact("type the word `delete`:")
    answer(terminal)
    terminal.expect_exact("is kept")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 2 and runs(place) == [run]


def test_m086_the_word_deletes_and_the_question_names_the_task(place: Place) -> None:
    run = start_one(place)
    terminal = typing(place, run)
    terminal.expect_exact(f"delete run {run} (x), completed?")
    terminal.expect_exact("type the word `delete`:")
    terminal.sendline("delete")
    terminal.expect_exact("is deleted")
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert terminal.exitstatus == 0 and runs(place) == []
