"""The connection to an endpoint: no redirect is followed, and an answer has a limit (faults.md R78, X11)."""

from __future__ import annotations

from collections.abc import AsyncIterator

import httpx2

from sprintwright.agents.model.endpoints import is_loopback

_CONNECT_SECONDS, _READ_SECONDS = 15.0, 600.0
_MOST_BYTES = 64 * 1024 * 1024


class EndpointFault(Exception):
    """An endpoint answered with what can be no answer of a model."""


def client_for(base_url: str) -> httpx2.AsyncClient:
    """A client for one endpoint. The user's proxy counts, but not on the way to this machine."""
    return httpx2.AsyncClient(
        follow_redirects=False,
        trust_env=not is_loopback(base_url),
        timeout=httpx2.Timeout(_READ_SECONDS, connect=_CONNECT_SECONDS),
        headers={"Accept-Encoding": "identity"},  # what is small on the way and huge here is never asked for
        event_hooks={"response": [_look_at]},
    )


async def _look_at(response: httpx2.Response) -> None:
    if 300 <= response.status_code < 400:
        where = httpx2.URL(response.headers.get("location", "")).host or "another place"
        raise EndpointFault(f"it redirects to {where}, and no redirect is followed with a key; correct its `base_url`")
    if response.headers.get("content-encoding", "identity").lower() not in ("identity", ""):
        raise EndpointFault("it sends a compressed answer, which was not asked for")
    if response.is_success and response.headers.get("content-type", "").startswith("text/html"):
        raise EndpointFault("it answers with a web page and not as a model; correct its `base_url`")
    assert isinstance(response.stream, httpx2.AsyncByteStream)
    response.stream = _Bounded(response.stream)


class _Bounded(httpx2.AsyncByteStream):
    """A body up to a limit."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        size = 0
        async for chunk in self._stream:
            size += len(chunk)
            if size > _MOST_BYTES:
                raise EndpointFault("its answer is over 64 MB")
            yield chunk

    async def aclose(self) -> None:
        await self._stream.aclose()
