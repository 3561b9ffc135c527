"""What an agent writes that breaks the rules of the Agent Client Protocol: lines, messages and updates."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any, cast

import acp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sprintwright.agents.acp import transport as transports
from sprintwright.agents.acp.answer import Heard
from sprintwright.agents.acp.client import OpenTurn, OurClient
from sprintwright.agents.acp.transport import ChildTransport, LineTooLong
from sprintwright.processes import Child
from tests.unit.agents.acp_case import FakeDesk

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
