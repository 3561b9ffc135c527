"""Every stream of bytes has an end: an answer to each request, or exit 1 with a line in the log (R84)."""

from __future__ import annotations

import json
import random
from collections import Counter
from typing import Any

import pytest

from tests.protocol.conftest import Plain
from tests.protocol.support import RawClient, frame

VALID = b'{"jsonrpc":"2.0","id":5,"method":"plain/echo","params":{}}'

FATAL = {
    "negative": b"Content-Length: -1\r\n\r\n{}",
    "not a number": b"Content-Length: ten\r\n\r\n{}",
    "a fraction": b"Content-Length: 5.0\r\n\r\n{}",
    "empty": b"Content-Length:\r\n\r\n{}",
    "2^63": b"Content-Length: 9223372036854775808\r\n\r\n{}",
    "200 digits": b"Content-Length: " + b"9" * 200 + b"\r\n\r\n{}",
    "64 MB and one": b"Content-Length: 67108865\r\n\r\n{}",
    "twice, different": b"Content-Length: 2\r\nContent-Length: 3\r\n\r\n{}",
    "missing": b"Content-Type: x\r\n\r\n{}",
    "no header at all": b"\r\n{}",
    "lines of JSON": VALID + b"\n",
    "bare line feeds": b"Content-Length: 2\n\n{}",
    "noise": bytes(range(256)),
    "a header of 10 MB": b"X-Long: " + b"a" * 10_000_000 + b"\r\n\r\n",
    "10 MB of headers": b"X-Long: a\r\n" * 1_000_000,
    "a body longer than it says": b"Content-Length: 2\r\n\r\n{}{}",
}

BAD: dict[str, tuple[bytes, int, Any]] = {
    "not UTF-8": (b'{"jsonrpc":"2.0","id":5,"method":"\xff"}', -32700, None),
    "a surrogate in UTF-8": (b'{"jsonrpc":"2.0","id":5,"method":"\xed\xa0\x80"}', -32700, None),
    "an escaped lone surrogate": (b'{"jsonrpc":"2.0","id":5,"method":"plain/echo","params":["\\uD800"]}', -32700, None),
    "not JSON": (b"{]", -32700, None),
    "empty": (b"", -32700, None),
    "two values": (VALID + VALID, -32700, None),
    "NaN": (b'{"jsonrpc":"2.0","id":5,"method":"plain/echo","params":[NaN]}', -32700, None),
    "Infinity": (b'{"jsonrpc":"2.0","id":5,"method":"plain/echo","params":[-Infinity]}', -32700, None),
    "too large a number": (b'{"jsonrpc":"2.0","id":5,"method":"plain/echo","params":[1e999]}', -32700, None),
    "5,000 digits": (b'{"jsonrpc":"2.0","id":5,"method":"plain/echo","params":[' + b"9" * 5000 + b"]}", -32700, None),
    "too deep": (b'{"jsonrpc":"2.0","id":5,"params":' + b"[" * 100_000 + b"]" * 100_000 + b"}", -32700, None),
    "a batch": (b"[%b,%b]" % (VALID, VALID), -32600, None),
    "an empty batch": (b"[]", -32600, None),
    "a string": (b'"hello"', -32600, None),
    "null": (b"null", -32600, None),
    "an empty object": (b"{}", -32600, None),
    "version 1.0": (VALID.replace(b"2.0", b"1.0"), -32600, 5),
    "version as a number": (VALID.replace(b'"2.0"', b"2.0"), -32600, 5),
    "no version": (VALID.replace(b'"jsonrpc":"2.0",', b""), -32600, 5),
    "id null": (VALID.replace(b":5", b":null"), -32600, None),
    "id 1.5": (VALID.replace(b":5", b":1.5"), -32600, None),
    "id 1.0": (VALID.replace(b":5", b":1.0"), -32600, None),
    "id true": (VALID.replace(b":5", b":true"), -32600, None),
    "id an object": (VALID.replace(b":5", b':{"a":1}'), -32600, None),
    "id a list": (VALID.replace(b":5", b":[5]"), -32600, None),
    "id of 1 MB": (VALID.replace(b":5", b':"%b"' % (b"a" * 1_000_000)), -32600, None),
    "id of 30 digits": (VALID.replace(b":5", b":" + b"9" * 30), -32600, None),
    "no method": (b'{"jsonrpc":"2.0","id":5}', -32600, 5),
    "method a number": (VALID.replace(b'"plain/echo"', b"7"), -32600, 5),
    "method of 1 MB": (VALID.replace(b"plain/echo", b"m" * 1_000_000), -32600, 5),
    "unknown method": (VALID.replace(b"plain/echo", b"plain/ohce"), -32601, 5),
    "params a string": (VALID.replace(b"{}}", b'"ab"}'), -32602, 5),
    "params a list": (VALID.replace(b"{}}", b"[]}").replace(b"plain/echo", b"textDocument/hover"), -32602, 5),
    "params empty": (VALID.replace(b"plain/echo", b"textDocument/hover"), -32602, 5),
}


@pytest.mark.parametrize("name", FATAL)
def test_r084_a_stream_that_cannot_be_followed_ends_the_server_with_one_line(plain: Plain, name: str) -> None:
    client = plain()
    try:
        client.send_bytes(FATAL[name])
    except BrokenPipeError:
        pass  # it left before it had everything
    assert client.exit_code() == 1
    assert len([line for line in client.log.splitlines() if " ERROR " in line]) == 1
    assert len(client.log) < 2000


def test_r084_header_names_have_any_case_and_a_length_that_stands_twice_is_no_contradiction(plain: Plain) -> None:
    client = plain()
    client.send_bytes(
        b"content-LENGTH:%d\r\nContent-Type: x\r\nContent-Length: %d\r\n\r\n%b" % (len(VALID), len(VALID), VALID)
    )
    assert client.answer(5)["result"] == {}


def test_r084_what_is_no_valid_message_is_answered_and_the_session_goes_on(plain: Plain) -> None:
    client = plain()
    for name, (body, code, number) in BAD.items():
        count = len(client.received)
        client.send_bytes(frame(body))
        assert client.result("echo", name) == name
        first, _ = client.received[count:]
        assert (first["error"]["code"], first["id"]) == (code, number), name
        assert 0 < len(first["error"]["message"]) < 200


def test_r084_answers_to_nothing_get_no_answer(plain: Plain) -> None:
    client = plain()
    count = len(client.received)
    for answer in ({"id": 5, "result": 1}, {"id": "x", "error": {}}, {"id": None, "error": {"code": 1, "message": ""}}):
        client.send(**answer)
    client.send_bytes(frame({"id": 7, "result": 1}))
    assert client.result("echo", 1) == 1
    assert len(client.received) == count + 1


@pytest.mark.parametrize(
    ("seed", "count"), [(1, 1000), pytest.param(2, 5000, marks=pytest.mark.exhaustive)], ids=["1,000", "5,000"]
)
def test_r084_each_request_of_a_random_stream_has_exactly_one_answer(plain: Plain, seed: int, count: int) -> None:
    client = plain()
    chance = random.Random(seed)
    stream, expected = bytearray(), Counter[Any]()
    for number in range(100_000, 100_000 + count):
        body, answers_to = _random_message(chance, number)
        stream += frame(body)
        expected.update(answers_to)
    _send_in_pieces(client, bytes(stream), chance)
    assert client.wait_until(lambda: len(client.received) - 1 >= expected.total())
    client.result("echo", 1)
    got = Counter(one["id"] for one in client.received if one["id"] is None or one["id"] in expected)
    assert got == expected
    assert client.shut_down() == 0


def _random_message(chance: random.Random, number: int) -> tuple[bytes, list[Any]]:
    """A body, and the ids that must be answered because of it."""
    name: Any = chance.choice([number, str(number), -number])
    params = chance.choice([{}, [], None, {"a": [1, {"jsonrpc": 2}]}, {"command": "echo"}, {"textDocument": 1}, "x", 5])
    method = chance.choice(
        [
            "plain/echo",
            "workspace/executeCommand",
            "textDocument/hover",
            "textDocument/completion",
            "nothing",
            "initialize",
        ]
    )
    request = {"jsonrpc": "2.0", "id": name, "method": method, "params": params}
    match chance.randrange(8):
        case 0:  # damaged: still one answer, under the id if that was kept and is seen
            body = bytearray(json.dumps({"jsonrpc": "2.0", "method": method, "params": {}}).encode())
            body[chance.choice([0, -1])] = chance.choice(b"\x00\xff[5,")
            return bytes(body), [None]
        case 1:
            notes = ["plain/note", "$/cancelRequest", "nothing", "$/nothing", "textDocument/didOpen", "initialized"]
            note = {"jsonrpc": "2.0", "method": chance.choice(notes), "params": params}
            return json.dumps(note).encode(), []
        case 2:
            return json.dumps({**request, "id": chance.choice([None, 1.5, True, {}, []])}).encode(), [None]
        case 3:
            return json.dumps({**request, "jsonrpc": chance.choice([None, 2, "1.0", []])}).encode(), [name]
        case 4:
            return json.dumps({**request, "method": chance.choice([None, 5, "", {}])}).encode(), [name]
        case _:
            return json.dumps(request, ensure_ascii=chance.random() < 0.5).encode(), [name]


def _send_in_pieces(client: RawClient, data: bytes, chance: random.Random) -> None:
    at = 0
    while at < len(data):
        size = chance.choice([1, 7, 100, 5000, 70_000])
        client.send_bytes(data[at : at + size])
        at += size
