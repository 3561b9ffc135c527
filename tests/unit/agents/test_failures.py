"""Why an agent's command line failed: what real ones print, and what only looks like it."""

from __future__ import annotations

import time

import pytest

from sprintwright.agents.failures import classify
from sprintwright.errors import Cause

CLAUDE_LIMIT = (
    '{"type":"result","subtype":"success","is_error":true,"result":"You\'ve hit your session limit · resets 3pm"}'
)
CLAUDE_429 = (
    '{"type":"result","is_error":true,"result":"API Error: 429 {\\"type\\":\\"error\\",\\"error\\":'
    '{\\"type\\":\\"rate_limit_error\\",\\"message\\":\\"This would exceed your limit\\"}}"}'
)
CODEX_LIMIT = (
    '{"type":"turn.failed","error":{"message":"You\'ve hit your usage limit. Upgrade to Pro or try again in '
    '3 hours 12 minutes."}}'
)
CODEX_429 = '{"type":"turn.failed","error":{"message":"exceeded retry limit, last status: 429 Too Many Requests"}}'
CODEX_401 = '{"type":"turn.failed","error":{"message":"unexpected status 401 Unauthorized: bad key"}}'
OPENCODE_401 = '{"type":"error","error":{"name":"APIError","data":{"message":"bad key","statusCode":401}}}'
OPENCODE_429 = (
    '{"type":"error","error":{"name":"APIError","data":{"message":"slow down","statusCode":429,'
    '"responseHeaders":{"retry-after":"30"}}}}'
)
GEMINI = '{"type":"result","status":"error","error":{"code":429,"status":"RESOURCE_EXHAUSTED","details":{"retryDelay":"34s"}}}'
GEMINI_401 = '{"type":"result","status":"error","error":{"type":"Error","message":"[API Error: 401 bad key]"}}'


@pytest.mark.parametrize(
    ("stderr", "stdout", "cause", "seconds"),
    [
        ("", CLAUDE_LIMIT, "rate_limit", None),
        ("", CLAUDE_429, "rate_limit", None),
        ("", CODEX_LIMIT, "rate_limit", 3 * 3600 + 12 * 60),
        ("Reading prompt from stdin...\n", CODEX_429, "rate_limit", None),
        ("", f'{{"type":"turn.started"}}\n{CODEX_401}', "sign_in", None),
        ("", OPENCODE_401, "sign_in", None),
        ("", OPENCODE_429, "rate_limit", 30),
        ("", GEMINI, "rate_limit", 34),
        ("", GEMINI_401, "sign_in", None),
        ("Error: 429 Too Many Requests\nRetry-After: 30\n", "", "rate_limit", 30),
        ("HTTP 429\n", "", "rate_limit", None),
        ("HTTP/1.1 429 Too Many Requests", "", "rate_limit", None),
        ("API Error: 429 {\"type\":\"error\"}", "", "rate_limit", None),
        ("Error: Request failed with status code 429", "", "rate_limit", None),
        ("agent: rate limit exceeded, retry in 1m30s", "an answer", "rate_limit", 90),
        ("openai.RateLimitError: Error code: 429 - {'error': 'x'}", "", "rate_limit", None),
        ("Rate limit reached for gpt-4o in organization org-x. Please try again in 1.2s.", "", "rate_limit", 1.2),
        ("Rate limit reached. Retry after 250ms", "", "rate_limit", 0.25),
        ("", "Claude AI usage limit reached|1747346400", "rate_limit", None),
        ("You have exhausted your daily quota on this model.", "", "rate_limit", None),
        ("\x1b[31m✖ Error: Too many requests\x1b[0m", "", "rate_limit", None),
        ("", "Invalid API key · Please run /login", "sign_in", None),
        ("Not logged in. Please run codex login.", "", "sign_in", None),
        ("ERROR: You are not logged in", "", "sign_in", None),
        ("Error: Unauthorized", "", "sign_in", None),
        ("Incorrect API key provided: sk-x.", "", "sign_in", None),
        ("Please set an Auth method in your settings.json", "", "sign_in", None),
        ("Your OAuth token has expired.", "", "sign_in", None),
        ("anthropic.AuthenticationError: Error code: 401", "", "sign_in", None),
        ("Error: Rate limit exceeded\nthen a hint\nsee the documentation\n", "", "rate_limit", None),
    ],
)  # fmt: skip
def test_b117_what_agents_print_when_they_are_limited_or_not_signed_in(
    stderr: str, stdout: str, cause: Cause, seconds: float | None
) -> None:
    assert classify(1, stderr, stdout) == (cause, pytest.approx(seconds) if seconds is not None else None)


SOURCE = "def retry():\n    # 429 Too Many Requests\n    raise RateLimitError('rate limit exceeded')\n" * 200


@pytest.mark.parametrize(
    ("stderr", "stdout"),
    [
        ("", ""),
        ("boom", ""),
        ("", SOURCE),
        (SOURCE, ""),
        ("error: can't open file", "Error: Rate limit exceeded"),
        ("", "429 passed in 3.1s"),
        ("429 tests failed", ""),
        ("429", ""),
        ("E   assert 429 == 401", ""),
        ("FAILED tests/test_rate_limit.py::test_429 - assert 401 == 200", ""),
        ("", "I added handling for 'Too Many Requests'.\nThe rate limit exceeded case is now tested."),
        ("", "- Rate limit exceeded: handled in client.py"),
        ("", "Note: rate limit exceeded."),
        ("", "Rate limit: 100 requests a minute"),
        ("Rate limiting was added", ""),
        ("Authentication was added to the login page", ""),
        ("Please login form: done", ""),
        ("", '{"type":"assistant","message":"API Error: 429 rate limit"}'),
        ("", '{"type":"result","is_error":false,"result":"Error: 429 Too Many Requests"}'),
        ("", '{"type":"error","error":{"message":"the file src/rate_limit.py was not found"}}'),
        ("insufficient_quota: check your plan and billing details", ""),
        ("{" * 2000, "[" * 2000),
        ('{"error": [401, 429]}', '{"error": {"code": "429x"}}'),
        ("Error: rate limit exceeded\n" + "line\n" * 6, ""),
    ],
)
def test_what_only_mentions_a_limit_or_a_login_is_an_exit(stderr: str, stdout: str) -> None:
    assert classify(1, stderr, stdout) == ("exit", None)


def test_r059_a_program_that_was_killed_is_not_limited_whatever_it_said() -> None:
    assert classify(-9, "Error: 429 Too Many Requests", "") == ("exit", None)


def test_the_last_line_that_says_something_counts() -> None:
    assert classify(1, "Error: 429 Too Many Requests\nError: 401 Unauthorized", "")[0] == "sign_in"


@pytest.mark.parametrize(
    "text",
    [
        "a." * 500_000,
        "rate limit " * 100_000,
        "error: " * 200_000,
        "status " * 200_000,
        "1h" * 400_000,
        "\x1b[" * 400_000,
    ],
)
def test_hostile_output_is_read_in_linear_time(text: str) -> None:
    began = time.process_time()
    for line in (text, f"Error: 429 retry after {text}", f'{{"type":"error","error":{{"message":"{text}"}}}}'):
        classify(1, line, "")
        classify(1, "", line)
    assert time.process_time() - began < 2


def test_an_answer_of_the_service_is_read_in_gemini_s_wrapping() -> None:
    wrapped = '[API Error: {"error":{"code":429,"message":"Resource exhausted","status":"RESOURCE_EXHAUSTED"}}]'
    assert classify(1, wrapped, "") == ("rate_limit", None)
    assert classify(1, '[API Error: {"type":"error","error":{"type":"authentication_error"}}]', "") == ("sign_in", None)
    assert classify(1, '[API Error: {"error": half', "") == ("exit", None)
