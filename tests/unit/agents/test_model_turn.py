"""The `model` agent as the engine has it: its own process, a service, our tools, and the way back to its session."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import stat
from collections.abc import AsyncGenerator
from pathlib import Path

import pytest

from sprintwright.errors import Operational
from tests.support.fake_llm import FakeModel
from tests.unit.agents.acp_case import FakeDesk
from tests.unit.agents.model_case import KEY, ModelCase


@pytest.fixture
async def case(tmp_path: Path) -> AsyncGenerator[ModelCase]:
    with FakeModel() as model:
        made = ModelCase(tmp_path, model)
        yield made
        await made.close()
    assert made.pool.leftovers.live_pids("r1") == frozenset()


async def test_a_session_works_with_files_commands_and_our_tools_is_cancelled_and_goes_on_in_another_process(
    case: ModelCase,
) -> None:
    (case.folder / "a.txt").write_text("hello\n")
    for name in ("typing.py", "yaml.py", "pydantic_ai.py", "httpx2.py", "sitecustomize.py"):  # X16
        (case.folder / name).write_text("open('CANARY', 'w')")
    (case.folder / ".env").write_text("OPENAI_BASE_URL=http://127.0.0.1:9\nHTTP_PROXY=http://127.0.0.1:9\n")  # X10
    session = await _works(case)
    await _only_reads(case, session)
    await _is_cancelled(case, session)
    await _goes_on(case, session)
    await _is_limited(case, session)
    assert not (case.folder / "CANARY").exists()


async def _works(case: ModelCase) -> str:
    """Usage, thoughts, tools; no key but its own, and none in what it runs."""
    case.model.script(
        {
            "thought": "Let me see.",
            "text": "I look.",
            "tools": [
                ("read_file", {"path": "a.txt"}),
                ("write_file", {"path": "new/b.txt", "content": "b\n"}),
                ("edit_file", {"path": "a.txt", "old": "hello", "new": "bye"}),
                ("run_command", {"command": "env; cat /proc/$PPID/environ | tr '\\0' '\\n' | grep -c OTHER_"}),
            ],
        },
        {"text": "The review.", "tools": [("give_verdict", {"verdict": "good_to_go"})]},
        {"text": " Recorded."},
    )
    answer = await case.turn("Build it.", tools=("give_verdict",))
    assert answer.text == "The review. Recorded."
    assert answer.usage is not None and (answer.usage.input_tokens, answer.usage.output_tokens) == (33, 21)
    assert answer.warnings == ()
    assert "Let me see." in case.desk.transcript("note")
    assert ((case.folder / "a.txt").read_text(), (case.folder / "new" / "b.txt").read_text()) == ("bye\n", "b\n")
    assert [act.kind for act in case.desk.acts] == ["edit", "edit", "execute"]
    assert "-hello" in case.desk.acts[1].text and "+bye" in case.desk.acts[1].text
    assert case.desk.calls == [("give_verdict", {"verdict": "good_to_go"})]
    _, headers, _ = case.model.requests[0]
    assert headers["authorization"] == f"Bearer {KEY}"
    results = [message for message in case.bodies()[1]["messages"] if message["role"] == "tool"]
    assert results[0]["content"] == "hello\n"
    assert KEY not in results[3]["content"] and results[3]["content"].endswith("0\n(exit status 1)")
    return answer.session


async def _only_reads(case: ModelCase, session: str) -> None:
    """X73: a role that only reads has no tool that changes anything, and calling one does nothing."""
    case.model.script({"tools": [("write_file", {"path": "c", "content": ""})]}, {"text": "I can't."})
    answer = await case.turn("Look.", session=session, permissions="read_only")
    assert (answer.text, answer.session) == ("I can't.", session)
    offered = {tool["function"]["name"] for tool in case.bodies()[0]["tools"]}
    assert offered == {"read_file", "list_files", "search_files"}
    assert not (case.folder / "c").exists()


async def _is_cancelled(case: ModelCase, session: str) -> None:
    case.model.script({"text": "one two three four five " * 2000, "hold": 3})
    case.desk = FakeDesk()
    turn = asyncio.create_task(case.turn("Count.", session=session))
    await case.desk.hears("one two ")
    turn.cancel()
    with pytest.raises(asyncio.CancelledError):
        await turn
    case.model.release.set()
    assert await asyncio.to_thread(case.model.hung_up.wait, 30)


async def _goes_on(case: ModelCase, session: str) -> None:
    """B129: another process knows what was said, without the turn that was cancelled; the file is the user's alone."""
    (kept,) = (case.state / "model").iterdir()
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    case.model.script({"text": "I remember."})
    answer = await case.turn("Go on.", session=session)
    assert (answer.text, answer.session, answer.warnings) == ("I remember.", session, ())
    said = json.dumps(case.bodies()[0]["messages"])
    assert "Build it." in said and "The review." in said and "Count." not in said
    assert "REPLAYED" not in case.desk.transcript("text")


async def _is_limited(case: ModelCase, session: str) -> None:
    """B117: what the service says about waiting reaches the engine, and nothing is tried again before."""
    case.model.script({"status": 429, "headers": {"Retry-After": "30"}})
    with pytest.raises(Operational) as caught:
        await case.turn("More.", session=session)
    assert (caught.value.cause, caught.value.data["retry_after"]) == ("rate_limit", 30)
    assert len(case.model.requests) == 1


async def test_r059_a_process_that_was_killed_is_a_failure_that_says_so(case: ModelCase) -> None:
    case.model.script({"text": "one two three four five", "hold": 3})
    turn = asyncio.create_task(case.turn("Count."))
    await case.desk.hears("one two ")
    for process in case.pool.leftovers.live_pids("r1"):
        os.kill(process, signal.SIGKILL)
    with pytest.raises(Operational, match=r"was ended by signal 9 \(perhaps out of memory\)") as caught:
        await turn
    assert caught.value.cause == "exit"
