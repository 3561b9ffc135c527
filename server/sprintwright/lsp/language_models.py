"""The editor's models: `sprintwright/languageModel/request` to the client, and the parts of the answer as they come."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Mapping
from typing import Any, cast

from pydantic import ValidationError
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from sprintwright.agents.editor_models import ModelCall
from sprintwright.errors import Operational
from sprintwright.lsp import asked_wire, methods
from sprintwright.text import one_line

_MOST_SAID = 600
_OTHERWISE = "Say it in another way, or choose another agent for the role; then resume the run."
_TODO = {
    "notFound": "See whether your editor offers what the agent's `vendor`, `family`, `id` name; then resume.",
    "noPermissions": "Allow Sprintwright to use the model in your editor, then resume the run.",
    "notSignedIn": "Sign in to the model's provider in your editor, then resume the run.",
    "quotaExceeded": "Wait for the next period, or choose another agent for the role; then resume the run.",
    "blocked": _OTHERWISE,
    "offTopic": _OTHERWISE,
}


class LanguageModels:
    """Implements `sprintwright.agents.editor_models.EditorModels` by the client."""

    def __init__(self, server: LanguageServer) -> None:
        self._server = server
        self._heard: dict[str, asyncio.Queue[object]] = {}

    def progressed(self, token: int | str, value: object) -> None:
        """Take a part of an answer; one that nobody waits for is dropped."""
        if value is not None and (heard := self._heard.get(str(token))) is not None:
            heard.put_nowait(value)

    async def ask(self, call: ModelCall, request: Mapping[str, Any]) -> AsyncIterator[dict[str, Any]]:
        """As `EditorModels`. An iteration that is given up takes the request back at the client."""
        token = uuid.uuid4().hex
        params = asked_wire.LanguageModelParams.model_validate(
            {**call.model_dump(), **request, "partialResultToken": token}, by_alias=True, by_name=True
        )
        heard = self._heard[token] = asyncio.Queue()
        asking = asyncio.ensure_future(self._server.protocol.send_request_async(methods.LANGUAGE_MODEL_REQUEST, params))
        asking.add_done_callback(lambda _: heard.put_nowait(None))
        try:
            while (value := await heard.get()) is not None:
                yield asked_wire.LanguageModelPart.model_validate(value).model_dump(by_alias=True, exclude_unset=True)
            told = asked_wire.LanguageModelResult.model_validate(asking.result())
            yield {"kind": "end", **told.model_dump(by_alias=True)}
        except ValidationError as error:
            words = f"Agent {call.agent!r}: what the editor told of its model's answer can't be read."
            raise Operational("protocol", words) from error
        except JsonRpcException as error:
            raise _refused(call, error) from error
        finally:
            del self._heard[token]
            asking.cancel()


def _refused(call: ModelCall, error: JsonRpcException) -> Operational:
    data = cast("dict[str, object]", error.data) if isinstance(error.data, dict) else {}
    reason = str(data.get("reason", "other"))
    named = " ".join(f"{key} {value}" for key, value in call.model.items() if value)
    model = f" ({named})" if named else ""
    said = f"Agent {call.agent!r}{model} got no answer of the editor's model: {one_line(error.message, _MOST_SAID)}"
    text = f"{said}\n{_TODO[reason]}" if reason in _TODO else said
    match reason:
        case "rateLimited":
            return Operational("rate_limit", text)
        case "notSignedIn" | "noPermissions":
            return Operational("sign_in", text)
        case _:
            return Operational("stopped", text, transient=reason not in _TODO)
