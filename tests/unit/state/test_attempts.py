"""What a leaf changed counts from its first try, unless files were put back meanwhile."""

from __future__ import annotations

from sprintwright.model.changes import Change, ChangeStatus
from sprintwright.model.records import (
    Decided,
    Entered,
    Failed,
    Finished,
    Opened,
    Outline,
    Payload,
    Record,
    RunStarted,
    ScopeEntry,
    SetAside,
    Started,
)
from sprintwright.model.results import Changed
from sprintwright.state.fold import RunState, fold

OPENED = Opened(pid=1, host="h", program="p")


def begun(tree: str) -> Started:
    return Started(after="", what="turn", before=tree)


def changed(before: str, after: str, **files: ChangeStatus) -> Changed:
    found = tuple(Change(path=path, status=status) for path, status in files.items())
    return Changed(before=before, after=after, files=found)


def done(before: str, after: str, **files: ChangeStatus) -> Finished:
    return Finished(after="", value={"text": "", "changes": changed(before, after, **files).model_dump(mode="json")})


def restoring(before: str, target: str) -> Started:
    return Started(after="", what="restore", before=before, text=target, to="start")


def folded(*records: tuple[str, Payload]) -> RunState:
    return fold([Record(number, "", key, payload) for number, (key, payload) in enumerate(records, start=1)])


def test_what_a_cut_off_try_left_counts_with_the_turn_that_is_done_again() -> None:
    left = Decided(what="redo", left=changed("t0", "t1", new="added", old="modified", gone="added"))
    state = folded(
        ("a", begun("t0")), ("", OPENED), ("a", left), ("a", begun("t1")),
        ("a", done("t1", "t2", new="modified", gone="deleted")),
    )  # fmt: skip
    assert state.changed_files == {"new": "added", "old": "modified"}
    assert state.trees["a"] == ("t0", "t2") and state.changes_unknown == ""
    assert state.nodes["a"].changed == "changed new, old"


def test_what_a_try_left_that_is_kept_counts_too() -> None:
    kept = Finished(after="", value={"text": ""})
    state = folded(("a", begun("t0")), ("a", Decided(what="keep", left=changed("t0", "t1", f="added"))), ("a", kept))
    assert state.changed_files == {"f": "added"} and state.trees["a"] == ("t0", "t1")


def test_of_several_tries_that_were_cut_off_the_first_one_counts() -> None:
    state = folded(
        ("a", begun("t0")), ("a", Decided(what="redo", left=changed("t0", "t1", f="added"))), ("a", begun("t1")),
        ("a", Decided(what="redo", left=changed("t0", "t2", f="added", g="added"))), ("a", begun("t2")),
        ("a", done("t2", "t2")),
    )  # fmt: skip
    assert state.changed_files == {"f": "added", "g": "added"} and state.trees["a"] == ("t0", "t2")


def test_what_was_put_back_between_two_tries_does_not_count() -> None:
    restored = Finished(after="", value={"before": "t1", "after": "t0"})
    records: list[tuple[str, Payload]] = [
        ("a", begun("t0")), ("a", Decided(what="redo", left=changed("t0", "t1", f="added"))), ("a", begun("t1")),
        ("restore[1]", restoring("t1", "t0")), ("restore[1]", restored), ("a", Decided(what="redo")),
    ]  # fmt: skip
    state = folded(*records, ("a", begun("u0")), ("a", done("u0", "u1", g="added")))
    assert state.changed_files == {"g": "added"} and state.trees["a"] == ("u0", "u1") and state.changes_unknown == ""
    assert folded(*records).attempts.left_at == {"a": "t1"}
    assert folded(*records, ("a", SetAside(keys=("a",)))).changed_files == {}


def test_what_is_there_again_because_the_restore_was_undone_counts() -> None:
    state = folded(
        ("a", begun("t0")), ("restore[1]", restoring("t1", "t0")), ("restore[1]", Finished(after="", value={})),
        ("restore[2]", restoring("t0", "t1")), ("restore[2]", Finished(after="", value={})),
        ("a", Decided(what="redo", left=changed("t0", "t1", f="added"))), ("a", begun("t1")), ("a", done("t1", "t1")),
    )  # fmt: skip
    assert state.changed_files == {"f": "added"} and state.trees["a"] == ("t0", "t1")


def test_a_journal_without_what_was_left_says_that_the_list_is_not_whole() -> None:
    state = folded(("a", begun("t0")), ("a", Decided(what="redo")), ("a", begun("t1")), ("a", done("t1", "t1")))
    assert state.trees["a"] == ("t0", "t1") and "before a was tried again" in state.changes_unknown
    state = folded(("a", begun("t0")), ("a", Decided(what="redo")), ("a", begun("t0")), ("a", done("t0", "t1")))
    assert state.changes_unknown == ""


def test_a_try_that_failed_belongs_to_the_turn_and_its_files_are_told_to_be_missing_in_the_list() -> None:
    failed = Failed(cause="exit", message="no", final=False)
    state = folded(("a", begun("t0")), ("a", failed), ("a", begun("t1")), ("a", done("t1", "t2")))
    assert state.trees["a"] == ("t0", "t2") and "show --changes" in state.changes_unknown


def test_in_a_group_what_siblings_wrote_meanwhile_is_not_told_to_be_missing() -> None:
    turn = Outline(id="a", kind="agent_turn")
    started = RunStarted(
        run_id="r", workflow="w", origin="user", definition_hash="h", task="t", folder="/", roles={},
        outline=(Outline(id="g", kind="parallel_group", body=(turn,)),),
    )  # fmt: skip
    failed = Failed(cause="exit", message="no", final=False)
    state = folded(
        ("", started), ("g", Entered(label="Item", entries=(ScopeEntry(number=1),))), ("g[1]/a", begun("t0")),
        ("g[1]/a", failed), ("g[1]/a", begun("t1")), ("g[1]/a", done("t1", "t2")),
    )  # fmt: skip
    assert state.changes_unknown == "" and state.trees["g[1]/a"] == ("t0", "t2")


def test_a_rerun_begins_from_nothing() -> None:
    state = folded(
        ("a", begun("t0")), ("a", done("t0", "t1", f="added")), ("", SetAside(keys=("a",), reason="rerun")),
        ("a", begun("t5")), ("a", done("t5", "t6")),
    )  # fmt: skip
    assert state.trees["a"] == ("t5", "t6") and state.changes_unknown == ""
