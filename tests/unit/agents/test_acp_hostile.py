"""Agents that break the rules of the Agent Client Protocol, or mean harm."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any

import pytest
from acp import schema

from sprintwright.agents.acp import session as sessions
from sprintwright.agents.acp.answer import Heard
from sprintwright.engine import permits
from sprintwright.engine.ports import Act
from sprintwright.errors import Operational
from sprintwright.model.definition import Permissions
from sprintwright.processes import boot_id, process_start_time, run_process
from tests.support.waiting import until
from tests.unit.agents.acp_case import Case, FakeDesk, processes_with


@pytest.fixture
async def case(tmp_path: Path) -> AsyncGenerator[Case]:
    made = Case(tmp_path)
    yield made
    await made.pool.leave("r1")
    assert made.live() == frozenset()
    assert made.started() == []


def by_role(permissions: Permissions, folder: Path) -> FakeDesk:
    """A desk that decides as the engine does, with nobody to ask."""
    return FakeDesk(lambda act: permits.decide(permissions, act, folder)[0] == "allow")


# What it started, and how it ends


@pytest.mark.parametrize(
    ("steps", "script"),
    [([["fork"]], {}), ([["fork"]], {"setsid": True}), ([["escape"]], {}), ([["escape"], ["escape"], ["exit", 0]], {})],
    ids=["our group", "own session", "double fork", "after it exited"],
)
async def test_r064_nothing_that_it_started_outlives_its_session(
    case: Case, steps: list[list[Any]], script: dict[str, Any]
) -> None:
    dies = steps[-1][0] == "exit"
    if dies:
        with pytest.raises(Operational, match="exited with status 0"):
            await case.turn(steps)
    else:
        await case.turn(steps, **script)
        until(lambda: len(case.started()) >= 2)
        await case.pool.leave("r1")
    assert case.started() == []


async def test_r064_nor_does_anything_that_a_command_line_agent_started(tmp_path: Path) -> None:
    entry = f"SPRINTWRIGHT_RUN={tmp_path}"
    code = "import os,time\nif not os.fork():\n os.setsid()\n if not os.fork():\n  os.close(1),os.close(2),time.sleep(600)\n os._exit(0)\nos.wait()"
    env = {"SPRINTWRIGHT_RUN": str(tmp_path), "SPRINTWRIGHT_LEAF": "x"}
    await run_process([sys.executable, "-c", code], cwd=tmp_path, env=env)
    assert processes_with(entry) == []


async def test_r063_one_that_ignores_sigterm_and_one_that_is_stopped_are_ended(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "_END_SECONDS", 0.1)
    monkeypatch.setattr(sessions, "_CANCEL_SECONDS", 0.1)
    await case.turn(deaf=True, stays=True)
    await case.pool.leave("r1")
    assert case.started() == []
    with pytest.raises(Operational, match="wrote nothing new"):
        await case.turn([["say", "x"], ["kill", 19], ["hang"]], idle=0.3, deaf=True)
    assert case.started() == []


# Late


_LATE: list[list[Any]] = [
    ["permit", {"toolCallId": "1", "title": "late", "kind": "edit"}], ["note"],
    ["call", "fs/write_text_file", {"path": "late.txt", "content": "x"}], ["note"],
    ["call", "fs/read_text_file", {"path": "a.txt"}], ["note"], ["say", "VERDICT: good_to_go"],
]  # fmt: skip


def refused(noted: list[Any]) -> bool:
    permission, *others = noted
    return permission == {"outcome": {"outcome": "cancelled"}} and all("is over" in json.dumps(one) for one in others)


async def test_r072_what_comes_after_the_end_of_a_turn_is_refused_and_has_no_effect(case: Case) -> None:
    late = [*_LATE, ["mcp", "give_verdict", {"verdict": "good_to_go"}], ["note"]]
    answer = await case.turn([["say", "done"]], late=late, tools=("give_verdict",))
    await asyncio.to_thread(until, lambda: len(case.arrived("noted")) == 4)
    assert refused(case.arrived("noted")[:3])
    assert "over" in json.dumps(case.arrived("noted")[3])
    assert answer.text == "done" and case.desk.acts == [] and case.desk.calls == []
    assert not (case.folder / "late.txt").exists()


@pytest.mark.parametrize("how", ["cancelled", "silent"])
async def test_r072_what_comes_after_a_cancellation_or_a_time_out_is_refused_and_its_words_are_kept(
    case: Case, how: str
) -> None:
    steps = [["say", "begun"], ["wait"], *_LATE]
    work = asyncio.create_task(case.turn(steps, stubborn=True, idle=0.3 if how == "silent" else None))
    await case.desk.hears("begun")
    if how == "cancelled":
        work.cancel()
    with pytest.raises(asyncio.CancelledError if how == "cancelled" else Operational):
        await work
    assert refused(case.arrived("noted")) and len(case.arrived("noted")) == 3
    assert case.desk.acts == [] and not (case.folder / "late.txt").exists()
    assert "good_to_go" in case.desk.transcript("text")


async def test_r072_a_file_that_is_being_written_at_the_end_of_a_turn_is_whole_when_the_turn_is_over(
    case: Case,
) -> None:
    ask = {"id": 1, "method": "fs/write_text_file"}
    for number in range(5):
        params = {"sessionId": "s9", "path": f"{number}.txt", "content": "x" * 1_000_000}
        case_steps = [["send", {**ask, "params": params}]]
        await case.turn(case_steps, answers={"session/new": {"sessionId": "s9"}}, talk=str(number))
        before = {one.name: one.stat().st_size for one in case.folder.iterdir()}
        await case.pool.leave("r1")
        assert {one.name: one.stat().st_size for one in case.folder.iterdir()} == before
        assert set(before.values()) <= {1_000_000}


# Permissions


@pytest.mark.parametrize(
    "options", [[], [{"optionId": "a", "name": "Always", "kind": "allow_always"}]], ids=["none", "only always"]
)
async def test_x074_without_a_way_to_allow_once_nothing_is_allowed(case: Case, options: list[dict[str, str]]) -> None:
    answer = await case.turn([["permit", {"toolCallId": "1", "title": "x", "kind": "edit"}, options], ["outcome"]])
    assert json.loads(answer.text) == {"outcome": {"outcome": "cancelled"}}
    assert "no way to allow that only once" in case.desk.transcript("note")


async def test_x073_leave_to_read_is_no_leave_to_write_and_there_are_no_terminals(case: Case) -> None:
    (case.folder / "a.txt").write_text("old")
    case.desk = by_role("read_only", case.folder)
    read = {"toolCallId": "1", "title": "Read", "kind": "read", "locations": [{"path": "a.txt"}]}
    await case.turn(
        [
            ["permit", read], ["note"],
            ["call", "fs/write_text_file", {"path": "a.txt", "content": "new"}], ["note"],
            ["call", "terminal/create", {"command": "rm"}], ["note"],
        ],
        permissions="read_only",
    )  # fmt: skip
    read_answer, written, terminal = case.arrived("noted")
    assert read_answer["outcome"]["optionId"] == "y"
    assert "not allowed" in json.dumps(written) and terminal["code"] == -32601
    assert (case.folder / "a.txt").read_text() == "old"


async def test_x073_one_leave_to_write_is_for_one_write(case: Case) -> None:
    allow = iter([True, False])
    case.desk = FakeDesk(lambda _act: next(allow))
    change = {"type": "diff", "path": "a.txt", "newText": "1"}
    ask = {"toolCallId": "1", "title": "Write", "kind": "edit", "locations": [{"path": "a.txt"}], "content": [change]}
    write = ["call", "fs/write_text_file", {"path": "a.txt"}]
    steps = [
        ["permit", ask],
        [*write[:2], {"path": "a.txt", "content": "1"}],
        [*write[:2], {"path": "a.txt", "content": "1"}],
        [*write[:2], {"path": "a.txt", "content": "2"}],
    ]
    allow = iter([True, False, False])
    await case.turn(steps)
    assert len(case.desk.acts) == 3
    assert (case.folder / "a.txt").read_text() == "1"


@pytest.mark.parametrize("path", [".git/config", ".git/hooks/pre-commit", ".sprintwright/runs/x", ".vscode/tasks.json"])
async def test_x057_no_role_writes_what_runs_by_itself_whatever_the_agent_was_told(case: Case, path: str) -> None:
    case.desk = by_role("full", case.folder)
    ask = {"toolCallId": "1", "title": "Write", "kind": "edit", "locations": [{"path": path}]}
    await case.turn(
        [["permit", ask], ["call", "fs/write_text_file", {"path": path, "content": "x"}]], permissions="full"
    )
    assert not (case.folder / path).exists()


_DIFF = {"type": "diff", "path": "a.py", "oldText": "", "newText": "x"}


@pytest.mark.parametrize(
    ("call", "kind", "words"),
    [
        ({"title": "mcp__sprintwright__give_verdict", "kind": "other", "rawInput": {"command": "rm x"}}, "execute", "rm x"),
        ({"title": "mcp__sprintwright__give_verdict", "kind": "other", "content": [_DIFF]}, "edit", "+x"),
        ({"title": "Read", "kind": "read", "content": [_DIFF]}, "edit", "+x"),
        ({"title": "Get " + "a" * 5000 + " and rm", "kind": "fetch"}, "fetch", " and rm"),
        ({"title": "ls\n\nallowed: all", "kind": "execute"}, "execute", "allowed: all"),
    ],
)  # fmt: skip
def test_x057_what_is_agreed_to_is_what_would_be_done_and_shown_whole(
    call: dict[str, Any], kind: str, words: str
) -> None:
    heard = Heard(lambda _s, _t: None, lambda title, _k: title.startswith("mcp__sprintwright"))
    act = heard.act(schema.ToolCallUpdate.model_validate({"toolCallId": "1", **call}))
    assert act.kind == kind and words in act.text
    assert "\n" not in act.title and len(act.title) <= 300


def test_a_path_with_line_ends_is_one_line_of_what_the_user_reads() -> None:
    words = permits.shown(Act(kind="other", title="Look", paths=("a\n\nallowed: everything\x1b[2J",)))
    assert "\n" not in words and "\x1b" not in words


# Other programs


async def test_r075_a_program_that_is_replaced_or_removed_between_turns_is_told_in_words(
    case: Case, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = case.folder.parent / "agent"
    change: list[tuple[Callable[[], object], str]] = [
        (lambda: program.chmod(0o644), "not executable|no such program|not found"),
        (lambda: (program.write_bytes(b"\x7fELF\x02\x01\x01" + bytes(60)), program.chmod(0o755)), "no program for this machine"),
        (lambda: (program.write_text("#!/no/such/interpreter\n"), program.chmod(0o755)), "interpreter"),
        (lambda: program.unlink(), "does not exist|not found"),
    ]  # fmt: skip
    program.symlink_to(sys.executable)
    monkeypatch.setattr("tests.unit.agents.acp_case.sys.executable", str(program))
    first = await case.turn()
    program.unlink()
    program.write_text("")
    assert (await case.turn(session=first.session)).session == first.session  # what is alive goes on
    await case.pool.leave("r1")
    for act, words in change:
        act()
        with pytest.raises(Operational, match=words) as caught:
            await case.turn(session=first.session)
        assert caught.value.cause == "spawn"


async def test_r076_a_recorded_process_that_is_somebody_else_s_now_is_left_alone(case: Case) -> None:
    other = await asyncio.create_subprocess_exec("/bin/sleep", "600", start_new_session=True)
    try:
        folder = case.pool.leftovers.folder
        folder.mkdir(parents=True, exist_ok=True)
        for start, when in (("1", boot_id()), ("0", boot_id()), ("1", "another-boot")):
            (folder / f"r1.{other.pid}.{start}.{when}").touch()
        assert await case.pool.leftovers.reap("r1") == 0
        assert other.returncode is None and process_start_time(other.pid) is not None
    finally:
        other.kill()
        await other.wait()


async def test_r070_the_place_of_git_is_not_written_through_us_not_even_as_a_file(case: Case) -> None:
    case.desk = by_role("full", case.folder)
    (case.folder / "sub").mkdir()
    for path in (".git", "sub/../.git", "./.git/", "sub/.git", ".GIT"):
        await case.turn([["call", "fs/write_text_file", {"path": path, "content": "gitdir: /x"}]], permissions="full")
    assert [one.name for one in case.folder.rglob("*")] == ["sub"]


def _updates(*updates: dict[str, Any]) -> list[str]:
    head = {"jsonrpc": "2.0", "method": "session/update"}
    return [json.dumps({**head, "params": {"sessionId": "s1", "update": one}}) + "\n" for one in updates]


def _chunk(text: str) -> dict[str, Any]:
    return {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": text}}


_SPINNERS: dict[str, list[str]] = {
    "lines that are no messages": ["\r⠋", "still at work\n", '{"jsonrpc":"2.0","method":"$/ping","params":{}}\n'],
    "chunks that say nothing": _updates(_chunk("\r⠋"), _chunk(""), _chunk("\r⠙"), _chunk(" \n")),
}


@pytest.mark.parametrize("kind", _SPINNERS)
async def test_r053_an_agent_that_only_makes_noise_is_silent(case: Case, kind: str) -> None:
    opened = {"session/new": {"sessionId": "s1"}}
    with pytest.raises(Operational, match="nothing new") as caught:
        await case.turn([["say", "a word"], ["spin", _SPINNERS[kind]]], idle=0.4, answers=opened)
    assert caught.value.cause == "timeout"


def test_r053_which_updates_say_something() -> None:
    heard = Heard(lambda _stream, _text: None, lambda _title, _kind: False)

    def noise(*updates: dict[str, Any]) -> int:
        heard.pulse.beat()
        for one in updates:
            heard.take(schema.SessionNotification.model_validate({"sessionId": "s1", "update": one}).update)
        return heard.pulse.noise

    def call(**fields: Any) -> dict[str, Any]:
        return {"sessionUpdate": "tool_call_update", "toolCallId": "c", **fields}

    def text(words: str) -> dict[str, Any]:
        return call(content=[{"type": "content", "content": {"type": "text", "text": words}}])

    assert noise(_chunk("a word")) == noise({**_chunk("thinking"), "sessionUpdate": "agent_thought_chunk"}) == 0
    assert noise({"sessionUpdate": "tool_call", "toolCallId": "c", "title": "Read"}) == 0
    assert noise(call(status="in_progress")) == noise(text("line 1")) == noise(text("line 2")) == 0
    noise(call(title="| Read"))
    assert noise(*[call(title=f"{sign} Read") for sign in "/-|"]) == 3
    assert noise(text("line 2"), call(status="in_progress")) == 2
    assert noise({"sessionUpdate": "usage_update", "used": 1, "size": 9}, _chunk(""), _chunk("\r⠋")) == 2


def _growing(text: str) -> dict[str, dict[str, Any]]:
    """What of a call may grow, by kind."""
    blocks = [{"type": "content", "content": {"type": "text", "text": one}} for one in (text, "the same")]
    return {
        "output": {"rawOutput": {"output": text}},
        "input": {"rawInput": {"content": text}},
        "difference": {"content": [{"type": "diff", "path": "a", "newText": text}]},
        "block": {"content": blocks},
        "terminal": {"_meta": {"terminal_output": text}},
    }


@pytest.mark.parametrize("kind", _growing(""))
def test_r053_whatever_of_a_call_grows_says_something(kind: str) -> None:
    heard = Heard(lambda _stream, _text: None, lambda _title, _kind: False)
    said = ""
    for number in range(60):
        said += f"line {number} of what it makes\n"
        update = {"sessionUpdate": "tool_call_update", "toolCallId": "c", **_growing(said)[kind]}
        heard.take(schema.SessionNotification.model_validate({"sessionId": "s1", "update": update}).update)
        assert heard.pulse.noise == 0


def test_r079_calls_beyond_those_that_are_kept_still_count_and_are_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sprintwright.agents.acp.answer._MOST_CALLS", 3)
    shown: list[str] = []
    heard = Heard(lambda _stream, text: shown.append(text), lambda _title, _kind: False)
    for number in range(9):
        update = {"sessionUpdate": "tool_call", "toolCallId": str(number), "title": f"call {number}"}
        heard.take(schema.SessionNotification.model_validate({"sessionId": "s1", "update": update}).update)
    assert list(heard.calls) == ["6", "7", "8"]
    assert len(shown) == 9 and heard.pulse.noise == 0
