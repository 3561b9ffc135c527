"""What the known command lines print, read as it comes: recorded lines, noise, floods, and cuts at any place."""

from __future__ import annotations

import codecs
import json
from collections.abc import Mapping
from itertools import pairwise
from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sprintwright.agents.cli.events import Event
from sprintwright.agents.cli.lines import EventLines
from sprintwright.agents.cli.readers import reader_of
from sprintwright.agents.cli.reading import Reading, ThreadTotals
from sprintwright.agents.config import Preset
from sprintwright.errors import Operational
from sprintwright.model.usage import Usage

GOLDEN = Path(__file__).parents[2] / "golden" / "agents"
PRESETS: tuple[Preset, ...] = get_args(Preset)
NOTES = [
    ("claude", "[Bash] echo hi, x"), ("codex", "[$] /bin/bash -lc 'echo hi'"), ("gemini", "[list_directory] ."),
    ("opencode", "[invalid] bash"), ("qwen", "[run_shell_command] echo hi"), ("pi", "[ls] ."),
]  # fmt: skip


def read(preset: Preset, text: str) -> tuple[Reading, list[tuple[str, str]]]:
    shown: list[tuple[str, str]] = []
    reading = Reading(preset, "Agent 'a'", lambda stream, piece: shown.append((stream, piece)))
    reading.feed(text)
    reading.finish()
    return reading, shown


def recorded(name: str) -> str:
    return (GOLDEN / f"{name}.jsonl").read_text("utf-8")


def said(*lines: Mapping[str, object]) -> str:
    return "".join(json.dumps(line) + "\n" for line in lines)


@pytest.mark.parametrize(("preset", "note"), NOTES)
def test_a_real_turn_gives_its_last_message_its_session_and_its_usage(preset: Preset, note: str) -> None:
    reading, shown = read(preset, recorded(f"{preset}-turn"))
    assert (reading.answer, reading.end) == ("Done and dusted.", Event("final"))
    assert len(reading.session) > 20
    assert reading.usage is not None
    assert (reading.usage.input_tokens, reading.usage.output_tokens) == (22, 14)
    assert reading.usage.cost == (0.00046 if preset == "claude" else None)
    text = "".join(piece for stream, piece in shown if stream == "text")
    assert text.split() == ["Try." if preset == "opencode" else "Looking.", "Done", "and", "dusted."]  # nothing twice
    assert any(stream == "note" and piece.startswith(note) for stream, piece in shown)


@pytest.mark.parametrize("preset", ["claude", "codex", "gemini", "qwen", "pi"])
def test_a_resumed_turn_has_its_own_answer_and_the_same_session(preset: Preset) -> None:
    reading, shown = read(preset, recorded(f"{preset}-resumed"))
    assert (reading.answer, reading.end.kind) == ("Second answer.", "final")
    assert reading.session == read(preset, recorded(f"{preset}-turn"))[0].session
    assert "".join(piece for stream, piece in shown if stream == "text").split() == ["Second", "answer."]


@pytest.mark.parametrize("preset", ["codex", "gemini", "opencode", "qwen", "pi"])
def test_an_error_of_the_service_is_a_failure_whatever_the_event_calls_it(preset: Preset) -> None:
    reading, _ = read(preset, recorded(f"{preset}-not-signed-in"))
    assert reading.end.kind == "failed" and "bad key" in reading.end.text


@pytest.mark.parametrize("preset", PRESETS)
def test_r061_without_its_final_event_a_turn_is_not_over(preset: Preset) -> None:
    lines = recorded(f"{preset}-turn").splitlines(keepends=True)
    reading, _ = read(preset, "".join(lines[:-1]))
    assert reading.end.kind == "text"
    assert "Done" in reading.answer or preset == "gemini"  # kept, but no answer of a turn


@pytest.mark.parametrize(
    ("preset", "line", "end"),
    [
        ("claude", {"type": "result", "subtype": "error_max_turns", "is_error": False, "result": ""}, "failed"),
        ("claude", {"type": "result", "subtype": "success", "is_error": True, "result": "no"}, "failed"),
        ("claude", {"type": "result", "subtype": "success", "stop_reason": "max_tokens", "result": "ha"}, "cut"),
        ("claude", {"type": "result", "subtype": "success", "result": "[API Error is my topic]"}, "final"),
        ("qwen", {"type": "result", "subtype": "success", "result": "[API Error: 500 x]"}, "failed"),
        ("opencode", {"type": "step_finish", "part": {"reason": "length", "tokens": {}}}, "cut"),
        ("opencode", {"type": "step_finish", "part": {"reason": "tool-calls", "tokens": {}}}, "text"),
        ("codex", {"type": "error", "message": "Reconnecting... 1/5"}, "text"),
        ("gemini", {"type": "result", "status": "error", "error": {"message": "x"}}, "failed"),
    ],
)
def test_b115_how_a_turn_ended(preset: Preset, line: dict[str, object], end: str) -> None:
    assert read(preset, said(line))[0].end.kind == end


def test_pi_tries_again_after_an_error_and_its_last_word_counts() -> None:
    bad = {"type": "message_end", "message": {"role": "assistant", "stopReason": "error", "errorMessage": "429 slow"}}
    cut = {"type": "message_end", "message": {"role": "assistant", "stopReason": "length"}}
    good = {
        "type": "message_end",
        "message": {"role": "assistant", "stopReason": "stop", "content": [{"type": "text", "text": "yes"}]},
    }
    over = {"type": "agent_end"}
    assert read("pi", said(bad, over))[0].end == Event("failed", "API error: 429 slow")
    assert read("pi", said(bad, over, good, over))[0].end.kind == "final"
    assert read("pi", said(cut, over))[0].end.kind == "cut"


def test_what_came_from_a_cache_is_input_too_whatever_the_program_calls_input() -> None:
    used = {"input_tokens": 10, "cache_read_input_tokens": 4, "cache_creation_input_tokens": 2, "output_tokens": 5}
    result = {"type": "result", "subtype": "success", "result": "x", "usage": used}
    assert read("claude", said(result))[0].usage == Usage(input_tokens=16, output_tokens=5, cached_tokens=4)
    assert read("qwen", said(result))[0].usage == Usage(input_tokens=10, output_tokens=5, cached_tokens=4)
    stats = {"input_tokens": 10, "output_tokens": 5, "total_tokens": 18, "cached": 4}
    assert read("gemini", said({"type": "result", "status": "success", "stats": stats}))[0].usage == Usage(
        input_tokens=10, output_tokens=8, cached_tokens=4
    )


def test_what_a_helper_of_claude_says_is_not_its_answer() -> None:
    helper = {"type": "assistant", "parent_tool_use_id": "t1", "message": {"content": [{"type": "text", "text": "no"}]}}
    reading, shown = read("claude", said(helper))
    assert (reading.answer, shown) == ("", [])


def test_opencode_ends_its_turn_when_it_is_refused_something() -> None:
    reading, _ = read("opencode", recorded("opencode-refused"))
    assert reading.end.kind == "text" and "rejected permission" in reading.refused


def test_b105_b107_r065_events_are_found_between_noise_and_noise_is_told_once() -> None:
    first, second, *rest = recorded("codex-turn").splitlines()
    middle = rest[len(rest) // 2]
    noisy = "\n".join(
        [
            f"migrating…{first}",
            "\x1b[?25l" + second,
            "\ufeff\x00" + "\n".join(rest[:-1]) + "\r",
            "", "42", "[1, 2]", '{"type":"turn.comp', "'{\"type\":\"turn.failed\"} is what it prints'",
            f"\r10%\r90%\r{rest[-1]}{middle}",
        ]
    )  # fmt: skip
    reading, shown = read("codex", noisy)
    assert (reading.answer, reading.end) == ("Done and dusted.", Event("final"))
    notes = [piece for stream, piece in shown if stream == "note" and "[" not in piece[:1]]
    assert notes == ["(printed beside its events: migrating…)\n", "(6 lines were no events)\n"]


@settings(max_examples=60, deadline=None)
@given(st.sampled_from(PRESETS), st.lists(st.integers(0, 20_000), max_size=12), st.booleans())
def test_r065_b111_a_stream_cut_at_any_byte_reads_the_same(preset: Preset, cuts: list[int], resumed: bool) -> None:
    name = f"{preset}-resumed" if resumed and preset != "opencode" else f"{preset}-turn"
    text = recorded(name).replace("dusted", "důsted 🧹")
    data = text.encode()
    places = sorted({0, len(data), *(cut % len(data) for cut in cuts)})
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    shown: list[tuple[str, str]] = []
    reading = Reading(preset, "x", lambda stream, piece: shown.append((stream, piece)))
    for start, end in pairwise(places):
        reading.feed(decoder.decode(data[start:end]))
    reading.finish()
    whole, all_shown = read(preset, text)
    assert (reading.answer, reading.end, reading.session, reading.usage, shown) == (
        whole.answer, whole.end, whole.session, whole.usage, all_shown,
    )  # fmt: skip


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.just("tool_use"),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(
        ["type", "text", "error", "message", "content", "name", "input", "result", "delta", "usage"]), inner, max_size=4),
    max_leaves=8,
)  # fmt: skip
KINDS = [
    "result", "assistant", "user", "system", "stream_event", "item.started", "item.completed", "turn.completed",
    "turn.failed", "error", "init", "message", "tool_use", "tool_result", "text", "step_finish", "session",
    "message_update", "message_end", "agent_end", "tool_execution_start", "new.one",
]  # fmt: skip
NAMES = [
    "subtype", "session_id", "thread_id", "message", "event", "usage", "result", "errors", "error", "item", "role",
    "part", "sessionID", "stats", "status", "content", "is_error", "assistantMessageEvent", "args", "toolName",
]  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.sampled_from(PRESETS), st.sampled_from(KINDS), st.dictionaries(st.sampled_from(NAMES), JSON, max_size=6))
def test_an_event_of_any_shape_is_read_without_an_error(preset: Preset, kind: str, fields: dict[str, object]) -> None:
    reading = reader_of(preset)
    list(reading.read({"type": kind, **fields}))
    list(reading.read({"type": "item.completed", "item": {"type": "file_change", **fields}}))


def test_b109_r066_a_line_of_5_mb_is_an_event_and_one_that_never_ends_is_refused() -> None:
    long = "x" * 5_000_000
    text = said({"type": "result", "subtype": "success", "result": long})
    reading = Reading("claude", "Agent 'a'", lambda _stream, _text: None)
    for start in range(0, len(text), 65_536):
        reading.feed(text[start : start + 65_536])
    assert (reading.answer, reading.end.kind) == (long, "final")
    lines = EventLines("Agent 'a'", most_bytes=1000)
    assert lines.feed("é" * 499) == []
    with pytest.raises(Operational, match="Agent 'a' printed a line of more than 1000 bytes") as caught:
        lines.feed("é" * 2)
    assert caught.value.cause == "protocol"


def test_r066_a_flood_of_short_lines_leaves_nothing_behind() -> None:
    shown: list[str] = []
    reading = Reading("codex", "x", lambda _stream, text: shown.append(text))
    for _ in range(50):
        reading.feed("\n" * 2000 + "noise\n" * 200)
    reading.finish()
    assert shown == ["(printed beside its events: noise)\n", "(10000 lines were no events)\n"]


def test_r065_an_object_is_an_event_only_if_nothing_but_objects_follows_it() -> None:
    lines = EventLines()
    assert lines.feed('{"a":1} {"b":2}\n{"a":1} was printed\n{"a":1}{"b"\n') == [{"a": 1}, {"b": 2}]
    assert (lines.noise, lines.first_noise) == (2, '{"a":1} was printed')


def test_deep_and_huge_json_is_noise() -> None:
    lines = EventLines()
    assert lines.feed('{"a":' * 100_000 + "\n" + '{"a":' + "1" * 5000 + "}\n") == []
    assert lines.noise == 2


@pytest.mark.parametrize(
    ("preset", "stderr", "misses"),
    [
        ("claude", "No conversation found with session ID: 1111\n", True),
        ("codex", "Error: thread/resume failed: no rollout found for thread id 1111 (code -32600)\n", True),
        ("qwen", "No saved session found with ID 1111. Run `qwen --resume` without an ID\n", True),
        ("gemini", 'Error resuming session: Invalid session identifier "1111".\n', True),
        ("opencode", "\x1b[91m\x1b[1mError: \x1b[0mSession not found\n", True),
        ("pi", "No session found matching '1111'\n", True),
        ("codex", "unexpected status 401 Unauthorized\n", False),
    ],
)
def test_b129_an_unknown_session_is_told_from_other_failures(preset: Preset, stderr: str, misses: bool) -> None:
    assert read(preset, "")[0].misses_session(stderr) is misses
    spoke, _ = read(preset, recorded(f"{preset}-turn"))
    assert not spoke.misses_session(stderr)


def test_b129_claude_says_it_in_its_result_too() -> None:
    assert read("claude", recorded("claude-unknown-session"))[0].misses_session("")


def test_of_a_session_that_counts_as_a_whole_the_difference_is_the_turn() -> None:
    totals, first, second = (
        ThreadTotals(),
        Usage(input_tokens=22, output_tokens=14),
        Usage(input_tokens=33, output_tokens=21),
    )
    assert totals.of_turn("s", first, resumed=False) == first
    assert totals.of_turn("s", second, resumed=True) == Usage(input_tokens=11, output_tokens=7)
    assert totals.of_turn("other", second, resumed=True) == Usage(precision="lower_bound")
    assert totals.of_turn("s", first, resumed=True) == first  # counted anew
    assert totals.of_turn("s", None, resumed=True) is None


def test_a_review_a_call_of_our_tool_and_a_closing_word_are_one_answer() -> None:
    def said(text: str) -> dict[str, object]:
        return {"type": "assistant", "message": {"content": [{"type": "text", "text": text}]}}

    def called(name: str) -> dict[str, object]:
        return {"type": "assistant", "message": {"content": [{"type": "tool_use", "name": name, "input": {}}]}}

    ours = "mcp__sprintwright__give_verdict"
    events = [said("I look."), called("Read"), said("The review."), called(ours), said("Recorded.")]
    end = {"type": "result", "subtype": "success", "is_error": False, "result": "Recorded."}
    reading, _ = read("claude", "\n".join(json.dumps(event) for event in [*events, end]) + "\n")
    assert reading.answer == "The review.\nRecorded."


@pytest.mark.parametrize("preset", get_args(Preset))
def test_r053_a_real_turn_says_something_and_noise_counts_until_it_does(preset: Preset) -> None:
    reading = Reading(preset, "x", lambda _stream, _text: None)
    reading.feed("please wait\n" * 3)
    assert reading.pulse.noise == 3
    reading.feed(recorded(f"{preset}-turn"))
    assert reading.pulse.noise == 0
    alive = '{"type":"keep_alive"}\n'
    reading.feed(alive)
    reading.feed(alive)
    assert reading.pulse.noise == 0
    reading.feed(alive * 3 + "\n" * 9 + "please wait\n" * 2)
    assert reading.pulse.noise == 5
