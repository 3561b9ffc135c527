"""`show`, `list`, `help`, `init`, `fix`: the real program."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pexpect
import pytest
import yaml

from tests.e2e.test_people import plain
from tests.support.grid import grid
from tests.support.terminal import PROGRAM, Place, dev_script, spawn


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, dev_script())


@pytest.fixture
def unhappy(tmp_path: Path) -> Place:
    """A place whose `dev` run ends with two open findings."""
    script = dev_script()
    bad = "s1.txt:1: error: still bad\na, b:1.txt is odd\ns1.txt:2: warning: odd\nVERDICT: needs_refinement"
    for key in list(script):
        if "evaluator" in key:
            script[key] = [{"text": bad}]
    script["sprints[1]/passes[3]/evaluator"] = [{"text": bad}]
    script["*"] = [{"text": "built"}]
    return Place(tmp_path, script)


def held_run(place: Place) -> tuple[subprocess.Popen[str], Path]:
    """A live run whose second sprint waits for a file."""
    pipe, go = place.base / "pipe", place.base / "go"
    os.mkfifo(pipe)
    place.script["sprints[2]/passes[1]/generator"] = [{"tell": str(pipe), "text": "built"}]
    place.script["sprints[2]/passes[1]/evaluator"] = [{"wait_for": str(go), "text": "VERDICT: good_to_go"}]
    place.configure()
    process = place.start("run", "dev", "Build three things")
    assert pipe.read_text() == "here"
    return process, go


def test_follow_shows_a_run_of_another_terminal_until_it_ends(place: Place) -> None:
    process, go = held_run(place)
    watching = place.start("show", "--follow")
    assert watching.stdout is not None
    shown = [watching.stdout.readline() for _ in range(3)]
    assert "run " in shown[0] and "dev · running" in shown[1]
    go.touch()
    out, err = watching.communicate(timeout=60)
    assert watching.returncode == 0, err
    assert "sprints[3]/passes[2]/evaluator: ✓" in out and "completed: 11 turns" in out
    assert out.count("sprints[3]/passes[2]/evaluator: ▸") == 1
    process.communicate(timeout=60)
    again = place.call("show", "--follow")
    assert again.returncode == 0 and "completed: 11 turns" in again.stdout


def test_follow_as_json_has_every_event_once_and_in_order(place: Place) -> None:
    process, go = held_run(place)
    watching = place.start("show", "--follow", "--json")
    go.touch()
    out, _ = watching.communicate(timeout=60)
    events = [json.loads(line) for line in out.splitlines()]
    assert [event["seq"] for event in events][: len(events)] == list(range(1, len(events) + 1))
    assert events[-1]["status"] == "completed"
    process.communicate(timeout=60)


def test_follow_in_a_terminal_draws_the_tree_and_ctrl_c_ends_the_watching_only(place: Place) -> None:
    process, go = held_run(place)
    child = spawn(place, "show", "--follow", columns=80)
    child.expect("Sprint 2: two")
    child.sendintr()
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 130 and "Traceback" not in plain(child.before or "")
    go.touch()
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_show_for_ci_has_the_open_findings(unhappy: Place) -> None:
    assert unhappy.call("run", "dev", "x").returncode == 3
    assert unhappy.call("show", "--format", "github").stdout.splitlines() == [
        "::error file=s1.txt,line=1,title=Sprintwright::still bad",
        "::warning file=s1.txt,line=2,title=Sprintwright::odd",
    ]
    (run,) = json.loads(unhappy.call("show", "--format", "sarif").stdout)["runs"]
    assert [result["level"] for result in run["results"]] == ["error", "warning"]
    shown = json.loads(unhappy.call("show", "--format", "json").stdout)
    assert shown == unhappy.show()
    assert [finding["number"] for finding in shown["findings"]] == [1, 2]
    wrong = unhappy.call("show", "--json", "--format", "sarif")
    assert wrong.returncode == 2 and "one of them" in wrong.stderr


def test_a_finding_is_fixed_by_a_run_of_its_own(unhappy: Place) -> None:
    unhappy.call("run", "dev", "x")
    first = unhappy.show()
    unhappy.script = {
        "passes[1]/generator": [{"text": "mended", "writes": {"s1.txt": "good\n"}}],
        "*": [{"text": "VERDICT: good_to_go"}],
    }
    unhappy.configure()
    ran = unhappy.call("fix", first["runId"], first["findings"][0]["id"][:6])
    assert ran.returncode == 0, ran.stderr
    shown = unhappy.show()
    assert shown["workflow"] == "fix" and "Place: s1.txt:1" in shown["task"] and "still bad" in shown["task"]
    assert "s1.txt:1" in unhappy.prompts()[-2]["prompt"]
    after = json.loads(unhappy.call("show", first["runId"], "--json").stdout)
    assert [one["status"] for one in after["findings"]] == ["fixed", "open"]
    again = unhappy.call("fix", first["runId"], "1")
    assert again.returncode == 2 and "fixed already" in again.stderr
    wrong = unhappy.call("fix", first["runId"], "7")
    assert wrong.returncode == 2 and "no finding '7'" in wrong.stderr and "s1.txt:2" in wrong.stderr


def test_a_dismissed_finding_is_gone_from_show_and_suppressed_in_sarif(unhappy: Place) -> None:
    unhappy.call("run", "dev", "x")
    assert unhappy.call("dismiss", "last", "1").returncode == 0
    shown = unhappy.call("show").stdout
    assert "1 open finding:" in shown and " 2. warning s1.txt:2 odd" in shown
    (run,) = json.loads(unhappy.call("show", "--format", "sarif").stdout)["runs"]
    assert [bool(result.get("suppressions")) for result in run["results"]] == [True, False]
    assert len(unhappy.call("show", "--format", "github").stdout.splitlines()) == 1


def test_a_run_made_elsewhere_is_shown_and_nothing_of_it_offered(unhappy: Place) -> None:
    unhappy.call("run", "dev", "x")
    other = unhappy.base / "other"
    shutil.copytree(unhappy.project, other)
    shown = unhappy.call("show", "--folder", str(other)).stdout
    assert "made elsewhere" in shown and "resume" not in shown and "run of your own" in shown


def test_r028_a_list_of_many_runs_reads_heads_and_tails_and_names_those_never_started(place: Place) -> None:
    place.call("run", "dev", "Build three things")
    runs = place.project / ".sprintwright" / "runs"
    (made,) = runs.iterdir()
    journal = made / "journal.jsonl"
    lines = journal.read_bytes().splitlines(keepends=True)
    middle = b"".join(lines[:5]) + b"x" * 50_000_000 + b"\n" + b"".join(lines[-5:])  # never looked at
    for number in range(200):
        (runs / f"20200101-{number:09}-aaaa").mkdir()
    (runs / "20200101-000000000-bbbb").mkdir()
    (runs / "20200101-000000000-bbbb" / "lock").touch()
    (runs / "20200101-000000000-cccc").mkdir()
    (runs / "20200101-000000000-cccc" / "definition.yaml").touch()
    (runs / ".tmp-0123").mkdir()
    journal.write_bytes(middle)
    shown = place.call("list")
    assert shown.returncode == 0
    assert f"{made.name}  completed  dev  Build three things" in shown.stdout
    assert shown.stdout.count("never started") == 49 and "--limit 0" in shown.stdout
    rows = [json.loads(line) for line in place.call("list", "--json").stdout.splitlines()]
    assert len(rows) == 203 and rows[0]["status"] == "completed"
    assert "bbbb  never started" in place.call("list", "--limit", "0").stdout
    assert place.call("resume", "20200101-000000000-bbbb").returncode == 2


def test_where_the_encoding_lacks_our_signs_plain_ones_stand(unhappy: Place) -> None:
    environment = {"PYTHONIOENCODING": "ascii"}
    unhappy.call("run", "dev", "x", "--max-passes", "1")
    for command in (("show",), ("help", "dev"), ("--help",), ("list",), ("workflows",)):
        shown = unhappy.call(*command, **environment)
        assert shown.returncode == 0 and shown.stdout.isascii() and "?" not in shown.stdout.replace("wait", "")
    assert "+-- " in unhappy.call("show", **environment).stdout


@pytest.mark.parametrize("environment", [{"NO_COLOR": "1"}, {"TERM": "dumb"}], ids=lambda e: str(e))
def test_a_terminal_without_colour_gets_no_escape_codes(place: Place, environment: dict[str, str]) -> None:
    place.call("run", "dev", "x")
    child: pexpect.spawn[str] = pexpect.spawn(
        PROGRAM[0], [*PROGRAM[1:], "show"], cwd=str(place.project), encoding="utf-8", dimensions=(40, 80), timeout=60,
        env={**place.environment(TERM="xterm"), "COLUMNS": "80", **environment},
    )  # fmt: skip
    child.expect(pexpect.EOF)
    shown = str(child.before)
    assert "Sprint 3" in shown
    assert not any(code in shown for code in ("\x1b[3", "\x1b[9", "\x1b[?"))


def test_help_explains_a_workflow_from_its_own_definition(place: Place) -> None:
    place.define(
        "mine",
        """\
name: mine
title: Mine
completion: explicit
close_artifacts: [{file: review.md, marker: CLEAN}]
roles: {builder: {permissions: read_only}}
stages:
  - id: build
    kind: agent_turn
    role: builder
    prompt: x
    artifact: {file: handoff.md, contains: READY}
    skip_when: no_git_history
    pause_after: true
  - id: rounds
    kind: loop
    max_iterations: 3
    on_exhausted: ask
    body:
      - {id: ask, kind: user_checkpoint, prompt: Well, verdict: {good: {action: break}, more: {action: retry}}}
""",
    )
    shown = place.call("help", "mine", COLUMNS="80")
    text = " ".join(shown.stdout.split())
    for word in (
        "1. build: the builder takes a turn", "writes handoff.md; approved only with the text 'READY'",
        "skipped when the folder has no git history", "then the run pauses, until you `continue`",
        "2. rounds: at most 3 passes", "2.1. ask: asks you", "verdict good: ends the loop",
        "verdict more: one more pass", "you are asked: one more round", "waits for `end`",
        "Before that it needs review.md; approved only with the line CLEAN.", 'run mine "what is to be done"', "continue",
        "answer last", " end",
    ):  # fmt: skip
        assert word in text, word
    assert shown.returncode == 0


def test_help_of_every_built_in_workflow_fits_80_columns(place: Place) -> None:
    for row in place.call("workflows", "--json").stdout.splitlines():
        shown = place.call("help", json.loads(row)["name"], COLUMNS="80")
        assert shown.returncode == 0 and "life cycle:" in shown.stdout
        texts = shown.stdout.partition("\ncommands:")[0].splitlines()  # a command is on one line, to be copied
        assert all(len(line) <= 80 for line in texts), shown.stdout


def test_help_of_a_broken_workflow_says_what_is_wrong(place: Place) -> None:
    place.define("broken", "name: broken\nroles: [a]\nstages:\n  - {id: x, kind: agent_turn, role: b}\n")
    shown = place.call("help", "broken")
    assert shown.returncode == 2
    assert "broken.yaml:4:" in shown.stdout and "'b'" in shown.stdout and "x (agent_turn)" in shown.stdout


def test_help_alone_lists_commands_and_workflows_and_a_near_name_is_named(place: Place) -> None:
    shown = place.call("help").stdout
    assert "act on a run:" in shown and "  swarm " in shown
    assert "usage: sprintwright pause" in place.call("help", "pause").stdout
    both = place.call("help", "fix").stdout
    assert "life cycle:" in both and "fix --help" in both
    wrong = place.call("help", "swram")
    assert wrong.returncode == 2 and "Did you mean 'swarm'" in wrong.stderr


def with_agents(place: Place, *names: str) -> tuple[str, Path]:
    """A PATH with those programs; each leaves a mark if it is ever run, but to tell its version."""
    folder, canary = place.base / "bin", place.base / "CANARY"
    folder.mkdir()
    for name in names:
        (folder / name).write_text(f'#!/bin/sh\ntest "$*" = --version && echo "{name} 1.2" && exit\ntouch {canary}\n')
        (folder / name).chmod(0o755)
    return f"{folder}:/usr/bin:/bin", canary


def test_init_writes_a_configuration_with_the_agents_that_are_there_and_runs_none(place: Place) -> None:
    path, canary = with_agents(place, "qwen", "codex")
    file = place.base / "config" / "sprintwright" / "config.yaml"
    file.unlink()
    made = place.call("init", PATH=path)
    assert made.returncode == 0 and str(file) in made.stdout and "codex" in made.stdout
    settings = yaml.safe_load(file.read_text())
    assert settings["primary"] == "codex" and list(settings["agents"]) == ["codex", "qwen"]
    assert file.read_text().count("#") > 5 and not canary.exists()
    listed = place.call("agents", PATH=path).stdout
    assert "codex [primary]" in listed and "· codex 1.2" in listed and "PROBLEM" not in listed and not canary.exists()
    before = file.read_text()
    again = place.call("init", PATH=path)
    assert again.returncode == 0 and "left as it is" in again.stdout and file.read_text() == before


def test_init_without_any_agent_leaves_a_valid_configuration_to_be_filled_in(place: Place) -> None:
    path, _ = with_agents(place)
    file = place.base / "config" / "sprintwright" / "config.yaml"
    file.unlink()
    made = place.call("init", PATH=path)
    assert "was found" in made.stdout and "demo" in made.stdout
    assert place.call("agents", PATH=path).returncode == 0
    file.write_text(file.read_text().replace("\n#  ", "\n  ").replace("\n# agents:", "\nagents:").replace("# p", "p"))
    assert "mine [primary]" in place.call("agents", PATH=path).stdout


def test_agents_says_which_model_an_agent_is_and_where(place: Place) -> None:
    place.configure(agents={"mine": {"kind": "model", "provider": "ollama", "model": "qwen3"}})
    assert "qwen3, Ollama at http://127.0.0.1:11434/v1" in place.call("agents").stdout


def test_init_never_follows_a_link_that_lies_in_the_configurations_place(place: Place) -> None:
    file, target = place.base / "config" / "sprintwright" / "config.yaml", place.base / "target"
    file.unlink()
    file.symlink_to(target)
    assert "left as it is" in place.call("init").stdout and not target.exists()


def test_init_takes_no_agent_from_the_folder(place: Place) -> None:
    path, canary = with_agents(place)
    (place.project / "claude").write_text(f"#!/bin/sh\ntouch {canary}\n")
    (place.project / "claude").chmod(0o755)
    (place.base / "config" / "sprintwright" / "config.yaml").unlink()
    assert "claude: found" not in place.call("init", PATH=f".:{place.project}:{path}").stdout
    assert not canary.exists()


def test_init_writes_a_starter_workflow_that_runs(place: Place) -> None:
    made = place.call("init", "--workflow", "my-review")
    assert made.returncode == 0 and "help my-review" in made.stdout
    file = place.project / ".sprintwright" / "workflows" / "my-review.yaml"
    assert place.call("validate", str(file)).stdout == f"{file}: no problem\n"
    place.script = {
        "plan": [{"text": "A plan."}],
        "rounds[1]/review": [{"text": "a.txt:1: error: bad\nVERDICT: again"}],
        "*": [{"text": "VERDICT: good"}],
    }
    place.configure()
    ran = place.call("run", "my-review", "Build it")
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "a.txt:1" in next(t["prompt"] for t in place.prompts() if t["key"] == "rounds[2]/build")
    before = file.read_text()
    again = place.call("init", "--workflow", "my-review")
    assert again.returncode == 2 and "already" in again.stderr and file.read_text() == before


@pytest.mark.parametrize("name", ["dev", "../x", "A", "a-", "", "a" * 61, "a/b"])
def test_init_refuses_names_that_are_taken_or_none(place: Place, name: str) -> None:
    refused = place.call("init", "--workflow", name)
    assert refused.returncode == 2 and "Traceback" not in refused.stderr
    assert not (place.project / ".sprintwright").exists()


def test_init_does_not_write_through_a_link_of_the_folder(place: Place) -> None:
    outside = place.base / "outside"
    outside.mkdir()
    (place.project / ".sprintwright").symlink_to(outside)
    refused = place.call("init", "--workflow", "mine")
    assert refused.returncode == 2 and "Traceback" not in refused.stderr and not list(outside.iterdir())


LOOKING = (
    ("--help",), ("run", "--help"), ("help",), ("help", "dev"), ("help", "planted"), ("list",), ("list", "--all"),
    ("show",), ("show", "--json"), ("show", "--format", "sarif"), ("show", "--follow"), ("workflows",), ("validate",),
    ("agents",), ("schema",), ("init",),
)  # fmt: skip


@pytest.mark.parametrize(
    "command", grid(LOOKING, (("show",), ("help", "planted"), ("validate",), ("init",))), ids=" ".join
)
def test_x005_commands_that_look_run_nothing(place: Place, command: tuple[str, ...]) -> None:
    place.call("run", "dev", "Build three things")
    hostile = place.base / "hostile"
    shutil.copytree(place.project, hostile)
    canary = place.base / "CANARY"
    ours = hostile / ".sprintwright"
    (ours / "workflows").mkdir()
    (ours / "config.yaml").write_text(
        f"agents: {{evil: {{kind: cli, command: [./evil, '{canary}']}}}}\nprimary: evil\nroles: {{evaluator: evil}}\n"
    )
    (ours / "workflows" / "planted.yaml").write_text(
        "name: planted\nstages: [{id: x, kind: check, commands: [[./evil]], verdict: {a: {action: break}}}]\n"
    )
    for name in ("evil", "git", "python", "python3", "sh", "claude", "codex"):
        (hostile / name).write_text(f"#!/bin/sh\ntouch {canary}\n")
        (hostile / name).chmod(0o755)
    for name in ("sitecustomize.py", "yaml.py", "rich.py", "json.py", "sprintwright.py"):
        (hostile / name).write_text(f"open({str(canary)!r}, 'w')\n")
    subprocess.run(["git", "init", "-q", str(hostile)], check=True)
    with (hostile / ".git" / "config").open("a") as file:
        file.write(f'[core]\n\tfsmonitor = touch {canary}\n[filter "x"]\n\tclean = touch {canary}\n')
    (hostile / ".gitattributes").write_text("* filter=x\n")
    (hostile / ".env").write_text("PATH=.\n")
    log = place.base / "strace"
    traced = ["strace", "-f", "-o", str(log), "-e", "trace=execve"] if shutil.which("strace") else []
    environment = place.environment(PATH=f"{hostile}:.:{os.environ['PATH']}")
    ran = subprocess.run(
        [*traced, PROGRAM[0], "-P", *PROGRAM[1:], *command], cwd=hostile, env=environment, capture_output=True, text=True,
        stdin=subprocess.DEVNULL, timeout=60,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr
    assert not canary.exists()
    if traced:
        started = [line for line in log.read_text().splitlines() if "execve(" in line and " = 0" in line]
        assert len(started) == 1, started
