"""Agents of kind `editor`, on the real server: the client plays the model."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from typing import Any

import pytest
import pytest_asyncio
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.protocol.workplace import Editor, Workplace

pytestmark = pytest.mark.asyncio(loop_scope="module")

REQUEST = "sprintwright/languageModel/request"
FACTS = {"id": "m1", "vendor": "v", "family": "small", "name": "Small One", "version": "1", "maxInputTokens": 64000}
ANSWERED = {"model": FACTS, "inputTokens": 20, "outputTokens": 10}
WORKFLOW = """name: one
roles:
  judge: {permissions: %s}
stages:
  - {id: work, kind: agent_turn, role: judge, prompt: "Do it: {{task}}", retry: {attempts: 1}}
"""


class Model:
    """Plays the language model of a client: one answer after another."""

    def __init__(self, editor: Editor) -> None:
        self._editor = editor
        self.asked: list[dict[str, Any]] = []
        self.cancelled = asyncio.Event()
        self.answers: list[Callable[[Any], Any]] = []

        async def answer(params: Any) -> Any:
            self.asked.append(params)
            return await self.answers.pop(0)(params)

        editor.client.feature(REQUEST)(answer)

    def says(self, *parts: dict[str, Any]) -> None:
        """The next answer."""

        async def answer(params: Any) -> Any:
            for part in parts:
                self._tell(params, part)
            return ANSWERED

        self.answers.append(answer)

    def never_ends(self) -> None:
        """The next answer begins, and is taken back."""

        async def answer(params: Any) -> Any:
            self._tell(params, {"kind": "text", "text": "I think"})
            try:
                await asyncio.Event().wait()
            finally:
                self.cancelled.set()

        self.answers.append(answer)

    def refuses(self, reason: str, words: str) -> None:
        """The next answer is none."""

        async def answer(_params: Any) -> Any:
            raise JsonRpcException(words, -32803, {"reason": reason, "code": "X"})

        self.answers.append(answer)

    def _tell(self, params: Any, part: dict[str, Any]) -> None:
        token = params.partialResultToken if hasattr(params, "partialResultToken") else params["partialResultToken"]
        self._editor.client.progress(types.ProgressParams(token, part))


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def work(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Workplace]:
    async with Workplace(tmp_path_factory.mktemp("work")) as made:
        made.place.configure(
            agents={"mine": {"kind": "editor", "family": "small"}}, roles={"judge": "mine"},
        )  # fmt: skip
        made.place.define("one", WORKFLOW % "workspace_write")
        yield made


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def editor(work: Workplace) -> Editor:
    return await work.editor([work.place.project], languageModel=True)


@pytest_asyncio.fixture(scope="module", loop_scope="module")
async def model(editor: Editor) -> Model:
    return Model(editor)


def plain(value: Any) -> Any:
    """The client's library makes objects of what it does not know."""
    if hasattr(value, "_asdict"):
        return {key: plain(one) for key, one in value._asdict().items()}
    return [plain(one) for one in value] if isinstance(value, list) else value


async def test_a_turn_by_the_editor_s_model_streams_calls_tools_and_counts(
    editor: Editor, model: Model, work: Workplace
) -> None:
    model.says(
        {"kind": "text", "text": "I "},
        {"kind": "text", "text": "write it."},
        {"kind": "toolCall", "callId": "c1", "name": "write_file", "input": {"path": "a.txt", "content": "one\n"}},
        {"kind": "toolCall", "callId": "c2", "name": "run_command", "input": {"command": "touch ran.txt"}},
    )
    model.says({"kind": "text", "text": "Done."})
    run_id = await editor.begin("one")
    asked = await editor.question("permission-1")
    assert "touch ran.txt" in str(asked.params) and "judge (mine)" in str(asked.params)
    asked.answer({"text": "once"})
    await editor.status(run_id, "completed")
    assert (work.place.project / "ran.txt").exists()
    assert (work.place.project / "a.txt").read_text() == "one\n"
    first, second = (plain(params) for params in model.asked)
    assert first["model"] == {"family": "small"} and first["runId"] == run_id and "judge" in first["title"]
    assert [one["role"] for one in first["messages"]] == ["user"]
    assert "Do it: do one" in first["messages"][0]["parts"][-1]["text"]
    assert "write_file" in [tool["name"] for tool in first["tools"]]
    assert [one["role"] for one in second["messages"]] == ["user", "assistant", "user"]
    assert [part["kind"] for part in second["messages"][1]["parts"]] == ["text", "toolCall", "toolCall"]
    assert second["messages"][1]["parts"][0]["text"] == "I write it."
    assert second["messages"][2]["parts"][0]["callId"] == "c1" and not second["messages"][2]["parts"][0]["isError"]
    shown = await editor.get(run_id)
    assert shown["usage"]["tokens"] == 60
    assert "I write it." in editor.output[run_id] and editor.output[run_id].count("answered by Small One") == 1


@pytest.mark.parametrize(
    ("reason", "words"),
    [
        ("noPermissions", "Allow Sprintwright"),
        pytest.param("notFound", "family small", marks=pytest.mark.exhaustive),
        pytest.param("blocked", "Say it in another way", marks=pytest.mark.exhaustive),
        pytest.param("other", "It broke.", marks=pytest.mark.exhaustive),
    ],
)
async def test_a_refusal_of_the_editor_is_told_in_its_words_with_what_to_do(
    editor: Editor, model: Model, reason: str, words: str
) -> None:
    model.refuses(reason, "It broke.")
    run_id = await editor.begin("one", concurrent=True)
    await editor.status(run_id, "failed")
    shown = await editor.get(run_id)
    assert "It broke." in str(shown) and words in str(shown)


async def test_a_cancelled_run_takes_its_request_back(editor: Editor, model: Model) -> None:
    model.never_ends()
    run_id = await editor.begin("one", concurrent=True)
    await editor.until(lambda: "I think" in editor.output.get(run_id, ""))
    await editor.command("run.cancel", runId=run_id)
    await editor.status(run_id, "cancelled")
    assert await asyncio.wait_for(model.cancelled.wait(), 20)
    assert (await editor.get(run_id))["status"] == "cancelled"


async def test_without_an_editor_that_has_models_the_run_stops_and_says_so(work: Workplace) -> None:
    done = await asyncio.to_thread(work.place.call, "run", "one", "Do it.", "--concurrent")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "Resume the run in VS Code" in done.stdout
