"""What a model service can do wrong, and what the engine is told: never that the turn went well."""

from __future__ import annotations

import gzip
import json
import socket
from collections.abc import Generator
from pathlib import Path
from typing import Any

import acp
import pytest

from sprintwright.agents.acp.answer import Heard
from sprintwright.agents.acp.failures import refused
from sprintwright.agents.model import dialogue, http
from sprintwright.agents.model.endpoints import Speech
from tests.support.fake_llm import FakeModel, Turn
from tests.unit.agents.model_case import InProcess, settings_for

SPEECHES: list[Speech] = ["openai", "anthropic", "google"]


@pytest.fixture
def model() -> Generator[FakeModel]:
    with FakeModel() as made:
        yield made


async def fault(tmp_path: Path, model: FakeModel, turn: Turn, speaks: Speech = "openai") -> acp.RequestError:
    model.script(turn)
    case = InProcess(tmp_path, settings_for(model.url, tmp_path, speaks))
    with pytest.raises(acp.RequestError) as caught:
        await case.take()
    assert len(model.requests) == 1, "nothing is tried twice in secret"
    return caught.value


@pytest.mark.parametrize("speaks", SPEECHES)
async def test_each_form_of_requests_streams_text_and_calls_tools(
    tmp_path: Path, model: FakeModel, speaks: Speech
) -> None:
    model.script({"text": "I look. ", "tools": [("read_file", {"path": "a"})]}, {"text": "It says hello."})
    case = InProcess(tmp_path, settings_for(model.url, tmp_path, speaks, max_tokens=500, temperature=0.1))
    (case.folder / "a").write_text("hello")
    assert await case.take() == "end_turn"
    assert case.engine.said() == "I look. It says hello."
    assert "hello" in json.dumps(model.requests[1][2])
    assert "500" in json.dumps(model.requests[0][2])
    assert (case.dialogue.usage.input_tokens, case.dialogue.usage.output_tokens) == (22, 14)


async def test_r053_a_call_whose_arguments_take_long_to_write_is_no_silence(
    tmp_path: Path, model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    content = "".join(f"line {number} of a whole file\n" for number in range(200))
    model.script({"tools": [("write_file", {"path": "a", "content": content})], "pieces": 60}, {"text": "Done."})
    monkeypatch.setattr(dialogue, "_TELLS_SECONDS", 0.0)
    case = InProcess(tmp_path, settings_for(model.url, tmp_path))
    heard = Heard(lambda _stream, _text: None, lambda _title, _kind: False)
    await case.take()
    told = [update for update in case.engine.updates if getattr(update, "tool_call_id", "") == "writing"]
    for update in told[:-1]:
        heard.take(update)
        assert heard.pulse.noise == 0
    assert (len(told), {update.status for update in told[:-1]}, told[-1].status) == (60, {"in_progress"}, "completed")
    assert (case.folder / "a").read_text() == content


@pytest.mark.parametrize("speaks", SPEECHES)
async def test_r78_a_stream_that_ends_in_the_middle_is_no_answer(
    tmp_path: Path, model: FakeModel, speaks: Speech
) -> None:
    error = await fault(tmp_path, model, {"text": "one two three four", "cut": 4}, speaks)
    assert (error.code, error.data) == (-32603, None)
    assert "broke off" in str(error)


@pytest.mark.parametrize("speaks", SPEECHES)
async def test_r78_a_stream_without_a_reason_to_finish_is_no_answer(
    tmp_path: Path, model: FakeModel, speaks: Speech
) -> None:
    assert "broke off" in str(await fault(tmp_path, model, {"text": "one two three four", "end": 4}, speaks))
    if speaks == "openai":
        assert "broke off" in str(await fault(tmp_path, model, {"text": "one two", "finish": None}))


@pytest.mark.parametrize("speaks", SPEECHES)
async def test_an_answer_without_content_is_no_answer(tmp_path: Path, model: FakeModel, speaks: Speech) -> None:
    assert str(await fault(tmp_path, model, {}, speaks)) in ("The model's answer is empty.",)


@pytest.mark.parametrize(
    "speaks, finish", [("openai", "length"), ("anthropic", "max_tokens"), ("google", "MAX_TOKENS")]
)
async def test_b115_an_answer_that_was_cut_off_at_its_limit_is_said_to_be(
    tmp_path: Path, model: FakeModel, speaks: Speech, finish: str
) -> None:
    model.script({"text": '{"verdict": "good', "finish": finish})
    assert await InProcess(tmp_path, settings_for(model.url, tmp_path, speaks)).take() == "max_tokens"


async def test_an_answer_that_the_service_filters_is_a_refusal(tmp_path: Path, model: FakeModel) -> None:
    model.script({"text": "I", "finish": "content_filter"})
    assert await InProcess(tmp_path, settings_for(model.url, tmp_path)).take() == "refusal"


STATUSES: list[tuple[int, dict[str, str], int, Any, str, Any]] = [
    (429, {"Retry-After": "30"}, 429, {"retryAfter": 30.0}, "rate_limit", None),
    (429, {}, 429, None, "rate_limit", None),
    (503, {"Retry-After": "7"}, 429, {"retryAfter": 7.0}, "rate_limit", None),
    (500, {}, -32603, None, "exit", None),
    (401, {}, -32000, None, "sign_in", None),
    (400, {}, -32603, {"transient": False}, "exit", False),
    (404, {}, -32603, {"transient": False}, "exit", False),
]


@pytest.mark.parametrize("speaks", SPEECHES)
@pytest.mark.parametrize("status, headers, code, data, cause, transient", STATUSES)
async def test_b117_errors_of_the_service_keep_their_meaning(
    tmp_path: Path,
    model: FakeModel,
    speaks: Speech,
    status: int,
    headers: dict[str, str],
    code: int,
    data: Any,
    cause: str,
    transient: Any,
) -> None:
    error = await fault(tmp_path, model, {"status": status, "headers": headers}, speaks)
    assert (error.code, error.data) == (code, data)
    assert f"status {status}: scripted" in str(error)
    told = refused("mine", "a key", str(error), error.code, error.data)
    assert (told.cause, told.data.get("transient")) == (cause, transient)
    assert told.data.get("retry_after") == (data or {}).get("retryAfter")


async def test_x011_no_redirect_is_followed_with_a_key(
    tmp_path: Path, model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MY_KEY", "sk-canary")
    with FakeModel([{"text": "CANARY"}]) as canary:
        for speaks in SPEECHES:
            model.script({"status": 307, "headers": {"Location": f"{canary.url}/v1/chat/completions"}})
            case = InProcess(tmp_path, settings_for(model.url, tmp_path, speaks, key_env="MY_KEY"))
            with pytest.raises(acp.RequestError, match="redirects to 127") as caught:
                await case.take()
            assert caught.value.data == {"transient": False}
        assert canary.requests == []


async def test_r78_a_web_page_is_no_answer(tmp_path: Path, model: FakeModel) -> None:
    page = {"status": 200, "headers": {"Content-Type": "text/html"}, "body": b"<html>Sign in</html>"}
    assert "web page" in str(await fault(tmp_path, model, page))
    untold = {"status": 200, "headers": {"Content-Type": "text/plain"}, "body": b"hello"}
    assert "gave no answer of a model" in str(await fault(tmp_path, model, untold))


async def test_r78_a_compressed_or_endless_answer_is_not_taken_in(
    tmp_path: Path, model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    bomb = {"status": 200, "headers": {"Content-Encoding": "gzip"}, "body": gzip.compress(b" " * 1_000_000)}
    assert "compressed" in str(await fault(tmp_path, model, bomb))
    assert model.requests[0][1]["accept-encoding"] == "identity"
    monkeypatch.setattr(http, "_MOST_BYTES", 2_000)
    assert "over 64 MB" in str(await fault(tmp_path, model, {"text": "word " * 100}))


async def test_a_local_server_that_is_not_there_is_named(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{free.getsockname()[1]}"
    case = InProcess(tmp_path, settings_for(url, tmp_path))
    with pytest.raises(acp.RequestError, match="Is Ollama running there"):
        await case.take()


async def test_a_model_that_calls_without_end_is_stopped(
    tmp_path: Path, model: FakeModel, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sprintwright.agents.model.dialogue._MOST_REQUESTS", 3)
    model.script({"tools": [("list_files", {})]})
    assert await InProcess(tmp_path, settings_for(model.url, tmp_path)).take() == "max_turn_requests"
    assert len(model.requests) == 3


async def test_an_unknown_tool_and_arguments_that_are_no_json_are_told_to_the_model(
    tmp_path: Path, model: FakeModel
) -> None:
    calls = [("fetch", {"url": "http://x"}), ("read_file", "{no json"), ("read_file", {"file": "a"})]
    model.script({"tools": calls}, {"text": "I see."})
    case = InProcess(tmp_path, settings_for(model.url, tmp_path))
    assert await case.take() == "end_turn"
    results = [message["content"] for message in model.requests[1][2]["messages"] if message["role"] == "tool"]
    assert "no tool 'fetch'" in results[0] and "no JSON object" in results[1] and "path: Field required" in results[2]
