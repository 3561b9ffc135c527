"""Real agents as command lines, one call a turn: they have our tools whatever their role may do, and no other leave."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from tests.peers.agents import CLAUDE_LINE, GEMINI_LINE, OPENCODE_LINE, QWEN_LINE, Peer
from tests.peers.case import Case, cast, said
from tests.peers.wire import Data
from tests.support.waiting import until

LOOP = """name: loop
roles:
  judge: {{permissions: {permissions}}}
stages:
  - id: passes
    kind: loop
    max_iterations: 3
    iteration_var: pass
    body:
      - id: judge
        kind: agent_turn
        role: judge
        prompt: "Judge pass {{{{pass}}}}: {{{{task}}}}"
        verdict:
          good: {{action: break}}
          again: {{action: retry}}
          unknown: {{action: retry, warn: true}}
"""


def _asks_always(home: Path, url: str) -> Mapping[str, str]:
    env = OPENCODE_LINE.setup(home, url)
    config = json.loads(env["OPENCODE_CONFIG_CONTENT"])
    return {**env, "OPENCODE_CONFIG_CONTENT": json.dumps({**config, "permission": {"*": "ask"}, "mcp": {}})}


WITH_TOOLS = {
    "claude": CLAUDE_LINE, "qwen": QWEN_LINE, "opencode": OPENCODE_LINE,
    "opencode-that-asks-always": replace(OPENCODE_LINE, setup=_asks_always),
}  # fmt: skip
in_each_role = pytest.mark.parametrize("permissions", ["read_only", "workspace_write"])


def judged(case: Case, permissions: str) -> list[Data]:
    """The two passes of a run that went well; they had one session."""
    case.define("loop", LOOP.format(permissions=permissions))
    done = case.call("run", "loop", "Is it good?")
    assert (done.returncode, done.stderr) == (0, ""), done.stdout[-3000:] + done.stderr
    assert case.models["judge"].left() == []
    results = case.results()
    passes = [results[f"passes[{number}]/judge"] for number in (1, 2)]
    assert [value["verdict"]["key"] for value in passes] == ["again", "good"]
    assert passes[0]["session"]["id"] == passes[1]["session"]["id"]
    assert "The first pass." in said(case.models["judge"].asked()[-1])
    assert [found["message"] for found in case.show()["findings"]] == ["It says one."]
    assert case.notes() == "" and not any(value.get("warnings") for value in passes)
    until(lambda: case.alive() == [])
    return passes


@in_each_role
@pytest.mark.parametrize("peer", WITH_TOOLS.values(), ids=WITH_TOOLS)
def test_a_command_line_gives_its_verdict_by_our_tools_and_may_do_no_more_than_its_role(
    tmp_path: Path, peer: Peer, permissions: str
) -> None:
    finding = {"path": "a.txt", "line": 1, "severity": "error", "message": "It says one."}
    with cast(tmp_path, {"judge": peer}) as case:
        file = case.project / "new.txt"
        case.models["judge"].script([
            {"text": "The first pass. ", "tools": [peer.writes(file, "new\n")]},
            {"text": "I looked. ", "tools": [peer.calls("report_finding", **finding)]},
            {"text": "So: ", "tools": [peer.calls("give_verdict", verdict="again")]}, {"text": "No."},
            {"text": "Once more. ", "tools": [peer.calls("give_verdict", verdict="good")]}, {"text": "Yes."},
        ])  # fmt: skip
        passes = judged(case, permissions)
        assert [value["verdict"]["source"] for value in passes] == ["tool", "tool"]
        assert file.exists() == (permissions == "workspace_write")


@in_each_role
@pytest.mark.parametrize("peer", [GEMINI_LINE], ids=["gemini"])
def test_a_command_line_that_takes_no_tools_gives_its_verdict_in_words(
    tmp_path: Path, peer: Peer, permissions: str
) -> None:
    with cast(tmp_path, {"judge": peer}) as case:
        case.models["judge"].script([
            {"text": "The first pass.\na.txt:1: error: It says one.\nVERDICT: again"}, {"text": "Yes.\nVERDICT: good"},
        ])  # fmt: skip
        passes = judged(case, permissions)
        assert [value["verdict"]["source"] for value in passes] == ["line", "line"]


@pytest.mark.parametrize("peer", [GEMINI_LINE], ids=["gemini"])
@pytest.mark.parametrize("variable", ["GEMINI_CLI_SYSTEM_DEFAULTS_PATH", "GEMINI_CLI_SYSTEM_SETTINGS_PATH"])
def test_gemini_reads_settings_that_a_variable_names_only_where_root_alone_can_write(
    tmp_path: Path, peer: Peer, variable: str
) -> None:
    settings, started = tmp_path / "settings.json", tmp_path / "started"
    server = {"command": "touch", "args": [str(started)], "trust": True}
    settings.write_text(json.dumps({"mcpServers": {"sprintwright": server}}))
    settings.chmod(0o622)  # as root, too, it is then one that others can write
    with cast(tmp_path, {"judge": peer}) as case:
        case.models["judge"].script([{"text": "Hello."}])
        config = peer.config(tmp_path / "homes" / "judge", case.models["judge"].url)
        env = {"PATH": os.environ["PATH"], **config["env"], variable: str(settings)}
        done = subprocess.run(
            config["command"], cwd=case.project, env=env, input="Hello.", capture_output=True, text=True, timeout=100
        )
        assert done.returncode == 0 and "Skipping system" in done.stderr and not started.exists()
