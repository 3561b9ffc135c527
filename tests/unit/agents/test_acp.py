"""Agents that speak the Agent Client Protocol, with a scripted one over a real process."""

from __future__ import annotations

import asyncio
import os
import re
import signal
from collections.abc import AsyncGenerator
from pathlib import Path
from typing import Any

import pytest

from sprintwright.agents.acp import session as sessions
from sprintwright.errors import Operational
from tests.unit.agents.acp_case import Case, FakeDesk


@pytest.fixture
async def case(tmp_path: Path) -> AsyncGenerator[Case]:
    made = Case(tmp_path)
    yield made
    await made.pool.leave("r1")
    assert made.live() == frozenset()


async def test_b087_a_turn_is_over_when_the_agent_says_so_and_its_answer_is_the_last_message(case: Case) -> None:
    answer = await case.turn(
        [
            ["say", "I look at it."],
            ["tool", {"toolCallId": "1", "title": "Read a.py", "kind": "read", "status": "completed"}],
            ["say", "It is "],
            ["say", "done."],
            ["stop", "end_turn", {"usage": {"totalTokens": 30, "inputTokens": 20, "outputTokens": 10}}],
        ]
    )
    assert answer.text == "It is done."
    assert answer.session
    assert answer.usage is not None and (answer.usage.input_tokens, answer.usage.output_tokens) == (20, 10)
    assert "I look at it." in case.desk.transcript("text")
    assert case.arrived("session/prompt")[0]["prompt"] == [{"type": "text", "text": "Build it."}]


async def test_a_review_a_call_of_our_tool_and_a_closing_word_are_one_answer(case: Case) -> None:
    ours = {"toolCallId": "1", "title": "mcp__sprintwright__give_verdict", "kind": "other"}
    steps = [["say", "The review.\n"], ["permit", ours], ["tool", ours], ["say", "Recorded."]]
    answer = await case.turn(steps, tools=("give_verdict",))
    assert answer.text == "The review.\nRecorded."
    assert [act.kind for act in case.desk.acts] == ["tool"]


async def test_a_call_of_our_tool_is_known_by_the_name_that_stands_beside_its_title(case: Case) -> None:
    title = 'give_verdict (sprintwright MCP Server): {"verdict":"good_to_go"}'
    ours = {"toolCallId": "1", "title": title, "kind": "read", "_meta": {"toolName": "mcp__sprintwright__give_verdict"}}
    answer = await case.turn([["say", "The review.\n"], ["tool", ours], ["say", "Yes."]], tools=("give_verdict",))
    assert answer.text == "The review.\nYes."


async def test_usage_that_is_told_request_by_request_is_added_up(case: Case) -> None:
    used = {"_meta": {"usage": {"inputTokens": 11, "outputTokens": 7, "cachedReadTokens": None}}}
    usage = (await case.turn([["say", "Yes."], ["say", "", used], ["say", "", used]])).usage
    assert usage is not None
    assert (usage.input_tokens, usage.output_tokens, usage.precision) == (22, 14, "lower_bound")


async def test_our_tools_are_reached_through_the_pipe_that_the_agent_starts(case: Case) -> None:
    steps = [["mcp", "give_verdict", {"verdict": "good_to_go"}], ["outcome"]]
    answer = await case.turn(steps, tools=("give_verdict", "ask_user"))
    assert "recorded" in answer.text and answer.warnings == ()
    assert case.desk.calls == [("give_verdict", {"verdict": "good_to_go"})]


async def test_an_agent_that_does_not_start_our_tools_is_said_to_have_none(case: Case) -> None:
    answer = await case.turn(tools=("give_verdict",))
    assert "did not start our tools" in answer.warnings[0]
    await case.pool.drop("r1", "t")
    assert (await case.turn(tools=("give_verdict",))).warnings == ()  # said once in a run


async def test_a_command_whose_words_look_like_our_tool_is_a_command(case: Case) -> None:
    call = {"toolCallId": "1", "title": "sprintwright give_verdict", "kind": "execute", "rawInput": {"command": "rm x"}}
    await case.turn([["permit", call]], tools=("give_verdict",))
    assert [(act.kind, act.text) for act in case.desk.acts] == [("execute", "rm x")]


async def test_after_a_stream_that_broke_off_the_second_half_is_the_answer(case: Case) -> None:
    answer = await case.turn([["say", "one two", {"messageId": "a"}], ["say", "all of it", {"messageId": "b"}]])
    assert answer.text == "all of it"


async def test_chunks_arrive_in_order(case: Case) -> None:
    answer = await case.turn([["say", f"{number} "] for number in range(300)])
    assert answer.text.split() == [str(number) for number in range(300)]


async def test_a_later_pass_goes_on_in_the_live_process_and_with_its_own_session(case: Case) -> None:
    first = await case.turn([["say", "one"]], [["say", "two"]])
    pids = case.live()
    second = await case.turn([["say", "one"]], [["say", "two"]], session=first.session)
    assert (second.text, second.session, case.live()) == ("two", first.session, pids)
    assert len(case.arrived("session/new")) == 1


async def test_b127_another_conversation_has_another_process_and_session(case: Case) -> None:
    first = await case.turn(talk="a")
    second = await case.turn(talk="b")
    assert first.session != second.session
    assert len(case.live()) == 2
    await case.pool.leave("r1", "a")
    assert len(case.live()) == 1


async def test_a_session_of_a_process_that_is_gone_is_loaded_and_what_it_replays_is_dropped(case: Case) -> None:
    answer = await case.turn([["say", "on"]], session="s-before")
    assert (answer.text, answer.session) == ("on", "s-before")
    assert "REPLAYED" not in case.desk.transcript("text")
    assert answer.warnings == ()


async def test_b129_a_session_that_is_not_found_is_begun_anew_and_that_is_said(case: Case) -> None:
    error = {"error": {"code": -32002, "message": "Resource not found"}}
    answer = await case.turn([["say", "anew"]], session="s-before", answers={"session/load": error})
    assert answer.text == "anew" and answer.session != "s-before"
    assert "began a new session" in answer.warnings[0] and "not found" in answer.warnings[0]


async def test_a_session_that_only_the_first_prompt_does_not_know_is_begun_anew(case: Case) -> None:
    lost = [["error", {"code": -32602, "message": "Invalid params", "data": {"details": "Session not found"}}]]
    with pytest.raises(Operational, match="does not know the session it just began"):
        await case.turn(lost, session="s-before")
    assert len(case.arrived("session/load")) == 1 and len(case.arrived("session/new")) == 1


async def test_the_mode_that_asks_is_set_at_every_session_and_before_each_turn(case: Case) -> None:
    modes = {
        "currentModeId": "auto",
        "availableModes": [{"id": "auto", "name": "Auto"}, {"id": "default", "name": "Ask"}],
    }
    answers = {"session/new": {"sessionId": "s1", "modes": modes}}
    await case.turn(answers=answers)
    assert [one["modeId"] for one in case.arrived("session/set_mode")] == ["default"]
    await case.turn(answers=answers, session="s1")
    assert len(case.arrived("session/set_mode")) == 2


async def test_an_agent_without_modes_is_said_to_do_what_it_does_not_ask_about(case: Case) -> None:
    await case.turn()
    assert "what it does not ask about, it just does" in case.desk.transcript("note")


@pytest.mark.parametrize(("allowed", "option"), [(True, "y"), (False, "n")])
async def test_b091_a_permission_is_answered_once_by_kind_and_never_for_always(
    case: Case, allowed: bool, option: str
) -> None:
    case.desk = FakeDesk(lambda _act: allowed)
    answer = await case.turn(
        [
            [
                "permit",
                {"toolCallId": "1", "title": "make", "kind": "execute", "rawInput": {"command": ["make", "a b"]}},
            ],
            ["outcome"],
        ]
    )
    assert f'"optionId": "{option}"' in answer.text
    assert case.desk.acts[0].text == "make 'a b'"


async def test_the_whole_difference_is_what_the_user_is_asked_about(case: Case) -> None:
    content = [{"type": "diff", "path": "a.py", "oldText": "one\n", "newText": "two\n"}]
    await case.turn(
        [
            ["tool", {"toolCallId": "1", "title": "Edit", "kind": "edit", "content": content}],
            ["permit", {"toolCallId": "1"}],
        ]
    )
    act = case.desk.acts[0]
    assert (act.kind, act.title, act.paths) == ("edit", "Edit", ("a.py",))
    assert "-one" in act.text and "+two" in act.text


async def test_a_file_is_written_through_us_beneath_the_folder_and_asked_about_once(case: Case) -> None:
    path = str(case.folder / "new" / "a.txt")
    change = {"type": "diff", "path": path, "newText": "hé\n"}
    ask = {"toolCallId": "1", "title": "Write", "kind": "edit", "locations": [{"path": path}], "content": [change]}
    await case.turn([["permit", ask], ["call", "fs/write_text_file", {"path": path, "content": "hé\n"}]])
    assert (case.folder / "new" / "a.txt").read_text("utf-8") == "hé\n"
    assert len(case.desk.acts) == 1


@pytest.mark.parametrize("path", ["../out.txt", "/etc/x", "link/x"])
async def test_r068_a_write_outside_the_folder_is_refused(case: Case, path: str) -> None:
    (case.folder / "link").symlink_to(case.folder.parent)
    answer = await case.turn([["call", "fs/write_text_file", {"path": path, "content": "x"}], ["outcome"]])
    assert '"code": -32602' in answer.text
    assert not (case.folder.parent / "out.txt").exists() and not (case.folder.parent / "x").exists()


async def test_a_write_that_is_not_allowed_leaves_the_file(case: Case) -> None:
    case.desk = FakeDesk(lambda _act: False)
    (case.folder / "a.txt").write_text("old")
    await case.turn([["call", "fs/write_text_file", {"path": "a.txt", "content": "new"}]])
    assert (case.folder / "a.txt").read_text() == "old"


@pytest.mark.parametrize(
    ("reason", "cause", "words"),
    [
        ("max_tokens", "truncated", "cut off at its limit"),
        ("refusal", "stopped", "refused"),
        ("max_turn_requests", "truncated", "limit of requests"),
        ("cancelled", "stopped", "not by us"),
        ("of_a_later_version", "protocol", "don't know"),
    ],
)
async def test_b115_an_answer_that_is_not_whole_is_named_for_what_it_is(
    case: Case, reason: str, cause: str, words: str
) -> None:
    with pytest.raises(Operational, match=words) as caught:
        await case.turn([["say", "VERDICT: good_to_go"], ["stop", reason]])
    assert caught.value.cause == cause


@pytest.mark.parametrize(
    ("step", "words"),
    [
        (["exit", 0], "exited with status 0 before"),
        (["exit", 3], "exited with status 3"),
        (["kill", 11], "was ended by signal 11 (Segmentation fault) before"),
        (["kill", 9], "was ended by signal 9 (perhaps out of memory) before"),
        (["close", 1], "closed its output"),
    ],
)
async def test_r059_r061_r062_an_agent_that_dies_is_a_failure_with_its_last_words(
    case: Case, monkeypatch: pytest.MonkeyPatch, step: list[object], words: str
) -> None:
    monkeypatch.setattr(sessions, "_EXIT_SECONDS", 0.3)
    with pytest.raises(Operational, match=re.escape(words)) as caught:
        await case.turn([["stderr", "\x1b[31mout of luck\x1b[0m\n"], ["say", "half"], step, ["hang"]])
    assert "\n  out of luck" in caught.value.message
    assert "half" in case.desk.transcript("text")
    assert case.live() == frozenset()


@pytest.mark.parametrize("method", ["initialize", "session/new", "session/load", "session/set_mode"])
async def test_r060_each_step_has_its_own_time_and_its_own_sentence(
    case: Case, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    for name in ("INITIALIZE_SECONDS", "OPEN_SECONDS", "MODE_SECONDS"):
        monkeypatch.setattr(sessions, name, 1.0)
    modes = {"modes": {"currentModeId": "x", "availableModes": [{"id": "default", "name": "d"}]}}
    with pytest.raises(Operational, match="within 1 seconds") as caught:
        session = "s" if method == "session/load" else ""
        await case.turn(hang=method, session=session, answers={"session/new": modes})
    assert caught.value.cause == "timeout"


async def test_b085_silence_in_a_turn_ends_it(case: Case) -> None:
    with pytest.raises(Operational, match=r"wrote nothing new for 0\.5 seconds"):
        await case.turn([["hang"]], idle=0.5)


async def test_r065_noise_is_counted_and_never_an_answer(case: Case) -> None:
    noise = 'migrating…\n42\n[1,2]\n\x1b[?25l{"jsonrpc":"2.0","method":"nothing/known"}\n\r50%\r\n{broken\n{"id":[],"result":1}\n'
    answer = await case.turn([["raw", noise], ["say", "fine"]])
    assert answer.text == "fine"
    assert "lines of its output were no messages" in case.desk.transcript("note")


async def test_b109_a_line_of_5_mb_is_read_whole(case: Case) -> None:
    answer = await case.turn([["say", "x" * 5_000_000]])
    assert len(answer.text) == 5_000_000


async def test_r074_an_agent_that_is_not_signed_in_says_what_to_do(case: Case) -> None:
    error = {"error": {"code": -32000, "message": "Authentication required"}}
    with pytest.raises(Operational, match="not signed in") as caught:
        await case.turn(answers={"session/new": error})
    assert caught.value.cause == "sign_in"


async def test_a_program_that_does_not_speak_the_protocol_is_said_to_be_none(case: Case) -> None:
    with pytest.raises(Operational, match="Does it speak the Agent Client Protocol") as caught:
        await case.turn(answers={"initialize": {"error": {"code": -32601, "message": "Method not found"}}})
    assert caught.value.data["transient"] is False


async def test_b083_a_cancellation_reaches_the_agent_and_then_its_whole_group(case: Case) -> None:
    work = asyncio.create_task(case.turn([["say", "begun"], ["fork"], ["wait"]]))
    await case.desk.hears("begun")
    work.cancel()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert len(case.arrived("session/cancel")) == 1
    assert case.live() == frozenset()


async def test_r072_a_permission_that_is_asked_while_cancelling_is_cancelled(case: Case) -> None:
    asked, answer = asyncio.Event(), asyncio.Event()

    class Slow(FakeDesk):
        async def permit(self, act: object) -> bool:
            asked.set()
            await answer.wait()
            return True

    case.desk = Slow()
    work = asyncio.create_task(
        case.turn([["permit", {"toolCallId": "1", "title": "x", "kind": "edit"}], ["outcome"], ["wait"]])
    )
    await asked.wait()
    work.cancel()
    answer.set()
    with pytest.raises(asyncio.CancelledError):
        await work
    assert case.live() == frozenset()


def costs(amount: float) -> list[Any]:
    return ["update", "usage_update", {"used": 1, "size": 2, "cost": {"amount": amount, "currency": "USD"}}]


@pytest.mark.parametrize(("now", "of_the_turn"), [(1.0, 0.0), (1.5, 0.5), (0.25, 0.25)])
async def test_the_cost_of_a_session_that_is_loaded_counts_once(case: Case, now: float, of_the_turn: float) -> None:
    first = await case.turn([costs(1.0), ["say", "one"]])
    assert first.usage is not None and first.usage.cost == 1.0
    await case.pool.leave("r1")
    later = await case.turn([costs(now), ["say", "two"]], session=first.session, counted=first.counted)
    assert len(case.arrived("session/load")) == 1
    assert later.usage is not None and later.usage.cost == of_the_turn


async def test_r049_what_a_failed_turn_used_is_told(case: Case) -> None:
    used = {"usage": {"totalTokens": 30, "inputTokens": 20, "outputTokens": 10}}
    with pytest.raises(Operational) as caught:
        await case.turn([["say", "half"], ["stop", "max_tokens", used]])
    assert caught.value.data["usage"].tokens == 30
    used = {"_meta": {"usage": {"inputTokens": 11, "outputTokens": 7}}}
    with pytest.raises(Operational) as caught:
        await case.turn([["say", "half", used], ["exit", 3]])
    assert caught.value.data["usage"].tokens == 18


async def test_counts_that_no_model_can_have_used_do_not_count(case: Case) -> None:
    big = 9 * 10**4000
    used = {"usage": {"totalTokens": big, "inputTokens": big, "outputTokens": 10}}
    usage = (await case.turn([["say", "ok"], ["stop", "end_turn", used]])).usage
    assert usage is not None and (usage.input_tokens, usage.output_tokens, usage.precision) == (0, 10, "lower_bound")


async def test_r075_the_version_of_the_agent_is_told_with_each_turn(case: Case) -> None:
    await case.turn([["say", "ok"]])
    assert case.desk.version == "scripted 1"


async def test_b089_after_an_agent_was_killed_the_next_run_has_a_new_process(case: Case) -> None:
    first = await case.turn([["say", "one"]])
    (killed,) = case.live()
    os.kill(killed, signal.SIGKILL)
    while case.pool.take("r1", "t", first.session) is not None:  # noqa: ASYNC110 - until its end is noticed
        await asyncio.sleep(0)
    second = await case.turn([["say", "two"]], session=first.session)
    (pid,) = case.live()
    assert second.text == "two" and pid != killed
