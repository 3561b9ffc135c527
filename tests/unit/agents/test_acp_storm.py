"""What is too long for every day: floods with memory and the loop watched, and a hundred turns that are cancelled."""

from __future__ import annotations

import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from sprintwright.agents.acp.transport import messages
from tests.unit.agents.acp_case import Case, FakeDesk

pytestmark = pytest.mark.exhaustive
_ROOT = Path(__file__).parents[3]
_MB = 1024 * 1024


class QuietDesk(FakeDesk):
    """Keeps no transcript: the engine's own goes to a file, with a limit."""

    def __init__(self) -> None:
        super().__init__()
        self.characters = 0

    def output(self, stream: object, text: str) -> None:
        self.characters += len(text)


async def watched(case: Case, steps: list[list[Any]], **script: Any) -> dict[str, Any]:
    """Take the turn; what it came to, and how the loop fared: a beat every 5 milliseconds, and those that were late.

    What makes a beat late is that we worked meanwhile for as long as it takes to parse `_LATE` full pipes: neither a
    slow machine nor its other programs make one late.
    """
    desk = case.desk = QuietDesk()
    took: list[float] = []

    async def beat() -> None:
        while True:
            before = time.thread_time()
            await asyncio.sleep(0.005)
            took.append(time.thread_time() - before)

    full_pipe = time_of_a_full_pipe()
    beating = asyncio.create_task(beat())
    failure = ""
    try:
        answer = await case.turn(steps, **script)
        text = answer.text[-100:]
    except Exception as error:
        failure, text = str(error), ""
    beating.cancel()
    await case.pool.leave("r1")
    full_pipe = max(full_pipe, time_of_a_full_pipe())
    return {
        "failure": failure, "text": text, "characters": desk.characters,
        "beats": len(took), "late": sum(one > _LATE * full_pipe for one in took), "longest": max(took, default=0) / full_pipe,
    }  # fmt: skip


def time_of_a_full_pipe() -> float:
    """Seconds of work in which this machine parses 64 KB of updates: the measure of how late a beat may be."""
    lines = (_CHUNK.encode() * 1000)[: 64 * 1024].split(b"\n")
    tries: list[float] = []
    for _ in range(5):
        before = time.thread_time()
        for line in lines:
            messages(line)
        tries.append(time.thread_time() - before)
    return sorted(tries)[2]


def most_memory() -> int:
    """The most memory that this program has had, in bytes: not `ru_maxrss`, which begins with its parent's."""
    kept = re.search(r"VmHWM:\s+(\d+) kB", Path("/proc/self/status").read_text())
    assert kept
    return int(kept[1]) * 1024


async def alone(folder: Path, steps: list[list[Any]], script: dict[str, Any]) -> None:
    """The program that `taken` starts: a small turn for the base, then the storm."""
    for name in ("base", "storm"):
        (folder / name).mkdir()
    await watched(Case(folder / "base"), [["say", "x"]])
    base = most_memory()
    told = await watched(Case(folder / "storm"), steps, **script)
    told["more"] = most_memory() - base
    print(json.dumps(told))


def taken(tmp_path: Path, steps: list[list[Any]], **script: Any) -> dict[str, Any]:
    """The storm in a process of its own, whose memory is its alone."""
    code = "import asyncio,json,sys; from pathlib import Path; from tests.unit.agents import test_acp_storm as t; asyncio.run(t.alone(Path(sys.argv[1]), *json.loads(sys.argv[2])))"
    ran = subprocess.run(
        [sys.executable, "-c", code, str(tmp_path), json.dumps([steps, script])],
        cwd=_ROOT, env={**os.environ, "PYTHONPATH": str(_ROOT)}, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert ran.returncode == 0, ran.stderr[-2000:]
    assert ran.stderr == ""
    return json.loads(ran.stdout)


_UPDATE = '{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"s1","update":%s}}\n'
_CHUNK = _UPDATE % '{"sessionUpdate":"agent_message_chunk","content":{"type":"text","text":"0123456789"}}'
_CALL = _UPDATE % json.dumps({"sessionUpdate": "tool_call", "toolCallId": "%d", "title": "Edit", "kind": "edit", "rawInput": {"x": "y" * 900}})  # fmt: skip
_DONE = _UPDATE % '{"sessionUpdate":"tool_call_update","toolCallId":"%d","status":"completed"}'
_KNOWN = {"answers": {"session/new": {"sessionId": "s1"}}}
_LATE = 40
_FLOODS: dict[str, list[Any]] = {
    "100 MB of short lines": ["flood", "noise, noise, noise\n", 5_000_000],
    "a million empty lines": ["flood", "\n", 1_000_000],
    "100 MB on stderr": ["errors", "warning: something\n", 5_000_000],
    "200,000 chunks": ["flood", _CHUNK, 200_000],
    "20,000 unknown requests": ["flood", '{"jsonrpc":"2.0","id":1,"method":"no/such"}\n', 20_000],
    "10,000 tool calls": ["numbered", _CALL + _DONE, 10_000],
}


@pytest.mark.parametrize("name", _FLOODS)
def test_r066_r079_a_flood_takes_little_memory_and_the_loop_goes_on(name: str, tmp_path: Path) -> None:
    told = taken(tmp_path, [_FLOODS[name], ["say", "the end", {"messageId": "last"}]], **_KNOWN)
    print(name, told)
    assert told["failure"] == "" and told["text"].endswith("the end")
    assert told["more"] < 64 * _MB
    assert told["late"] * 10 <= max(told["beats"], 10)
    assert told["longest"] < 4 * _LATE


def test_r066_a_line_of_70_mb_ends_the_agent_with_that_reason_and_is_not_kept(tmp_path: Path) -> None:
    told = taken(tmp_path, [["flood", "x", 70 * _MB], ["flood", "x", 2000 * _MB], ["hang"]])
    assert "a line of over 64 MB" in told["failure"]
    assert told["more"] < 128 * _MB


def test_r066_a_line_of_60_mb_is_read_and_costs_a_few_times_its_length(tmp_path: Path) -> None:
    begin, _, end = _CHUNK.partition("0123456789")
    told = taken(tmp_path, [["raw", begin], ["flood", "x", 60 * _MB], ["raw", end]], **_KNOWN)
    print(told)
    assert told["failure"] == "" and told["text"] == "x" * 100
    assert told["more"] < 4 * 60 * _MB + 64 * _MB


async def test_r066_an_agent_that_reads_nothing_does_not_fill_our_memory(tmp_path: Path) -> None:
    case = Case(tmp_path)
    (case.folder / "a.txt").write_text("x" * _MB)
    ask = {"jsonrpc": "2.0", "id": 1, "method": "fs/read_text_file", "params": {"sessionId": "s1", "path": "a.txt"}}
    told = await watched(
        case, [["stop reading"], ["flood", json.dumps(ask) + "\n", 20_000], ["hang"]], idle=1.0, **_KNOWN
    )
    assert "wrote nothing new" in told["failure"]
    assert case.started() == []


async def test_r072_a_hundred_turns_cancelled_at_any_moment_leave_nothing(tmp_path: Path) -> None:
    case = Case(tmp_path)
    chance = random.Random(83)
    call = {"toolCallId": "1", "title": "x", "kind": "edit"}
    stories: list[list[list[Any]]] = [
        [["say", "one"], ["wait"]],
        [["fork"], ["escape"], ["say", "two"], ["wait"]],
        [["permit", call], ["call", "fs/write_text_file", {"path": "a.txt", "content": "x" * 100_000}], ["wait"]],
        [["mcp", "give_verdict", {"verdict": "good_to_go"}], ["wait"]],
        [["flood", _CHUNK, 2000], ["wait"]],
    ]
    await asyncio.gather(case.turn([["mcp", "give_verdict", {}]], tools=("give_verdict",)), return_exceptions=True)
    await case.pool.leave("r1")
    tasks, open_files = len(asyncio.all_tasks()), len(os.listdir("/proc/self/fd"))  # noqa: PTH208
    for number in range(100):
        case.desk = QuietDesk()
        work = asyncio.create_task(case.turn(chance.choice(stories), tools=("give_verdict",)))
        await asyncio.wait({work}, timeout=chance.choice([0, 0.01, 0.05, 0.2, 0.4]) * chance.random())
        work.cancel()
        await asyncio.gather(work, return_exceptions=True)
        assert case.started() == [], number
    assert case.live() == frozenset()
    assert len(asyncio.all_tasks()) == tasks
    assert len(os.listdir("/proc/self/fd")) == open_files  # noqa: PTH208
    assert not list(case.pool.leftovers.folder.iterdir())
    runtime = Path("/tmp") / f"sw-{os.getpid()}"
    left = sorted(one.name for one in runtime.rglob("*") if not one.is_dir()) if runtime.is_dir() else []
    assert [one for one in left if not one.endswith((".sock", "bridge"))] == []
