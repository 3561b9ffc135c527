"""A run whose roles are played by agents that speak the protocol: three of them, in processes of their own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pexpect
import pytest

from tests.support.terminal import Place, spawn

AGENT = Path(__file__).parents[1] / "support" / "acp_agent.py"
PLAN = "NO_QUESTIONS\nmax_passes: 3\n## Sprint 1: one\nDo one."
USED = {"usage": {"totalTokens": 30, "inputTokens": 20, "outputTokens": 10}}
MAKE = {"toolCallId": "m", "title": "make", "kind": "execute", "rawInput": {"command": "make install"}}


def verdict(key: str) -> list[Any]:
    return ["mcp", "give_verdict", {"verdict": key}]


TURNS: dict[str, list[list[Any]]] = {
    "designer": [[["say", PLAN], ["stop", "end_turn", USED]]],
    "generator": [
        [["call", "fs/write_text_file", {"path": "a.py", "content": "one\n"}], ["permit", MAKE], ["say", "built"], ["stop", "end_turn", USED]],
        [["call", "fs/write_text_file", {"path": "a.py", "content": "two\n"}], ["say", "mended"], ["stop", "end_turn", USED]],
    ],
    "evaluator": [
        [["mcp", "report_finding", {"path": "a.py", "line": 1, "severity": "error", "message": "It says one."}], verdict("needs_refinement"), ["say", "No."]],
        [["call", "fs/write_text_file", {"path": "a.py", "content": "hacked\n"}], verdict("good_to_go"), ["say", "Yes."]],
    ],
}  # fmt: skip


@pytest.fixture
def place(tmp_path: Path) -> Place:
    made = Place(tmp_path)
    agents: dict[str, Any] = {}
    for role, turns in TURNS.items():
        script = tmp_path / f"{role}.json"
        script.write_text(json.dumps({"turns": turns}))
        agents[role] = {
            "kind": "acp",
            "command": [sys.executable, str(AGENT), str(script), str(tmp_path / f"{role}.log")],
        }
    made.configure(agents=agents, roles={role: role for role in TURNS})
    return made


def arrived(place: Place, role: str, method: str) -> list[dict[str, Any]]:
    lines = (place.base / f"{role}.log").read_text().splitlines()
    return [message for message in map(json.loads, lines) if message.get("method") == method]


def test_b127_three_agents_play_three_roles_each_in_its_own_session_and_the_second_pass_goes_on(place: Place) -> None:
    done = place.call("run", "dev", "Build one.", "--json")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    assert (place.project / "a.py").read_text() == "two\n"  # what the evaluator tried was refused
    for role in TURNS:
        assert len(arrived(place, role, "session/new")) == 1 and arrived(place, role, "session/load") == []
    assert [len(arrived(place, role, "session/prompt")) for role in TURNS] == [1, 2, 2]
    shown = json.loads(place.call("show", "last", "--json").stdout)
    nodes = {node["id"]: node for node in shown["nodes"]}
    passes = "sprints[1]/passes"
    verdicts = [nodes[f"{passes}[{number}]/evaluator"]["verdict"] for number in (1, 2)]
    assert verdicts == ["needs_refinement", "good_to_go"]
    notes = "\n".join(shown["notes"])
    assert "passes[1]/generator: Permission denied, for nobody is here to allow it: execute make" in notes
    assert "passes[2]/evaluator: Permission denied, for the role's permissions are read_only: edit Write a.py" in notes
    assert [finding["message"] for finding in shown["findings"]] == ["It says one."]
    assert nodes[f"{passes}[1]/generator"]["usage"]["tokens"] == 30
    assert shown["usage"]["tokens"] == 90
    assert list((place.base / "state" / "sprintwright" / "processes").glob("*")) == []
    assert not [file for file in (place.base / "runtime").rglob("*") if file.suffix == ".secret"]


def test_at_a_terminal_who_asks_for_permission_is_named_and_n_says_no(place: Place) -> None:
    child = spawn(place, "run", "dev", "Build one.")
    child.expect(r"generator \(generator\) asks for permission, in sprints\[1\]/passes\[1\]/generator")
    child.expect("make install")
    child.expect(r"\[once.*never\]")
    child.sendline("n")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    shown = place.call("show").stdout
    assert "permission-1 · answered: never" in shown
    run_id = json.loads(place.call("show", "--json").stdout)["runId"]
    assert "+two" in place.call("show", "--changes", run_id).stdout


def test_a_run_that_was_cut_off_loads_the_session_of_the_pass_before(place: Place) -> None:
    script = json.loads((place.base / "generator.json").read_text())
    script["turns"][1] = [["kill", 9], ["hang"]]
    (place.base / "generator.json").write_text(json.dumps(script))
    place.one_try("dev")
    failed = place.call("run", "dev", "Build one.")
    assert failed.returncode == 1 and "signal 9 (perhaps out of memory)" in failed.stdout + failed.stderr
    script["turns"] = [TURNS["generator"][1]]
    (place.base / "generator.json").write_text(json.dumps(script))
    done = place.call("resume", "last")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    begun, loaded = arrived(place, "generator", "session/new"), arrived(place, "generator", "session/load")
    assert len(begun) == 1 and len(loaded) == 1
    used = {message["params"]["sessionId"] for message in arrived(place, "generator", "session/prompt")}
    assert used == {loaded[0]["params"]["sessionId"]}


def test_a_limit_of_tokens_is_raised_as_the_run_says_and_it_goes_on(place: Place) -> None:
    config = place.base / "config" / "sprintwright" / "config.yaml"
    config.write_text(config.read_text() + "limits: {tokens: 50}\n")
    stopped = place.call("run", "dev", "Build one.")
    assert stopped.returncode == 4 and "60 tokens; its limit is 50" in stopped.stdout and "--tokens N" in stopped.stdout
    assert place.call("resume", "last", "--tokens", "0").returncode == 2
    done = place.call("resume", "last", "--tokens", "500")
    assert done.returncode == 0, done.stdout[-2000:] + done.stderr


def test_the_demo_is_played_by_its_recording_whoever_plays_roles_of_the_user(place: Place) -> None:
    config = place.base / "config" / "sprintwright" / "config.yaml"
    config.write_text(config.read_text() + "limits: {turns: 1}\n")
    assert place.call("demo").returncode == 0
    assert not (place.base / "designer.log").exists()


def test_x033_x075_what_an_agent_changed_that_runs_by_itself_is_agreed_to_before_anything_else_runs(
    place: Place,
) -> None:
    subprocess.run(["git", "init", "-q", str(place.project)], check=True)
    hook = place.project / ".git" / "hooks" / "pre-commit"
    script = json.loads((place.base / "generator.json").read_text())
    script["turns"][0].insert(0, ["file", str(hook), "#!/bin/sh\n"])
    (place.base / "generator.json").write_text(json.dumps(script))
    key = "sprints[1]/passes[1]/generator"
    for more in ([], ["--yes"]):  # `--yes` agrees to no such thing
        stopped = place.call(*(["run", "dev", "Build one."] if not more else ["resume", "last"]), *more)
        assert stopped.returncode == 4, stopped.stdout + stopped.stderr
        assert f"{key}/programs asks:" in stopped.stdout and "- .git/hooks/pre-commit" in stopped.stdout
        assert not (place.base / "evaluator.log").exists()
    assert "changed a.py; .git/hooks/pre-commit added" in place.call("show").stdout
    assert place.call("answer", "last", "perhaps").returncode == 2
    done = place.call("answer", "last", "continue")
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr
    shown = json.loads(place.call("show", "last", "--json").stdout)
    nodes = {node["id"]: node for node in shown["nodes"]}
    assert nodes["sprints[1]/passes[2]/evaluator"]["changed"] == "unchanged"
    assert nodes["sprints[1]/passes[2]/generator"]["changed"] == "unchanged"  # its script began anew
