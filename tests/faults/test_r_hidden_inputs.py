"""R56: what a process has of its surroundings changes nothing about where a run goes on, and in which order."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from tests.support.replaying import GOLDEN, replayed


@pytest.mark.parametrize(
    "surroundings",
    [
        {"PYTHONHASHSEED": "1", "TZ": "Pacific/Kiritimati", "LC_ALL": "C", "LANG": "C"},
        {"PYTHONHASHSEED": "4711", "TZ": "America/St_Johns", "LC_ALL": "tr_TR.UTF-8", "LANG": "tr_TR.UTF-8"},
    ],
    ids=lambda named: named["LANG"],
)
def test_r056_a_golden_journal_leads_to_the_same_records_in_every_surrounding(surroundings: dict[str, str]) -> None:
    here = replayed()
    assert here[0] == GOLDEN.read_text("utf-8"), "from its beginning it is the golden journal again"
    one_cpu = ["taskset", "1"] if shutil.which("taskset") else []
    there = subprocess.run(
        [*one_cpu, sys.executable, "-m", "tests.support.replaying"],
        env={"PATH": os.environ["PATH"], **surroundings}, capture_output=True, check=True,
    )  # fmt: skip
    assert there.stdout.decode() == "\n".join(here)
