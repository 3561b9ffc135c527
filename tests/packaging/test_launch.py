"""The server started as the extension starts it, in an environment made from the package."""

from __future__ import annotations

import contextlib
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.packaging.support import NAME, PYTHON, VERSION, carried, launched, serving, status
from tests.support.terminal import Place

pytestmark = pytest.mark.timeout(300)


@pytest.mark.parametrize("name", ["launch.py", "set_up.py"])
def test_r115_an_old_python_is_told_off(extension: Path, tmp_path: Path, name: str) -> None:
    older = "import runpy, sys; sys.version_info = (3, 9, 2); del sys.argv[0]; runpy.run_path(sys.argv[0], run_name='__main__')"
    argv = [PYTHON, "-I", "-c", older, str(extension / name), str(tmp_path / "to"), str(extension / "bundled")]
    done = subprocess.run(argv, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (90, "")
    assert done.stderr == f"{PYTHON} is Python 3.9; Sprintwright needs 3.11 or newer.\n"
    assert not (tmp_path / "to").exists()


def test_an_environment_that_was_never_made_or_has_lost_a_package_is_told(
    extension: Path, made: Path, tmp_path: Path
) -> None:
    assert launched(extension, tmp_path) == (91, f"Sprintwright is not set up for Python {VERSION} yet.\n")
    shutil.copytree(made / NAME, tmp_path / NAME, ignore=shutil.ignore_patterns("sprintwright"))
    told = f"Sprintwright can't be loaded by {PYTHON}: No module named 'sprintwright'\n"
    assert launched(extension, tmp_path) == (92, told)


def test_r113_the_server_takes_the_demo_to_its_end_with_no_file_of_the_extension_left(
    extension: Path, made: Path, tmp_path: Path
) -> None:
    removed = carried(extension, tmp_path / "extension")
    with contextlib.closing(serving(removed, made, Place(tmp_path / "place"))) as client:
        shutil.rmtree(removed)
        names = {workflow["name"] for workflow in client.result("sprintwright.workflow.list")["workflows"]}
        assert {"dev", "author"} <= names
        client.result("sprintwright.demo.start")
        client.wait_for(lambda one: status(one) == "completed", seconds=60)
        found = [one for one in client.received if one.get("method") == "textDocument/publishDiagnostics"]
        assert sum(len(one["params"]["diagnostics"]) for one in found) > 0
        assert client.shut_down() == 0


def test_a_check_that_calls_our_own_program_finds_it_where_only_the_server_has_the_package(
    extension: Path, made: Path, tmp_path: Path
) -> None:
    place = Place(tmp_path)
    place.define(
        "own",
        'name: own\nstages:\n  - {id: ours, kind: check, commands: [["{sprintwright}", workflows]], strategy: fail_fast}\n',
    )
    with contextlib.closing(serving(extension, made, place)) as client:
        client.result("sprintwright.workflow.start", {"workflow": "own", "task": "go"})
        ends = ("completed", "failed", "interrupted", "cancelled", "ended")
        last = client.wait_for(lambda one: status(one) in ends, seconds=30)
        assert status(last) == "completed", last
        assert client.shut_down() == 0
