"""A folder that wants to run code, and a server in it whose system calls are watched."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.protocol.support import RawClient
from tests.support.terminal import PROGRAM, Place

HAS_STRACE = shutil.which("strace") is not None
RUN = "20260101-0000000%02d-evil"
"""Ids of the runs that the folder brings."""
_PLANTED = "name: %s\nstages: [{id: x, kind: check, commands: [[./evil]], verdict: {a: {action: break}}}]\n"
_MODULES = ("sitecustomize", "usercustomize", "yaml", "typing", "json", "pygls", "lsprotocol", "pydantic", "asyncio")


def make_hostile(place: Place, canary: Path) -> None:
    """Fill the project: whatever is taken from it as program, module, setting or hook makes the ``canary``."""
    folder, ours = place.project, place.project / ".sprintwright"
    (ours / "workflows").mkdir(parents=True)
    (ours / "config.yaml").write_text(
        f"agents: {{evil: {{kind: cli, command: [./evil, '{canary}']}}}}\nprimary: evil\nroles: {{evaluator: evil}}\n"
    )
    for name in ("evil", "git", "python", "python3", "sh", "cat", "node", "claude", "codex", "strace"):
        (folder / name).write_text(f"#!/bin/sh\ntouch '{canary}'\n")
        (folder / name).chmod(0o755)
    for name in _MODULES:
        (folder / f"{name}.py").write_text(f"open({str(canary)!r}, 'w')\n")
    subprocess.run(["git", "init", "-q", str(folder)], check=True)
    with (folder / ".git" / "config").open("a") as file:
        file.write(f'[core]\n\tfsmonitor = touch {canary}\n\thooksPath = .\n[filter "x"]\n\tclean = touch {canary}\n')
    (folder / ".gitattributes").write_text("* filter=x\n")
    (folder / ".env").write_text("PYTHONPATH=.\nPATH=.\n")
    _definitions(ours / "workflows")
    _runs(ours / "runs", folder)


def _definitions(folder: Path) -> None:
    """Files that wait, lead elsewhere, never end, or have names that mean something else to somebody."""
    for name in ("planted", "--help", "-rf", "$(id)", "con", "nul", "aux.", "a\nb", "dev ", "\u202elmay"):
        (folder / f"{name}.yaml").write_text(_PLANTED % json.dumps(name))
    (folder / "link.yaml").symlink_to("/etc/passwd")
    (folder / "zero.yaml").symlink_to("/dev/zero")
    (folder / "self.yaml").symlink_to("self.yaml")
    (folder / "folder.yaml").mkdir()
    (folder / "bad-\udcff.yaml").write_bytes(b"name: \xff\xfe\n")
    (folder / "bomb.yaml").write_text("a: &a [x, x]\nb: &b [*a, *a]\nc: [*b, *b]\n")
    os.mkfifo(folder / "fifo.yaml")
    _socket(folder / "socket.yaml")
    _huge(folder / "huge.yaml")
    (folder / "locked.yaml").write_text(_PLANTED % "locked")
    (folder / "locked.yaml").chmod(0)


def _runs(folder: Path, elsewhere: Path) -> None:
    """Runs that were never made here."""
    for number in range(7):
        (folder / (RUN % number)).mkdir(parents=True)
    (folder / (RUN % 7)).symlink_to(elsewhere)
    (folder / (RUN % 8)).write_text("a file")
    journals = [folder / (RUN % number) / "journal.jsonl" for number in range(7)]
    os.mkfifo(journals[0])
    journals[1].symlink_to("/dev/zero")
    _huge(journals[2])
    journals[3].mkdir()
    _socket(journals[4])
    journals[5].write_bytes(b'{"seq":1}\n' + b"\xff" * 10_000)
    os.mkfifo(journals[6].with_name("lock"))


def _huge(path: Path) -> None:
    with path.open("wb") as file:
        file.truncate(1 << 40)


def _socket(path: Path) -> None:
    """Bound by its name alone: the whole path may be too long for one."""
    before = Path.cwd()
    with socket.socket(socket.AF_UNIX) as listening:
        os.chdir(path.parent)
        try:
            listening.bind(path.name)
        finally:
            os.chdir(before)


def listing(*folders: Path) -> dict[str, tuple[int, ...]]:
    """Everything in folders: kind, size, and when it was last written."""
    found: dict[str, tuple[int, ...]] = {}
    for path in (one for folder in folders for one in (folder, *folder.rglob("*"))):
        stat = path.lstat()
        found[str(path)] = (stat.st_mode, stat.st_size, stat.st_mtime_ns)
    return found


def odd_folders(base: Path) -> list[Path]:
    """Folders with a `.sprintwright` that is none, leads elsewhere, or waits for somebody who writes."""
    outside = base / "elsewhere"
    (outside / "workflows").mkdir(parents=True)
    (outside / "workflows" / "stolen.yaml").write_text(_PLANTED % "stolen")
    makers: dict[str, Callable[[Path], object]] = {
        "": lambda ours: ours.symlink_to(outside),
        " ": os.mkfifo,
        "  ": Path.touch,
        "config.yaml": os.mkfifo,
        "config.yaml ": lambda path: path.symlink_to("/dev/zero"),
        "runs": lambda path: path.symlink_to("/"),
        "runs ": os.mkfifo,
        "workflows": lambda path: path.symlink_to(outside / "workflows"),
        "workflows ": os.mkfifo,
    }
    found: list[Path] = []
    for number, (name, make) in enumerate(makers.items()):
        found.append(base / f"odd{number}")
        ours = found[-1] / ".sprintwright"
        (ours if name.strip() else found[-1]).mkdir(parents=True)
        make(ours / name.strip())
    (loop := base / "loop").symlink_to(loop)
    return [*found, loop, base / "gone", base / ("l" * 300)]


class Watched:
    """A server in the project's folder, and what it did outside of its own memory, where strace is there.

    Args:
        reads: also watch what it opens; that makes it slow.
    """

    def __init__(self, place: Place, *, reads: bool) -> None:
        self._calls = place.base / "calls"
        watched = "execve,connect" + (",open,openat" if reads else "")
        tracer = [
            shutil.which("strace") or "",
            "-f",
            "-qq",
            "--seccomp-bpf",
            "-o",
            str(self._calls),
            "-e",
            f"trace={watched}",
        ]
        environment = place.environment(PATH=f"{place.project}:.:{os.environ['PATH']}")
        argv = [*(tracer if HAS_STRACE else ()), PROGRAM[0], "-P", *PROGRAM[1:], "lsp"]
        self.client = RawClient.start(argv, cwd=place.project, env=environment)

    def initialize(self, folders: list[Path], **options: Any) -> None:
        """Shake hands."""
        opened = [{"uri": folder.as_uri(), "name": folder.name} for folder in folders]
        capabilities = {"workspace": {"configuration": True, "workspaceFolders": True}}
        self.client.initialize(workspaceFolders=opened, initializationOptions=options, capabilities=capabilities)

    def programs(self) -> list[str]:
        """What it started."""
        return [line for line in self._lines("execve") if f'execve("{PROGRAM[0]}"' not in line]

    def connections(self) -> list[str]:
        """Where it called, but for sockets of this machine's files."""
        return [line for line in self._lines("connect") if "AF_UNIX" not in line]

    def opened(self, folder: Path) -> list[str]:
        """What it opened in a folder."""
        return [line for line in self._lines("openat", "open") if f'"{folder}' in line]

    def _lines(self, *names: str) -> list[str]:
        lines = self._calls.read_text(encoding="utf-8", errors="replace").splitlines() if HAS_STRACE else []
        return [line for line in lines if any(f" {name}(" in line for name in names) and "= -1 " not in line]


@contextmanager
def watched(place: Place, *, reads: bool = False) -> Generator[Watched]:
    """A `Watched` server, ended in the proper way when nothing failed."""
    server = Watched(place, reads=reads)
    try:
        yield server
        assert server.client.shut_down() == 0, server.client.log
    finally:
        server.client.close()
