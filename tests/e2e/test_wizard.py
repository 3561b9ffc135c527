"""`sprintwright run` in a real terminal without all that it needs (a pty)."""

from __future__ import annotations

from pathlib import Path

import pexpect
import pytest

from tests.support.terminal import Place, dev_script, spawn


@pytest.fixture
def place(tmp_path: Path) -> Place:
    return Place(tmp_path, dev_script())


def started(place: Place) -> bool:
    return (place.project / ".sprintwright").exists()


def test_m083_the_wizard_asks_one_question_at_a_time_and_starts_the_run(place: Place) -> None:
    child = spawn(place, "run", columns=80)
    child.expect("Which workflow")
    child.expect("number or name: ")
    child.sendline("dev")
    child.expect("What is to be done")
    child.sendline("")
    child.sendline("Build three")
    child.sendline("things")
    child.sendline("")
    for role in ("designer", "generator", "evaluator"):
        child.expect(f"Who plays {role}.*\\[scripted\\] ")
        child.sendline("")
    child.expect(r"Review plan.md before going on\? \[Y/n\] ")
    child.sendline("n")
    child.expect("The same without questions")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0
    shown = place.show()
    assert (shown["workflow"], shown["task"], shown["status"]) == ("dev", "Build three\nthings", "completed")


def test_m083_a_task_alone_is_asked_for_and_a_review_pauses_the_run(place: Place) -> None:
    child = spawn(place, "run", "dev", "--evaluator", "scripted")
    child.expect("What is to be done")
    child.sendline("Build three things")
    child.sendline("")
    child.expect("Who plays designer")
    child.sendline("")
    child.expect("Who plays generator")
    child.sendline("")
    child.expect("Review plan.md")
    child.sendline("")
    child.expect("continue, stop")
    child.sendline("continue")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0 and place.show()["status"] == "completed"


@pytest.mark.parametrize(("key", "code"), [("\x03", 130), ("\x04", 2), ("\x1b\n", 2)])
def test_m084_ctrl_c_ctrl_d_and_esc_start_nothing(place: Place, key: str, code: int) -> None:
    child = spawn(place, "run", "dev")
    child.expect("What is to be done")
    child.expect("> ")
    child.send(key)
    child.expect("Nothing was started")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == code and not started(place)


def test_nothing_is_asked_when_nothing_is_missing(place: Place) -> None:
    child = spawn(place, "run", "dev", "Build three things")
    child.expect(pexpect.EOF)
    child.close()
    assert child.exitstatus == 0 and "Who plays" not in (child.before or "")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), ("which workflow", "'dev'", "'swarm'")),
        (("dev",), ("no task",)),
        (("dev", "x", "--primary", "nobody"), ("nobody", "scripted")),
    ],
)
def test_without_a_terminal_what_is_missing_is_refused_in_words(
    place: Place, arguments: tuple[str, ...], words: tuple[str, ...]
) -> None:
    ran = place.call("run", *arguments)
    assert ran.returncode == 2 and "Traceback" not in ran.stderr and not started(place)
    for word in words:
        assert word in ran.stderr


def test_m082_a_flag_at_the_end_needs_a_value(place: Place) -> None:
    ran = place.call("run", "dev", "x", "--evaluator")
    assert ran.returncode == 2 and "--evaluator" in ran.stderr and "needs a value" in ran.stderr
