"""Clients that do not read, and everything that prints: nothing is lost, nothing waits, nothing gets between messages."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path

from tests.protocol.conftest import Plain
from tests.protocol.support import frame, memory

MEGABYTE = 1024 * 1024


def test_r080_ten_thousand_requests_of_a_client_that_does_not_read_are_all_answered_in_order(plain: Plain) -> None:
    client = plain()
    before = memory(client.pid)
    client.mute()
    sent = [0]
    call = {"jsonrpc": "2.0", "method": "workspace/executeCommand"}
    text = "x" * 3000

    def send() -> None:
        for number in range(10_000):
            client.send_bytes(
                frame({**call, "id": 10_000 + number, "params": {"command": "echo", "arguments": [text]}})
            )
            sent[0] = number + 1

    sender = threading.Thread(target=send, daemon=True)
    sender.start()
    seen, most, still = -1, before, 0
    while still < 25:  # until the server has stopped to read: 30 MB are to be sent, 16 MB of answers may wait
        time.sleep(0.02)
        still = still + 1 if sent[0] == seen else 0
        seen, most = sent[0], max(most, memory(client.pid))
    assert 5_000 < sent[0] < 10_000
    assert most - before < 64 * MEGABYTE
    client.unmute()
    sender.join(30)
    assert client.wait_until(lambda: client.received[-1].get("id") == 19_999)
    assert [one["id"] for one in client.received if one["id"] >= 10_000] == list(range(10_000, 20_000))
    assert all(one["result"] == text for one in client.received if one["id"] >= 10_000)


def test_r080_the_server_works_on_while_its_client_does_not_read(plain: Plain) -> None:
    client = plain()
    client.mute()
    big = client.ask_command("big", 5 * MEGABYTE)
    after = client.ask_command("log_line", "still at work")
    assert client.wait_until(lambda: "still at work" in client.log)
    assert not [one for one in client.received if one.get("id") in (big, after)]
    client.unmute()
    assert len(client.answer(big)["result"]) == 5 * MEGABYTE
    assert client.answer(after)["result"] is None


def test_r080_state_waits_for_room_and_goes_on_when_there_is_some(plain: Plain) -> None:
    client = plain()
    client.mute()
    asked = client.ask_command("flood", 2000)
    client.unmute()
    at_once = client.answer(asked)["result"]
    assert 200 < at_once < 2000  # what fits into 256 KB, and into the pipe
    notes = lambda: [one["params"]["number"] for one in client.received if one.get("method") == "plain/state"]  # noqa: E731
    assert client.wait_until(lambda: len(notes()) == 2000)
    assert notes() == list(range(2000))


def test_r081_logging_and_printing_never_wait_for_a_client_that_does_not_read_them(plain: Plain) -> None:
    client = plain()
    client.mute(errors=True)
    for _ in range(3):
        assert client.result("log", 3000) is None  # 6 MB each
    client.unmute()
    assert client.wait_until(lambda: "lines of the log were dropped" in client.log)
    assert client.shut_down() == 0


def test_r081_a_full_disk_does_not_touch_the_session(plain: Plain) -> None:
    client = plain(PLAIN_LOG="/dev/full")
    assert client.result("log", 200) is None
    assert client.result("echo", 1) == 1
    assert client.wait_until(lambda: "199 xxx" in client.log)
    assert "Traceback" not in client.log
    assert client.shut_down() == 0


def test_x055_one_event_is_one_line_in_the_log_and_on_the_error_output(plain: Plain, tmp_path: Path) -> None:
    client = plain(PLAIN_LOG=str(tmp_path / "log"))
    client.result("log_line", "a\n2026-01-01 00:00:00 ERROR forged\r\x1b[31m\x00\u2028end")
    assert client.command("fail", "by surprise")["error"]["code"] == -32603
    assert client.shut_down() == 0
    for text in (client.log, (tmp_path / "log").read_text(encoding="utf-8")):
        line = next(one for one in text.split("\n") if "forged" in one)
        assert r"sprintwright.plain: a\n2026-01-01 00:00:00 ERROR forged\n\x00\u{2028}end" in line
        assert len([one for one in text.split("\n") if "secret detail" in one]) == 1
        assert not [one for one in text.split("\n") if one and not one.startswith(("20", "closing"))]


def test_r094_whatever_is_printed_stays_out_of_the_protocol(plain: Plain) -> None:
    client = plain()
    assert client.result("noise") is None
    assert client.result("echo", "clean") == "clean"
    assert not client.garbage
    for words in ("printed", "written to stdout", "written from C", "a warning", "File ", "a child's words"):
        assert client.wait_until(lambda words=words: words in client.log), words


def test_r094_children_get_neither_pipe_and_nobody_else_can_read_messages(plain: Plain) -> None:
    client = plain()
    found = client.result("inputs")
    assert found["read"] == found["line"] == ""
    descriptors = [line.split()[-3:] for line in found["child"].splitlines() if "->" in line]
    where = {number: target for number, _, target in descriptors}
    assert where["0"] == os.devnull
    assert set(where) <= {"0", "1", "2", "3"}  # 3: the folder that `ls` reads
    assert where["2"] == str(Path(f"/proc/{client.pid}/fd/2").readlink())


def test_the_text_of_messages_is_not_logged(plain: Plain) -> None:
    client = plain()
    client.result("echo", "private words")
    client.notify("plain/unknown", {"a": "private words"})
    client.request("plain/unknown", {"a": "private words"})
    assert client.shut_down() == 0
    assert "private words" not in client.log
