"""`run.restore` and `run.changes`: which moment is meant, who may restore, what is said."""

from __future__ import annotations

import json
import shutil
import signal
from pathlib import Path

import pexpect
import pytest

from sprintwright.engine.history import History
from sprintwright.journal.store import list_run_folders
from sprintwright.model.records import (
    Decided,
    Ended,
    Failed,
    Finished,
    Opened,
    Payload,
    Record,
    Released,
    SetAside,
    Started,
)
from sprintwright.state.fold import fold
from sprintwright.state.moments import Moments
from tests.support.terminal import PROGRAM, Place

OPENED = Opened(pid=1, host="h", program="p")
DONE = Finished(after="", value={})


def begun(tree: str) -> Started:
    return Started(after="", what="turn", before=tree)


def restoring(to: str, before: str, target: str) -> Started:
    return Started(after="", what="restore", before=before, text=target, to=to)


def recorded(*records: tuple[str, Payload]) -> list[Record]:
    return [Record(number, "", key, payload) for number, (key, payload) in enumerate(records, start=1)]


def moments(*records: tuple[str, Payload]) -> Moments:
    found = Moments()
    for record in recorded(*records):
        found.take(record)
    return found


def test_a_moment_is_a_leaf_a_pass_a_sprint_or_the_start() -> None:
    found = moments(
        ("plan", begun("t0")), ("plan", DONE), ("s[1]/p[1]/build", begun("t1")), ("s[1]/p[1]/build", DONE),
        ("s[1]/p[2]/build", begun("t2")), ("s[1]/p[2]/build", DONE), ("s[10]/p[1]/build", begun("t3")),
    )  # fmt: skip
    wanted = {"start": "t0", "": "t0", "plan": "t0", "s": "t1", "s[1]": "t1", "s[1]/p[2]": "t2", "s[10]": "t3"}
    assert {to: found.find(to) for to in wanted} == wanted
    assert found.find("s[2]") == found.find("bui") == found.find("nothing") == ""
    assert found.known()[0] == "start" and {"s[1]", "s[1]/p[2]", "s[10]/p[1]/build"} <= set(found.known())


def test_a_leaf_that_is_tried_again_began_with_its_first_try_and_one_that_is_done_again_anew() -> None:
    failed = Failed(cause="exit", message="m", final=False)
    found = moments(("a", begun("t0")), ("a", failed), ("a", begun("half")), ("a", begun("more")))
    assert found.find("a") == "t0"
    found = moments(("a", begun("t0")), ("a", DONE), ("", SetAside(keys=("a",), reason="rerun")), ("a", begun("t5")))
    assert found.find("a") == "t5" and found.find("start") == "t0"


def test_a_loop_that_is_called_restore_is_no_restore() -> None:
    records = recorded(("restore[1]/a", begun("t0")), ("restore[1]/a", DONE))
    state = fold(records)
    assert state.nodes["restore[1]/a"].status == "done" and state.moments.restores == {}
    assert state.moments.find("restore[1]") == "t0"


def test_a_restore_is_outside_of_the_walk() -> None:
    records = recorded(
        ("a", begun("t0")), ("a", DONE), ("", Ended(status="completed")), ("restore[1]", restoring("start", "t1", "t0"))
    )
    cut_off = History.load(records)
    assert cut_off.open == {} and set(cut_off.finished) == {"a"} and cut_off.ended is not None and cut_off.turns == 1
    history = History.load([*records, *recorded(("restore[1]", DONE))])
    assert set(history.finished) == {"a"}


@pytest.mark.parametrize("status", ["completed", "paused", "cancelled", "terminal_ready"])
@pytest.mark.parametrize("ends", [DONE, Failed(cause="restore", message="disk"), None])
def test_a_restore_leaves_the_run_as_it_stood(status: str, ends: Payload | None) -> None:
    question = Started(after="", what="question", person=True, text="which?", question="checkpoint")
    before = recorded(
        ("", OPENED), ("a", begun("t0")), ("a", DONE), ("b", question),
        ("", Ended.model_validate({"status": status, "code": "c", "reason": "r", "stage": "b"})), ("", Released()),
    )  # fmt: skip
    state = fold(before)
    stood = (
        state.status,
        state.code,
        state.reason,
        state.stage,
        set(state.questions),
        {k: n.status for k, n in state.nodes.items()},
    )
    for record in recorded(("", OPENED), ("restore[1]", restoring("start", "t1", "t0"))):
        state.apply(record)
    assert state.status == "running", "somebody is at work"
    for record in recorded(*([("restore[1]", ends)] if ends else []), ("", Released())):
        state.apply(record)
    assert stood == (
        state.status,
        state.code,
        state.reason,
        state.stage,
        set(state.questions),
        {k: n.status for k, n in state.nodes.items()},
    )


def test_an_owner_that_did_nothing_leaves_the_run_as_it_stood() -> None:
    state = fold(recorded(("a", begun("t0")), ("a", DONE), ("", Ended(status="paused")), ("", OPENED)))
    state.leave()
    assert state.status == "paused"
    state = fold(recorded(("a", begun("t0")), ("", OPENED), ("", Released())))
    assert state.status == "interrupted" and state.nodes["a"].status == "interrupted"
    state = fold(
        recorded(("a", begun("t0")), ("", Ended(status="cancelled")), ("", OPENED), ("a", Decided(what="redo")))
    )
    state.leave()
    assert state.status == "cancelled", "a decision alone is not carried out yet"


def test_what_undoes_a_restore_is_before_the_first_that_was_cut_off() -> None:
    found = moments(
        ("a", begun("t0")), ("restore[1]", restoring("start", "t1", "t0")), ("restore[2]", restoring("start", "h", "t0")),
        ("restore[2]", DONE), ("restore[3]", restoring("a", "t0", "t0")),
    )  # fmt: skip
    assert found.undo("restore[2]") == "restore[1]" and found.find("restore[1]") == "t1"
    assert found.undo("restore[3]") == "restore[3]"
    assert found.cut_off is not None and found.cut_off.key == "restore[3]"


@pytest.fixture
def place(tmp_path: Path) -> Place:
    place = Place(
        tmp_path,
        {"a": [{"text": "done", "writes": {"f": "a\n", "g": "a\n"}}], "b": [{"text": "done", "writes": {"f": "b\n"}}]},
    )
    stages = "".join(f"  - {{id: {name}, kind: agent_turn, role: w, prompt: go}}\n" for name in "ab")
    place.define("two", f"name: two\nroles: [w]\nstages:\n{stages}")
    (place.project / "f").write_text("mine\n")
    assert place.call("run", "two", "x").returncode == 0
    return place


def test_an_unknown_moment_is_refused_with_those_that_there_are(place: Place) -> None:
    refused = place.call("restore", "last", "--to", "c", "--apply")
    assert refused.returncode == 2
    assert [line.strip() for line in refused.stderr.splitlines()[1:]] == ["start", "a", "b"]


def test_x040_a_run_made_elsewhere_is_not_acted_on(place: Place, tmp_path: Path) -> None:
    other = tmp_path / "other"
    shutil.copytree(place.project, other)
    shutil.rmtree(place.base / "state")
    refused = place.call("restore", "last", "--apply", "--folder", str(other))
    assert refused.returncode == 2 and "not started by you" in refused.stderr
    assert (other / "f").read_text() == "b\n"


def test_what_is_in_the_way_is_named_and_nothing_is_changed(place: Place) -> None:
    (place.project / "g").unlink()
    (place.project / ".gitignore").write_text("g\n")
    place.call("restore", "last")  # takes a snapshot without it
    (place.project / "g").mkdir()
    (place.project / "g" / "kept").write_text("x")
    shown = place.call("restore", "last", "--to", "b")
    assert "in the way: g/kept" in shown.stdout and "do it:" not in shown.stdout
    refused = place.call("restore", "last", "--to", "b", "--apply")
    assert refused.returncode == 2 and "g/kept" in refused.stderr and (place.project / "f").read_text() == "b\n"
    assert "restore[" not in json.dumps(place.show())


def test_a_restore_is_relative_to_the_files_as_they_are_then(place: Place) -> None:
    assert "delete g" in place.call("restore", "last").stdout
    (place.project / "mine").write_text("new since the preview\n")
    done = place.call("restore", "last", "--apply")
    assert done.returncode == 0 and not (place.project / "mine").exists()
    assert place.call("restore", "last", "--to", "restore[1]", "--apply").returncode == 0
    assert (place.project / "mine").read_text() == "new since the preview\n"


def test_no_restore_beside_a_live_run_of_the_folder(place: Place) -> None:
    go = place.base / "go"
    restoring = place.start(
        "run", "two", "y", SPRINTWRIGHT_TEST_STOP="leaf.after_started", SPRINTWRIGHT_TEST_STOP_ACTION=f"wait:{go}"
    )
    assert restoring.stdout is not None
    restoring.stdout.readline()
    first = list(list_run_folders(place.project))[-1].run_id
    refused = place.call("restore", first, "--apply")
    assert refused.returncode == 2 and "is live in this folder" in refused.stderr
    assert place.call("restore", first).returncode == 0, "looking is allowed"
    go.touch()
    restoring.communicate(timeout=60)


def typing(place: Place, *arguments: str) -> pexpect.spawn[str]:
    return pexpect.spawn(
        PROGRAM[0], [*PROGRAM[1:], *arguments], cwd=str(place.project), env=dict(place.environment()),  # pyright: ignore[reportArgumentType]
        encoding="utf-8", timeout=30,
    )  # fmt: skip


@pytest.mark.parametrize(("answer", "content"), [("y", "mine\n"), ("", "b\n")])
def test_a_terminal_is_shown_the_files_and_asked_once(place: Place, answer: str, content: str) -> None:
    terminal = typing(place, "restore", "last", "--apply")
    terminal.expect_exact("change f")
    terminal.expect_exact("Do it? [y/N]")
    terminal.sendline(answer)
    terminal.expect(pexpect.EOF)
    terminal.close()
    assert (place.project / "f").read_text() == content


def test_r040_interrupted_by_the_user_a_begun_restore_goes_on_to_its_end(place: Place) -> None:
    go = place.base / "go"
    restoring = place.start(
        "restore",
        "last",
        "--apply",
        SPRINTWRIGHT_TEST_STOP="restore.file_written",
        SPRINTWRIGHT_TEST_STOP_ACTION=f"wait:{go}",
    )
    while (place.project / "g").exists():
        assert restoring.poll() is None
    restoring.send_signal(signal.SIGINT)
    go.touch()
    out, _ = restoring.communicate(timeout=60)
    assert restoring.returncode == 0 and "restore[1]" in out
    assert (place.project / "f").read_text() == "mine\n" and "start of the run" in place.show()["notes"][-1]


def diff(place: Place, leaf: str = "") -> list[str]:
    """The added and removed lines of `show --changes`."""
    shown = place.call("show", "--changes", *([leaf] if leaf else []))
    assert shown.returncode == 0, shown.stderr
    return [
        line for line in shown.stdout.splitlines() if line.startswith(("+", "-")) and line[:3] not in ("+++", "---")
    ]


def test_changes_are_what_the_run_made_whatever_was_restored_since(place: Place) -> None:
    whole, of_b = ["-mine", "+b", "+a"], ["-a", "+b"]
    assert (diff(place), diff(place, "b")) == (whole, of_b)
    assert place.call("restore", "last", "--to", "b", "--apply").returncode == 0
    assert (diff(place), diff(place, "b"), diff(place, "restore[1]")) == (whole, of_b, ["-b", "+a"])


def test_changes_of_a_cut_off_turn_end_where_a_restore_begins(tmp_path: Path) -> None:
    place = Place(tmp_path, {"a": [{"text": "done", "writes": {"f": "a\n"}}]})
    place.define("one", "name: one\nroles: [w]\nstages:\n  - {id: a, kind: agent_turn, role: w, prompt: go}\n")
    place.call("run", "one", "x", SPRINTWRIGHT_TEST_STOP="turn.answered")
    assert diff(place, "a") == ["+a"]
    assert place.call("restore", "last", "--apply").returncode == 0
    assert diff(place, "a") == ["+a"] and not (place.project / "f").exists()
    assert "changed since it began: nothing" in place.call("show").stdout


def test_changes_say_in_words_that_the_snapshots_are_gone(place: Place) -> None:
    shutil.rmtree(place.project / ".sprintwright" / "snapshots.git")
    for arguments in (("show", "--changes"), ("restore", "last"), ("restore", "last", "--apply")):
        told = place.call(*arguments)
        assert told.returncode == 1 and "are gone" in told.stderr
    assert (place.project / "f").read_text() == "b\n"
