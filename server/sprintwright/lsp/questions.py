"""Questions of a run → the client: by our own request where it can, else a message with buttons, else they just wait.

A question that nobody answers here stays open: it is a status of the run, and `run.answer` answers it from anywhere.
"""

from __future__ import annotations

import asyncio
import logging

from lsprotocol import types
from pydantic import ValidationError
from pygls.lsp.server import LanguageServer

from sprintwright.app.policy import DEFAULTS
from sprintwright.engine.ports import Answer, Question
from sprintwright.lsp import asked_wire, methods
from sprintwright.lsp.plain import plain_line, plain_text

log = logging.getLogger(__name__)

_MOST_SHOWN = 600
_LATER = "Later"
_DEFAULTS = "Use your defaults"
_GO_ON = "Go on without an answer"


class Asker:
    """Implements `sprintwright.engine.ports.People` for one run.

    Args:
        about: run id, workflow and folder, for the client.
        custom: whether the client said that it takes `sprintwright/question/ask` and `sprintwright/permission/request`.
    """

    def __init__(self, server: LanguageServer, about: dict[str, str], *, custom: bool) -> None:
        self._server, self._about, self._custom = server, about, custom

    async def ask(self, question: Question) -> Answer | None:
        """The user's answer from this client; waits for ever where there is none, until the run needs it no more."""
        try:
            text = await (self._by_request(question) if self._custom else self._by_message(question))
        except Exception as error:  # the client can't; the question stays open
            log.info("the client did not take the question %s: %s", question.key, error)
            text = None
        if text is None:
            await asyncio.Event().wait()
        return Answer(text=text or "")

    async def _by_request(self, question: Question) -> str | None:
        method = methods.PERMISSION_REQUEST if question.kind == "permission" else methods.QUESTION_ASK
        params = asked_wire.AskParams.model_validate({**self._about, **question.model_dump()})
        answer = await self._server.protocol.send_request_async(method, params)
        if answer is None:
            return None
        try:
            return asked_wire.AskResult.model_validate(answer).text
        except ValidationError as error:
            log.warning("the client's answer to %s can't be read: %s", question.key, error)
            return None

    async def _by_message(self, question: Question) -> str | None:
        answers = _buttons(question)
        window = self._server.client_capabilities.window
        run_id = self._about["run_id"]
        words = f"{question.by or question.key} of run {run_id} asks:\n{plain_text(question.text, _MOST_SHOWN)}"
        if not answers or not (window and window.show_message):
            words += f"\nAnswer with the command {methods.RUN_ANSWER}."
            kind = types.MessageType.Info
            self._server.protocol.notify(types.WINDOW_SHOW_MESSAGE, types.ShowMessageParams(type=kind, message=words))
            return None
        shown = {plain_line(title, 60): text for title, text in answers.items()}
        params = types.ShowMessageRequestParams(
            type=types.MessageType.Info,
            message=words,
            actions=[types.MessageActionItem(title) for title in (*shown, _LATER)],
        )
        chosen = await self._server.protocol.send_request_async(types.WINDOW_SHOW_MESSAGE_REQUEST, params)
        return shown.get(chosen.title) if chosen is not None else None


def _buttons(question: Question) -> dict[str, str]:
    """What can be chosen: its title, and the answer that it gives."""
    if question.choices:
        return {choice: choice for choice in question.choices}
    match question.kind:
        case "questions":
            return {_DEFAULTS: DEFAULTS}
        case "checkpoint":
            return {_GO_ON: ""}
        case _:
            return {}
