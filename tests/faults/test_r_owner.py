"""Owners, locks and readers: rows R12 to R19, R27, R30 and R33 of the faults paper."""

from __future__ import annotations

import errno
import fcntl
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path

import pytest

from sprintwright.errors import Refused
from sprintwright.journal.lock import RunLock
from tests.support.terminal import Place
from tests.support.waiting import until

ONE = "name: one\nroles: [w]\nstages:\n  - {id: a, kind: agent_turn, role: w, prompt: x}\n  - {id: b, kind: agent_turn, role: w, prompt: y}\n"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path, {"*": [{"text": "ok"}]})
    made.define("one", ONE)
    return made


def runs(place: Place) -> Path:
    return place.project / ".sprintwright" / "runs"


@contextmanager
def at_work(place: Place, tmp_path: Path) -> Generator[subprocess.Popen[str]]:
    """A run whose agent is at work in its first turn; it goes on when `go` is there."""
    pipe = tmp_path / "told"
    os.mkfifo(pipe)
    place.script = {"a": [{"text": "ok", "tell": str(pipe), "wait_after": str(tmp_path / "go")}], "*": [{"text": "ok"}]}
    place.configure()
    running = place.start("run", "one", "x")
    pipe.read_text()
    try:
        yield running
    finally:
        (tmp_path / "go").touch()
        if running.poll() is None:
            running.send_signal(signal.SIGTERM)
        running.communicate(timeout=60)


@pytest.mark.skipif(os.getuid() != 0 or shutil.which("setpriv") is None, reason="needs another user")
def test_r012_a_folder_that_cannot_be_written_is_one_sentence_and_its_runs_can_be_seen() -> None:
    with tempfile.TemporaryDirectory() as base:  # another user gets into no folder of pytest's
        place = Place(Path(base), {"*": [{"text": "ok"}]})
        place.define("one", ONE)
        see_as_another_user(place)


def see_as_another_user(place: Place) -> None:
    assert place.call("run", "one", "x").returncode == 0
    before = sorted(runs(place).iterdir())
    for path in (place.base, *place.base.rglob("*")):
        if not path.is_symlink():
            path.chmod(path.stat().st_mode | (0o055 if path.is_dir() else 0o044))
    for path in (place.project, place.project / ".sprintwright", runs(place)):
        path.chmod(0o555)
    as_other = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    state = {"XDG_STATE_HOME": str(place.base / "others"), "XDG_RUNTIME_DIR": ""}
    (place.base / "others").mkdir()
    (place.base / "others").chmod(0o777)

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*as_other, sys.executable, "-m", "sprintwright", *arguments], cwd=place.project,
            env=place.environment(**state), capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=60,
        )  # fmt: skip

    refused = call("run", "one", "x")
    assert refused.returncode == 2 and str(place.project) in refused.stderr and "Traceback" not in refused.stderr
    assert sorted(runs(place).iterdir()) == before
    assert call("list").returncode == 0 and call("show").returncode == 0
    assert call("resume").returncode == 2


@pytest.mark.parametrize("what", ["removed", "renamed", "replaced"])
def test_r014_a_run_folder_that_is_taken_away_stops_the_run_and_nothing_is_written_elsewhere(
    place: Place, tmp_path: Path, what: str
) -> None:
    with at_work(place, tmp_path) as running:
        (folder,) = runs(place).iterdir()
        if what == "removed":
            shutil.rmtree(folder)
        else:
            folder.rename(tmp_path / "away")
        if what == "replaced":
            folder.mkdir()
        (tmp_path / "go").touch()
        _, said = running.communicate(timeout=60)
    assert running.returncode == 1 and "removed" in said
    assert place.turns() == {"a": 1}
    assert not list(folder.iterdir()) if what == "replaced" else not folder.exists()


def test_r016_the_lock_is_free_when_the_owner_is_killed_though_its_agent_lives_on(place: Place, tmp_path: Path) -> None:
    with at_work(place, tmp_path) as running:
        (folder,) = runs(place).iterdir()
        agent = place.prompts()[0]["pid"]
        running.kill()
        running.wait()
        held = [os.fspath(entry.readlink()) for entry in Path(f"/proc/{agent}/fd").iterdir()]
        assert not [name for name in held if "journal" in name or name.endswith("/lock")]
        until(lambda: is_free(folder))  # at once, or when a child that was just being forked has begun its own program
        os.kill(agent, signal.SIGKILL)


def is_free(folder: Path) -> bool:
    try:
        RunLock(folder).release()
    except Refused:
        return False
    return True


@pytest.mark.parametrize("text", ["1", "999999", "ours", "garbage\0" * 1000, "x" * 1_000_000])
def test_r017_what_stands_in_a_lock_file_is_only_text(tmp_path: Path, text: str) -> None:
    (tmp_path / "lock").write_text(str(os.getpid()) if text == "ours" else text)
    held = RunLock(tmp_path)
    with pytest.raises(Refused) as caught:
        RunLock(tmp_path)
    assert caught.value.code == "run_owned", "the operating system's lock decides, not the text"
    held.release()


def test_r018_an_owner_whose_lock_file_was_replaced_stops_when_another_takes_the_run(
    place: Place, tmp_path: Path
) -> None:
    with at_work(place, tmp_path) as running:
        (folder,) = runs(place).iterdir()
        (folder / "lock").unlink()
        socket = json.loads(next((place.base / "state" / "sprintwright" / "runs").glob("*.json")).read_text())["socket"]
        Path(socket).unlink()  # so that the second owner does not see the first one
        second = place.call("cancel")
        assert second.returncode == 2
        taken = place.start("resume")
        (tmp_path / "go").touch()
        out, said = running.communicate(timeout=60)
        taken.communicate(timeout=60)
    assert (running.returncode == 1 and "Another program wrote" in said + out) or taken.returncode != 0
    listed = place.call("show", "--json")
    assert listed.returncode == 0 and json.loads(listed.stdout)["status"] != "running"


@pytest.mark.parametrize("number", [errno.ENOSYS, errno.ENOLCK, errno.EOPNOTSUPP])
def test_r019_without_real_locks_owning_is_refused_in_words_and_never_softly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    def broken(_descriptor: object, _operation: int) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(fcntl, "flock", broken)
    with pytest.raises(Refused) as caught:
        RunLock(tmp_path)
    assert str(tmp_path) in caught.value.message and "local" in caught.value.message


def test_r027_readers_see_a_half_written_line_as_being_written_and_change_nothing(place: Place, tmp_path: Path) -> None:
    with at_work(place, tmp_path):
        (folder,) = runs(place).iterdir()
        journal = folder / "journal.jsonl"
        copy = tmp_path / "copy"
        shutil.copytree(place.project, copy)
        twin = next((copy / ".sprintwright" / "runs").iterdir()) / "journal.jsonl"
        line = journal.read_bytes().splitlines(keepends=True)[-1]
        whole = twin.read_bytes()
        files = sorted(str(path) for path in copy.rglob("*"))
        for size in range(1, len(line), 17):
            twin.write_bytes(whole + line[:size])
            shown = place.call("list", "--folder", str(copy))
            assert shown.returncode == 0 and "unreadable" not in shown.stdout
            assert twin.read_bytes() == whole + line[:size]
            if size > 100:
                break
        assert sorted(str(path) for path in copy.rglob("*")) == files


def test_r030_a_transcript_that_cannot_be_written_costs_nothing_but_itself(place: Place, tmp_path: Path) -> None:
    with at_work(place, tmp_path) as running:
        (folder,) = runs(place).iterdir()
        shutil.rmtree(folder / "transcripts")
        (folder / "transcripts").write_text("in the way")
        (tmp_path / "go").touch()
        out, _ = running.communicate(timeout=60)
    assert running.returncode == 0, out
    assert place.show()["status"] == "completed"


def test_r033_a_run_in_a_renamed_workspace_is_made_elsewhere_and_only_shown(place: Place) -> None:
    assert place.call("run", "one", "x").returncode == 0
    moved = place.base / "moved"
    place.project.rename(moved)
    place.project.mkdir()
    shown = place.call("show", "--folder", str(moved))
    assert shown.returncode == 0 and "made elsewhere" in shown.stdout
    refused = place.call("rerun", "last", "b", "--yes", "--folder", str(moved))
    assert refused.returncode == 2 and place.turns() == {"a": 1, "b": 1}


def appended(journal: Path) -> None:
    """A verdict of the agent's own, as the last record."""
    last = json.loads(journal.read_text().splitlines()[-1])
    with journal.open("a") as file:
        file.write(json.dumps({**last, "seq": last["seq"] + 1, "kind": "verdict", "verdict": "good_to_go"}) + "\n")


def shortened(journal: Path) -> None:
    os.truncate(journal, journal.stat().st_size - 1)


def replaced(journal: Path) -> None:
    other = journal.with_name("other")
    shutil.copy(journal, other)
    other.replace(journal)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        (appended, "Another program wrote"), (shortened, "Another program wrote"), (replaced, "was replaced"),
        (Path.unlink, "was removed"),
    ],
)  # fmt: skip
def test_x034_a_journal_that_an_agent_changes_in_its_turn_stops_the_run_in_words(
    place: Place, tmp_path: Path, act: Callable[[Path], None], words: str
) -> None:
    with at_work(place, tmp_path) as running:
        (folder,) = runs(place).iterdir()
        act(folder / "journal.jsonl")
        (tmp_path / "go").touch()
        out, said = running.communicate(timeout=60)
    assert running.returncode == 1 and words in out + said
    assert place.turns() == {"a": 1}, "nothing goes on after it"


def test_x034_a_line_that_an_agent_edits_at_its_length_makes_the_run_unreadable(place: Place, tmp_path: Path) -> None:
    """Looking at size and inode does not find it while the run goes on; the checksums do at the next look."""
    with at_work(place, tmp_path) as running:
        (folder,) = runs(place).iterdir()
        with (folder / "journal.jsonl").open("r+b") as file:
            content = file.read()
            file.seek(content.index(b'"started"'))
            file.write(b'"stabted"')
        (tmp_path / "go").touch()
        running.communicate(timeout=60)
    shown = place.call("show")
    assert "unreadable" in shown.stdout + shown.stderr
    assert place.call("resume").returncode != 0
