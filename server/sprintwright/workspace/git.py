"""git, called in one way: nothing that a repository says runs, nothing waits for a person or a network.

Every call has the `SAFE` arguments and an environment without the parent's `GIT_*`. The user's own
configuration still counts, because its ignore file keeps secrets out.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path

from sprintwright.errors import Operational, WorkspaceError
from sprintwright.processes import FinishedBytes, child_environment, find_program, run_bytes
from sprintwright.text import clean, cut
from sprintwright.threads import in_thread

OLDEST = (2, 30)
SECONDS = 120.0
"""That one command may take."""

_SETTINGS = (
    f"core.hooksPath={os.devnull}",  # a path beneath it can't exist, and nobody can put a hook there
    "core.fsmonitor=false",
    "core.pager=cat",
    "core.editor=false",
    "core.sshCommand=false",
    "core.askPass=",
    "core.quotePath=false",
    "gpg.program=false",
    "commit.gpgSign=false",
    "credential.helper=",
    "protocol.allow=never",
    "submodule.recurse=false",
    "gc.auto=0",
    "maintenance.auto=false",
    "safe.bareRepository=explicit",
)
SAFE = tuple(word for setting in _SETTINGS for word in ("-c", setting))
"""The arguments before every command."""

_ENVIRONMENT = {
    "LC_ALL": "C",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_ASKPASS": "",
}


class Git:
    """The git program, for one folder.

    Args:
        folder: the workspace; where commands run, and where no program is taken from.
        environment: of this process; its PATH is searched.
    """

    def __init__(self, folder: Path, environment: Mapping[str, str] | None = None) -> None:
        self._folder = folder
        self._parent = os.environ if environment is None else environment
        self._program: Path | None = None

    async def run(
        self,
        *arguments: str | Path,
        store: Path | None = None,
        stdin: bytes | None = None,
        limit: int | None = None,
        also: Sequence[int] = (),
        settings: Sequence[str] = (),
        identity: Mapping[str, str] | None = None,
        pass_fds: Sequence[int] = (),
    ) -> FinishedBytes:
        """Run one command in the folder.

        Args:
            arguments: the command and its arguments; what comes from outside stands after `--end-of-options`.
            store: a repository of ours, with the folder as its work tree; otherwise git looks for the user's.
            stdin: for `--stdin` commands.
            limit: bytes of output that are kept.
            also: exit statuses beside 0 that are answers.
            settings: further `key=value`.
            identity: `GIT_AUTHOR_…` and `GIT_COMMITTER_…`.
            pass_fds: descriptors that git holds open while it runs.

        Raises:
            WorkspaceError: there is no usable git, it failed (in its words), or it took too long (then
                ``data["reason"]`` is `timeout`).
        """
        program = await self._found()
        before = [word for setting in settings for word in ("-c", setting)]
        if store is not None:
            before += (f"--git-dir={store}", f"--work-tree={self._folder}")
        argv = [str(program), *SAFE, *before, *map(str, arguments)]
        finished = await self._call(argv, stdin, limit, identity, pass_fds)
        if finished.returncode != 0 and finished.returncode not in also:
            raise _failed(str(arguments[0]), finished)
        return finished

    async def _call(
        self,
        argv: list[str],
        stdin: bytes | None = None,
        limit: int | None = None,
        identity: Mapping[str, str] | None = None,
        pass_fds: Sequence[int] = (),
    ) -> FinishedBytes:
        environment = child_environment(self._parent, {}) | _ENVIRONMENT | dict(identity or {})
        try:
            return await run_bytes(
                argv, cwd=self._folder, env=environment, stdin=stdin, timeout=SECONDS, limit=limit, pass_fds=pass_fds
            )
        except Operational as error:
            raise WorkspaceError(error.message, data={"reason": error.cause}) from error

    async def _found(self) -> Path:
        if self._program is not None:
            return self._program
        try:
            find = partial(find_program, path=self._parent.get("PATH", os.defpath), folder=self._folder)
            program = await in_thread(find, "git")
        except Operational as error:
            raise WorkspaceError(
                f"Without git there are no snapshots and no diffs. {error.message}", data={"reason": "missing"}
            ) from None
        told = (await self._call([str(program), "--version"])).stdout.decode("utf-8", "replace")
        version = re.search(r"(\d+)\.(\d+)", told)
        if version is None or (int(version[1]), int(version[2])) < OLDEST:
            needed, says = ".".join(map(str, OLDEST)), cut(clean(told.strip(), newlines=False), 80)
            raise WorkspaceError(
                f"{str(program)!r} says {says!r}; snapshots and diffs need git {needed} or newer.",
                data={"reason": "missing"},
            )
        self._program = program
        return program


def _failed(command: str, finished: FinishedBytes) -> WorkspaceError:
    words = cut(clean(finished.stderr.strip(), newlines=True), 2_000) or f"exit status {finished.returncode}"
    return WorkspaceError(f"git {command} failed: {words}", data={"reason": "failed"})
