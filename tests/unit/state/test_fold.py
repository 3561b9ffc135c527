"""Records to run state."""

from __future__ import annotations

from dataclasses import asdict

from sprintwright.model.finding import Finding
from sprintwright.model.records import Entered, Finished, Left, Opened, Record, RunStarted, Started
from sprintwright.state.fold import RunState, fold
from sprintwright.state.ledger import Ledger
from sprintwright.state.reports import findings_report, summary_report
from tests.unit.engine.support import JUDGE, Bench, define, turn
from tests.unit.engine.test_cancel import whole

STATUSES = {"running", "waiting", "paused", "interrupted", "cancelled", "failed", "not_converged", "completed"}


def check_valid(state: RunState) -> None:
    """What must hold of the state after any record."""
    assert state.status in STATUSES
    for node in state.nodes.values():
        assert node.parent == "" or node.parent in state.nodes
        assert node.id in state.children[node.parent]
    listed = [child for children in state.children.values() for child in children]
    assert sorted(listed) == sorted(state.nodes)
    summary_report(state)
    findings_report(state)


def test_the_fold_of_any_prefix_is_a_valid_state_and_incremental() -> None:
    for bench in (whole(), Bench(define(turn("a")), lambda _r: "")):
        bench.run()
        state = RunState()
        for n, record in enumerate(bench.records):
            delta = state.apply(record)
            check_valid(state)
            whole_state = fold(bench.records[: n + 1])
            assert {k: asdict(v) for k, v in state.nodes.items()} == {
                k: asdict(v) for k, v in whole_state.nodes.items()
            }
            before = fold(bench.records[:n])
            changed = {
                k for k, v in state.nodes.items() if k not in before.nodes or asdict(before.nodes[k]) != asdict(v)
            }
            assert changed == set(delta.changed)
            new = [k for k in delta.changed if k not in before.nodes]
            assert not [k for at, k in enumerate(new) if state.nodes[k].parent in new[at:]]


def test_a_pass_carries_its_verdict_and_a_sprint_the_last_one() -> None:
    answers = iter(["again", "VERDICT: good"])
    loop = {
        "id": "p",
        "kind": "loop",
        "max_iterations": 3,
        "iteration_var": "n",
        "body": [turn("judge", verdict=JUDGE)],
    }
    sprints = {"id": "s", "kind": "loop", "over": "Sprint", "from": "plan", "body": [loop]}
    bench = Bench(define(sprints, vars={"plan": "## Sprint 4: four"}), lambda _r: next(answers))
    bench.run()
    nodes = bench.state.nodes
    assert (nodes["s[4]"].label, nodes["s[4]"].verdict) == ("Sprint 4: four", "good")
    assert (nodes["s[4]/p[1]"].verdict, nodes["s[4]/p[2]"].verdict) == ("again", "good")
    assert {node.status for node in nodes.values()} == {"done"}


def test_b053_what_was_at_work_is_interrupted_when_a_new_owner_comes() -> None:
    state = RunState()
    state.apply(Record(1, "", "a", Started(after="", what="turn")))
    assert state.status == "running"
    state.apply(Record(2, "", "", Opened(pid=1, host="h", program="p")))
    assert state.nodes["a"].status == "interrupted"


def test_findings_are_open_until_the_next_pass_of_the_same_evaluator_no_longer_has_them() -> None:
    one, two = Finding(message="one", path="a.py"), Finding(message="two", path="a.py")
    ledger = Ledger()
    ledger.judge("e", "p[1]/e", [one, two])
    ledger.judge("e", "p[2]/e", [two])
    ledger.judge("other", "x", [])
    assert [(t.finding.message, t.status, t.key) for t in ledger] == [
        ("one", "fixed", "p[1]/e"),
        ("two", "open", "p[2]/e"),
    ]


def test_another_sprints_evaluator_fixes_nothing_of_the_first() -> None:
    state = RunState()
    found = Finished(after="", value={"findings": [{"message": "m", "path": "a.py"}]})
    state.apply(Record(1, "", "s", Entered(label="Sprint", entries=())))
    for n in (1, 2):
        state.apply(Record(2 * n, "", f"s[{n}]/p", Entered(label="pass", limit=3)))
        value = found if n == 1 else Finished(after="", value={"verdict": {"key": "good"}})
        state.apply(Record(2 * n + 1, "", f"s[{n}]/p[1]/e", value))
    assert [t.status for t in state.ledger] == ["open"]


def test_the_work_for_one_record_does_not_grow_with_the_nodes() -> None:
    """Counted, not timed: how many nodes one record touches."""
    state = RunState()
    state.apply(
        Record(
            1, "", "", RunStarted(run_id="r", workflow="w", origin="", definition_hash="", task="", folder="", roles={})
        )
    )
    state.apply(Record(2, "", "l", Entered(label="pass", limit=100_000)))
    touched: list[int] = []
    for n in range(1, 2_001):
        changed = len(state.apply(Record(3 * n, "", f"l[{n}]/t", Started(after="", what="turn"))).changed)
        changed += len(state.apply(Record(3 * n + 1, "", f"l[{n}]/t", Finished(after="", value={}))).changed)
        touched.append(changed)
    assert max(touched[10:]) == min(touched[10:]) <= 8
    state.apply(Record(10_000, "", "l", Left(outcome="done")))


def test_r023_a_clock_that_goes_back_gives_no_negative_time() -> None:
    state = RunState()
    for seq, clock in enumerate([100.0, 50.0, 60.0, 10.0], start=1):
        state.apply(Record(seq, "", f"k{seq}", Started(after="", what="turn"), clock=clock))
    assert state.seconds >= 0


def test_agents_words_are_text_in_reports() -> None:
    state = RunState()
    text = "<script>[x](command:evil) `a` **b**\n# heading"
    state.apply(Record(1, "", "a", Finished(after="", value={"findings": [{"message": text, "path": "a|b.py"}]})))
    report = findings_report(state)
    assert "<script>" not in report and "[x](" not in report and "\n# heading" not in report
