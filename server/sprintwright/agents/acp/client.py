"""Our end of the protocol: what an agent may ask of us, in the turn that is open."""

from __future__ import annotations

import asyncio
import contextlib
import os
import stat
import unicodedata
from collections.abc import AsyncGenerator, AsyncIterator, Generator
from pathlib import Path
from typing import Any, cast

import acp
from acp import schema

from sprintwright.agents.acp.answer import Heard, difference
from sprintwright.agents.acp.launch import Models
from sprintwright.agents.acp.leave import MOST_PATHS, Leave, real_name, with_real_paths
from sprintwright.agents.editor_models import METHOD, PART
from sprintwright.engine.ports import Act, Desk
from sprintwright.errors import Operational, PathRefused
from sprintwright.paths import read_beneath, relative_inside, resolve_inside, write_atomic
from sprintwright.text import lines_of
from sprintwright.threads import in_thread

_MOST_BYTES = 64 * 1024 * 1024
"""Of a file that is read, in parts or as a whole."""
_MOST_CHARACTERS = 5 * 1024 * 1024
"""Of what an agent gets at once, and of what a user is shown of a file that is replaced."""
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
        self.leave = Leave()
        """Changes of files that were allowed: an agent that asks first may write through us afterwards, once each."""
        self.writing: set[asyncio.Future[None]] = set()
        """Files that are being written."""
        self.models: dict[str, asyncio.Task[dict[str, Any]]] = {}
        """Answers of the editor's models that are awaited, by the agent's own number."""
        self.answered_by: dict[str, None] = {}
        """Which ones answered, by name."""

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
        for name in self.answered_by:
            self.desk.output("note", f"\nanswered by {name}\n")

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
        act, edits = turn.heard.act(tool_call), turn.heard.edits(tool_call)
        if len(act.paths) > MOST_PATHS:
            turn.refused = True
            turn.desk.output("note", f"not allowed, for it names more than {MOST_PATHS} files at once\n")
            allowed = False
        else:
            paths = await in_thread(with_real_paths, self._folder, act.paths)
            allowed = await turn.permit(act.model_copy(update={"paths": paths}))
        if turn.closed or self.turn is not turn:
            return _cancelled()
        if allowed and act.kind == "edit":
            real = {name: edits[path] for path in edits if (name := real_name(self._folder, path))}
            turn.leave.give(real)
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
        rel = await in_thread(self._place, path)
        _refuse_half_letters(content)
        old, unreadable = await in_thread(_old_text, self._folder, rel)
        if not turn.leave.take(rel, old, content):
            paths = await in_thread(with_real_paths, self._folder, (path,))
            text = "\n".join(filter(None, (unreadable, difference(rel, old, content))))
            if not await turn.permit(Act(kind="edit", title=f"Write {path}", text=text, paths=paths)):
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
        rel = await in_thread(self._place, path)
        try:
            text = await in_thread(_read, self._folder, rel, line, limit)
        except FileNotFoundError:
            raise acp.RequestError.resource_not_found(path) from None
        except PathRefused as error:
            raise acp.RequestError.invalid_params({"details": error.message}) from error
        except OSError as error:
            raise acp.RequestError.internal_error({"details": f"{rel!r} was not read: {error.strerror}."}) from error
        if len(text) > _MOST_CHARACTERS:
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
        if named := facts.get("name", ""):
            turn.answered_by[named] = None
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
        turn.heard.pulse.beat()
        return turn

    def _place(self, path: str) -> str:
        """Where a path really is, relative to the folder."""
        try:
            rel = relative_inside(path, self._folder, creating=True)
            if not unicodedata.is_normalized("NFC", path) and os.path.lexists(self._folder / path):
                raise PathRefused(
                    f"The name {path!r} is spelled with letters and accents apart, which is not the same file on every "
                    "system; rename it first."
                )
            return resolve_inside(self._folder, rel)
        except PathRefused as error:
            raise acp.RequestError.invalid_params({"details": error.message}) from error


def _cancelled() -> schema.RequestPermissionResponse:
    return schema.RequestPermissionResponse(outcome=schema.DeniedOutcome(outcome="cancelled"))


def _read(folder: Path, rel: str, line: int | None, limit: int | None) -> str:
    """The file's text, or lines of it. Raises `PathRefused`, `OSError`."""
    text = read_beneath(folder, rel, _MOST_BYTES).decode("utf-8", "replace")
    if line is None and limit is None:
        return text
    lines = lines_of(text)[max(0, (line or 1) - 1) :]
    return "".join(lines if limit is None else lines[: max(0, limit)])


def _old_text(folder: Path, rel: str) -> tuple[str, str]:
    """What a file holds that is to be written, and in words why that can't be shown."""
    try:
        data = read_beneath(folder, rel, _MOST_CHARACTERS)
        return data.decode("utf-8"), ""
    except FileNotFoundError:
        return "", ""
    except UnicodeDecodeError:
        return "", f"It takes the place of {rel!r}, which is no text and can't be shown."
    except (OSError, PathRefused) as error:
        why = error.message if isinstance(error, PathRefused) else error.strerror
        return "", f"It takes the place of {rel!r}, which can't be shown: {why}"


def _refuse_half_letters(content: str) -> None:
    try:
        content.encode("utf-8")
    except UnicodeEncodeError:
        details = "The text has half a letter (a lone surrogate), which no file can hold."
        raise acp.RequestError.invalid_params({"details": details}) from None


def _write(folder: Path, rel: str, content: str) -> None:
    place = folder / rel
    mode = stat.S_IMODE(place.stat().st_mode) if place.is_file() else 0o644
    write_atomic(folder, rel, content.encode("utf-8"), mode=mode, parents=True)
