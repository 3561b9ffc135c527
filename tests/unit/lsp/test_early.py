"""The early answer is the one that the server itself would give."""

from __future__ import annotations

import json
from typing import Any

import pytest

from sprintwright.lsp.early import early_answer
from tests.protocol.golden import initialize_result


def request(client: object, **more: object) -> dict[str, Any]:
    params = {"processId": 1, "rootUri": None, "capabilities": client, **more}
    return {"jsonrpc": "2.0", "id": "a", "method": "initialize", "params": params}


@pytest.mark.parametrize("encodings", [None, [], ["utf-8"], ["klingon", "utf-32"], ["utf-16", "utf-8"]])
@pytest.mark.parametrize("prepares", [True, False])
async def test_the_early_answer_is_the_servers_own(encodings: list[str] | None, prepares: bool) -> None:
    client: dict[str, Any] = {"textDocument": {"rename": {"prepareSupport": prepares}}}
    if encodings is not None:
        client["general"] = {"positionEncodings": encodings}
    early = early_answer(request(client))
    assert early is not None and early[0] == "a"
    answer = json.loads(early[1].partition(b"\r\n\r\n")[2])
    assert answer == {"jsonrpc": "2.0", "id": "a", "result": await initialize_result(client)}


@pytest.mark.parametrize(
    "value",
    [
        None,
        [],
        request(None),
        request([]),
        request({}, processId="1"),
        request({}, processId=True),
        request({}, rootUri=1),
        request({}, workspaceFolders="x"),
        request({}, workspaceFolders=[{"uri": 1, "name": "x"}]),
        request({"general": {"positionEncodings": "utf-8"}}),
        {**request({}), "id": None},
        {**request({}), "method": "shutdown"},
        {**request({}), "params": []},
    ],
)
def test_r084_what_may_be_wrong_is_left_to_the_server(value: object) -> None:
    assert early_answer(value) is None
