"""Agents with a model, where the packages that the extension carries are all there is."""

from __future__ import annotations

import contextlib
import subprocess
from collections.abc import Generator
from pathlib import Path
from typing import Any

import pytest

from tests.packaging.support import PYTHON, serving, status
from tests.protocol.support import RawClient
from tests.support.terminal import Place

pytestmark = pytest.mark.timeout(300)

REQUEST = "sprintwright/languageModel/request"
FACTS = {"id": "m1", "vendor": "v", "family": "small", "name": "Small One", "version": "1", "maxInputTokens": 64000}
WORKFLOW = """name: one
roles:
  judge: {permissions: workspace_write}
stages:
  - {id: work, kind: agent_turn, role: judge, prompt: "Do it: {{task}}", retry: {attempts: 1}}
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A Python without any package."""
    folder = tmp_path_factory.mktemp("bare")
    subprocess.run([PYTHON, "-I", "-m", "venv", "--without-pip", str(folder)], check=True)
    return str(folder / "bin" / "python")


@contextlib.contextmanager
def client_with(
    agent: dict[str, str], extension: Path, made: Path, tmp_path: Path, python: str
) -> Generator[tuple[RawClient, Place]]:
    """An editor with models, whose user has that agent."""
    place = Place(tmp_path)
    place.configure(agents={"mine": agent}, roles={"judge": "mine"})
    place.define("one", WORKFLOW)
    with contextlib.closing(serving(extension, made, place, python, languageModel=True)) as client:
        yield client, place


def say(client: RawClient, after: int, *parts: dict[str, Any]) -> tuple[dict[str, Any], int]:
    """Play the model once; what it was asked, and how much was received till then."""

    def is_next(one: dict[str, Any]) -> bool:
        return one.get("method") == REQUEST or status(one) in ("completed", "failed")

    asked = client.wait_for(is_next, after=after, seconds=60)
    assert asked["method"] == REQUEST, (asked, failure(client, asked["params"]["runId"]))
    for part in parts:
        client.notify("$/progress", {"token": asked["params"]["partialResultToken"], "value": part})
    client.send(id=asked["id"], result={"model": FACTS, "inputTokens": 20, "outputTokens": 10})
    return asked["params"], client.received.index(asked) + 1


def failure(client: RawClient, run_id: str) -> str:
    """The whole run as text."""
    return str(client.result("sprintwright.run.get", {"runId": run_id}))


def test_a_model_of_the_editor_takes_its_turn_with_tools_and_nothing_is_to_be_installed(
    extension: Path, made: Path, tmp_path: Path, bare: str
) -> None:
    with client_with({"kind": "editor", "family": "small"}, extension, made, tmp_path, bare) as (client, place):
        run_id = client.result("sprintwright.workflow.start", {"workflow": "one", "task": "go"})["runId"]
        written = {
            "kind": "toolCall",
            "callId": "c1",
            "name": "write_file",
            "input": {"path": "a.txt", "content": "1\n"},
        }
        asked, number = say(client, 0, {"kind": "text", "text": "I write."}, written)
        assert "Do it: go" in asked["messages"][0]["parts"][-1]["text"] and asked["model"] == {"family": "small"}
        # ask_user is of our own tool server, which is a program, too
        assert {"write_file", "ask_user"} <= {tool["name"] for tool in asked["tools"]}
        asked, number = say(client, number, {"kind": "text", "text": "Done."})
        assert [part["kind"] for part in asked["messages"][-1]["parts"]] == ["toolResult"]
        last = client.wait_for(lambda one: status(one) in ("completed", "failed"), seconds=30)
        assert status(last) == "completed", failure(client, run_id)
        assert (place.project / "a.txt").read_text(encoding="utf-8") == "1\n"
        assert client.shut_down() == 0


@pytest.mark.parametrize(("provider", "module"), [("ollama", "openai"), ("anthropic", "anthropic")])
def test_an_endpoint_whose_package_is_not_carried_says_what_to_install(
    extension: Path, made: Path, tmp_path: Path, bare: str, provider: str, module: str
) -> None:
    agent = {"kind": "model", "provider": provider, "model": "m", "base_url": "http://127.0.0.1:9"}
    with client_with(agent, extension, made, tmp_path, bare) as (client, _place):
        answer = client.command("sprintwright.workflow.start", {"workflow": "one", "task": "go"})
        told = f"agents of kind `model` need a package that is not installed ({module}). Type: pip install"
        assert told in answer["error"]["message"]
        assert client.shut_down() == 0


def test_a_package_of_a_provider_that_is_too_old_is_told_in_words(made: Path, tmp_path: Path, bare: str) -> None:
    """The user's Python may have one of its own."""
    (tmp_path / "openai.py").touch()
    code = "import runpy, sys; sys.path.append(sys.argv.pop(1)); sys.argv.pop(0); runpy.run_path(sys.argv[0], run_name='__main__')"
    (program,) = made.glob("*/sprintwright/agents/model/main.py")
    settings = (
        '{"title": "Ollama", "speaks": "openai", "base_url": "http://127.0.0.1:9", "is_official": false, "model": "m",'
        f' "sessions": "{tmp_path}", "processes": "{tmp_path}", "run_id": "r1"}}'
    )
    argv = [bare, "-I", "-X", "utf8", "-c", code, str(tmp_path), str(program), settings]
    done = subprocess.run(argv, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert (done.returncode, done.stdout) == (3, ""), done.stderr
    assert "Type: pip install -U 'sprintwright[models]'" in done.stderr and "Traceback" not in done.stderr
