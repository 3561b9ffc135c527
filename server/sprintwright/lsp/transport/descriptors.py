"""Moves the protocol's pipe out of reach of everything that prints (R94)."""

from __future__ import annotations

import os
from dataclasses import dataclass

_FIRST_PRIVATE = 3


@dataclass(frozen=True)
class Pipes:
    """The two descriptors that carry the protocol. Both are close-on-exec: no child gets them."""

    incoming: int
    outgoing: int


def take_pipes() -> Pipes:
    """Move descriptors 0 and 1 to private ones; what is left there is the null device and the error output.

    From then on ``print``, C libraries, ``faulthandler`` and children can't reach the client.

    Raises:
        OSError: standard input or output is closed.
    """
    pipes = Pipes(_private(0), _private(1))
    null = os.open(os.devnull, os.O_RDWR)
    try:
        os.fstat(2)
    except OSError:
        os.dup2(null, 2)
    os.dup2(null, 0)
    os.dup2(2, 1)
    if null > 2:
        os.close(null)
    return pipes


def _private(descriptor: int) -> int:
    try:
        import fcntl
    except ImportError:  # Windows: a duplicate is private there as it is
        return os.dup(descriptor)
    return fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _FIRST_PRIVATE)
