"""Waiting for work that must be over before its caller goes on, cancelled or not."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, ParamSpec, TypeVar

_One = TypeVar("_One")
_Other = TypeVar("_Other")
_P = ParamSpec("_P")


async def in_thread(function: Callable[_P, _One], *arguments: _P.args, **named: _P.kwargs) -> _One:
    """Call a function that waits for the disk. Cancelled, it still returns only when the function has.

    A thread can't be stopped: without this it would go on in a store whose lock is given back.
    """
    call = asyncio.create_task(asyncio.to_thread(function, *arguments, **named), name=f"thread-{function.__name__}")
    cancelled = False
    while not call.done():
        try:
            await asyncio.wait([call])
        except asyncio.CancelledError:
            cancelled = True
    if cancelled:
        call.exception()
        raise asyncio.CancelledError
    return call.result()


async def together(first: Coroutine[Any, Any, _One], second: Coroutine[Any, Any, _Other]) -> tuple[_One, _Other]:
    """Both at once. When one fails or the caller is cancelled, the other is cancelled and awaited."""
    tasks = (asyncio.create_task(first, name="snapshot-first"), asyncio.create_task(second, name="snapshot-second"))
    try:
        return await tasks[0], await tasks[1]
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
