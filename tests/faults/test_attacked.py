"""What an attack on the verbs found: each stays mended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sprintwright.agents.failures import classify
from sprintwright.app.artifacts import decide, differences
from sprintwright.engine.doubles import ScriptedPeople
from sprintwright.engine.history import History
from sprintwright.model.records import Decided, Said, SetAside, Started
from tests.e2e.test_acts import folder_of, until
from tests.faults.test_r_owner import ONE, at_work
from tests.support.terminal import Place
from tests.unit.engine.support import Bench, define, turn


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path, {"*": [{"text": "ok"}]})
    made.define("one", ONE)
    return made


def test_an_owner_in_another_runtime_folder_is_seen_and_its_agent_left_alone(place: Place, tmp_path: Path) -> None:
    other = tmp_path / "rt2"
    other.mkdir(mode=0o700)
    assert place.call("run", "one", "x", "--pause-after", "a").returncode == 4
    go = tmp_path / "go"
    place.script = {"b": [{"text": "ok", "wait_for": str(go)}], "*": [{"text": "ok"}]}
    place.configure()
    live = place.start("continue", XDG_RUNTIME_DIR=str(other))
    until(lambda: place.turns()["b"] == 1)
    assert place.show()["status"] == "running"
    for verb in (("resume",), ("delete", folder_of(place).name, "--yes"), ("restore", "last", "--apply")):
        refused = place.call(*verb)
        assert refused.returncode == 2 and "carried on" in refused.stderr + refused.stdout, refused.stderr
    second = place.call("run", "one", "y")
    assert second.returncode == 2 and "--concurrent" in second.stderr
    go.touch()
    live.communicate(timeout=60)
    assert live.returncode == 0 and place.turns() == {"a": 1, "b": 1}


def test_a_paused_run_is_not_gone_on_with_beside_a_live_one_unless_it_is_wanted(place: Place, tmp_path: Path) -> None:
    assert place.call("run", "one", "x", "--pause-after", "a").returncode == 4
    paused = folder_of(place).name
    with at_work(place, tmp_path):
        for verb in (("continue", paused), ("resume", paused), ("rerun", paused, "a", "--yes")):
            refused = place.call(*verb)
            assert refused.returncode == 2 and "--concurrent" in refused.stderr, refused.stdout
        assert place.call("continue", paused, "--concurrent").returncode == 0


def test_an_answer_counts_for_the_question_that_it_was_given_to_and_for_no_other() -> None:
    stage = turn("build", "{{task}}", skip_user_checkpoint_marker="GO", save_as="x")
    ask = iter(["Which colour?", "Delete the database?"])
    asked: list[str] = []

    def people(question: object) -> None:
        asked.append(str(getattr(question, "text", "")))

    bench = Bench(define(turn("plan"), stage), lambda r: next(ask) if r.key == "build" else "ok")
    bench.people = ScriptedPeople(people)
    assert bench.run().code == "question"
    text = bench.state.questions["build/question"].text
    bench.decide("build/question", Decided(what="answer", text="yes", question=text))
    bench.decide("plan", SetAside(keys=("plan",), reason="rerun"))
    assert bench.run().code == "question"
    assert asked == ["Which colour?", "Delete the database?"]


def test_an_answer_beside_a_changed_file_that_its_question_hangs_on_is_refused(tmp_path: Path) -> None:
    place = Place(tmp_path, {"plan": [{"text": "P"}], "build": [{"text": "Which colour?"}]})
    place.define(
        "q",
        "name: q\nroles: [w]\nstages:\n  - {id: plan, kind: agent_turn, role: w, prompt: x, save_as: p, artifact: plan.md}\n"
        "  - {id: build, kind: agent_turn, role: w, prompt: '{{p}}', skip_user_checkpoint_marker: GO}\n",
    )
    assert place.call("run", "q", "x").returncode == 4
    (folder_of(place) / "artifacts" / "plan.md").write_text("mine")
    refused = place.call("answer", "last", "yes", "--artifacts", "mine")
    assert refused.returncode == 2 and "done again" in refused.stderr and place.turns() == {"plan": 1, "build": 1}


def test_a_version_of_the_users_own_can_be_put_back_later(tmp_path: Path) -> None:
    place = Place(tmp_path, {"plan": [{"text": "P"}], "*": [{"text": "ok"}]})
    place.define(
        "p",
        "name: p\nroles: [w]\nstages:\n"
        "  - {id: plan, kind: agent_turn, role: w, prompt: x, artifact: plan.md, pause_after: true}\n"
        "  - {id: ask, kind: user_checkpoint, prompt: q}\n",
    )
    place.call("run", "p", "x")
    file = folder_of(place) / "artifacts" / "plan.md"
    file.write_text("first of mine")
    assert place.call("continue", "--artifacts", "mine").returncode == 4
    file.write_text("second of mine")
    assert place.call("resume", "--artifacts", "back").returncode == 4
    assert file.read_text() == "first of mine"
    assert (folder_of(place) / "kept" / "plan.md").read_text() == "second of mine"


def test_an_absurd_retry_after_is_no_number_and_no_crash() -> None:
    line = (
        json.dumps({"type": "error", "error": {"code": 429, "message": "x"}})[:-2]
        + f', "retry_after": 1{"0" * 400}}}}}'
    )
    cause, seconds = classify(1, line, "")
    assert cause == "rate_limit" and (seconds is None or seconds < 1e9)


def test_a_blocked_loop_that_is_resumed_writes_its_file_again_and_redoes_no_pass(tmp_path: Path) -> None:
    place = Place(tmp_path, {"*": [{"text": "VERDICT: good"}]})
    place.define(
        "l",
        "name: l\nroles: [w]\nstages:\n  - id: l\n    kind: loop\n    max_iterations: 2\n"
        "    artifact: {file: l.md, text: x, marker: DONE}\n"
        "    body: [{id: r, kind: agent_turn, role: w, prompt: x, verdict: {good: {action: break}}}]\n",
    )
    assert place.call("run", "l", "x").returncode == 4
    again = place.call("resume")
    assert again.returncode == 4 and "l/artifact" in again.stdout and place.turns() == {"l[1]/r": 1}


def test_the_same_words_for_two_items_reach_both_over_a_restart() -> None:
    history = History()
    for lane in ("g[1]", "g[2]"):
        history.apply(lane, Said(text="same"))
    history.apply("g[1]/a", Started(after="", what="turn", said=("same",)))
    assert history.said == [("g[2]", "same")]


@pytest.mark.parametrize("number", ["nan", "inf", "-1", "0"])
def test_a_limit_that_is_none_is_refused_in_words(place: Place, number: str) -> None:
    place.call("run", "one", "x", "--pause-after", "a")
    refused = place.call("resume", f"--wall-seconds={number}")
    assert refused.returncode == 2 and "Traceback" not in refused.stderr and "--wall-seconds" in refused.stderr


def test_words_that_no_prompt_can_hold_are_refused(place: Place) -> None:
    place.call("run", "one", "x", "--pause-after", "a")
    refused = place.call("say", "last", "-", stdin="x" * 20_000)
    assert refused.returncode == 2 and "12,000" in refused.stderr


def test_a_decision_for_a_deleted_file_still_names_it() -> None:
    bench = Bench(define(turn("a", artifact="a.md"), turn("b")))
    bench.run()
    del bench.artifacts.texts["a.md"]
    found = differences(bench.records, bench.state, bench.definition, bench.artifacts)
    assert [one.name for one in found] == ["a.md"] and decide(found, "back")[0][0] == "a"
