"""`sprintwright.stops`: named points for tests."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from sprintwright import stops


@pytest.fixture(autouse=True)
def forgotten() -> Iterator[None]:
    yield
    stops.read_environment({})


def test_an_unset_variable_stops_nothing() -> None:
    stops.read_environment({})
    stops.stop("journal.after_write")


def test_the_nth_visit_of_a_named_point_raises() -> None:
    stops.read_environment({"SPRINTWRIGHT_TEST_STOP": "a.b:2,c", "SPRINTWRIGHT_TEST_STOP_ACTION": "raise"})
    stops.stop("a.b")
    stops.stop("other")
    with pytest.raises(stops.Stopped):
        stops.stop("a.b")
    with pytest.raises(stops.Stopped):
        stops.stop("c")
    stops.stop("a.b")


def test_a_wait_ends_when_the_file_is_there(tmp_path: Path) -> None:
    go = tmp_path / "go"
    go.touch()
    stops.read_environment({"SPRINTWRIGHT_TEST_STOP": "a", "SPRINTWRIGHT_TEST_STOP_ACTION": f"wait:{go}"})
    stops.stop("a")


def test_the_default_is_a_kill() -> None:
    code = "from sprintwright.stops import stop; stop('a'); print('alive')"
    done = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | {"SPRINTWRIGHT_TEST_STOP": "a"}, capture_output=True, check=False
    )
    assert (done.returncode, done.stdout) == (-signal.SIGKILL, b"")
