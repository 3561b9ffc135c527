"""Agents that break the rules of the Agent Client Protocol, or mean harm."""

from __future__ import annotations

import asyncio
import json
import random
import sys
from collections.abc import AsyncGenerator, Callable
from pathlib import Path
from typing import Any, cast

import acp
import pytest
from acp import schema
from hypothesis import given, settings
from hypothesis import strategies as st

from sprintwright.agents.acp import session as sessions
from sprintwright.agents.acp import transport as transports
from sprintwright.agents.acp.answer import Heard
from sprintwright.agents.acp.client import OpenTurn, OurClient
from sprintwright.agents.acp.transport import ChildTransport, LineTooLong
from sprintwright.engine import permits
from sprintwright.engine.ports import Act
from sprintwright.errors import Operational
from sprintwright.model.definition import Permissions
from sprintwright.processes import Child, boot_id, process_start_time, run_process
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
    with pytest.raises(Operational, match="said nothing"):
        await case.turn([["say", "x"], ["kill", 19], ["hang"]], idle=0.3, deaf=True)
    assert case.started() == []


# Lines


def fed(*chunks: bytes) -> tuple[list[Any], int]:
    """The updates' parameters, and how much noise there was."""
    updates: list[Any] = []
    noise = [0]

    def noisy() -> None:
        noise[0] += 1

    transport = ChildTransport(updates.append, noisy)
    for chunk in chunks:
        transport.feed(chunk)
    transport.ended()
    return updates, noise[0]


def line(number: int, text: str = "") -> bytes:
    message = {"jsonrpc": "2.0", "method": "session/update", "params": {"n": number, "text": text}}
    return json.dumps(message, ensure_ascii=False).encode()


_NOISE = [
    b"", b"\r\n", b"\0\0", b"\xef\xbb\xbf", b"50%\r", b"\xff\xfe\x80", b"42", b"[1,2]", b"null", b"{broken", b'"{', b"\x1b[2K",
    '{"jsonrpc":"2.0"}'.encode("utf-16"), b'{"method":5}', b'{"id":1.5,"result":{}}', b'{"id":true,"result":{}}',
    b'{"id":1,"error":"x"}', b'{"id":1}', b"{" * 5000, b'{"a":' * 5000, b'{"id":NaN,"result":1}', b'{"id":' + b"9" * 5000 + b',"result":1}',
]  # fmt: skip
_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_r065_a_stream_is_the_same_however_it_is_split_and_whatever_stands_between_its_lines(
    data: st.DataObject,
) -> None:
    texts = data.draw(st.lists(_TEXTS, max_size=6))
    stream = b""
    for number, text in enumerate(texts):
        for noise in data.draw(st.lists(st.sampled_from(_NOISE), max_size=2)):
            stream += noise + b"\n"
        stream += line(number, text) + data.draw(st.sampled_from([b"\n", b"\r\n", b"\0\n", b"", b" "]))
        stream += b"\n" if data.draw(st.booleans()) else b""
    cuts = sorted(data.draw(st.lists(st.integers(0, len(stream)), max_size=8)))
    chunks = [stream[begin:end] for begin, end in zip([0, *cuts], [*cuts, len(stream)], strict=True)]
    whole, split = fed(stream), fed(*chunks)
    assert whole == split
    # A message that a noise line runs into is lost, and none is made up or put out of order.
    numbers = [one["n"] for one in whole[0]]
    assert numbers == sorted(set(numbers))
    assert all(one["text"] == texts[int(one["n"])] for one in cast("list[dict[str, Any]]", whole[0]))


@pytest.mark.parametrize(
    "stream",
    [
        line(0) + line(1), b"\xef\xbb\xbf" + line(0) + b"\n" + line(1), b"50%\r" + line(0) + b"\0\r\n" + line(1),
        b"\x1b[?25l" + line(0) + b"\n\x1b[2K\r" + line(1), b"\xb3\xff" + line(0) + b" \t" + line(1) + b"\0",
    ],
)  # fmt: skip
def test_r065_messages_are_found_where_the_rules_allow(stream: bytes) -> None:
    assert [one["n"] for one in fed(stream)[0]] == [0, 1]
    assert [one["n"] for one in fed(*(stream[at : at + 1] for at in range(len(stream))))[0]] == [0, 1]


@pytest.mark.parametrize("text", ["\x9b", "\x9b31m red", "\x9dtitle\x9c", "\x85\u2028\ufeff\x7f"])
def test_r065_characters_that_a_terminal_would_obey_are_a_text_s_own(text: str) -> None:
    assert fed(line(0, text))[0][0]["text"] == text


def test_r066_empty_and_short_lines_cost_nothing_and_a_line_that_is_too_long_is_not_kept(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert fed(b"\n" * 1_000_000) == ([], 0)
    assert fed(b"x\n" * 100_000) == ([], 100_000)
    monkeypatch.setattr(transports, "LONGEST_LINE", 1000)
    transport = ChildTransport(lambda _: None, lambda: None)
    with pytest.raises(LineTooLong):
        transport.feed(b"x" * 1001)
    transport.feed(b"y" * 5000)  # no second failure, and nothing is kept
    assert transport._pieces == []


# Messages


class Pipe:
    """In place of a `Child`: keeps what is written to it."""

    def __init__(self) -> None:
        self.over = asyncio.get_running_loop().create_future()
        self.written: list[dict[str, Any]] = []
        self.paused = 0
        self.room = asyncio.Event()
        self.room.set()

    def write(self, data: bytes) -> None:
        self.written += [json.loads(one) for one in data.splitlines()]

    async def writable(self) -> None:
        await self.room.wait()

    def pause(self) -> None:
        self.paused += 1

    def resume(self) -> None:
        self.paused -= 1

    async def answered(self, count: int) -> None:
        """Return when so many answers were written."""
        for _ in range(1_000_000):
            if len(self.written) >= count:
                return
            await asyncio.sleep(0)
        raise AssertionError(len(self.written))


def connected(folder: Path) -> tuple[ChildTransport, Pipe, OurClient, Any]:
    client = OurClient(folder)
    client.session = "s"
    transport, pipe = ChildTransport(client.updated, lambda: None), Pipe()
    transport.child = cast("Child", pipe)
    return transport, pipe, client, acp.connect_to_agent(client, transport)  # pyright: ignore[reportArgumentType]


def dumped(*messages: dict[str, Any]) -> bytes:
    return b"".join(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n" for message in messages)


async def test_r073_a_thousand_orders_of_odd_messages_and_the_session_goes_on(tmp_path: Path) -> None:
    transport, pipe, _, connection = connected(tmp_path)
    ask = {"method": "fs/read_text_file", "params": {"sessionId": "other", "path": "a"}}
    odd: list[dict[str, Any]] = [
        {"id": 77, "result": {}}, {"id": -1, "result": None}, {"id": 0, "method": "no/such"}, {"id": "7", **ask}, {"id": "7", **ask},
        {"id": None, "method": "terminal/create", "params": {"sessionId": "s", "command": "rm"}}, {"method": "no/such", "params": 1},
        {"id": 5, "method": "session/update", "params": {}}, {"id": 6, "method": "_ext", "params": []}, {"method": "elicitation/complete"},
        {"id": 8, "method": "fs/write_text_file", "params": None}, {"id": 9, "method": "fs/write_text_file", "params": {"sessionId": "s", "path": 1}},
        {"method": "session/update", "params": []}, {"method": "session/update"}, {"id": 1.5, "result": 1}, {"id": [], "method": "x"},
    ]  # fmt: skip
    answerable = sum(1 for one in odd if "id" in one and "method" in one and one["id"] != [])
    chance = random.Random(73)
    for _ in range(1000):
        pipe.written.clear()
        asking = asyncio.ensure_future(connection.set_session_mode(session_id="s", mode_id="m"))
        await pipe.answered(1)
        number = pipe.written[0]["id"]
        order: list[dict[str, Any]] = [
            *odd,
            {"id": number, "result": {}},
            {"id": number, "error": {"code": 1, "message": "too late"}},
        ]
        first = chance.choice(order[-2:])
        others = [one for one in order if one is not first]
        chance.shuffle(others)
        at = min(index for index, one in enumerate(others) if one.get("id") == number and "method" not in one)
        others.insert(chance.randint(0, at), first)
        transport.feed(dumped(*others))
        if "result" in first:
            await asking
        else:
            with pytest.raises(acp.RequestError, match="too late"):
                await asking
        await pipe.answered(1 + answerable)
        assert all("error" in one for one in pipe.written[1:])
        assert {one["error"]["code"] for one in pipe.written[1:] if one["id"] in (0, 5, 6, None)} == {-32601}
    await connection.close()


async def test_r073_with_both_a_result_and_an_error_it_is_an_error(tmp_path: Path) -> None:
    transport, pipe, _, connection = connected(tmp_path)
    asking = asyncio.ensure_future(connection.set_session_mode(session_id="s", mode_id="m"))
    await pipe.answered(1)
    transport.feed(dumped({"id": pipe.written[0]["id"], "result": {}, "error": {"code": "x", "message": None}}))
    with pytest.raises(acp.RequestError):
        await asking
    await connection.close()


async def test_r066_an_agent_that_asks_and_never_reads_is_left_unread(tmp_path: Path) -> None:
    transport, pipe, client, connection = connected(tmp_path)
    (tmp_path / "a").write_text("text")
    client.turn = OpenTurn(FakeDesk(), Heard(lambda _s, _t: None, lambda _t, _k: False))
    pipe.room.clear()
    asks = [
        {"id": n, "method": "fs/read_text_file", "params": {"sessionId": "s", "path": "a", "padding": "x" * 400}}
        for n in range(3000)
    ]
    transport.feed(dumped(*asks))
    assert pipe.paused == 1
    await pipe.answered(transports.MOST_AT_WORK)
    for _ in range(1000):
        await asyncio.sleep(0)
    assert len(pipe.written) == transports.MOST_AT_WORK
    pipe.room.set()
    await pipe.answered(3000)
    assert pipe.paused == 0
    await connection.close()


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
    ask = {"toolCallId": "1", "title": "Write", "kind": "edit", "locations": [{"path": "a.txt"}]}
    write = ["call", "fs/write_text_file", {"path": "a.txt"}]
    steps = [
        ["permit", ask],
        [*write[:2], {"path": "a.txt", "content": "1"}],
        [*write[:2], {"path": "a.txt", "content": "2"}],
    ]
    await case.turn(steps)
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


# Updates


def hear(*updates: dict[str, Any]) -> tuple[Heard, list[str]]:
    said: list[str] = []
    heard = Heard(lambda _s, text: said.append(text), lambda _t, _k: False)
    client = OurClient(Path("/nowhere"))
    client.session = "s"
    client.turn = cast("OpenTurn", type("Turn", (), {"heard": heard, "over": False}))
    for update in updates:
        client.updated({"sessionId": "s", "update": update})
    client.updated(
        {
            "sessionId": "other",
            "update": {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "NO"}},
        }
    )
    return heard, said


def test_updates_that_nobody_knows_or_that_are_none_are_passed_over() -> None:
    text = {"type": "text", "text": "yes"}
    odd: list[Any] = [{}, {"sessionUpdate": "of_tomorrow", "x": 1}, {"sessionUpdate": 5}, None, [], {"sessionUpdate": "tool_call"},
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": 5}},
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "image", "data": "", "mimeType": "x"}},
        {"sessionUpdate": "tool_call_update", "toolCallId": "never begun", "status": "of_tomorrow", "kind": "of_tomorrow"},
    ]  # fmt: skip
    heard, _ = hear(*odd, {"sessionUpdate": "agent_message_chunk", "content": text})
    assert heard.text() == "yes"


@pytest.mark.parametrize("amount", [float("inf"), float("nan"), -1.0, 1e308])
def test_numbers_that_are_none_are_not_added_up(amount: float) -> None:
    heard, _ = hear(
        {"sessionUpdate": "usage_update", "used": 1, "size": 1, "cost": {"amount": amount, "currency": "USD"}},
        {"sessionUpdate": "agent_message_chunk", "content": {"type": "text", "text": "x"}, "_meta": {"usage": {"inputTokens": 10**400, "outputTokens": -5}}},
    )  # fmt: skip
    assert heard.cost is None or 0 <= heard.cost <= 1e308
    assert heard.read <= 10**12 and heard.wrote == 0


def test_r079_of_ten_thousand_calls_only_what_is_needed_is_kept() -> None:
    big = "x" * 1000
    begin = {"sessionUpdate": "tool_call", "kind": "edit", "rawInput": {"x": big}, "rawOutput": big}
    ends = {"sessionUpdate": "tool_call_update", "status": "completed", "rawOutput": big}
    calls = [{**begin, "toolCallId": str(n), "title": f"{n} " + "t" * 10_000} for n in range(2000)]
    heard, said = hear(*calls, *({**ends, "toolCallId": str(n)} for n in range(1000)))
    kept = [call for call in heard.calls.values() if call.raw_input is not None]
    assert len(heard.calls) == 2000 and 0 < len(kept) <= 100
    assert all(call.raw_output is None for call in heard.calls.values())
    assert max(map(len, said)) < 300
    assert heard.acted


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
