"""Output that is there and can hold any text: our own signs have plain ones where the encoding lacks them."""

from __future__ import annotations

import atexit
import codecs
import os
import sys
from io import TextIOWrapper

_HANDLER = "sprintwright.plain"
_PLAIN = str.maketrans("✓✗↻▸·…↷⊘■─│├└┌┐┘—–×→‘’“”", "+x~>-.>/#-||`...--x>''\"\"")
"""One for one, so that columns stay where they are."""


def prepare_streams() -> None:
    """Closed streams lead nowhere; what an encoding can't hold gets a plain sign, or a question mark."""
    codecs.register_error(_HANDLER, _plain)
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            nowhere = open(os.devnull, "w", encoding="utf-8")  # noqa: PTH123, SIM115 - for the process's life
            atexit.register(nowhere.close)
            setattr(sys, name, nowhere)
        elif isinstance(stream, TextIOWrapper):
            stream.reconfigure(errors=_HANDLER)


def silence() -> None:
    """Nothing more can be written to standard output, and Python must not try at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)


def _plain(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    signs = error.object[error.start : error.end].translate(_PLAIN)
    return "".join(sign if sign.isascii() else "?" for sign in signs), error.end
