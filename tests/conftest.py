"""Which tests `make test` leaves to `make test-exhaustive`, beside those points of grids that are marked where they stand.

They are slow for what they add: neighbours of theirs hold the same rule in every run. CI runs them all.
"""

from __future__ import annotations

import pytest

EXHAUSTIVE = (
    "tests/faults/test_restore.py::test_x043",
    "tests/faults/test_restore.py::test_r070",
    "tests/faults/test_restore.py::test_x040_killed_again",
    "tests/faults/test_restore.py::test_a_restored_interrupted_run",
    "tests/faults/test_restore.py::test_r032_a_killed_deletion",
    "tests/faults/test_restore.py::test_r028",
    "tests/faults/test_attacked.py::test_a_limit_that_is_none",
    "tests/unit/app/test_delete.py::test_m086_anything_but_the_word",
    "tests/security/test_x_consent.py::test_x027_an_agent_cannot_speak_for_its_user_through_our_own_program[unmarked]",
    "tests/e2e/test_task_quick.py::test_s041",
    "tests/e2e/test_show.py::test_help_of_every_built_in",
    "tests/unit/app/test_restore.py::test_x040",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark them."""
    for item in items:
        if item.nodeid.startswith(EXHAUSTIVE):
            item.add_marker(pytest.mark.exhaustive)
