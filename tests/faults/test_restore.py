"""Restores and deletions that are killed half-way, by SIGKILL at every named stop point (faults.md R32, X40, X43)."""

from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.support.grid import grid
from tests.support.repositories import fingerprint, git, repository
from tests.support.terminal import Place

TWO = """
name: two
roles: [w]
stages:
  - {id: a, kind: agent_turn, role: w, prompt: go}
  - {id: b, kind: agent_turn, role: w, prompt: on}
"""
SCRIPT = {
    "a": [{"text": "done", "writes": {"a.py": "by a\n", "made/by_a": "a\n"}}],
    "b": [{"text": "done", "writes": {"a.py": "by b\n", "made/by_b": "b\n", "c.py": "by b\n"}}],
}
FILES = {"a.py": "mine\n", "c.py": "mine too\n", "deep/d.py": "d\n", ".gitignore": "*.log\n"}


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(tmp_path, SCRIPT)
    place.define("two", TWO)
    repository(place.project, FILES)
    (place.project / "x.log").write_text("ignored")
    assert place.call("run", "two", "x").returncode == 0
    return place


def files(place: Place) -> dict[str, str]:
    """Every file of the project but git's and ours."""
    return {
        str(path.relative_to(place.project)): path.read_text()
        for path in place.project.rglob("*")
        if path.is_file() and not {".git", ".sprintwright"} & set(path.relative_to(place.project).parts)
    }


START = {**FILES, "x.log": "ignored"}
BEFORE_B = {**START, "a.py": "by a\n", "made/by_a": "a\n"}
END = {**BEFORE_B, "a.py": "by b\n", "made/by_b": "b\n", "c.py": "by b\n"}


def restores(place: Place) -> list[tuple[str, str]]:
    """Kind and key of the records of restores."""
    newest = sorted((place.project / ".sprintwright" / "runs").iterdir())[-1]
    records = [json.loads(line) for line in (newest / "journal.jsonl").read_text().splitlines()]
    return [(record["kind"], record["key"]) for record in records if record["key"].startswith("restore[")]


def test_a_restore_is_previewed_applied_and_undone_by_the_printed_commands(place: Place) -> None:
    before = fingerprint(place.project / ".git")
    shown = place.call("restore", "last")
    assert shown.returncode == 0 and files(place) == END
    for line in ("change a.py", "delete made/by_a", "delete made/by_b", "change c.py"):
        assert line in shown.stdout
    assert restores(place) == []
    done = typed(place, shown.stdout, "do it: ")
    assert done.returncode == 0 and files(place) == START and not (place.project / "made").exists()
    assert restores(place) == [("started", "restore[1]"), ("finished", "restore[1]")]
    again = place.call("restore", "last", "--apply")
    assert "already" in again.stdout and len(restores(place)) == 2
    undone = typed(place, done.stdout, "undo it: ")
    assert undone.returncode == 0 and files(place) == END
    assert place.call("restore", "last", "--to", "b", "--apply").returncode == 0
    assert files(place) == BEFORE_B
    assert fingerprint(place.project / ".git") == before
    shown_run = place.show()
    assert shown_run["status"] == "completed" and shown_run["turns"] == 2
    assert not any(node["id"].startswith("restore") for node in shown_run["nodes"])
    assert any("before b" in note for note in shown_run["notes"])
    assert place.call("resume").returncode == 2 and place.turns() == {"a": 1, "b": 1}


def typed(place: Place, output: str, label: str) -> subprocess.CompletedProcess[str]:
    """Type the command that the program printed."""
    found = re.search(rf"^{re.escape(label)}\s*sprintwright (.*)$", output, re.MULTILINE)
    assert found is not None, output
    return place.call(*shlex.split(found[1]))


POINTS = [
    "restore.begun", "restore.file_written:1", "restore.file_written:3", "restore.done", "journal.before_write:2",
    "journal.before_write:3",
]  # fmt: skip


@pytest.mark.parametrize("way", ["finish it:", "undo it:"])
@pytest.mark.parametrize("point", grid(POINTS, ("restore.file_written:3",)))
def test_x040_a_killed_restore_is_told_and_can_be_finished_or_undone(place: Place, point: str, way: str) -> None:
    user = fingerprint(place.project / ".git")
    killed = place.call("restore", "last", "--apply", SPRINTWRIGHT_TEST_STOP=point)
    assert killed.returncode == -9, f"{point} was never visited: {killed.stdout}{killed.stderr}"
    assert "restored" not in killed.stdout
    for name, content in files(place).items():
        assert content in (START.get(name), END.get(name)) or name.startswith(".sprintwright-restore-")
    shown = place.call("show")
    if not restores(place):  # killed before it was on disk that it began: nothing happened
        assert files(place) == END and "cut off" not in shown.stdout
        return
    assert "cut off" in shown.stdout and "finish it:" in shown.stdout
    assert place.show()["status"] == "completed"
    resumed = place.call("resume")
    assert resumed.returncode == 2 and "finish it:" in resumed.stderr and "undo it:" in resumed.stderr
    settled = typed(place, shown.stdout, way)
    assert settled.returncode == 0, settled.stderr
    assert files(place) == (START if way == "finish it:" else END)
    assert restores(place)[-2:] == [("started", "restore[2]"), ("finished", "restore[2]")]
    shown = place.call("show")
    assert "was cut off" not in shown.stdout
    assert "restore_cut_off" not in place.call("resume").stderr
    if way == "finish it:":
        assert typed(place, settled.stdout, "undo it: ").returncode == 0
        assert files(place) == END
    assert fingerprint(place.project / ".git") == user and place.turns() == {"a": 1, "b": 1}


def test_x040_killed_again_while_it_is_finished_it_can_still_be_undone(place: Place) -> None:
    for point in ("restore.file_written:2", "restore.file_written:1", "restore.begun"):
        assert place.call("restore", "last", "--apply", SPRINTWRIGHT_TEST_STOP=point).returncode == -9
    shown = place.call("show").stdout
    assert "--to 'restore[1]'" in shown
    assert typed(place, shown, "undo it:").returncode == 0
    assert files(place) == END


def test_x040_a_restore_that_fails_in_the_middle_is_not_told_as_done(place: Place) -> None:
    """The disk says no to the second file; what to type is said, and typing it works."""
    go = place.base / "go"
    restoring = place.start(
        "restore", "last", "--apply",
        SPRINTWRIGHT_TEST_STOP="restore.begun", SPRINTWRIGHT_TEST_STOP_ACTION=f"wait:{go}",
    )  # fmt: skip
    while ("started", "restore[1]") not in restores(place):
        assert restoring.poll() is None
    (place.project / "made" / "by_a").unlink()
    (place.project / "made" / "by_a").mkdir()
    (place.project / "made" / "by_a" / "x.log").write_text("ignored")
    assert "carried on" in place.call("resume").stderr
    assert "was cut off" not in place.call("show").stdout
    go.touch()
    out, errors = restoring.communicate(timeout=60)
    assert restoring.returncode == 1 and "finish it:" in errors and "restored (" not in out
    assert "was not finished" in " ".join(place.show()["notes"])
    assert typed(place, errors, "finish it:").returncode == 0
    assert files(place) == {**START, "made/by_a/x.log": "ignored"}


def test_a_restored_interrupted_run_goes_on_and_its_turns_count_once(tmp_path: Path) -> None:
    place = Place(tmp_path, SCRIPT)
    place.define("two", TWO)
    repository(place.project, FILES)
    place.call("run", "two", "x", SPRINTWRIGHT_TEST_STOP="turn.answered:2")
    assert place.show()["status"] == "interrupted"
    assert place.call("restore", "last", "--to", "b", "--apply").returncode == 0
    assert place.show()["status"] == "interrupted"
    assert files(place) == {**FILES, "a.py": "by a\n", "made/by_a": "a\n"}
    assert place.call("resume").returncode == 0
    assert place.turns() == {"a": 1, "b": 2} and place.show()["status"] == "completed"
    assert place.call("restore", "last", "--to", "b", "--apply").returncode == 0
    assert files(place) == {**FILES, "a.py": "by a\n", "made/by_a": "a\n"}


def test_x043_a_restore_works_after_the_users_own_garbage_collection(place: Place) -> None:
    git(place.project, "gc", "-q", "--prune=now")
    assert place.call("restore", "last", "--apply").returncode == 0
    assert files(place) == START


def test_r070_a_restore_works_when_the_users_repository_was_deleted(place: Place) -> None:
    shutil.rmtree(place.project / ".git")
    assert place.call("restore", "last", "--apply").returncode == 0
    assert files(place) == START and not (place.project / ".git").exists()


def test_r071_locks_and_a_half_rebase_in_the_users_repository_stop_no_run_and_no_restore_and_stay(
    tmp_path: Path,
) -> None:
    """Nothing of ours needs those locks: the user's index and HEAD are read, and snapshots have an index of their own."""
    locks = {f".git/{name}": "left\n" for name in ("index.lock", "HEAD.lock", "refs/heads/main.lock", "config.lock")}
    script: dict[str, Any] = json.loads(json.dumps(SCRIPT))
    script["a"][0]["writes"] |= locks
    place = Place(tmp_path, script)
    place.define("two", TWO)
    half_rebased(repository(place.project, FILES))
    (place.project / "x.log").write_text("ignored")
    before = fingerprint(place.project / ".git")
    done = place.call("run", "two", "x")
    assert done.returncode == 0, done.stdout + done.stderr
    conflict = {"deep/d.py": (place.project / "deep" / "d.py").read_text()}
    assert "<<<<<<<" in conflict["deep/d.py"]
    assert files(place) == {**END, **conflict, "x.log": "ignored"}
    assert place.call("restore", "last", "--apply").returncode == 0
    assert files(place) == {**START, **conflict}
    assert {name: (place.project / name).read_text() for name in locks} == locks
    for name in locks:
        (place.project / name).unlink()
    assert fingerprint(place.project / ".git") == before
    assert "rebase in progress" in git(place.project, "status")


def half_rebased(project: Path) -> None:
    """Leave a rebase that stopped at a conflict."""
    for branch, text, next_one in (("other", "theirs\n", "main"), ("ours", "ours\n", "ours")):
        git(project, "checkout", "-q", "-b", branch)
        (project / "deep" / "d.py").write_text(text)
        git(project, "commit", "-q", "-a", "-m", branch)
        git(project, "checkout", "-q", next_one)
    with pytest.raises(subprocess.CalledProcessError):
        git(project, "rebase", "other")


def test_x043_both_trees_of_a_restore_are_kept_with_the_run(place: Place) -> None:
    (place.project / "c.py").write_text("in no snapshot yet\n")
    assert place.call("restore", "last", "--apply").returncode == 0
    newest = sorted((place.project / ".sprintwright" / "runs").iterdir())[-1]
    started = next(
        data["data"]
        for data in map(json.loads, (newest / "journal.jsonl").read_text().splitlines())
        if (data["kind"], data["key"]) == ("started", "restore[1]")
    )
    store = f"--git-dir={place.project / '.sprintwright/snapshots.git'}"
    kept = git(place.project, store, "log", "--format=%T", f"refs/sprintwright/{newest.name}").split()
    assert {started["before"], started["text"]} <= set(kept)
    assert "in no snapshot yet" in git(place.project, store, "show", f"{started['before']}:c.py")


def run_id(place: Place) -> str:
    return next(
        path.name for path in sorted((place.project / ".sprintwright" / "runs").iterdir()) if path.name[0] != "."
    )


def refs(place: Place) -> str:
    return git(place.project, f"--git-dir={place.project / '.sprintwright/snapshots.git'}", "for-each-ref")


def traces(place: Place, run: str) -> list[str]:
    """Everything with the run's id in its name, in the folder and in the user's state, and its ref."""
    found = [*(place.project / ".sprintwright").rglob(f"*{run}*"), *(place.base / "state").rglob(f"*{run}*")]
    return [*map(str, found), *(["ref"] if run in refs(place) else [])]


def test_r032_a_deleted_run_leaves_nothing_behind(place: Place) -> None:
    run = run_id(place)
    assert traces(place, run)
    done = place.call("delete", "last", "--yes")
    assert done.returncode == 0 and run in done.stdout
    assert traces(place, run) == [] and files(place) == END


@pytest.mark.parametrize("then", [("delete", "last", "--yes"), ("run", "two", "y")], ids=["delete", "start"])
def test_r032_a_killed_deletion_is_never_listed_and_finished_later(place: Place, then: tuple[str, ...]) -> None:
    first = run_id(place)
    assert place.call("run", "two", "again").returncode == 0
    killed = place.call("delete", first, "--yes", SPRINTWRIGHT_TEST_STOP="delete.renamed")
    assert killed.returncode == -9
    runs = place.project / ".sprintwright" / "runs"
    assert (runs / f".trash-{first}").is_dir() and not (runs / first).exists()
    listed = place.call("list")
    assert first not in listed.stdout and first not in place.call("list", "--all").stdout
    assert place.call("show", first).returncode == 2
    assert (runs / f".trash-{first}").is_dir(), "looking removes nothing"
    assert place.call(*then).returncode == 0
    assert traces(place, first) == []


def test_r032_a_run_that_another_program_owns_is_not_deleted(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    place = Place(tmp_path, {"a": [{"text": "x", "tell": str(pipe), "hang": True}]})
    place.define("two", TWO)
    live = place.start("run", "two", "x")
    pipe.read_text()
    refused = place.call("delete", "last", "--yes")
    assert refused.returncode == 2 and "cancel" in refused.stderr
    kept = place.call("restore", "last", "--apply")
    assert kept.returncode == 2 and "cancel" in kept.stderr
    assert place.call("cancel").returncode == 0
    live.communicate(timeout=60)
    assert place.call("delete", "last", "--yes").returncode == 0


@pytest.mark.parametrize("point", ["run.folder_made", "definition.copied", "lock.taken"])
def test_r028_a_run_that_never_started_can_be_deleted(tmp_path: Path, point: str) -> None:
    place = Place(tmp_path, SCRIPT)
    place.define("two", TWO)
    place.call("run", "two", "x", SPRINTWRIGHT_TEST_STOP=point)
    assert place.call("delete", "last", "--yes").returncode == 0
    assert not list((place.project / ".sprintwright" / "runs").iterdir())


def test_r032_an_unreadable_run_can_be_deleted(place: Place) -> None:
    journal = place.project / ".sprintwright" / "runs" / run_id(place) / "journal.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b"run_started", b"run_stopped", 1))
    assert "unreadable" in place.call("show").stdout
    assert place.call("delete", "last", "--yes").returncode == 0
    assert not list(journal.parent.parent.iterdir())
