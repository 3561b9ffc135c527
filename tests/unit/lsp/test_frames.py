"""Bytes → bodies → values → messages, and values → bytes: for any bytes, in pieces of any size."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sprintwright.lsp.transport.frames import MOST_BODY_BYTES, MOST_HEADER_BYTES, BrokenStream, FrameParser
from sprintwright.lsp.transport.messages import Invalid, Notification, Request, Stray, read_message
from sprintwright.lsp.transport.wire import Unreadable, decode_body, encode_json, framed

BODIES = [b"", b"{}", b"\r\n\r\n", b"Content-Length: 5\r\n\r\n", b"x" * 5000, "é😀".encode()]


def pieces(data: bytes, chance: random.Random) -> list[bytes]:
    found: list[bytes] = []
    while data:
        size = chance.choice([1, 2, 3, 20, 3000])
        found.append(data[:size])
        data = data[size:]
    return found


@pytest.mark.parametrize("seed", range(20))
def test_the_pieces_in_which_bytes_come_do_not_matter(seed: int) -> None:
    chance = random.Random(seed)
    bodies = [chance.choice(BODIES) for _ in range(30)]
    parser = FrameParser()
    found = [body for piece in pieces(b"".join(map(framed, bodies)), chance) for body in parser.feed(piece)]
    assert found == bodies
    assert parser.is_between_frames


def test_a_frame_that_has_begun_is_known() -> None:
    for begun in (b"C", b"Content-Length: 2\r\n", b"Content-Length: 2\r\n\r\n", b"Content-Length: 2\r\n\r\n{"):
        parser = FrameParser()
        assert list(parser.feed(begun)) == []
        assert not parser.is_between_frames


def test_r084_what_is_complete_before_the_stream_breaks_is_given() -> None:
    bodies = FrameParser().feed(framed(b"{}") + b"nonsense\r\n")
    assert next(bodies) == b"{}"
    with pytest.raises(BrokenStream, match=r"Not a header: 'nonsense"):
        next(bodies)


@pytest.mark.parametrize("size", [0, 1, MOST_BODY_BYTES])
def test_r084_a_body_may_have_64_mb(size: int) -> None:
    assert [len(body) for body in FrameParser().feed(framed(bytes(size)))] == [size]


def test_r084_one_byte_more_is_refused_before_it_comes() -> None:
    with pytest.raises(BrokenStream, match="the most is 67108864"):
        list(FrameParser().feed(b"Content-Length: %d\r\n" % (MOST_BODY_BYTES + 1)))


def test_r084_a_header_may_have_64_kb_in_pieces_of_any_size() -> None:
    fields = b"Content-Length: 2\r\nX: "
    longest = fields + b"a" * (MOST_HEADER_BYTES - len(fields) - 4) + b"\r\n\r\n"
    assert list(FrameParser().feed(longest + b"{}")) == [b"{}"]
    parser = FrameParser()
    assert [body for byte in longest + b"{}" for body in parser.feed(bytes([byte]))] == [b"{}"]
    for size in (1000, 1 << 20):
        parser = FrameParser()
        with pytest.raises(BrokenStream, match="longer than 65536"):
            for _ in range(100):
                list(parser.feed(b"X" * size))


@given(st.binary(max_size=300))
def test_r084_any_bytes_are_frames_or_a_broken_stream(data: bytes) -> None:
    try:
        list(FrameParser().feed(data))
    except BrokenStream as error:
        assert "\n" not in str(error)
        assert len(str(error)) < 400


@given(st.binary(max_size=200) | st.text(max_size=200).map(str.encode))
def test_r084_any_body_is_a_value_or_unreadable_and_any_value_some_message(body: bytes) -> None:
    value = decode_body(body)
    if isinstance(value, Unreadable):
        assert "\n" not in value.reason
    else:
        read_message(value)


PLAIN = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=10), inner, max_size=4),
    max_leaves=20,
)


@given(PLAIN)
def test_a_value_that_goes_out_comes_back_as_it_was(value: Any) -> None:
    assert decode_body(encode_json(value)) == value


@given(st.lists(st.floats() | st.text(st.characters(codec=None, categories=("Cs", "L", "So")))))
def test_what_goes_out_is_strict_json_in_utf8_whatever_it_was(value: list[Any]) -> None:
    assert not isinstance(decode_body(encode_json(value)), Unreadable)


def test_halves_of_one_character_are_put_together_and_lone_ones_replaced() -> None:
    assert json.loads(encode_json("\ud83d\ude00 \ud83d \ude00")) == "😀 \ufffd \ufffd"
    assert decode_body(b'"\\ud83d\\ude00 \\\\ud800"') == "😀 \\ud800"


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ({"jsonrpc": "2.0", "id": 1, "method": "a", "result": 2}, Request(1, "a", None)),
        ({"jsonrpc": "2.0", "id": "", "method": "a", "params": [1]}, Request("", "a", [1])),
        ({"jsonrpc": "2.0", "id": -(2**53), "method": "a"}, Request(-(2**53), "a", None)),
        ({"jsonrpc": "2.0", "method": "a", "params": "x"}, Notification("a", None)),
        ({"jsonrpc": "2.0", "id": None, "result": 1}, Stray()),
        ({"jsonrpc": "1.0", "id": 1, "error": {}}, Stray()),
    ],
)
def test_what_a_value_is(value: Any, what: object) -> None:
    assert read_message(value) == what


@pytest.mark.parametrize("number", [2**53 + 1, 1.0, True, "a" * 1001, b"x", {}])
def test_r084_an_id_that_cannot_be_given_back_is_not_used(number: Any) -> None:
    found = read_message({"jsonrpc": "2.0", "id": number, "method": "a"})
    assert isinstance(found, Invalid)
    assert found.id is None
