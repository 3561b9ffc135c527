"""Which tests `make test` leaves to `make test-exhaustive`, beside those points of grids that are marked where they stand.

They are slow for what they add: neighbours of theirs hold the same rule in every run. CI runs them all.
"""

from __future__ import annotations

import os

import pytest
from hypothesis import settings

# A deadline is a wall clock: beside other work a test that takes no longer than usual would fail it.
settings.register_profile("ours", deadline=None)
settings.load_profile("ours")

# What is not found is looked for nowhere else: the shell of whoever runs the tests is not asked.
os.environ["SPRINTWRIGHT_LOGIN_SHELL"] = ""

EXHAUSTIVE = (
    "tests/e2e/test_acp_agents.py::test_a_limit_of_tokens",
    "tests/e2e/test_acp_agents.py::test_a_run_that_was_cut_off",
    "tests/e2e/test_acp_agents.py::test_the_demo_is_played_by_its_recording",
    "tests/e2e/test_acts.py::test_a_limit_is_asked",
    "tests/e2e/test_acts.py::test_b086",
    "tests/e2e/test_acts.py::test_d4",
    "tests/e2e/test_acts.py::test_m079",
    "tests/e2e/test_acts.py::test_r015",
    "tests/e2e/test_acts.py::test_r087",
    "tests/e2e/test_acts.py::test_r089_answers_from_two_terminals_at_once",
    "tests/e2e/test_acts.py::test_s012",
    "tests/e2e/test_acts.py::test_s021_s038",
    "tests/e2e/test_cut_off.py::test_a_failed_try",
    "tests/e2e/test_cut_off.py::test_what_a_cut_off_turn_wrote_is_counted_listed_and_shown_when_it_is_done_again[cancelled]",
    "tests/e2e/test_cut_off.py::test_what_a_kept_turn",
    "tests/e2e/test_cut_off.py::test_what_was_put_back",
    "tests/e2e/test_judging_by_hand.py::test_a_recorded_answer",
    "tests/e2e/test_judging_by_hand.py::test_an_agent_must",
    "tests/e2e/test_people.py::test_half_an_answer",
    "tests/e2e/test_people.py::test_the_tree_fits_its_terminal[40]",
    "tests/e2e/test_runs.py::test_a_run_of_another_folder",
    "tests/e2e/test_runs.py::test_a_runtime_folder",
    "tests/e2e/test_runs.py::test_b053",
    "tests/e2e/test_runs.py::test_output_that_cannot",
    "tests/e2e/test_runs.py::test_r009",
    "tests/e2e/test_runs.py::test_r041_signals_end_in_order_with_their_own_code_and_leave_no_agent[1-129]",
    "tests/e2e/test_runs.py::test_r041_signals_end_in_order_with_their_own_code_and_leave_no_agent[15-143]",
    "tests/e2e/test_runs.py::test_resuming_a_run_that_can_only",
    "tests/e2e/test_selesai.py::test_f12",
    "tests/e2e/test_selesai.py::test_f5",
    "tests/e2e/test_selesai.py::test_s006",
    "tests/e2e/test_selesai.py::test_s044",
    "tests/e2e/test_selesai.py::test_s050",
    "tests/e2e/test_selesai.py::test_s051_s052",
    "tests/e2e/test_show.py::test_a_dismissed_finding_is_gone",
    "tests/e2e/test_show.py::test_a_finding_is_fixed_by_a_run_of_its_own",
    "tests/e2e/test_show.py::test_a_terminal_without_colour",
    "tests/e2e/test_show.py::test_follow_in_a_terminal",
    "tests/e2e/test_show.py::test_help_alone",
    "tests/e2e/test_show.py::test_help_of_every_built_in",
    "tests/e2e/test_show.py::test_init_writes_a_starter",
    "tests/e2e/test_show.py::test_r028",
    "tests/e2e/test_show.py::test_show_for_ci",
    "tests/e2e/test_show.py::test_where_the_encoding",
    "tests/e2e/test_show.py::test_x005_commands_that_look_run_nothing[help planted]",
    "tests/e2e/test_show.py::test_x005_commands_that_look_run_nothing[init]",
    "tests/e2e/test_show.py::test_x005_commands_that_look_run_nothing[validate]",
    "tests/e2e/test_task_quick.py::test_s012",
    "tests/e2e/test_task_quick.py::test_s021_s061",
    "tests/e2e/test_task_quick.py::test_s034_s035",
    "tests/e2e/test_task_quick.py::test_s041",
    "tests/e2e/test_task_quick.py::test_s058",
    "tests/e2e/test_terminal.py::test_a_folder_that_is_no_git_repository",
    "tests/e2e/test_terminal.py::test_swarm_builds_items",
    "tests/e2e/test_wizard.py::test_m083_a_task_alone",
    "tests/e2e/test_wizard.py::test_nothing_is_asked",
    "tests/faults/test_attacked.py::test_a_blocked_loop",
    "tests/faults/test_attacked.py::test_a_limit_that_is_none",
    "tests/faults/test_attacked.py::test_a_paused_run_is_not_gone_on",
    "tests/faults/test_attacked.py::test_a_version_of_the_users_own",
    "tests/faults/test_attacked.py::test_an_answer_beside",
    "tests/faults/test_attacked.py::test_an_owner_in_another_runtime_folder",
    "tests/faults/test_attacked.py::test_words_that_no_prompt",
    "tests/faults/test_crash.py::test_r010",
    "tests/faults/test_crash.py::test_r034_a_kill_at_a_stop_point_resumes_to_the_same_end[artifact.renamed:14]",
    "tests/faults/test_crash.py::test_r034_a_kill_at_a_stop_point_resumes_to_the_same_end[journal.after_write:9]",
    "tests/faults/test_crash.py::test_r034_a_kill_at_a_stop_point_resumes_to_the_same_end[leaf.after_effect:4]",
    "tests/faults/test_crash.py::test_r034_a_kill_at_a_stop_point_resumes_to_the_same_end[run.folder_made]",
    "tests/faults/test_killed.py::test_a_kill_in_a_pause_pauses_again",
    "tests/faults/test_killed.py::test_r034_a_kill_at_each_record_of_an_answer_loses_no_answer_and_does_nothing_twice[3]",
    "tests/faults/test_killed.py::test_r034_a_kill_between_a_later_version",
    "tests/faults/test_killed.py::test_r034_a_kill_between_an_artifacts_write",
    "tests/faults/test_limits.py::test_a_kill_in_a_wait",
    "tests/faults/test_r_owner.py::test_r018",
    "tests/faults/test_r_owner.py::test_r033",
    "tests/faults/test_r_server.py::test_r090",
    "tests/faults/test_r_server.py::test_r091",
    "tests/faults/test_r_snapshots.py::test_r040_cancelled_at_any_moment",
    "tests/faults/test_restore.py::test_a_restored_interrupted_run",
    "tests/faults/test_restore.py::test_r028",
    "tests/faults/test_restore.py::test_r032",
    "tests/faults/test_restore.py::test_r032_a_killed_deletion",
    "tests/faults/test_restore.py::test_r070",
    "tests/faults/test_restore.py::test_x040_a_killed_restore_is_told_and_can_be_finished_or_undone[restore.file_written:3-undo it:]",
    "tests/faults/test_restore.py::test_x040_a_restore_that_fails",
    "tests/faults/test_restore.py::test_x040_killed_again",
    "tests/faults/test_restore.py::test_x043",
    "tests/protocol/test_neovim.py",
    "tests/protocol/test_transport_ends.py::test_r092_a_command_that_does_not_end",
    "tests/security/test_x_consent.py::test_x014_x015_a_run_made_elsewhere_is_only_shown_and_nothing_in_it_is_acted_on[answer]",
    "tests/security/test_x_consent.py::test_x014_x015_a_run_made_elsewhere_is_only_shown_and_nothing_in_it_is_acted_on[resume]",
    "tests/security/test_x_consent.py::test_x027_an_agent_cannot_speak_for_its_user_through_our_own_program[setsid]",
    "tests/security/test_x_consent.py::test_x027_an_agent_cannot_speak_for_its_user_through_our_own_program[unmarked]",
    "tests/unit/app/test_delete.py::test_m086_anything_but_the_word",
    "tests/unit/app/test_delete.py::test_m086_the_word",
    "tests/unit/app/test_delete.py::test_r032_a_start_deletes",
    "tests/unit/app/test_delete.py::test_r032_the_state",
    "tests/unit/app/test_delete.py::test_several_runs",
    "tests/unit/app/test_delete.py::test_without_a_limit",
    "tests/unit/app/test_restore.py::test_a_restore_is_relative",
    "tests/unit/app/test_restore.py::test_a_terminal_is_shown_the_files_and_asked_once[-b",
    "tests/unit/app/test_restore.py::test_changes_of_a_cut_off_turn",
    "tests/unit/app/test_restore.py::test_changes_say_in_words",
    "tests/unit/app/test_restore.py::test_no_restore_beside",
    "tests/unit/app/test_restore.py::test_r040",
    "tests/unit/app/test_restore.py::test_what_is_in_the_way",
    "tests/unit/app/test_restore.py::test_x040",
    "tests/unit/language/test_any_text.py::test_every_beginning_of_a_file_can_be_asked_while_it_is_typed[prototype]",
    "tests/unit/language/test_any_text.py::test_every_beginning_of_a_file_can_be_asked_while_it_is_typed[quick]",
    "tests/unit/prompts/test_budget.py::test_m020_a_character_at_the_cut_is_whole_or_absent[0-",
    "tests/unit/prompts/test_budget.py::test_m020_a_character_at_the_cut_is_whole_or_absent[2-",
    "tests/unit/reading/test_linear.py::test_x069_a_reply_beyond_the_cap_takes_no_longer_than_the_cap_allows[empty_lines]",
    "tests/unit/reading/test_reports.py::test_real_pytest_output_gives_each_failure_at_its_test[line]",
    "tests/unit/reading/test_reports.py::test_real_pytest_output_gives_each_failure_at_its_test[long]",
    "tests/unit/reading/test_reports.py::test_real_pytest_output_gives_each_failure_at_its_test[native]",
    "tests/unit/test_package.py::test_the_installed_wheel",
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark them."""
    for item in items:
        if item.nodeid.startswith(EXHAUSTIVE):
            item.add_marker(pytest.mark.exhaustive)
