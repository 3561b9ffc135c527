"""Cancelling and the order of requests: each has exactly one answer."""

from __future__ import annotations

from tests.protocol.conftest import Plain
from tests.protocol.support import RawClient, frame


def cancelled(client: RawClient, number: int) -> bool:
    return client.answer(number).get("error", {}).get("code") == -32800


def test_a_running_command_is_cancelled_and_answered_when_it_has_ended(plain: Plain) -> None:
    client = plain()
    number = client.ask_command("sleep", "a")
    assert client.result("look")[-1] == "began a"
    client.notify("$/cancelRequest", {"id": number})
    assert cancelled(client, number)
    assert client.result("look")[-1] == "cancelled a"
    client.notify("$/cancelRequest", {"id": number})
    assert client.result("echo", 1) == 1
    assert len([one for one in client.received if one.get("id") == number]) == 1


def test_a_cancelled_command_whose_thread_works_on_is_answered_once_that_is_done(plain: Plain) -> None:
    client = plain()
    number = client.ask_command("thread", 0.2)
    client.notify("$/cancelRequest", {"id": number})
    assert cancelled(client, number)


def test_b133_of_seventy_queued_commands_the_thirty_cancelled_are_not_run(plain: Plain) -> None:
    client = plain()
    call = {"jsonrpc": "2.0", "method": "workspace/executeCommand"}
    asked = [{**call, "id": n, "params": {"command": "sleep", "arguments": [n]}} for n in range(1000, 1070)]
    cancels = [{"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": n}} for n in range(1040, 1070)]
    client.send_bytes(b"".join(map(frame, [*asked, *cancels])))
    assert all(cancelled(client, n) for n in range(1040, 1070))
    seen = client.result("look")
    assert [one for one in seen if str(one).startswith("began")] == [f"began {n}" for n in range(1000, 1040)]


def test_b133_no_more_than_64_run_at_once_and_one_that_waits_is_cancelled_unseen(plain: Plain) -> None:
    client = plain()
    first = [client.ask_command("sleep", n) for n in range(64)]
    waiting = [client.ask_command("sleep", n) for n in range(64, 70)]
    for number in waiting[:3]:
        client.notify("$/cancelRequest", {"id": number})
    assert all(cancelled(client, number) for number in waiting[:3])
    for number in first[:4]:
        client.notify("$/cancelRequest", {"id": number})
    assert all(cancelled(client, number) for number in first[:4])
    began = [one for one in client.result("look") if str(one).startswith("began")]
    assert began == [f"began {n}" for n in [*range(64), 67, 68, 69]]


def test_slow_commands_in_threads_do_not_delay_the_next_one_or_the_end(plain: Plain) -> None:
    client = plain()
    for _ in range(30):
        client.ask_command("thread", 1000)
    assert client.result("echo", "quick") == "quick"
    client.close_stdin()
    assert client.exit_code() == 1


def test_a_second_request_with_the_id_of_a_live_one_is_refused(plain: Plain) -> None:
    client = plain()
    number = client.ask_command("sleep", "a")
    client.send(id=number, method="plain/echo", params={"a": 1})
    assert client.answer(number)["error"]["code"] == -32600
    client.notify("$/cancelRequest", {"id": number})
    answers = lambda: [one["error"]["code"] for one in client.received if one.get("id") == number]  # noqa: E731
    assert client.wait_until(lambda: len(answers()) == 2)
    assert answers() == [-32600, -32800]
    client.send(id=number, method="plain/echo", params={"a": 1})
    assert client.wait_until(lambda: client.received[-1].get("result") == {"a": 1})


def test_ids_that_look_alike_are_different(plain: Plain) -> None:
    client = plain()
    client.send(id=77, method="workspace/executeCommand", params={"command": "sleep", "arguments": ["number"]})
    client.send(id="77", method="workspace/executeCommand", params={"command": "sleep", "arguments": ["text"]})
    client.notify("$/cancelRequest", {"id": "77"})
    assert cancelled(client, "77")  # type: ignore[arg-type]
    assert client.result("look")[-1] != "cancelled number"


def test_nothing_but_initialize_is_served_first(plain: Plain) -> None:
    client = plain(initialized=False)
    assert client.request("plain/echo", {})["error"]["code"] == -32002
    assert client.request("shutdown")["error"]["code"] == -32002
    client.notify("plain/note", {"too": "early"})
    assert client.request("initialize", {"capabilities": 5})["error"]["code"] == -32602
    assert client.request("plain/echo", {})["error"]["code"] == -32002
    assert "result" in client.initialize()
    assert client.request("initialize", {"capabilities": {}, "processId": None})["error"]["code"] == -32600
    assert client.result("look") == [["initialize", None]]
    assert client.request("no/such/method", {})["error"]["code"] == -32601


def test_what_is_sent_right_behind_initialize_waits_for_it(plain: Plain) -> None:
    client = plain(initialized=False)
    first = {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}, "processId": None}}
    second = {"jsonrpc": "2.0", "id": 2, "method": "plain/echo", "params": [1]}
    third = {"jsonrpc": "2.0", "id": 3, "method": "plain/echo", "params": [1]}
    cancel = {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": 3}}
    client.send_bytes(b"".join(map(frame, [first, second, third, cancel])))
    assert client.answer(2)["result"] == [1]
    assert cancelled(client, 3)
    assert [one["id"] for one in client.received] == [3, 1, 2]
