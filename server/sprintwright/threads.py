"""Work that waits for the disk, done beside the loop; whoever is cancelled meanwhile leaves nothing half done."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


async def in_thread(function: Callable[..., T], *arguments: object, undo: Callable[[T], object] | None = None) -> T:
    """Call a function in a thread and wait for its end, also when cancelled: it may hold a lock or write a file.

    Args:
        undo: called with the result when the caller was cancelled and nobody will take it.

    Raises:
        What the function raises; `CancelledError` once the function has ended.
    """
    work = asyncio.ensure_future(asyncio.to_thread(function, *arguments))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        while not work.done():
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait({work})
        if not work.cancelled() and work.exception() is None and undo is not None:
            undo(work.result())
        raise
