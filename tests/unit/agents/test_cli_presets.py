"""How the known command lines are called: permissions, sessions, models; and how they are configured."""

from __future__ import annotations

import json
from typing import get_args

import pytest
from pydantic import ValidationError

from sprintwright.agents.cli.presets import Call, call_of, is_session, takes_tools, with_tools
from sprintwright.agents.config import CliAgentConfig, Preset
from sprintwright.model.definition import Permissions

PRESETS: tuple[Preset, ...] = get_args(Preset)
PERMISSIONS: tuple[Permissions, ...] = get_args(Permissions)
EVERYTHING = ("bypass", "danger", "yolo", "dontAsk", "--auto", "never-ask")


@pytest.mark.parametrize(
    ("preset", "permissions", "words"),
    [
        ("claude", "read_only", ("--permission-mode", "plan")),
        ("claude", "ask", ("--permission-mode", "default")),
        ("claude", "workspace_write", ("--permission-mode", "acceptEdits")),
        ("claude", "full", ("--permission-mode", "bypassPermissions")),
        ("codex", "read_only", ("-s", "read-only")),
        ("codex", "ask", ("-s", "read-only")),
        ("codex", "workspace_write", ("-s", "workspace-write")),
        ("codex", "full", ("-s", "danger-full-access")),
        ("gemini", "read_only", ("--approval-mode", "default")),
        ("gemini", "ask", ("--approval-mode", "default")),
        ("gemini", "workspace_write", ("--approval-mode", "auto_edit")),
        ("gemini", "full", ("--approval-mode", "yolo")),
        ("qwen", "read_only", ("--approval-mode", "default")),
        ("qwen", "ask", ("--approval-mode", "default")),
        ("qwen", "workspace_write", ("--approval-mode", "auto-edit")),
        ("qwen", "full", ("--approval-mode", "yolo")),
        ("pi", "read_only", ("--tools", "read,grep,find,ls")),
        ("pi", "ask", ("--tools", "read,grep,find,ls")),
        ("pi", "workspace_write", ("--tools", "read,grep,find,ls,edit,write")),
    ],
)
def test_a_role_s_permissions_are_always_said_in_the_program_s_own_words(
    preset: Preset, permissions: Permissions, words: tuple[str, ...]
) -> None:
    for session in ("", "abc-1"):
        arguments = call_of(preset, permissions, session=session).arguments
        assert words in [arguments[at : at + 2] for at in range(len(arguments))]


def test_opencode_is_told_by_a_variable_and_never_to_ask_for_that_ends_its_turn() -> None:
    told = {one: json.loads(call_of("opencode", one).env["OPENCODE_PERMISSION"]) for one in PERMISSIONS}
    assert told["read_only"] == told["ask"]
    assert {told["read_only"][name] for name in ("edit", "bash", "task")} == {"deny"}
    assert (told["workspace_write"]["edit"], told["workspace_write"]["bash"]) == ("allow", "deny")
    assert told["workspace_write"]["external_directory"] == "deny"
    assert "ask" not in str([list(rules.values()) for rules in told.values()])


@pytest.mark.parametrize("preset", PRESETS)
def test_nothing_but_full_lifts_the_limits(preset: Preset) -> None:
    for permissions in PERMISSIONS:
        if permissions != "full":
            call = call_of(preset, permissions, session="abc", model="m")
            assert not [word for word in EVERYTHING if word in " ".join(call.arguments)]


@pytest.mark.parametrize(
    ("preset", "words"),
    [
        ("claude", "--resume s1"), ("codex", "resume s1"), ("gemini", "--resume s1"), ("qwen", "--resume s1"),
        ("opencode", "--session s1"), ("pi", "--session s1"),
    ],
)  # fmt: skip
def test_a_session_is_gone_on_with_by_its_id_only(preset: Preset, words: str) -> None:
    assert words in " ".join(call_of(preset, "read_only", session="s1").arguments)
    fresh = " ".join(call_of(preset, "read_only").arguments)
    assert "resume" not in fresh and "continue" not in fresh and "session" not in fresh


@pytest.mark.parametrize("preset", PRESETS)
def test_b101_the_prompt_is_never_an_argument_and_the_call_stays_short(preset: Preset) -> None:
    call = call_of(preset, "full", session="s" * 200, model="m" * 100)
    assert sum(map(len, call.arguments)) < 1000


OURS = ("python", "pipe.py", "a secret")


def opencode_with_tools(permissions: Permissions, config: str = "") -> Call:
    env = {"OPENCODE_CONFIG_CONTENT": config}
    return with_tools("opencode", call_of("opencode", permissions, session="s1"), OURS, ("give_verdict",), env)


@pytest.mark.parametrize("permissions", PERMISSIONS)
def test_opencode_is_told_of_our_tools_by_a_variable_and_each_role_may_use_them(permissions: Permissions) -> None:
    plain, call = call_of("opencode", permissions, session="s1"), opencode_with_tools(permissions)
    assert call.arguments == plain.arguments
    assert json.loads(call.env["OPENCODE_CONFIG_CONTENT"]) == {
        "mcp": {"sprintwright": {"type": "local", "command": list(OURS), "enabled": True}}
    }
    before, after = (json.loads(one.env["OPENCODE_PERMISSION"]) for one in (plain, call))
    assert list(after.items()) == [*before.items(), ("sprintwright_*", "allow")]


def test_a_configuration_that_opencode_is_given_keeps_all_it_has_beside_our_tools() -> None:
    theirs = {"model": "a/b", "permission": {"edit": "ask"}, "mcp": {"docs": {"type": "remote", "url": "u"}}}
    call = opencode_with_tools("read_only", json.dumps(theirs))
    told = json.loads(call.env["OPENCODE_CONFIG_CONTENT"])
    assert told["mcp"].pop("sprintwright")["command"] == list(OURS) and told == theirs


@pytest.mark.parametrize("text", ["{", "[]", '"a"', "// no JSON\n{}", '{"mcp": []}', "[" * 100_000])
def test_a_configuration_that_nothing_can_be_put_into_is_left_as_it_is(text: str) -> None:
    assert not takes_tools("opencode", {"OPENCODE_CONFIG_CONTENT": text})
    assert opencode_with_tools("read_only", text) == call_of("opencode", "read_only", session="s1")


@pytest.mark.parametrize("preset", PRESETS)
def test_a_call_is_told_of_our_tools_or_stays_as_it_was(preset: Preset) -> None:
    plain = call_of(preset, "read_only")
    takes = takes_tools(preset, {})
    assert takes == (preset not in ("gemini", "pi"))
    assert (with_tools(preset, plain, OURS, ("give_verdict",), {}) != plain) == takes


@pytest.mark.parametrize(
    "session", ["", "--yolo", "-oProxyCommand=x", "-c", "a b", "a\n--x", "x" * 300, "../../etc/passwd", "a\u00e9"]
)
def test_x021_what_can_be_no_session_id_is_none(session: str) -> None:
    assert not is_session(session)
    assert is_session("ses_dc715c9c3ffeq6Jhhd4WGwJyWY") and is_session("01a238e9-e7a2-7d21-b44e-0bc9551628a2")


def test_a_preset_names_its_program_and_a_command_takes_its_place() -> None:
    assert CliAgentConfig(kind="cli", preset="codex").words == ("codex",)
    assert CliAgentConfig(kind="cli", preset="codex", command=("npx", "codex")).words == ("npx", "codex")
    assert CliAgentConfig(kind="cli", command=("mine", "-p")).words == ("mine", "-p")


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"command": ()},
        {"preset": "cluade"},
        {"command": ("mine",), "model": "m"},
        {"preset": "codex", "model": "--dangerously-bypass-approvals-and-sandbox"},
        {"preset": "codex", "model": "a b"},
        {"preset": "claude", "model": "-oProxyCommand=x"},
    ],
)
def test_x021_an_agent_without_a_program_or_with_an_option_for_a_model_is_refused(fields: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        CliAgentConfig.model_validate({"kind": "cli", **fields})


def test_x021_a_preset_that_only_speaks_the_protocol_is_told_its_kind() -> None:
    with pytest.raises(ValidationError, match="goose speaks the Agent Client Protocol: write `kind: acp`"):
        CliAgentConfig.model_validate({"kind": "cli", "preset": "goose"})
