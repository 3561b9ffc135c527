"""Commands and custom methods: what they get, what they may give, and what is said when they fail."""

from __future__ import annotations

from typing import Any

import pytest

from tests.protocol.conftest import Plain
from tests.protocol.support import RawClient

PLAIN = {
    "jsonrpc": "1.0",
    "class": {"id": 1, "method": "x", "type_name": "A-b"},
    "deep": [[{"jsonrpc": {"def": None}}]],
}


def code_of(answer: dict[str, Any]) -> int:
    return answer["error"]["code"]


def test_arguments_and_custom_params_stay_plain_data_at_any_depth(plain: Plain) -> None:
    client = plain()
    assert client.result("echo", PLAIN) == PLAIN
    assert client.request("plain/echo", PLAIN)["result"] == PLAIN
    assert client.request("plain/echo", [PLAIN])["result"] == [PLAIN]
    client.notify("plain/note", PLAIN)
    assert client.result("look")[-1] == PLAIN
    deep: Any = PLAIN
    for _ in range(300):
        deep = {"jsonrpc": [deep]}
    assert client.result("echo", deep) == deep


def test_a_command_without_an_argument_gets_none(plain: Plain) -> None:
    client = plain()
    assert client.result("echo") is None
    assert client.request("workspace/executeCommand", {"command": "echo"})["result"] is None
    assert client.request("workspace/executeCommand", {"command": "echo", "arguments": None})["result"] is None


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"command": "ehco"}, "There is no command 'ehco'. Did you mean 'echo'?"),
        ({"command": "echo", "arguments": [1, 2]}, "takes one argument, not 2"),
        ({"command": "echo", "arguments": "ab"}, "arguments: not a list"),
        ({"command": "echo", "arguments": {"0": 1}}, "arguments: not a list"),
        ({"command": 5}, "command: not a string"),
        ({}, "command: not a string"),
        ([], "must be an object"),
        ("echo", "must be an object or a list"),
        (None, "command: not a string"),
    ],
)
def test_a_command_that_cannot_be_called_is_named(plain: Plain, params: Any, words: str) -> None:
    answer = plain().request("workspace/executeCommand", params)
    assert code_of(answer) == -32602
    assert words in answer["error"]["message"]


def test_results_may_be_models_types_of_the_protocol_or_json_that_is_encoded_already(plain: Plain) -> None:
    client = plain()
    assert client.result("model", {"runId": "r"}) == {"runId": "r", "limit": 1}
    assert client.result("raw", '{"a": [1, "é"]}') == {"a": [1, "é"]}
    assert client.result("typed") == {
        "range": {"start": {"line": 0, "character": 1}, "end": {"line": 2, "character": 3}},
        "model": {"runId": "r", "limit": 1},
        "kind": 2,
    }


def test_what_goes_out_is_strict_json(plain: Plain) -> None:
    client = plain()
    assert client.result("odd", "nan") == [None]
    assert client.result("odd", "surrogate") == "a\ufffdb😀"
    assert code_of(client.command("odd", "object")) == -32603
    assert client.result("echo", "still here, é😀") == "still here, é😀"


def test_commands_are_advertised(plain: Plain) -> None:
    client = plain(initialized=False)
    commands = client.initialize()["result"]["capabilities"]["executeCommandProvider"]["commands"]
    assert {"echo", "sleep", "big"} <= set(commands)


@pytest.mark.parametrize(
    ("how", "error"),
    [
        (
            "refused",
            {"code": -32803, "message": "There is no run 'x'.", "data": {"code": "unknown_run", "known": ["a"]}},
        ),
        ("refused with an object", {"code": -32803, "message": "There is no run 'x'."}),
        ("rpc", {"code": -32099, "message": "as it is", "data": {"a": 1}}),
        ("cancelled", {"code": -32800, "message": "The request was cancelled."}),
        ("exit", {"code": -32603, "message": "Something went wrong in the server; its log has the details."}),
        ("by surprise", {"code": -32603, "message": "Something went wrong in the server; its log has the details."}),
    ],
)
def test_a_failure_is_told_by_what_it_is(plain: Plain, how: str, error: dict[str, Any]) -> None:
    client = plain()
    assert client.command("fail", how)["error"] == error
    assert client.result("echo", 1) == 1
    assert not [one for one in client.received if one.get("method") == "window/showMessage"]
    if how == "by surprise":
        client.wait_until(lambda: "secret detail" in client.log)
        assert "Traceback" in client.log


def test_bad_arguments_of_a_model_are_named(plain: Plain) -> None:
    error = plain().command("model", {"limit": 0})["error"]
    assert error["code"] == -32602
    assert "runId: Field required." in error["message"]
    assert "limit: Input should be greater than or equal to 1." in error["message"]


def test_the_client_can_be_asked(plain: Plain) -> None:
    client = plain()
    asked = client.ask_command("ask", {"jsonrpc": 1})
    question = client.wait_for(lambda one: one.get("method") == "plain/ask")
    assert question["params"] == {"jsonrpc": 1}
    client.send(id=question["id"], result=PLAIN)
    assert client.answer(asked)["result"] == PLAIN

    asked = client.ask_command("ask")
    question = client.wait_for(lambda one: one.get("method") == "window/showMessageRequest")
    assert question["params"] == {"type": 3, "message": "?", "actions": [{"title": "yes"}]}
    client.send(id=question["id"], result={"title": "yes"})
    assert client.answer(asked)["result"] == "yes"


@pytest.mark.parametrize(
    ("answer", "code"),
    [
        ({"error": {"code": -32601, "message": "no such method"}}, -32601),
        ({"error": {"code": 2**40, "message": 5}}, -32001),
        ({"error": "words"}, -32001),
        ({"result": {"title": 5}}, -32602),
        ({"result": [1]}, -32602),
    ],
)
def test_a_bad_answer_of_the_client_fails_what_asked(plain: Plain, answer: dict[str, Any], code: int) -> None:
    client = plain()
    asked = client.ask_command("ask")
    question = client.wait_for(lambda one: one.get("method") == "window/showMessageRequest")
    client.send(id=question["id"], **answer)
    assert code_of(client.answer(asked)) == code
    client.send(id=question["id"], **answer)  # a second answer to it counts for nothing
    assert client.result("echo", 1) == 1


def test_a_question_is_taken_back_when_its_command_is_cancelled(plain: Plain) -> None:
    client = plain()
    asked = client.ask_command("ask", {"a": 1})
    question = client.wait_for(lambda one: one.get("method") == "plain/ask")
    client.notify("$/cancelRequest", {"id": asked})
    assert code_of(client.answer(asked)) == -32800
    assert client.wait_for(lambda one: one.get("method") == "$/cancelRequest")["params"] == {"id": question["id"]}
    client.send(id=question["id"], result="late")
    assert client.result("echo", 1) == 1


def test_work_done_progress_goes_on_working(plain: Plain) -> None:
    client = plain()
    asked = client.ask_command("progress", "token")
    create = client.wait_for(lambda one: one.get("method") == "window/workDoneProgress/create")
    client.send(id=create["id"], result=None)
    begin = client.wait_for(lambda one: one.get("method") == "$/progress")
    assert begin["params"] == {"token": "token", "value": {"kind": "begin", "title": "Work"}}
    client.notify("window/workDoneProgress/cancel", {"token": "token"})
    assert code_of(client.answer(asked)) == -32800


def test_features_of_the_library_go_on_working(plain: Plain) -> None:
    client = plain(initialized=False)
    client.initialize(initializationOptions={"jsonrpc": {"class": 1}}, processId=None)
    assert client.result("look") == [["initialize", {"jsonrpc": {"class": 1}}]]
    open_a(client, "a😀b")
    change = {"range": {"start": {"line": 0, "character": 3}, "end": {"line": 0, "character": 4}}, "text": "c"}
    place = {"textDocument": {"uri": "file:///a"}, "position": {"line": 0, "character": 0}}
    before = client.ask("textDocument/hover", place)
    client.notify(
        "textDocument/didChange", {"textDocument": {"uri": "file:///a", "version": 2}, "contentChanges": [change]}
    )
    assert client.request("textDocument/hover", place)["result"] == {"contents": "2: a😀c"}
    assert client.answer(before)["result"] == {"contents": "1: a😀b"}  # each sees the text as it was when it was sent
    assert client.request("textDocument/completion", place)["result"] == [{"label": "line 0", "kind": 12}]


def open_a(client: RawClient, text: str) -> None:
    document = {"uri": "file:///a", "languageId": "yaml", "version": 1, "text": text}
    client.notify("textDocument/didOpen", {"textDocument": document})


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({}, "textDocument: missing."),
        ({"textDocument": 5, "position": {"line": 0, "character": 0}}, "textDocument.uri: not a string."),
        ({"textDocument": {"uri": 5}, "position": {"line": 0, "character": 0}}, "textDocument.uri: not a string."),
        (
            {"textDocument": {"uri": "u"}, "position": {"line": "1", "character": 0}},
            "position.line: not a whole number.",
        ),
        (
            {"textDocument": {"uri": "u"}, "position": {"line": 1.5, "character": 0}},
            "position.line: not a whole number.",
        ),
        (
            {"textDocument": {"uri": "u"}, "position": {"line": True, "character": 0}},
            "position.line: not a whole number.",
        ),
        ({"textDocument": {"uri": "u"}, "position": {"line": -1, "character": 0}}, "position: Position.line should be"),
        ([], "must be an object"),
        (None, "position: missing."),
    ],
)
def test_badly_typed_params_of_a_standard_request_are_answered_and_named(plain: Plain, params: Any, words: str) -> None:
    answer = plain().request("textDocument/completion", params)
    assert code_of(answer) == -32602
    assert words in answer["error"]["message"]


def test_badly_typed_params_of_a_notification_are_logged_and_ignored(plain: Plain) -> None:
    client = plain()
    count = len(client.received)
    for params in ({"textDocument": 5}, [], 7, None, {"textDocument": {"uri": 1}}):
        client.notify("textDocument/didOpen", params)
        client.notify("$/cancelRequest", params)
        client.notify("$/setTrace", params)
        client.notify("unknown", params)
    client.notify(
        "textDocument/didChange", {"textDocument": {"uri": "file:///none", "version": 1}, "contentChanges": []}
    )
    open_a(client, "x")
    place = {"textDocument": {"uri": "file:///a"}, "position": {"line": 0, "character": 0}}
    assert client.request("textDocument/hover", place)["result"] == {"contents": "1: x"}
    assert len(client.received) == count + 1
    assert client.wait_until(lambda: "A notification is ignored. The params of 'textDocument/didOpen'" in client.log)
