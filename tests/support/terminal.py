"""The real program in a process of its own, with the user's folders in a temporary place."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pexpect
import yaml

from sprintwright.definitions.discovery import builtin_folder

AGENT = Path(__file__).with_name("agent.py")
PROGRAM = (sys.executable, "-m", "sprintwright")


@dataclass
class Place:
    """A project, a home, and one scripted agent that plays every role."""

    base: Path
    script: dict[str, list[dict[str, Any]]] = field(default_factory=dict[str, list[dict[str, Any]]])

    def __post_init__(self) -> None:
        for part in (self.project, self.base / "config" / "sprintwright", self.base / "runtime"):
            part.mkdir(parents=True, exist_ok=True)
        self.configure()

    @property
    def project(self) -> Path:
        return self.base / "project"

    @property
    def counts(self) -> Path:
        return self.base / "counts"

    def configure(self, **more: Any) -> None:
        """Write the user's configuration, and the script of the agent."""
        agent = {"kind": "cli", "command": [sys.executable, str(AGENT), str(self.base / "script"), str(self.counts)]}
        settings = {"agents": {"scripted": agent}, "primary": "scripted", **more}
        settings["agents"] = {"scripted": agent, **more.get("agents", {})}
        (self.base / "config" / "sprintwright" / "config.yaml").write_text(yaml.safe_dump(settings))
        (self.base / "script").write_text(json.dumps(self.script))

    def define(self, name: str, text: str) -> None:
        """Write a workflow of the user's own."""
        folder = self.base / "config" / "sprintwright" / "workflows"
        folder.mkdir(exist_ok=True)
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")

    def one_try(self, name: str) -> None:
        """Give each turn of a workflow that we ship one try: a copy of the user's own takes its place."""
        text = (builtin_folder() / f"{name}.yaml").read_text(encoding="utf-8")
        self.define(name, re.sub(r"( +)kind: agent_turn\n", r"\g<0>\1retry: {attempts: 1}\n", text))

    def environment(self, **more: str) -> dict[str, str]:
        return {
            "PATH": os.environ["PATH"],
            "HOME": str(self.base),
            "XDG_CONFIG_HOME": str(self.base / "config"),
            "XDG_STATE_HOME": str(self.base / "state"),
            "XDG_RUNTIME_DIR": str(self.base / "runtime"),
            "COLUMNS": "200",
            "SPRINTWRIGHT_LOGIN_SHELL": "",
            "PYTHONWARNINGS": "error",
            **more,
        }

    def call(self, *arguments: str, stdin: str | None = None, **more: str) -> subprocess.CompletedProcess[str]:
        """Run the program to its end."""
        return subprocess.run(
            [*PROGRAM, *arguments], cwd=self.project, env=self.environment(**more), capture_output=True, text=True,
            input=stdin, stdin=subprocess.DEVNULL if stdin is None else None, timeout=100,
        )  # fmt: skip

    def start(self, *arguments: str, **more: str) -> subprocess.Popen[str]:
        """Start the program in a session of its own."""
        return subprocess.Popen(
            [*PROGRAM, *arguments], cwd=self.project, env=self.environment(**more), stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip

    def turns(self) -> Counter[str]:
        """How often the agent took a turn, by leaf key, counted by the agent."""
        return Counter(turn["key"] for turn in self.prompts())

    def prompts(self) -> list[dict[str, Any]]:
        """The agent's own list of its turns."""
        if not self.counts.exists():
            return []
        return [json.loads(line) for line in self.counts.read_text(encoding="utf-8").splitlines()]

    def show(self) -> dict[str, Any]:
        """The newest run, as `show --json` has it."""
        shown = self.call("show", "--json")
        assert shown.returncode == 0, shown.stderr
        return json.loads(shown.stdout)

    def finished(self) -> dict[str, list[str]]:
        """Finished leaves of the newest run in order, by lane, with the digest of their value."""
        lanes: dict[str, list[str]] = {}
        folder = self.project / ".sprintwright" / "runs"
        newest = sorted(folder.iterdir())[-1]
        values: dict[str, str] = {}
        for line in (newest / "journal.jsonl").read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record["kind"] == "finished":
                values.pop(record["key"], None)
                value = {k: v for k, v in record["data"]["value"].items() if k not in ("seconds", "changes")}
                values[record["key"]] = json.dumps(value, sort_keys=True)
            elif record["kind"] == "set_aside":
                for key in record["data"]["keys"]:
                    values.pop(key, None)
        for key, value in values.items():
            lanes.setdefault(key.partition("]")[0] if key.startswith("items[") else "", []).append(f"{key} {value}")
        return lanes


PLAN = """NO_QUESTIONS
The plan.
max_passes: 3

## Sprint 1: one
Do one.

## Sprint 2: two
Do two.

## Sprint 3: three
Do three.
"""


def spawn(place: Place, *arguments: str, columns: int = 100) -> pexpect.spawn[str]:
    """The program in a terminal of its own."""
    return pexpect.spawn(
        PROGRAM[0], [*PROGRAM[1:], *arguments], cwd=str(place.project),
        env={**place.environment(TERM="xterm"), "COLUMNS": str(columns)},
        encoding="utf-8", timeout=60, dimensions=(40, columns),
    )  # fmt: skip


def dev_script() -> dict[str, list[dict[str, Any]]]:
    """A `dev` run of three sprints; sprints 1 and 3 need two passes."""
    script: dict[str, list[dict[str, Any]]] = {"designer": [{"text": PLAN}]}
    for sprint, passes in ((1, 2), (2, 1), (3, 2)):
        for number in range(1, passes + 1):
            key = f"sprints[{sprint}]/passes[{number}]"
            script[f"{key}/generator"] = [
                {"text": f"built {sprint}.{number}", "writes": {f"s{sprint}.txt": f"pass {number}\n"}}
            ]
            bad = f"s{sprint}.txt:1: error: not good yet\nVERDICT: needs_refinement"
            script[f"{key}/evaluator"] = [{"text": bad if number < passes else "VERDICT: good_to_go"}]
    return script


def swarm_script() -> dict[str, list[dict[str, Any]]]:
    """A `swarm` run of four items, one behind two others."""
    items = "".join(f"## Item {n}: i{n}\nDo {n}.\n" for n in (1, 2, 3)) + "## Item 4: i4 (depends_on: 1, 2)\nDo 4.\n"
    script: dict[str, list[dict[str, Any]]] = {"designer": [{"text": f"NO_QUESTIONS\n{items}"}]}
    for item in range(1, 5):
        key = f"items[{item}]/passes[1]"
        script[f"{key}/worker"] = [{"text": f"made {item}", "writes": {f"i{item}.txt": f"{item}\n"}}]
        script[f"{key}/worker_eval"] = [{"text": "VERDICT: good_to_go"}]
    script["final_evaluation"] = [{"text": "NO_ISSUES"}]
    return script
