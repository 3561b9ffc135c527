"""The wheel, and the checkout: both carry the built-in workflows and the demo."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from zipfile import ZipFile

import pytest

from sprintwright.definitions.discovery import builtin_folder

ROOT = Path(__file__).parents[2]
WORKFLOWS = {"author", "dev", "fix", "pair", "prototype", "quick", "swarm", "task"}
BUILTIN = {f"{name}.yaml" for name in WORKFLOWS} | {"workflow.schema.json"}


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--quiet"]
    subprocess.run(
        [*pip, "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", str(folder), str(ROOT)], check=True
    )
    return next(folder.glob("*.whl"))


def test_the_checkout_finds_its_definitions() -> None:
    assert builtin_folder() == ROOT / "definitions"
    assert {path.name for path in builtin_folder().iterdir()} == BUILTIN


def test_the_wheel_holds_the_definitions_the_demo_and_the_license_and_no_tests(wheel: Path) -> None:
    with ZipFile(wheel) as packed:
        names = set(packed.namelist())
    assert {f"sprintwright/builtin/{name}" for name in BUILTIN} <= names
    assert {"sprintwright/demo/recording.yaml", "sprintwright/demo/project/check.py"} <= names
    assert any(name.endswith("LICENSE") for name in names)
    assert not [name for name in names if "/unit/" in name or name.startswith("tests/") or ".pyc" in name]


def test_the_installed_wheel_lists_its_workflows_and_runs_the_demo(wheel: Path, tmp_path: Path) -> None:
    target = tmp_path / "site"
    with ZipFile(wheel) as packed:
        packed.extractall(target)
    code = f"import sys; sys.path.insert(0, {str(target)!r}); from sprintwright.cli.main import main; sys.exit(main())"
    environment = {"PATH": os.environ["PATH"], "HOME": str(tmp_path), "TMPDIR": str(tmp_path)}

    def call(*arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, "-I", "-c", code, *arguments],
            cwd=tmp_path,
            env=environment,
            capture_output=True,
            text=True,
        )

    listed = call("workflows")
    assert listed.returncode == 0 and all(name in listed.stdout for name in WORKFLOWS), listed.stderr
    demo = call("demo")
    assert demo.returncode == 0, demo.stdout + demo.stderr
    assert "2 findings" in demo.stdout and "completed" in demo.stdout


def test_locked_versions_are_whole_and_name_no_address() -> None:
    text = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8")
    pins = [line for line in text.splitlines() if "==" in line]
    assert len(pins) > 20 and "://" not in text
    blocks = text.split("\n\n") if "\n\n" in text else [text]
    assert all("--hash=sha256:" in block for block in blocks)
    versions = {line.split("==")[0]: line.split("==")[1].split()[0] for line in pins}
    assert tuple(map(int, versions["filelock"].split(".")))[:2] >= (3, 20)
