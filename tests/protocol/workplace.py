"""Editors for the tests of the real server: pytest-lsp clients, each with a `sprintwright lsp` process of its own.

An editor that saw a fault of the protocol fails its test when it is closed. pytest-lsp's `wait_for_notification` has no
deadline and one waiter a method, so `Editor.until` waits.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from tests.protocol.lsp_client import Asked, Client, SeenRun
from tests.protocol.support import SECONDS
from tests.support.terminal import PROGRAM, Place

T = TypeVar("T")
GOOD = {"text": "VERDICT: good_to_go"}
CAPABILITIES = types.ClientCapabilities(
    workspace=types.WorkspaceClientCapabilities(configuration=True, workspace_folders=True),
    window=types.WindowClientCapabilities(
        work_done_progress=True, show_message=types.ShowMessageRequestClientCapabilities()
    ),
    text_document=types.TextDocumentClientCapabilities(
        publish_diagnostics=types.PublishDiagnosticsClientCapabilities(related_information=True),
        code_action=types.CodeActionClientCapabilities(),
    ),
)
ASKED = ("sprintwright/question/ask", "sprintwright/permission/request", types.WINDOW_SHOW_MESSAGE_REQUEST)


def _taken(_params: Any) -> None:
    """The editor hears of it."""


class Refusal(NamedTuple):
    """The error of a command."""

    code: int
    message: str
    data: dict[str, Any]


class Editor:
    """One client and its server. ``runs``: what the client was told of runs; ``asked``: what its user was asked."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self.client = Client()
        self.client.heard = self._heard
        self.runs: dict[str, SeenRun] = {}
        self.deleted: list[str] = []
        self.output: dict[str, str] = {}
        self.asked: list[Asked] = []
        self.heard: list[tuple[str, Any]] = []
        self._news = asyncio.Event()
        for method in ASKED:
            self.client.feature(method)(self._asker(method))
        for method in ("didChange", "didDelete", "didOutput"):
            self.client.feature(f"sprintwright/run/{method}")(_taken)

    async def start(
        self,
        folders: Sequence[Path] = (),
        capabilities: types.ClientCapabilities = CAPABILITIES,
        environment: dict[str, str] | None = None,
        **options: object,
    ) -> types.InitializeResult:
        """Start the server and shake hands; ``options`` are the `initializationOptions`, trusted unless they say no."""
        env = self.place.environment(**(environment or {}))
        await self.client.start_io(*PROGRAM, "lsp", cwd=self.place.base, env=env, start_new_session=True)
        opened = [types.WorkspaceFolder(one.as_uri(), one.name) for one in folders or (self.place.project,)]
        params = types.InitializeParams(
            capabilities=capabilities,
            workspace_folders=opened,
            initialization_options={"trusted": True, "questions": True, **options},
        )
        async with asyncio.timeout(SECONDS):
            return await self.client.initialize_session(params)

    # Commands

    async def command(self, name: str, /, **argument: object) -> Any:
        """The result of `sprintwright.<name>`."""
        return await self._command(name, argument)

    async def _command(self, name: str, argument: Any) -> Any:
        params = types.ExecuteCommandParams(f"sprintwright.{name}", [argument])
        async with asyncio.timeout(SECONDS):
            return await self.client.workspace_execute_command_async(params)

    async def refused(self, name: str, /, **argument: object) -> Refusal:
        """The error of a command that must be refused."""
        return await self.refused_with(name, argument)

    async def refused_with(self, name: str, argument: object) -> Refusal:
        """The error of a command with anything for its argument."""
        with pytest.raises(JsonRpcException) as refused:
            await self._command(name, argument)
        return Refusal(refused.value.code, refused.value.message, refused.value.data or {})

    async def begin(self, workflow: str, **more: object) -> str:
        """Start a run in the project; its id."""
        given = {"workflow": workflow, "task": f"do {workflow}", "folder": str(self.place.project), **more}
        begun = await self.command("workflow.start", **given)
        assert begun["effect"] == "started", begun
        return begun["runId"]

    async def get(self, run_id: str) -> dict[str, Any]:
        """`run.get`."""
        return await self.command("run.get", runId=run_id)

    # What comes of itself

    async def until(self, look: Callable[[], T]) -> T:
        """What ``look`` gives once it is true; it is asked again at every message."""
        try:
            async with asyncio.timeout(SECONDS):
                while not (found := look()):
                    assert not self.client.stopped, f"the server is gone: {self.client.process.returncode}"
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            raise AssertionError(f"it did not come to that; the last were {self.heard[-3:]}") from None
        return found

    def run(self, run_id: str) -> SeenRun:
        """What was told of a run."""
        return self.runs.setdefault(run_id, SeenRun())

    async def status(self, run_id: str, status: str, owner: str | None = None, *, after: int = 0) -> SeenRun:
        """Wait until a run has this status, and this owner if one is said; ``after`` so many changes were told."""
        run = self.run(run_id)
        await self.until(lambda: run.is_told(after) and run["status"] == status and owner in (None, run["owner"]))
        return run

    async def node(self, run_id: str, key: str, status: str = "running") -> SeenRun:
        """Wait until a node of a run has this status."""
        run = self.run(run_id)
        await self.until(lambda: run.node(key) == status)
        return run

    async def question(self, key: str) -> Asked:
        """Wait until the user is asked this."""
        return (await self.until(lambda: [one for one in self.asked if key in str(one.params)]))[0]

    def progress(self, run_id: str) -> list[Any]:
        """What `$/progress` said of a run, of all its tokens."""
        return [value for token in self.tokens(run_id) for value in self.client.progress_reports[token]]

    def tokens(self, run_id: str) -> list[int | str]:
        """The progress tokens of a run."""
        return [token for token in self.client.progress_reports if run_id in str(token)]

    async def diagnostics(self, path: Path, count: int) -> Sequence[types.Diagnostic]:
        """Wait until a file has so many diagnostics."""
        found = self.client.diagnostics
        await self.until(lambda: len(found.get(path.as_uri(), ())) == count)
        return found.get(path.as_uri(), ())

    # The end

    async def shut_down(self) -> int:
        """`shutdown` and `exit`; the exit code. Questions that wait are left waiting until `shutdown` is answered."""
        async with asyncio.timeout(SECONDS):
            await self.client.shutdown_async(None)
            await self._leave_questions()
            self.client.exit(None)
            await self.client.process.wait()
        await self.client.stop()
        assert self.client.error is None, self.client.error
        return self.client.process.returncode or 0

    async def kill(self) -> None:
        """End the server as a crash does."""
        os.kill(self.client.process.pid, signal.SIGKILL)
        await self._leave_questions()
        await self.client.stop()

    async def close(self) -> None:
        """End the server, which must end well; nothing when it is gone."""
        if self.client.stopped:
            return
        try:
            assert await self.shut_down() == 0
        finally:
            if self.client.process.returncode is None:
                await self.kill()

    async def _leave_questions(self) -> None:
        """Before the process is gone: pygls can't end what its client still works on then."""
        for one in self.asked:
            one.answer(None)
        await asyncio.sleep(0)

    def _asker(self, method: str) -> Callable[[Any], Any]:
        async def ask(params: Any) -> Any:
            asked = Asked(method, params)
            self.asked.append(asked)
            self._news.set()
            return await asked.wait()

        return ask

    def _heard(self, method: str, params: Any) -> None:
        self.heard.append((method, params))
        match method.removeprefix("sprintwright/run/"):
            case "didChange":
                self.run(params["runId"]).take(params)
            case "didDelete":
                self.deleted.append(params["runId"])
            case "didOutput":
                said = "".join(piece["text"] for piece in params["pieces"])
                self.output[params["runId"]] = self.output.get(params["runId"], "") + said
            case _:
                pass
        self._news.set()


class Signal:
    """A named pipe that an agent's turn tells when it is at work (``tell``)."""

    def __init__(self, path: Path) -> None:
        os.mkfifo(path)
        self.path = str(path)
        self._end = os.open(path, os.O_RDONLY | os.O_NONBLOCK)

    async def wait(self) -> None:
        """Wait for it."""
        told = asyncio.Event()
        loop = asyncio.get_running_loop()
        loop.add_reader(self._end, told.set)
        try:
            async with asyncio.timeout(SECONDS):
                await told.wait()
            os.read(self._end, 100)
        finally:
            loop.remove_reader(self._end)

    def close(self) -> None:
        """Let go of it."""
        os.close(self._end)


class Workplace:
    """A project, scripted agents, and the editors that are open there; leaving it closes them."""

    def __init__(self, base: Path) -> None:
        self.place = Place(base, {"*": [GOOD]})
        self.settings: dict[str, Any] = {}
        self._open = AsyncExitStack()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            await self._open.aclose()
        finally:
            self._end_agents()

    def _end_agents(self) -> None:
        """A test that failed behind a killed server must not leave its agents."""
        for turn in self.place.prompts():
            with contextlib.suppress(OSError):
                if str(self.place.counts).encode() in Path(f"/proc/{turn['pid']}/cmdline").read_bytes():
                    os.kill(turn["pid"], signal.SIGKILL)

    async def editor(self, folders: Sequence[Path] = (), **options: Any) -> Editor:
        """A new editor, in the project unless other folders are said."""
        editor = Editor(self.place)
        self._open.push_async_callback(editor.close)
        await editor.start(folders, **options)
        return editor

    def define(self, name: str, *stages: str, head: str = "") -> None:
        """A workflow of the user's own with one role that may write, `w`; ``stages`` are flow mappings."""
        lines = "".join(f"  - {{{stage}}}\n" for stage in stages)
        roles = "roles: {w: {permissions: workspace_write}}\n"
        self.place.define(name, f"name: {name}\n{roles}{head}stages:\n{lines}")

    def turns(self, name: str, *keys: str, head: str = "") -> None:
        """A workflow of turns."""
        stages = (f"id: {key}, kind: agent_turn, role: w, prompt: 'do {key}'" for key in keys)
        self.define(name, *stages, head=head)

    def script(self, turns: dict[str, list[dict[str, Any]]]) -> None:
        """Say what the agent does in turns, beside what was said before; ``settings`` are configured with it."""
        self.place.script.update(turns)
        self.place.configure(**self.settings)

    def signal(self, name: str) -> Signal:
        """A pipe for the ``tell`` of a turn."""
        made = Signal(self.path(name))
        self._open.callback(made.close)
        return made

    def pid(self, key: str) -> int:
        """The process of the newest turn of a key."""
        return next(turn["pid"] for turn in reversed(self.place.prompts()) if turn["key"] == key)

    def path(self, name: str) -> Path:
        """A path outside of the project."""
        return self.place.base / name
