"""The tools of the `model` agent, and what it remembers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import (
    ModelMessage,
    ModelRequest,
    ModelResponse,
    TextPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from sprintwright.agents.model.hands import Call, NotAllowed, ToolFault
from sprintwright.agents.model.history import Histories, fitting, whole
from sprintwright.agents.model.tools import TOOLS, offered
from tests.unit.agents.model_case import InProcess, settings_for

SECRETS = [".env", ".env.local", "key.pem", "id_rsa", ".npmrc", ".netrc", ".NPMRC", "deep/.Env", ".aws/config"]


def _lives(pid: int) -> bool:
    status = Path(f"/proc/{pid}/stat")
    return status.exists() and status.read_text().split()[2] != "Z"


class Case(InProcess):
    def __init__(self, tmp_path: Path, allowed: bool = True) -> None:
        super().__init__(tmp_path, settings_for("http://127.0.0.1:9", tmp_path), lambda _asked: allowed)

    def put(self, path: str, text: str) -> None:
        (self.folder / path).parent.mkdir(parents=True, exist_ok=True)
        (self.folder / path).write_text(text)

    async def call(self, name: str, **given: Any) -> str:
        tool = TOOLS[name]
        return await tool.call(self.hands, Call("c", tool.title(given), tool.kind, given, [], []), given)


def test_x065_there_is_no_tool_for_the_web_and_none_that_changes_anything_for_a_reader() -> None:
    assert list(TOOLS) == ["read_file", "list_files", "search_files", "write_file", "edit_file", "run_command"]
    assert [tool.name for tool in offered(reads_only=True)] == ["read_file", "list_files", "search_files"]


@pytest.mark.parametrize("name", SECRETS)
async def test_x066_a_file_of_secrets_is_read_only_after_asking(tmp_path: Path, name: str) -> None:
    refusing, allowing = Case(tmp_path, allowed=False), Case(tmp_path)
    refusing.put(name, "TOKEN=1")
    with pytest.raises(NotAllowed):
        await refusing.call("read_file", path=name)
    assert await allowing.call("read_file", path=name) == "TOKEN=1"
    assert [asked.kind for asked in allowing.engine.asked] == ["other"]  # a kind that every role is asked about


async def test_x066_a_link_to_secrets_is_asked_about_and_search_and_list_pass_them_over(tmp_path: Path) -> None:
    case = Case(tmp_path, allowed=False)
    for name in (*SECRETS, ".git/config"):
        case.put(name, "TOKEN=1")
    case.put("src/a.py", "TOKEN = 2\nother\n")
    (case.folder / "plain.txt").symlink_to(".env")
    (case.folder / "out.txt").symlink_to("/etc/hostname")
    with pytest.raises(NotAllowed):
        await case.call("read_file", path="plain.txt")
    assert await case.call("search_files", pattern="TOKEN") == "src/a.py:1: TOKEN = 2"
    assert await case.call("list_files") == "src/a.py"
    assert await case.call("search_files", pattern="TOKEN", glob="*.md") == "(nothing found)"
    for folder in (".aws", "deep/../.aws"):
        with pytest.raises(ToolFault):
            await case.call("list_files", path=folder)


@pytest.mark.parametrize("path", ["../x", "/etc/hostname", "out.txt", "a/../../x"])
async def test_x066_nothing_outside_of_the_folder_is_touched(tmp_path: Path, path: str) -> None:
    case = Case(tmp_path)
    (case.folder / "out.txt").symlink_to("/etc/hostname")
    for name, more in (("read_file", {}), ("write_file", {"content": ""}), ("edit_file", {"old": "a", "new": "b"})):
        with pytest.raises(ToolFault):
            await case.call(name, path=path, **more)
    assert case.engine.asked == []


async def test_a_change_is_shown_whole_and_made_only_when_it_is_allowed(tmp_path: Path) -> None:
    case = Case(tmp_path, allowed=False)
    case.put("a.txt", "one\ntwo\ntwo\n")
    for name, given in (
        ("write_file", {"path": "a.txt", "content": "new"}),
        ("edit_file", {"path": "a.txt", "old": "one", "new": "1"}),
        ("run_command", {"command": "touch made"}),
    ):
        with pytest.raises(NotAllowed):
            await case.call(name, **given)
    with pytest.raises(ToolFault, match="occurs 2 times"):
        await case.call("edit_file", path="a.txt", old="two", new="2")
    diffs: list[Any] = [asked.content[0] for asked in case.engine.asked[:2] if asked.content]
    assert [(diff.old_text, diff.new_text) for diff in diffs] == [
        ("one\ntwo\ntwo\n", "new"),
        ("one\ntwo\ntwo\n", "1\ntwo\ntwo\n"),
    ]
    assert case.engine.asked[2].raw_input == {"command": "touch made"}
    assert [path.name for path in case.folder.iterdir()] == ["a.txt"] and (
        case.folder / "a.txt"
    ).read_text().startswith("one")


async def test_a_file_that_is_not_utf_8_is_not_damaged_by_a_change_elsewhere_in_it(tmp_path: Path) -> None:
    case = Case(tmp_path)
    case.put("a.txt", "caf\ufffd old")  # as the engine reads a letter of another encoding
    with pytest.raises(ToolFault, match="not UTF-8"):
        await case.call("edit_file", path="a.txt", old="old", new="new")
    assert (case.folder / "a.txt").read_text() == "caf\ufffd old" and case.engine.asked == []


async def test_a_command_that_takes_too_long_is_ended_with_what_it_started(tmp_path: Path) -> None:
    case = Case(tmp_path)
    with pytest.raises(ToolFault):
        await case.call("run_command", command="sleep 600 & echo $! > pid; wait", timeout_seconds=0.3)
    pid = int((case.folder / "pid").read_text())
    assert not _lives(pid)


async def test_the_output_of_a_command_is_kept_from_its_end(tmp_path: Path) -> None:
    printed = await Case(tmp_path).call("run_command", command="seq 20000; echo over >&2; exit 3")
    assert len(printed) < 41_000 and "left out" in printed
    assert printed.endswith("20000\nover\n(exit status 3)")


def _conversation() -> list[ModelMessage]:
    return [
        ModelRequest(parts=[UserPromptPart("Build it.")]),
        ModelResponse(parts=[ToolCallPart("read_file", {"path": "a"}, "1")]),
        ModelRequest(parts=[ToolReturnPart("read_file", "x" * 9_000, "1")]),
        ModelResponse(parts=[TextPart("Done.")]),
        ModelRequest(parts=[UserPromptPart("Go on.")]),
    ]


def test_what_was_asked_in_vain_is_not_remembered_and_no_call_is_left_open() -> None:
    messages = _conversation()
    assert whole(messages) == messages[:4]
    assert whole(messages[:3]) == messages[:3]
    assert whole(messages[:2]) == []


def test_old_results_make_way_when_the_model_can_take_in_little() -> None:
    messages = _conversation()
    assert fitting(messages, None) == messages
    sent = fitting(messages, 1_024)
    assert "left out" in str(sent[2].parts[0].content) and sent[3:] == messages[3:]  # pyright: ignore[reportAttributeAccessIssue, reportUnknownMemberType, reportUnknownArgumentType]
    assert "xxx" in str(messages[2])


def test_a_conversation_belongs_to_its_folder_and_a_damaged_one_is_none(tmp_path: Path) -> None:
    histories, session, said = Histories(tmp_path / "model"), "a" * 32, _conversation()
    histories.keep(session, "/w/one", said)
    assert histories.load(session, "/w/one") == said
    assert histories.load(session, "/w/two") is None
    assert histories.load("../" + "a" * 29, "/w/one") is None
    (tmp_path / "model" / f"{session}.json").write_text('{"version": 1, "folder": "/w/one", "messages": [{}]}')
    assert histories.load(session, "/w/one") is None
