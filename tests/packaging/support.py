"""How the extension makes the environment of the server and starts it: the same commands, without a network."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

from tests.protocol.support import Message, RawClient
from tests.support.terminal import Place

PYTHON = str(Path(sys.executable).resolve())
"""The Python of the system, without the packages of our .venv."""
VERSION = "{}.{}".format(*sys.version_info)
NAME = f"cp{VERSION.replace('.', '')}"
CAN_LEAVE_NETWORK = (
    shutil.which("unshare") is not None
    and not subprocess.run(["unshare", "-n", "true"], capture_output=True).returncode
)
OFFLINE = ["unshare", "-n"] if CAN_LEAVE_NETWORK else []


def command(extension: Path, to: Path, *more: str) -> list[str]:
    """How the extension makes an environment."""
    return [PYTHON, "-I", "-X", "utf8", str(extension / "set_up.py"), str(to), str(extension / "bundled"), *more]


def set_up(extension: Path, to: Path, *more: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """Make an environment without a network."""
    own = {**os.environ, **environment}
    return subprocess.run([*OFFLINE, *command(extension, to, *more)], env=own, capture_output=True, text=True)


def carried(extension: Path, folder: Path) -> Path:
    """A copy of the extension in which a test may change a wheel."""
    shutil.copytree(extension, folder, ignore=shutil.ignore_patterns("dist", "media"))
    return folder


def launched(extension: Path, environments: Path) -> tuple[int, str]:
    """How a start that fails ends, and what it says."""
    argv = [PYTHON, "-I", "-X", "utf8", str(extension / "launch.py"), str(environments)]
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.stdout == ""
    return done.returncode, done.stderr


def start(extension: Path, environments: Path, place: Place, python: str = PYTHON) -> RawClient:
    """The server, as the extension starts it."""
    argv = [python, "-I", "-X", "utf8", str(extension / "launch.py"), str(environments)]
    return RawClient.start([*OFFLINE, *argv], cwd=Path("/"), env=place.environment())


def serving(extension: Path, made: Path, place: Place, python: str = PYTHON, **options: object) -> RawClient:
    """A trusted client of the server in that environment."""
    client = start(extension, made, place, python)
    folders = [{"uri": place.project.as_uri(), "name": "project"}]
    answer = client.initialize(initializationOptions={"trusted": True, **options}, workspaceFolders=folders)
    assert answer["result"]["serverInfo"]["version"] == json.loads((extension / "package.json").read_text())["version"]
    return client


def status(message: Message) -> str | None:
    """The run's, if the message tells one."""
    return message["params"]["status"] if message.get("method") == "sprintwright/run/didChange" else None
