"""The PATH of the user's login shell: a program that was started from a desktop, as editors are, has a shorter one."""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sprintwright.errors import Operational
from sprintwright.processes.run import run_process

CHOSEN = "SPRINTWRIGHT_LOGIN_SHELL"
"""Variable that names the shell to ask in place of the account's; set to nothing, none is asked."""

_MARK = "<sprintwright-path>"
_COMMAND = f"printf '%s' '{_MARK}' \"$PATH\" '{_MARK}'"
"""Constant, so that no text of others is read by a shell; what files of the profile print stands outside the marks."""
_SECONDS = 4.0
_LONGEST = 32_768
_PASSED = ("HOME", "USER", "LOGNAME", "LANG", "PATH")


class LoginShell:
    """The shell of the user's account, asked at most once."""

    def __init__(self) -> None:
        self._asking = threading.Lock()
        self._told: str | None = None

    @property
    def known(self) -> str:
        """The PATH that it told; empty before it was asked."""
        return self._told or ""

    def path(self) -> str:
        """Its PATH; empty when there is no such shell, or it fails or takes too long. The first call waits for it."""
        with self._asking:
            if self._told is None:
                with ThreadPoolExecutor(1) as beside:  # the thread of the caller may have a loop that runs
                    self._told = beside.submit(lambda: asyncio.run(_ask(_shell()))).result()
            return self._told


def _shell() -> str:
    chosen = os.environ.get(CHOSEN)
    if chosen is not None or sys.platform == "win32":
        return chosen or ""
    import pwd

    try:
        return pwd.getpwuid(os.getuid()).pw_shell
    except KeyError:
        return ""


async def _ask(shell: str) -> str:
    if not Path(shell).is_absolute():
        return ""
    env = {name: os.environ[name] for name in _PASSED if name in os.environ} | {"SHELL": shell, "TERM": "dumb"}
    # -i: most installers extend PATH in a file that interactive shells alone read.
    argv = [shell, "-l", "-i", "-c", _COMMAND]
    try:
        finished = await run_process(argv, cwd=Path("/"), env=env, timeout=_SECONDS, grace=0)
    except Operational:
        return ""
    told = finished.stdout.rpartition(_MARK)[0].rpartition(_MARK)[2]
    return "" if len(told) > _LONGEST or not told.isprintable() else told  # no environment could hold it


LOGIN = LoginShell()
"""Of this process."""
