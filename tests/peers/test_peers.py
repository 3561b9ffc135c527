"""Real agents of several vendors, in their own processes, in runs of the real program; only their models are ours."""

from __future__ import annotations

import re
import signal
from pathlib import Path

import pytest

from tests.peers.agents import CLAUDE, GEMINI, OPENCODE, PEERS, PYDANTIC, QWEN, Peer
from tests.peers.case import ONE_STAGE, Case, cast, said, texts
from tests.peers.wire import Data
from tests.support.waiting import until

PLAN = "NO_QUESTIONS\nmax_passes: 3\n## Sprint 1: one\nDo one."
LONG = "A long answer goes on and on, word after word, and nobody hears its end. " * 5
PASS = "sprints[1]/passes[{}]/{}"
each = pytest.mark.parametrize("peer", PEERS, ids=lambda peer: peer.name)


def dev_turns(case: Case, generator: Peer, evaluator: Peer) -> None:
    """Two passes: the first has one refused command, and a finding."""
    file = case.project / "a.txt"
    finding = {"path": "a.txt", "line": 1, "severity": "error", "message": "It says one."}
    tries: list[Data] = [{"text": "Then I try it. ", "tools": [generator.runs("touch ran.txt")]}]
    if generator.goes_on:
        tries.append({"text": "Built the first one."})
    case.models["designer"].script([{"text": PLAN}])
    case.models["generator"].script([
        {"text": "I write it. ", "tools": [generator.writes(file, "one\n")]}, *tries,
        {"text": "Once more. ", "tools": [generator.writes(file, "two\n")]}, {"text": "Mended it."},
    ])  # fmt: skip
    case.models["evaluator"].script([
        {"text": "I looked. ", "tools": [evaluator.calls("report_finding", **finding)]},
        {"text": "So: ", "tools": [evaluator.calls("give_verdict", verdict="needs_refinement")]}, {"text": "No."},
        {"text": "Again. ", "tools": [evaluator.calls("give_verdict", verdict="good_to_go")]}, {"text": "Yes."},
    ])  # fmt: skip


CASTS = (
    (GEMINI, CLAUDE, QWEN), (PYDANTIC, QWEN, CLAUDE), (CLAUDE, OPENCODE, PYDANTIC), (QWEN, GEMINI, OPENCODE),
    (OPENCODE, PYDANTIC, GEMINI),
)  # fmt: skip
"""Three of different makers, and each of them once in each role."""


@pytest.mark.parametrize("peers", CASTS, ids=lambda peers: "-".join(peer.name for peer in peers))
def test_b127_agents_of_several_vendors_play_the_roles_of_a_run_and_their_second_pass_goes_on(
    tmp_path: Path, peers: tuple[Peer, Peer, Peer]
) -> None:
    roles: dict[str, Peer] = dict(zip(("designer", "generator", "evaluator"), peers, strict=True))
    with cast(tmp_path, roles) as case:
        dev_turns(case, peers[1], peers[2])
        done = case.call("run", "dev", "Build one.", "--json")
        assert (done.returncode, done.stderr) == (0, ""), done.stdout[-3000:] + done.stderr
        assert {role: model.left() for role, model in case.models.items()} == {role: [] for role in roles}
        results, notes = case.results(), case.notes()
        assert (case.project / "a.txt").read_text() == "two\n" and not (case.project / "ran.txt").exists()
        assert re.search(r"passes\[1\]/generator: Permission denied, for nobody is here to allow it: execute .*touch ran", notes)  # fmt: skip
        assert [line for line in notes.splitlines() if "Permission denied" not in line] == []
        verdicts = [results[PASS.format(number, "evaluator")]["verdict"] for number in (1, 2)]
        assert [(verdict["key"], verdict["source"]) for verdict in verdicts] == [
            ("needs_refinement", "tool"), ("good_to_go", "tool"),
        ]  # fmt: skip
        assert results[PASS.format(1, "evaluator")]["text"] == "I looked. So: No."
        assert [found["message"] for found in case.show()["findings"]] == ["It says one."]
        for role in ("generator", "evaluator"):
            first, second = (results[PASS.format(number, role)]["session"]["id"] for number in (1, 2))
            assert first == second
        assert "I write it." in said(case.models["generator"].asked()[-1])
        assert "I looked." in said(case.models["evaluator"].asked()[-1])
        for role, peer in roles.items():
            counted = [value.get("usage") for key, value in results.items() if key.endswith(role)]
            assert counted and all(counted) == peer.usage and any(counted) == peer.usage, role
        until(lambda: case.alive() == [])


@each
def test_r042_a_cancelled_stream_ends_in_order_and_leaves_nothing_behind(tmp_path: Path, peer: Peer) -> None:
    with cast(tmp_path, {"worker": peer}) as case:
        case.define("one", ONE_STAGE.format(permissions="workspace_write"))
        model = case.models["worker"]
        model.script([{"text": LONG, "hold": True}])
        process = case.start("run", "one", "Go on and on.")
        model.wait_for_hold()
        if peer is QWEN:
            process.send_signal(signal.SIGINT)
        else:
            assert case.call("cancel").returncode == 0
        out, err = process.communicate(timeout=30)
        assert process.returncode == 130 and "Traceback" not in err, out + err
        assert model.hung_up.wait(10)
        assert case.show()["status"] == "cancelled"
        assert len(model.asked()) == 1
        assert case.alive() == []


@each
def test_r034_after_a_kill_in_mid_turn_the_run_goes_on_in_the_session_of_the_pass_before(
    tmp_path: Path, peer: Peer
) -> None:
    verdict = "a.txt:1: error: it is no good\nVERDICT: {}"
    script: dict[str, list[Data]] = {
        "designer": [{"text": PLAN}],
        PASS.format(1, "evaluator"): [{"text": verdict.format("needs_refinement")}],
        PASS.format(2, "evaluator"): [{"text": "VERDICT: good_to_go"}],
    }
    with cast(tmp_path, {"generator": peer}, script) as case:
        model = case.models["generator"]
        model.script([{"text": "The very first answer."}, {"text": LONG, "hold": True}])
        process = case.start("run", "dev", "Build one.")
        model.wait_for_hold()
        process.kill()
        process.communicate(timeout=30)
        assert case.show()["status"] == "interrupted"
        model.script([{"text": "Mended it."}])
        done = case.call("resume")
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr
        results = case.results()
        first, second = (results[PASS.format(number, "generator")] for number in (1, 2))
        assert second["text"] == "Mended it."
        goes_on = first["session"]["id"] == second["session"]["id"]
        assert goes_on or not peer.loads
        assert ("The very first answer." in said(model.asked()[-1])) == goes_on
        assert ("began a new session" in case.notes()) != goes_on
        assert case.alive() == []


TO_THE_LETTER = (
    "${VAR}", "${VAR:-default}", "{notes_dir?}", "{Name, Steps}", "{system_reminder}", "/users/{id}/posts",
    'f"{value!r:>10}"', r"\textbf{bold} \frac{1}{2}", "{artifact.plan.md}", "{user:name} {temp:x?}",
    "function f() { x }", '{"verdict": "good_to_go"}', "{} { } {?} }{ {x x}", "{{plan}}", "{{.plan}}", "{{nope}}",
    "${{ secrets.TOKEN }}", "{{ x | upper }} {% if a %} <%= b %> #{c}", "{{{raw}}}",
    "{{if gt .pass 1}}x{{end}} {{- plan -}}", "it contains {{task}}", r"%s %d %% {0} $1 \1 \g<0> \n",
    "{é} {变量}", "---\n```\nVERDICT: good_to_go", "a\r\nb\tc\u00a0d\u200de👩🏽\u200d🚀👍🏿",
)  # fmt: skip
"""Behaviours-ask 2.2, in its order; the last one there is far beyond what a prompt holds, see `BIG`."""
BIG = "".join(f"{{x{number:05}}} and more " for number in range(10_000)).strip()
READS = """name: reads
roles:
  teller: {permissions: read_only}
  worker: {permissions: read_only}
stages:
  - id: big
    kind: agent_turn
    role: teller
    save_as: big
    prompt: Tell.
  - id: work
    kind: agent_turn
    role: worker
    prompt: |-
      {{task}}
      {{big}}
"""


@each
def test_x084_a_role_that_only_reads_writes_nothing_and_its_task_arrives_to_the_letter(
    tmp_path: Path, peer: Peer
) -> None:
    task = "\n".join(TO_THE_LETTER)
    with cast(tmp_path, {"worker": peer}, {"big": [{"text": BIG}]}) as case:
        case.define("reads", READS)
        kept, new = case.project / "kept.txt", case.project / "new.txt"
        kept.write_text("as it was\n")
        (case.base / "task").write_bytes(task.encode())
        model = case.models["worker"]
        # Not over a file that is there: they refuse that by themselves as long as they have not read it.
        turns: list[Data] = [{"text": "I write. ", "tools": [peer.writes(new, "made up\n")]}]
        if peer.goes_on:
            turns.append({"text": "Then so. ", "tools": [peer.runs("echo made up > kept.txt")]})
        model.script([*turns, {"text": "I could not."}])
        done = case.call("run", "reads", "--task-file", str(case.base / "task"))
        assert done.returncode == 0, done.stdout[-3000:] + done.stderr
        assert kept.read_text() == "as it was\n" and not new.exists()
        notes = case.notes()
        for kind in peer.asks_when_reading:
            assert f"Permission denied, for the role's permissions are read_only: {kind}" in notes
        arrived = [text for text in texts(model.asked()[0]) if task in text]
        assert arrived
        assert BIG[:3000] in arrived[0] and BIG[-3000:] in arrived[0] and BIG not in arrived[0]
        assert re.search(r"\d+ characters", arrived[0][len(task) :])
        until(lambda: case.alive() == [])
