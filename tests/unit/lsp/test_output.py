"""Live output, as the output channel and the live view get it."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from sprintwright.lsp.output import Output
from sprintwright.lsp.wire import DidOutput

COLOURED = "\x1b[1;31mred\x1b[0m and \x1b]8;;https://example.org\x1b\\linked\x1b]8;;\x07, plain\x1b(B\n"


class Client:
    """Implements `sprintwright.lsp.publisher.Client`, as far as output needs it."""

    room = True

    def __init__(self) -> None:
        self.said = ""

    def notify(self, method: str, params: Any) -> None:
        assert isinstance(params, DidOutput)
        self.said += "".join(piece.text for piece in params.pieces)


async def shown(*pieces: str) -> str:
    client = Client()
    output = Output(client)  # pyright: ignore[reportArgumentType]
    for piece in pieces:
        output.add("r", "a", "text", piece)
    output.ended("r")
    return client.said


@pytest.mark.parametrize("at", range(len(COLOURED)))
def test_b113_escape_codes_are_stripped_wherever_a_pipe_cuts_them(at: int) -> None:
    assert asyncio.run(shown(COLOURED[:at], COLOURED[at:])) == "red and linked, plain\n"


def test_b113_text_that_only_stands_behind_an_escape_character_is_not_held_back() -> None:
    assert asyncio.run(shown("\x1b]" + "x" * 2_000, "y")).endswith("y")
