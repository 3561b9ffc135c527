"""Which tests `make test` leaves to `make test-exhaustive`, beside those points of grids that are marked where they stand.

They are slow for what they add: neighbours of theirs hold the same rule in every run. CI runs them all.
"""

from __future__ import annotations

import pytest
from hypothesis import settings

# A deadline is a wall clock: beside other work a test that takes no longer than usual would fail it.
settings.register_profile("ours", deadline=None)
settings.load_profile("ours")

EXHAUSTIVE = (
    "tests/unit/language/test_any_text.py::test_every_beginning_of_a_file_can_be_asked_while_it_is_typed[prototype]",
    "tests/unit/language/test_any_text.py::test_every_beginning_of_a_file_can_be_asked_while_it_is_typed[quick]",
    "tests/unit/prompts/test_budget.py::test_m020_a_character_at_the_cut_is_whole_or_absent[0-",
    "tests/unit/prompts/test_budget.py::test_m020_a_character_at_the_cut_is_whole_or_absent[2-",
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
    "tests/e2e/test_task_quick.py::test_s021_s061",
    "tests/e2e/test_task_quick.py::test_s034_s035",
    "tests/e2e/test_task_quick.py::test_s012",
    "tests/e2e/test_acts.py::test_r015",
    "tests/e2e/test_acts.py::test_d4",
    "tests/e2e/test_acts.py::test_s012",
    "tests/e2e/test_acts.py::test_m079",
    "tests/e2e/test_acts.py::test_b086",
    "tests/e2e/test_acts.py::test_a_limit_is_asked",
    "tests/e2e/test_runs.py::test_r009",
    "tests/e2e/test_runs.py::test_a_run_of_another_folder",
    "tests/e2e/test_runs.py::test_resuming_a_run_that_can_only",
    "tests/e2e/test_runs.py::test_b053",
    "tests/e2e/test_selesai.py::test_s050",
    "tests/e2e/test_selesai.py::test_s006",
    "tests/e2e/test_show.py::test_r028",
    "tests/e2e/test_show.py::test_a_terminal_without_colour",
    "tests/e2e/test_show.py::test_where_the_encoding",
    "tests/e2e/test_people.py::test_half_an_answer",
    "tests/faults/test_attacked.py::test_an_owner_in_another_runtime_folder",
    "tests/faults/test_attacked.py::test_a_version_of_the_users_own",
    "tests/faults/test_attacked.py::test_a_paused_run_is_not_gone_on",
    "tests/faults/test_crash.py::test_r034_a_kill_at_a_stop_point_resumes_to_the_same_end[artifact.renamed:14]",
    "tests/faults/test_crash.py::test_r034_a_kill_at_a_stop_point_resumes_to_the_same_end[leaf.after_effect:4]",
    "tests/faults/test_killed.py::test_r034_a_kill_between_a_later_version",
    "tests/faults/test_killed.py::test_a_kill_in_a_pause_pauses_again",
    "tests/faults/test_restore.py::test_x040_a_killed_restore_is_told_and_can_be_finished_or_undone[restore.file_written:3-undo it:]",
    "tests/faults/test_restore.py::test_x040_a_restore_that_fails",
    "tests/security/test_x_consent.py::test_x027_an_agent_cannot_speak_for_its_user_through_our_own_program[setsid]",
    "tests/unit/app/test_delete.py::test_several_runs",
    "tests/unit/app/test_delete.py::test_without_a_limit",
    "tests/unit/app/test_delete.py::test_r032_the_state",
    "tests/unit/app/test_restore.py::test_changes_of_a_cut_off_turn",
    "tests/unit/app/test_restore.py::test_a_restore_is_relative",
    "tests/unit/reading/test_reports.py::test_real_pytest_output_gives_each_failure_at_its_test[line]",
    "tests/unit/reading/test_reports.py::test_real_pytest_output_gives_each_failure_at_its_test[native]",
    "tests/unit/reading/test_linear.py::test_x069_a_reply_beyond_the_cap_takes_no_longer_than_the_cap_allows[empty_lines]",
    "tests/faults/test_r_snapshots.py::test_r040_cancelled_at_any_moment",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark them."""
    for item in items:
        if item.nodeid.startswith(EXHAUSTIVE):
            item.add_marker(pytest.mark.exhaustive)
