"""Each way in which a session ends: what is answered, the exit code, and that no child is left."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator

import pytest

from tests.protocol.conftest import Plain
from tests.protocol.support import SECONDS, RawClient, frame, is_alive

STARTS = {"jsonrpc": "2.0", "method": "initialize", "params": {"capabilities": {}, "processId": None}, "id": 1}


def with_a_child(client: RawClient) -> int:
    """Start the server's child; its pid."""
    child = client.result("child")
    client.children.append(child)
    assert is_alive(child)
    return child


def ended(client: RawClient, child: int) -> int:
    """The exit code, once the child is known to be gone and `closing` to have been called once."""
    code = client.exit_code()
    assert not is_alive(child)
    assert client.log.count("closing plain") == 1
    return code


ENDS: dict[str, tuple[Callable[[RawClient], object], int]] = {
    "shutdown and exit": (lambda c: (c.request("shutdown"), c.notify("exit")), 0),
    "shutdown and exit at once": (lambda c: (c.ask("shutdown"), c.notify("exit")), 0),
    "shutdown and end of input": (lambda c: (c.ask("shutdown"), c.close_stdin()), 0),
    "shutdown and SIGTERM": (lambda c: (c.request("shutdown"), os.kill(c.pid, signal.SIGTERM)), 0),
    "exit": (lambda c: c.notify("exit"), 1),
    "exit with bad params": (lambda c: c.notify("exit", 5), 1),
    "end of input": (lambda c: c.close_stdin(), 1),
    "end of input within a message": (lambda c: (c.send_bytes(b"Content-Length: 10\r\n\r\n{"), c.close_stdin()), 1),
    "not followed any more": (lambda c: c.send_bytes(b"nonsense\r\n"), 1),
    "shutdown, then not followed any more": (lambda c: (c.request("shutdown"), c.send_bytes(b"nonsense\r\n")), 1),
    "SIGTERM": (lambda c: os.kill(c.pid, signal.SIGTERM), 143),
    "SIGHUP": (lambda c: os.kill(c.pid, signal.SIGHUP), 129),
    "SIGINT": (lambda c: os.kill(c.pid, signal.SIGINT), 130),
    "SIGTERM twice": (lambda c: (os.kill(c.pid, signal.SIGTERM), os.kill(c.pid, signal.SIGTERM)), 143),
    "b137: output closed, nothing to write": (lambda c: c.close_stdout(), 1),
    "b137: output closed": (lambda c: (c.close_stdout(), c.ask_command("echo", 1)), 1),
}


@pytest.mark.parametrize("way", ENDS)
def test_r082_no_child_outlives_the_server(plain: Plain, way: str) -> None:
    client = plain()
    child = with_a_child(client)
    client.ask_command("sleep", "in flight")
    end, code = ENDS[way]
    end(client)
    assert ended(client, child) == code


@pytest.fixture
def other() -> Iterator[subprocess.Popen[bytes]]:
    """Another process, whose pid can be given as the client's."""
    process = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    yield process
    process.kill()
    process.communicate()


def test_r082_the_server_ends_when_its_client_is_dead_though_somebody_else_holds_the_pipe(
    plain: Plain, other: subprocess.Popen[bytes]
) -> None:
    client = plain(initialized=False)
    client.initialize(processId=other.pid)
    child = with_a_child(client)
    other.kill()  # and not reaped: a zombie is dead, too
    assert ended(client, child) == 1
    assert f"the client's process {other.pid} is gone" in client.log


def test_r082_a_client_that_was_dead_from_the_beginning_is_noticed(
    plain: Plain, other: subprocess.Popen[bytes]
) -> None:
    other.kill()
    other.wait(SECONDS)
    client = plain(initialized=False)
    client.initialize(processId=other.pid)
    assert client.exit_code() == 1


def test_r082_a_killed_client_ends_a_server_that_still_has_much_to_say(plain: Plain) -> None:
    client = plain()
    child = with_a_child(client)
    client.mute()
    for _ in range(20):
        client.ask_command("big", 1_000_000)
    client.ask_command("log", 1)
    client.wait_until(lambda: b"yyyy" in client.errors)  # 20 MB wait, so nothing more is read
    client.close_stdin()
    client.wait_until(lambda: "the input ended" in client.log)
    assert client._wait(SECONDS) == 1
    assert not is_alive(child)


def test_a_number_that_names_no_process_is_not_watched(plain: Plain) -> None:
    clients = [plain(initialized=False), plain(initialized=False)]
    for client, pid in zip(clients, [0, -1], strict=True):
        client.initialize(processId=pid)
    assert clients[0].result("thread", 0.6) == "done"  # longer than the time between two looks
    assert [client.shut_down() for client in clients] == [0, 0]


def test_r092_commands_in_flight_are_cancelled_and_answered_before_shutdown_is(plain: Plain) -> None:
    client = plain()
    asked = [client.ask_command("sleep", number) for number in range(5)]
    shutdown = client.ask("shutdown")
    assert client.answer(shutdown)["result"] is None
    answers = [one for one in client.received if one.get("id") in asked]
    assert sorted(one["id"] for one in answers) == asked
    assert {one["error"]["code"] for one in answers} == {-32800}
    assert client.received[-1]["id"] == shutdown
    assert client.wait_until(lambda: client.log.count("closing plain") == 1)
    assert client.request("shutdown")["error"]["code"] == -32600
    assert client.command("echo", 1)["error"]["code"] == -32600
    client.notify("exit")
    assert client.exit_code() == 0
    assert client.log.count("closing plain") == 1


def test_r092_shutdown_twice_in_one_write_is_one_answer_and_one_error(plain: Plain) -> None:
    client = plain()
    first, second = client.ask("shutdown"), client.ask("shutdown")
    assert client.answer(first)["result"] is None
    assert client.answer(second)["error"]["code"] == -32600
    client.notify("exit")
    assert client.exit_code() == 0


def test_a_whole_session_in_one_write_is_answered(plain: Plain) -> None:
    client = plain(initialized=False)
    shutdown = {"jsonrpc": "2.0", "id": 2, "method": "shutdown"}
    client.send_bytes(frame(STARTS) + frame(shutdown) + frame({"jsonrpc": "2.0", "method": "exit"}))
    client.close_stdin()
    assert client.exit_code() == 0
    assert "capabilities" in client.answer(1)["result"]
    assert client.answer(2)["result"] is None


def test_b135_a_question_that_the_client_never_answers_does_not_hold_shutdown_up(plain: Plain) -> None:
    client = plain()
    asked = client.ask_command("ask", {"a": 1})
    client.wait_for(lambda one: one.get("method") == "plain/ask")
    assert client.shut_down() == 0
    assert client.answer(asked)["error"]["code"] == -32800


def test_r092_a_command_that_does_not_end_is_answered_and_left_behind(plain: Plain) -> None:
    client = plain()
    asked = client.ask_command("stubborn")
    assert client.shut_down() == 0
    answers = [one for one in client.received if one.get("id") == asked]
    assert [one["error"]["code"] for one in answers] == [-32800]


def test_r092_a_closing_that_fails_is_logged_and_shutdown_is_answered(plain: Plain) -> None:
    client = plain(PLAIN_CLOSING="fail")
    assert client.shut_down() == 0
    assert "could not be closed" in client.log


@pytest.mark.exhaustive
def test_r092_a_closing_that_hangs_does_not_hold_the_end_up(plain: Plain) -> None:
    client = plain(PLAIN_CLOSING="hang")
    assert client.shut_down() == 0
    assert "could not be ended in time" in client.log
    client = plain(PLAIN_CLOSING="hang")
    client.close_stdin()
    assert client.exit_code() == 1


def test_a_real_process_serves_from_start_to_end() -> None:
    client = RawClient.start([sys.executable, "-m", "tests.protocol.plain_server"])
    try:
        assert client.initialize()["result"]["serverInfo"] == {"name": "plain", "version": "1"}
        assert client.result("echo", {"a": "é"}) == {"a": "é"}
        assert client.shut_down() == 0
        assert not client.garbage
    finally:
        client.close()


def test_a_server_without_input_or_output_says_so() -> None:
    for closed in ("stdin", "stdout"):
        number = {"stdin": 0, "stdout": 1}[closed]
        code = f"import os, runpy; os.close({number}); runpy.run_module('tests.protocol.plain_server', run_name='__main__')"
        done = subprocess.run(
            [sys.executable, "-c", code], stdin=subprocess.DEVNULL, capture_output=True, timeout=SECONDS
        )
        assert done.returncode == 1
        assert re.fullmatch(rb"sprintwright: the language server needs standard input and output: .*\n", done.stderr)
