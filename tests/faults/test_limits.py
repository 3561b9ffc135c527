"""Agents that fail all at once, are limited or not signed in; and a machine that has no room for another program."""

from __future__ import annotations

import asyncio
import errno
import os
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sprintwright.errors import Operational
from sprintwright.processes import run_process
from tests.support.terminal import Place

ONE = "name: one\nroles: [w]\nstages:\n  - {id: a, kind: agent_turn, role: w, prompt: do}\n"
FAN = """name: fan
roles: [w]
vars: {plan: "## Item 1\\n## Item 2\\n## Item 3\\n## Item 4\\n## Item 5\\n## Item 6\\n## Item 7\\n## Item 8"}
stages:
  - id: g
    kind: parallel_group
    over: Item
    from: plan
    max_concurrency: 8
    body:
      - {id: work, kind: agent_turn, role: w, prompt: do, retry: {wait_seconds: 0.01}}
      - {id: more, kind: agent_turn, role: w, prompt: do}
  - {id: last, kind: agent_turn, role: w, prompt: do}
"""


def place_of(folder: Path, workflow: str, script: list[dict[str, Any]]) -> Place:
    place = Place(folder, {"*": script})
    place.define(workflow.partition("\n")[0].removeprefix("name: "), workflow)
    return place


def test_r050_when_every_agent_fails_at_once_few_are_started_and_one_sentence_says_why(tmp_path: Path) -> None:
    place = place_of(tmp_path, FAN, [{"exit": 1, "stderr": "no room in the cloud"}])
    ran = place.call("run", "fan", "x")
    assert ran.returncode == 1 and ran.stdout.count("No further turn was started") == 1, ran.stdout + ran.stderr
    turns = place.turns()
    assert sum(turns.values()) <= 8 * 3 and not any(key.endswith("more") or key == "last" for key in turns)
    assert place.show()["status"] == "failed"


def limited(seconds: int) -> list[dict[str, Any]]:
    return [{"exit": 1, "stderr": f"Error: 429 Too Many Requests, retry after {seconds}s"}, {"text": "ok"}]


def wait_line(process: subprocess.Popen[str]) -> str:
    """The line that says that a turn waits; it is on disk then."""
    assert process.stdout is not None
    return next(line for line in process.stdout if "rate limited; tries again at" in line)


def test_b117_a_limited_agent_is_waited_for_and_asked_again(tmp_path: Path) -> None:
    place = place_of(tmp_path, ONE, limited(1))
    ran = place.call("run", "one", "x")
    assert ran.returncode == 0 and ran.stdout.count("rate limited; tries again at") == 1, ran.stdout + ran.stderr
    assert place.turns()["a"] == 2


def test_a_kill_in_a_wait_loses_nothing_and_a_signal_ends_it_at_once(tmp_path: Path) -> None:
    place = place_of(tmp_path, ONE, limited(3600))
    process = place.start("run", "one", "x")
    told = wait_line(process)
    assert told.startswith("a: ") and "waits" in told and place.show()["status"] == "waiting"
    process.send_signal(signal.SIGKILL)
    process.communicate()
    assert place.show()["status"] == "interrupted"
    resumed = place.start("resume")
    assert wait_line(resumed) == told  # for what is left of it: until the same time
    resumed.send_signal(signal.SIGTERM)
    resumed.communicate(timeout=30)
    assert resumed.returncode == 143 and place.turns()["a"] == 1


def test_an_agent_that_is_not_signed_in_is_told_once_with_what_to_do(tmp_path: Path) -> None:
    place = place_of(tmp_path, ONE, [{"exit": 1, "stderr": "Invalid API key · Please run /login"}])
    ran = place.call("run", "one", "x")
    assert ran.returncode == 1 and "not signed in" in ran.stdout and place.turns()["a"] == 1
    assert "Sign in with the agent's own program, then: sprintwright resume" in ran.stdout


@pytest.mark.parametrize(
    ("number", "transient", "words"),
    [
        (errno.EMFILE, True, "too many files are open"), (errno.ENFILE, True, "ulimit -n"),
        (errno.EAGAIN, True, "too many processes"), (errno.ENOMEM, True, ""), (errno.ENOENT, False, ""),
        (errno.EACCES, False, ""), (errno.E2BIG, False, ""),
    ],
)  # fmt: skip
def test_r031_no_room_for_a_program_is_named_as_such_and_may_pass(
    number: int, transient: bool, words: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    async def refuse(*_arguments: object, **_more: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(asyncio.base_events.BaseEventLoop, "subprocess_exec", refuse)
    with pytest.raises(Operational, match=words or "was not started") as caught:
        asyncio.run(run_process(["/bin/true"], cwd=tmp_path, env={}))
    assert caught.value.cause == "spawn" and caught.value.data["transient"] is transient
