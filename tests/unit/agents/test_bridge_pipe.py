"""The pipe that an agent starts as our server of tools: it ends with either side."""

from __future__ import annotations

import asyncio
import json
import socket
import subprocess
import sys
from pathlib import Path

import pytest

from sprintwright.agents.bridge import ToolBridge, pipe
from sprintwright.engine.ports import Tool
from tests.support.waiting import until

TOOLS: tuple[Tool, ...] = ("give_verdict", "report_finding")
KEYS = ("good", "again")


def test_the_pipe_ends_with_either_side_and_leaves_nothing(runtime: Path) -> None:
    async def story() -> tuple[str, ...]:
        async with ToolBridge(runtime) as bridge:
            one, two = bridge.open(TOOLS, KEYS), bridge.open(TOOLS, KEYS)
            pipes = [
                await asyncio.create_subprocess_exec(*each.command, stdin=-1, stdout=-1, stderr=-1)
                for each in (one, two)
            ]
            for number, each in enumerate(pipes):
                assert each.stdin is not None and each.stdout is not None
                each.stdin.write(json.dumps({"jsonrpc": "2.0", "id": number, "method": "ping"}).encode() + b"\n")
                assert json.loads(await each.stdout.readline())["id"] == number
            assert pipes[0].stdin is not None
            pipes[0].stdin.close()  # the agent was killed
            assert await asyncio.wait_for(pipes[0].wait(), 20) == 0
            assert pipes[1].returncode is None
            await two.close()  # the session is over, and the agent has forgotten its tool server
            assert await asyncio.wait_for(pipes[1].wait(), 20) == 0
            return two.command

    late = subprocess.run(asyncio.run(story()), input=b"", capture_output=True, check=False)
    assert late.returncode == 1 and b"is over" in late.stderr and b"Traceback" not in late.stderr


@pytest.mark.exhaustive
def test_the_pipe_of_an_agent_that_is_gone_does_not_wait_for_an_engine_that_hangs(runtime: Path) -> None:
    runtime.mkdir()
    file = runtime / "secret"
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(runtime / "s"))
        listening.listen()
        file.write_text(f"{runtime / 's'}\nsecret\n", encoding="utf-8")
        script = str(Path(pipe.__file__))
        done = subprocess.run([sys.executable, "-I", script, str(file)], input=b"x", check=False, timeout=60)
        assert done.returncode == 0


def test_the_pipe_ends_when_its_engine_is_killed(runtime: Path) -> None:
    code = (
        "import asyncio, sys\nfrom pathlib import Path\nfrom sprintwright.agents.bridge import ToolBridge\n"
        "async def main():\n async with ToolBridge(Path(sys.argv[1])) as bridge:\n"
        "  print(*bridge.open((), ()).command, sep='\\n', flush=True)\n  await asyncio.sleep(60)\nasyncio.run(main())"
    )
    engine = subprocess.Popen([sys.executable, "-c", code, str(runtime)], stdout=-1, text=True)
    assert engine.stdout is not None
    command = [engine.stdout.readline().strip() for _ in range(6)]
    child = subprocess.Popen(command, stdin=-1, stdout=-1)
    assert child.stdin is not None and child.stdout is not None
    child.stdin.write(json.dumps({"jsonrpc": "2.0", "id": 1, "method": "ping"}).encode() + b"\n")
    child.stdin.flush()
    assert child.stdout.readline()
    engine.kill()
    until(lambda: child.poll() is not None)
    engine.wait()
    for stream in (engine.stdout, child.stdin, child.stdout):
        stream.close()
