"""Errors of a model service as errors of the protocol, in words. Whether another try may help is said with them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import acp
import httpx2
from pydantic_ai.exceptions import (
    AgentRunError,
    ModelAPIError,
    ModelContextWindowExceededError,
    ModelHTTPError,
    ModelQuotaExceededError,
)

from sprintwright.agents.model.http import EndpointFault
from sprintwright.agents.model.settings import Settings
from sprintwright.text import one_line

_INTERNAL, _SIGN_IN, _LIMITED = -32603, -32000, 429
_AGAIN = (408, 409, 425)
_NO_END = "finish_reason"


def fault(words: str, *, transient: bool = True) -> acp.RequestError:
    """A failed turn."""
    return acp.RequestError(_INTERNAL, words, None if transient else {"transient": False})


def limited(words: str, retry_after: float | None) -> acp.RequestError:
    """The service wants us to wait."""
    return acp.RequestError(_LIMITED, words, None if retry_after is None else {"retryAfter": retry_after})


def fault_of(error: Exception, settings: Settings) -> acp.RequestError:
    """What an exception of a request to the model comes to."""
    who = f"{settings.title} at {settings.base_url}"
    chain = list(_causes(error))
    for cause in chain:
        if isinstance(cause, acp.RequestError):  # our parent's, who asked the editor
            return cause
        if isinstance(cause, EndpointFault):
            return fault(f"{who} gave no answer of a model: {cause}.", transient=False)
    if isinstance(error, ModelHTTPError):
        return _of_status(error, settings, who)
    for cause in chain:
        match cause:
            case httpx2.ConnectError() | httpx2.ConnectTimeout():
                is_it = f"Is {settings.title} running there?" if settings.base_url.startswith("http:") else ""
                return fault(f"Nothing answers at {settings.base_url}. {is_it}".strip())
            case httpx2.TimeoutException():
                return fault(f"{who} was silent for too long.")
            case httpx2.TransportError() | httpx2.StreamError():
                return fault(f"The connection to {who} broke off before the answer was whole.")
            case _:
                pass
    if isinstance(error, ModelAPIError) and _NO_END in error.message:
        return fault(f"The answer of {who} broke off: its stream ended without saying that it is over.")
    if isinstance(error, AgentRunError | ValueError):
        return fault(f"{who} gave no answer of a model: {one_line(str(error), 400)}")
    return fault(f"The request to {who} failed: {type(error).__name__}: {one_line(str(error), 400)}")


def _of_status(error: ModelHTTPError, settings: Settings, who: str) -> acp.RequestError:
    said = _said(error)
    words = f"{who} answered with status {error.status_code}" + (f": {said}" if said else ".")
    if error.status_code == 401:
        return acp.RequestError(_SIGN_IN, words)
    if isinstance(error, ModelQuotaExceededError):
        return fault(f"The account is used up. {words}", transient=False)
    if error.status_code == 429 or (error.status_code >= 500 and error.retry_after is not None):
        return limited(words, error.retry_after)
    if isinstance(error, ModelContextWindowExceededError):
        hint = "Give the agent's `context` in its configuration, so that older results of tools are left out in time."
        return fault(f"The conversation is longer than {settings.model!r} can take in. {hint} {words}", transient=False)
    return fault(words, transient=error.status_code >= 500 or error.status_code in _AGAIN)


def _said(error: ModelHTTPError) -> str:
    """The service's own sentence."""
    body: Any = error.body
    if isinstance(body, list) and body:  # Google wraps it
        body = cast("list[Any]", body)[0]
    for _ in range(3):
        if not isinstance(body, dict):
            break
        fields = cast("dict[str, Any]", body)
        body = fields.get("error") or fields.get("message")
    return one_line(body if isinstance(body, str) else repr(cast("object", body)), 400) if body else ""


def _causes(error: BaseException) -> Iterator[BaseException]:
    seen: set[int] = set()
    waiting: list[BaseException | None] = [error]
    while waiting:
        cause = waiting.pop()
        if cause is None or id(cause) in seen:
            continue
        seen.add(id(cause))
        yield cause
        waiting += [cause.__context__, cause.__cause__]
        if isinstance(cause, BaseExceptionGroup):
            waiting += cast("BaseExceptionGroup[BaseException]", cause).exceptions
