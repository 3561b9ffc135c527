"""Our end of the protocol: what an agent may ask of us, in the turn that is open."""

from __future__ import annotations

import asyncio
import contextlib
import stat
from collections import Counter
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from pathlib import Path
from typing import Any, cast

import acp
from acp import schema

from sprintwright.agents.acp.answer import Heard, difference
from sprintwright.agents.acp.launch import Models
from sprintwright.agents.editor_models import METHOD, PART
from sprintwright.engine.ports import Act, Desk
from sprintwright.errors import Operational, PathRefused
from sprintwright.paths import read_beneath, relative_inside, resolve_inside, write_atomic
from sprintwright.threads import in_thread

_MOST_BYTES = 5 * 1024 * 1024
_ALLOW = ("allow_once",)
_REJECT = ("reject_once", "reject_always")


class OpenTurn:
    """What is at work: who is asked, and what was heard so far."""

    def __init__(self, desk: Desk, heard: Heard) -> None:
        self.desk, self.heard = desk, heard
        self.cancelled = self.over = False
        """By us; by the agent, whose answer was read: what it says and asks from then on is late."""
        self.refused = False
        """Whether a request of this turn was not allowed."""
        self._asking, self._asked = 0, 0.0
        self.failed: asyncio.Future[BaseException] = asyncio.get_running_loop().create_future()
        """What ended the wait for an answer, such as a pause: it ends the turn."""
        self.allowed: Counter[str] = Counter()
        """Changes of files that were allowed: an agent that asks first writes through us afterwards, once each."""
        self.writing: set[asyncio.Future[None]] = set()
        """Files that are being written."""
        self.models: dict[str, asyncio.Task[dict[str, Any]]] = {}
        """Answers of the editor's models that are awaited, by the agent's own number."""
        self.model = ""
        """Which one answered last."""

    @property
    def closed(self) -> bool:
        """Whether nothing is done for the agent any more."""
        return self.cancelled or self.over

    async def end(self) -> None:
        """Nothing is done for the agent from now on; what is being written is whole when this returns (R72)."""
        self.over = True
        for asking in self.models.values():
            asking.cancel()
        if self.writing:
            await asyncio.wait(self.writing)

    async def permit(self, act: Act) -> bool:
        """Whether the agent may do that."""
        try:
            with self.asking():
                allowed = await self.desk.permit(act)
        except BaseException as failure:
            raise self.fail(failure) from failure
        self.refused = self.refused or not allowed
        return allowed

    @contextlib.contextmanager
    def asking(self) -> Generator[None]:
        """While it is the user who is waited for, and not the agent."""
        self._asking += 1
        try:
            yield
        finally:
            self._asking -= 1
            self._asked = asyncio.get_running_loop().time()

    def fail(self, failure: BaseException) -> acp.RequestError:
        """End the turn with this; what the agent is told."""
        if not self.failed.done():
            self.failed.set_result(failure)
        return acp.RequestError.internal_error({"details": "The turn is over."})

    def asked_until(self, now: float) -> float:
        """Until when it was the user who was asked, and not the agent that was silent; on the loop's clock."""
        return now if self._asking else self._asked


class OurClient:
    """Implements `acp.Client` for one session. Outside a turn everything is refused (faults.md R72).

    Args:
        folder: the workspace, absolute; files outside it are refused.
        models: the editor's models, for our own agent in front of them.
    """

    def __init__(self, folder: Path, models: Models | None = None) -> None:
        self._folder, self._models = folder, models
        self.agent: Any = None
        """The agent's end of the connection."""
        self.session = ""
        self.turn: OpenTurn | None = None

    def updated(self, params: dict[str, Any]) -> None:
        """One ``session/update``; what a session replays at its load belongs to no turn and is dropped."""
        turn = self.turn
        if turn is None or turn.over:
            return
        try:
            told = schema.SessionNotification.model_validate(params)
        except ValueError:  # a kind of a later version of the protocol, or none at all
            return
        if told.session_id == self.session:
            turn.heard.take(told.update)

    def answered(self) -> None:
        """The agent's answer was read."""
        if self.turn is not None:
            self.turn.over = True

    async def session_update(self, session_id: str, update: Any, **_: Any) -> None:
        """Never called: the transport hands updates to `updated`, in order."""

    async def request_permission(
        self, session_id: str, tool_call: schema.ToolCallUpdate, options: list[schema.PermissionOption], **_: Any
    ) -> schema.RequestPermissionResponse:
        """By the role's permissions, or as the user says; by the option that counts once.

        An agent that offers to allow a thing only for always is not given that: what is allowed here would be allowed
        to it when nobody is asked any more (X74). To refuse for always takes nothing from anybody.
        """
        turn = self._open(session_id)
        if turn is None or turn.closed:
            return _cancelled()
        act = turn.heard.act(tool_call)
        allowed = await turn.permit(act)
        if turn.closed or self.turn is not turn:
            return _cancelled()
        if allowed and act.kind == "edit":
            turn.allowed.update(filter(None, (self._name(path) for path in act.paths)))
        if allowed and not any(option.kind in _ALLOW for option in options):
            turn.refused = True
            turn.desk.output("note", "It offers no way to allow that only once, so it is not allowed.\n")
        for kind in _ALLOW if allowed else _REJECT:
            for option in options:
                if option.kind == kind:
                    return schema.RequestPermissionResponse(
                        outcome=schema.AllowedOutcome(option_id=option.option_id, outcome="selected")
                    )
        return _cancelled()

    async def write_text_file(
        self, session_id: str, path: str, content: str, **_: Any
    ) -> schema.WriteTextFileResponse | None:
        """Write a file of the folder, whole, if the role may; what was allowed before is not asked about again."""
        turn = self._must_be_open(session_id)
        rel = self._place(path)
        if turn.allowed[rel] > 0:
            turn.allowed[rel] -= 1
        else:
            old = await in_thread(_read, self._folder, rel)
            act = Act(kind="edit", title=f"Write {path}", text=difference(rel, old, content), paths=(rel,))
            if not await turn.permit(act):
                raise acp.RequestError.invalid_params({"details": f"Writing {rel!r} was not allowed."})
        if self.turn is not turn or turn.closed:
            raise acp.RequestError.invalid_params({"details": "The turn is over."})
        turn.heard.acted = True
        writing = asyncio.ensure_future(in_thread(_write, self._folder, rel, content))
        turn.writing.add(writing)
        writing.add_done_callback(turn.writing.discard)
        try:
            await writing
        except PathRefused as error:
            raise acp.RequestError.invalid_params({"details": error.message}) from error
        except OSError as error:
            raise acp.RequestError.internal_error({"details": f"{rel!r} was not written: {error.strerror}."}) from error
        return schema.WriteTextFileResponse()

    async def read_text_file(
        self, session_id: str, path: str, line: int | None = None, limit: int | None = None, **_: Any
    ) -> schema.ReadTextFileResponse:
        """Read a file of the folder, or lines of it, counted from 1."""
        self._must_be_open(session_id)
        rel = self._place(path)
        if not await in_thread((self._folder / rel).is_file):
            raise acp.RequestError.resource_not_found(path)
        text = await in_thread(_read, self._folder, rel)
        if line is not None or limit is not None:
            start = max(0, (line or 1) - 1)
            lines = text.splitlines(keepends=True)[start:]
            text = "".join(lines if limit is None else lines[: max(0, limit)])
        if len(text) > _MOST_BYTES:
            raise acp.RequestError.invalid_params({"details": f"{rel!r} is too large; read it in parts."})
        return schema.ReadTextFileResponse(content=text)

    async def create_terminal(self, **_: Any) -> Any:
        """We have no terminals; without this the SDK would answer as if there were one."""
        raise acp.RequestError(-32601, "There are no terminals here.")

    terminal_output = release_terminal = wait_for_terminal_exit = kill_terminal = create_terminal

    async def ext_method(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Ask a model of the editor, and hand on what it says; for our own agent only."""
        if self._models is None or method != METHOD:
            raise acp.RequestError.method_not_found(f"_{method}")
        turn = self._must_be_open(self.session)
        number = str(params.pop("id"))
        asking = turn.models[number] = asyncio.create_task(
            self._answer_of_model(turn, number, self._models(params)), name=f"answer of a model {number}"
        )
        try:
            return await asking
        except asyncio.CancelledError:
            if not asking.cancelled():  # it is we who are ended
                asking.cancel()
                raise
            raise acp.RequestError.internal_error({"details": "It was cancelled."}) from None
        except Operational as failure:
            raise turn.fail(failure) from failure
        finally:
            del turn.models[number]

    async def _answer_of_model(
        self, turn: OpenTurn, number: str, answer: AsyncIterator[dict[str, Any]]
    ) -> dict[str, Any]:
        count = 0
        async with contextlib.aclosing(cast("AsyncGenerator[dict[str, Any]]", answer)) as parts:
            with turn.asking(), turn.desk.asking():  # the editor may ask its user first
                part = await anext(parts)
            while part["kind"] != "end":
                await self.agent.ext_notification(PART, {"id": number, "part": part})
                count += 1
                part = await anext(parts)
        facts: dict[str, Any] = part["model"] or {}
        if (named := facts.get("name", "")) and named != turn.model:
            turn.model = named
            turn.desk.output("note", f"answered by {named}\n")
        return {**part, "parts": count}

    def taken_back(self, params: dict[str, Any]) -> None:
        """An answer that our own agent needs no more; the transport hands it over, for it drops notifications."""
        turn = self.turn
        if turn is not None and (asking := turn.models.get(str(params.get("id")))) is not None:
            asking.cancel()

    def _open(self, session_id: str) -> OpenTurn | None:
        return self.turn if session_id == self.session else None

    def _must_be_open(self, session_id: str) -> OpenTurn:
        turn = self._open(session_id)
        if turn is None or turn.closed:
            raise acp.RequestError.invalid_params({"details": "The turn is over."})
        return turn

    def _name(self, path: str) -> str:
        try:
            return resolve_inside(self._folder, relative_inside(path, self._folder))
        except PathRefused:
            return ""

    def _place(self, path: str) -> str:
        """Where a path really is, relative to the folder."""
        try:
            return resolve_inside(self._folder, relative_inside(path, self._folder, creating=True))
        except PathRefused as error:
            raise acp.RequestError.invalid_params({"details": error.message}) from error


def _cancelled() -> schema.RequestPermissionResponse:
    return schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))


def _read(folder: Path, rel: str) -> str:
    """The file's text, up to a limit; what can't be read is empty."""
    try:
        return read_beneath(folder, rel, _MOST_BYTES).decode("utf-8", "replace")
    except (OSError, PathRefused):
        return ""


def _write(folder: Path, rel: str, content: str) -> None:
    place = folder / rel
    mode = stat.S_IMODE(place.stat().st_mode) if place.is_file() else 0o644
    write_atomic(folder, rel, content.encode("utf-8", "replace"), mode=mode, parents=True)
