"""Turns of the known command lines, over a real process that plays them."""

from __future__ import annotations

import json
import os
import sys
from pathlib import Path
from typing import Any, Literal, get_args

import pytest

from sprintwright.agents.bridge.shared import SharedBridge
from sprintwright.agents.cli import turn as cli
from sprintwright.agents.config import CliAgentConfig, Preset
from sprintwright.engine.ports import Stream, Tool, TurnAnswer, TurnRequest
from sprintwright.errors import Operational
from sprintwright.model.definition import Permissions
from sprintwright.model.usage import Usage
from sprintwright.processes import Leftovers
from tests.unit.agents.acp_case import FakeDesk

GOLDEN = Path(__file__).parents[2] / "golden" / "agents"
PRESETS: tuple[Preset, ...] = get_args(Preset)
RUNTIME = Path("/tmp") / f"sw-{os.getpid()}"
OPTIONS = ("--dangerously-skip-permissions", "-c core.sshCommand=x", "--upload-pack=x", "-oProxyCommand=x")


class Stage:
    """A folder with a scripted program in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.desk: FakeDesk = FakeDesk()

    @property
    def shown(self) -> list[tuple[Stream, str]]:
        return self.desk.said

    async def turn(
        self,
        preset: Preset | Literal[""],
        *plays: dict[str, Any],
        session: str = "",
        permissions: Permissions = "read_only",
        env: dict[str, str] | None = None,
        tools: tuple[Tool, ...] = (),
        idle: float = 60,
        **others: str,
    ) -> TurnAnswer:
        (self.folder / "plays.json").write_text(json.dumps(plays), "utf-8")
        player = str(Path(__file__).with_name("player.py"))
        words = (sys.executable, "-S", "-E", player, str(self.folder))
        config = CliAgentConfig(kind="cli", preset=preset, command=words, env=env or {})
        request = TurnRequest(
            run_id="run-1", key="make", role="w", agent="mine", prompt="Say héllo.", folder=str(self.folder),
            permissions=permissions, session=session, idle_seconds=idle, tools=tools, verdicts=("good",),
        )  # fmt: skip
        request = request.model_copy(update=others)
        leftovers = Leftovers(self.folder / "left")
        bridge = SharedBridge(RUNTIME)
        return await cli.turn(config, request, self.desk, os.environ, leftovers, bridge)

    @property
    def calls(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in (self.folder / "calls.jsonl").read_text("utf-8").splitlines()]


@pytest.fixture
def stage(tmp_path: Path) -> Stage:
    return Stage(tmp_path)


def golden(name: str) -> dict[str, Any]:
    return {"file": str(GOLDEN / f"{name}.jsonl")}


@pytest.mark.parametrize("preset", PRESETS)
async def test_a_turn_answers_with_the_last_message(stage: Stage, preset: Preset) -> None:
    answer = await stage.turn(preset, golden(f"{preset}-turn"))
    assert (answer.text, answer.warnings) == ("Done and dusted.", ())
    assert answer.usage is not None and (answer.usage.tokens, answer.usage.precision) == (36, "exact")
    (call,) = stage.calls
    assert call["prompt"] == "Say héllo." and "héllo" not in str(call["arguments"])
    assert ("OPENCODE_PERMISSION" in call["env"]) == (preset == "opencode")


@pytest.mark.parametrize("preset", ["codex", "qwen"])
async def test_usage_of_a_resumed_thread_is_brought_down_to_the_turn(stage: Stage, preset: Preset) -> None:
    first = await stage.turn(preset, golden(f"{preset}-turn"))
    second = await stage.turn(preset, golden(f"{preset}-resumed"), session=first.session)
    assert second.session == first.session and first.session in stage.calls[1]["arguments"]
    assert second.usage is not None and second.usage.tokens == (18 if preset == "codex" else 36)


async def test_b129_an_unknown_session_is_tried_once_more_as_a_new_one_with_a_warning(stage: Stage) -> None:
    lost = {"stderr": "Error: no rollout found for thread id 1111\n", "exit": 1}
    answer = await stage.turn("codex", lost, golden("codex-turn"), session="1111")
    assert answer.text == "Done and dusted." and "began a new one" in answer.warnings[0]
    assert answer.usage == Usage(input_tokens=22, output_tokens=14)
    assert ["resume" in call["arguments"] for call in stage.calls] == [True, False]
    with pytest.raises(Operational, match="no rollout found"):
        await stage.turn("codex", lost, session="1111")
    assert len(stage.calls) == 4


async def test_a_variable_of_the_configuration_does_not_widen_what_a_role_may_do(stage: Stage) -> None:
    await stage.turn("opencode", golden("opencode-turn"), env={"OPENCODE_PERMISSION": "{}", "OPENCODE_X": "kept"})
    (call,) = stage.calls
    assert json.loads(call["env"]["OPENCODE_PERMISSION"])["edit"] == "deny" and call["env"]["OPENCODE_X"] == "kept"


@pytest.mark.parametrize("text", OPTIONS)
@pytest.mark.parametrize("preset", PRESETS)
async def test_x021_no_text_of_others_is_an_argument_of_a_known_command_line(
    stage: Stage, preset: Preset, text: str
) -> None:
    await stage.turn(preset, golden(f"{preset}-turn"))
    others = dict.fromkeys(("run_id", "key", "role", "agent", "prompt"), text)
    await stage.turn(preset, golden(f"{preset}-turn"), session=text, **others)
    plain, hostile = stage.calls
    assert hostile["arguments"] == plain["arguments"] and hostile["prompt"] == text


async def test_x021_a_session_id_that_is_an_option_is_never_passed_on(stage: Stage) -> None:
    answer = await stage.turn("qwen", golden("qwen-turn"), session="--yolo")
    assert answer.warnings and "--yolo" not in stage.calls[0]["arguments"]


@pytest.mark.parametrize(
    ("preset", "play", "cause", "words"),
    [
        ("claude", {"text": '{"type":"result","is_error":true,"result":"Invalid API key"}'}, "sign_in", "Invalid API"),
        ("codex", {**golden("codex-not-signed-in"), "exit": 1}, "sign_in", "401 Unauthorized"),
        ("gemini", {**golden("gemini-not-signed-in"), "exit": 145}, "sign_in", "bad key"),
        ("opencode", {**golden("opencode-not-signed-in"), "exit": 1}, "sign_in", "bad key"),
        ("qwen", golden("qwen-not-signed-in"), "sign_in", "bad key"),
        ("pi", golden("pi-not-signed-in"), "sign_in", "bad key"),
        ("opencode", golden("opencode-refused"), "permission", "rejected permission"),
        ("codex", {"text": '{"type":"turn.started"}\n'}, "exit", "stopped before its turn was over"),
        ("codex", {"text": "All is done, verdict: pass\n"}, "exit", "stopped before its turn was over"),
        ("claude", {**golden("claude-turn"), "exit": 3, "stderr": "ouch\n"}, "exit", "exited with status 3: ouch"),
        (
            "claude",
            {"text": '{"type":"result","subtype":"success","stop_reason":"max_tokens"}'},
            "truncated",
            "cut off",
        ),
        (
            "qwen",
            {"text": '{"type":"result","subtype":"success","result":"[API Error: 429 slow]"}'},
            "rate_limit",
            "429",
        ),
    ],
)
async def test_r061_r074_no_failed_turn_is_an_answer_whatever_its_exit_status(
    stage: Stage, preset: Preset, play: dict[str, Any], cause: str, words: str
) -> None:
    with pytest.raises(Operational) as caught:
        await stage.turn(preset, play)
    assert caught.value.cause == cause and words in caught.value.message and "'mine'" in caught.value.message


@pytest.mark.parametrize(
    ("preset", "play"),
    [
        ("", {"text": "half\n"}),
        ("codex", {"text": '{"type":"turn.started"}\n'}),
        ("codex", {"text": '{"type":"turn.failed","error":{"message":"no"}}\n'}),
        ("claude", golden("claude-turn")),
    ],
    ids=["command", "in the middle", "failed", "behind its answer"],
)
async def test_r059_an_agent_that_was_killed_is_a_failure_that_says_so(
    stage: Stage, preset: Preset | Literal[""], play: dict[str, Any]
) -> None:
    with pytest.raises(Operational) as caught:
        await stage.turn(preset, {**play, "stderr": "Error: 429 Too Many Requests\n", "kill": 9})
    assert caught.value.cause == "exit"
    assert "Agent 'mine' was ended by signal 9 (perhaps out of memory): " in caught.value.message


async def test_r066_a_line_without_an_end_ends_the_agent(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sprintwright.agents.cli.reading.EventLines.__init__.__defaults__", ("x", 100_000))
    with pytest.raises(Operational, match="Agent 'mine' printed a line of more than 100000 bytes") as caught:
        await stage.turn("pi", {"text": "x" * 300_000})
    assert caught.value.cause == "protocol"


def left_over() -> list[str]:
    """Files in the runtime folder, after the turn."""
    return [str(file) for file in (Path("/tmp") / f"sw-{os.getpid()}").iterdir()]


async def test_a_program_that_takes_a_tool_server_is_told_how_to_start_ours_and_one_that_does_not_start_it_is_named(
    stage: Stage,
) -> None:
    answer = await stage.turn("claude", golden("claude-turn"), tools=("give_verdict", "ask_user"))
    arguments = stage.calls[0]["arguments"]
    server = json.loads(arguments[arguments.index("--mcp-config") + 1])["mcpServers"]["sprintwright"]
    assert server["args"][:3] == ["-I", "-X", "utf8"] and server["args"][-1] not in left_over()
    allowed = arguments[arguments.index("--allowedTools") + 1]
    assert allowed == "mcp__sprintwright__give_verdict,mcp__sprintwright__ask_user"
    assert "did not start our tools" in answer.warnings[-1]


async def test_opencode_gets_our_tools_into_the_configuration_that_it_is_given(stage: Stage) -> None:
    env = {"OPENCODE_CONFIG_CONTENT": '{"model": "a/b"}'}
    answer = await stage.turn("opencode", golden("opencode-turn"), env=env, tools=("give_verdict",))
    told = json.loads(stage.calls[0]["env"]["OPENCODE_CONFIG_CONTENT"])
    secret = told["mcp"]["sprintwright"]["command"][-1]
    assert told["model"] == "a/b" and secret.endswith(".secret") and secret not in left_over()
    assert "did not start our tools" in answer.warnings[-1]


@pytest.mark.parametrize("preset", ["gemini", "opencode", "pi"])
async def test_a_program_that_takes_no_tool_server_is_called_as_without_tools(stage: Stage, preset: Preset) -> None:
    env = {"OPENCODE_CONFIG_CONTENT": "// no JSON"}
    answer = await stage.turn(preset, golden(f"{preset}-turn"), env=env, tools=("give_verdict",))
    assert "sprintwright" not in str(stage.calls[0]) and answer.warnings == ()
    assert stage.calls[0]["env"]["OPENCODE_CONFIG_CONTENT"] == "// no JSON"


_SPINNERS: dict[str, list[str]] = {
    "signs": ["\r⠋", "\r⠙", "\r⠹"],
    "blank lines": ["\n", "\n\n"],
    "lines that are no events": ["still at work\n", "please wait\n"],
    "signs of life": ['{"type":"keep_alive","at":1}\n', '{"type":"ping","at":2}\n'],
}


@pytest.mark.parametrize("preset", ["claude", "codex"])
@pytest.mark.parametrize("kind", _SPINNERS)
async def test_r053_a_preset_that_only_makes_noise_is_silent(stage: Stage, preset: Preset, kind: str) -> None:
    with pytest.raises(Operational, match="nothing new") as caught:
        await stage.turn(preset, {"spin": _SPINNERS[kind]}, idle=0.4)
    assert caught.value.cause == "timeout"
