"""The extension's package as ``make vsix`` has built it, and as a user has it installed and set up."""

from __future__ import annotations

import importlib.util
import json
import zipfile
from pathlib import Path
from types import ModuleType

import pytest

from tests.packaging.support import set_up

CLIENT = Path(__file__).parents[2] / "client-vscode"


@pytest.fixture(scope="session", autouse=True)
def package() -> Path:
    """The tests mean nothing without it."""
    version = json.loads((CLIENT / "package.json").read_text(encoding="utf-8"))["version"]
    built = CLIENT / f"sprintwright-linux-x64-{version}.vsix"
    if not built.exists():
        pytest.fail(f"There is no {built.name}: build the extension's package with `make vsix`.", pytrace=False)
    return built


@pytest.fixture(scope="session")
def extension(package: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the installed extension."""
    folder = tmp_path_factory.mktemp("installed")
    with zipfile.ZipFile(package) as archive:
        archive.extractall(folder)
    return folder / "extension"


@pytest.fixture(scope="session")
def made(extension: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of environments, made without a network."""
    to = tmp_path_factory.mktemp("storage") / "Günther's python 0.1.0"
    done = set_up(extension, to)
    assert done.returncode == 0, done.stdout + done.stderr
    return to


@pytest.fixture(scope="session")
def script() -> ModuleType:
    """The script that builds the package."""
    spec = importlib.util.spec_from_file_location("package", CLIENT / "scripts" / "package.py")
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
