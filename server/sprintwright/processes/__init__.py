"""Programs: found, given an environment, started, heard and ended. No other module does any of these."""

from sprintwright.processes.ancestry import descends_from_turn
from sprintwright.processes.child import Child, end_group, start_child
from sprintwright.processes.environment import child_environment, is_loader_name
from sprintwright.processes.find import find_command, find_program, is_on_path
from sprintwright.processes.leftovers import Leftovers
from sprintwright.processes.liveness import boot_id, process_start_time
from sprintwright.processes.login import LOGIN
from sprintwright.processes.peer import peer_of
from sprintwright.processes.run import Finished, FinishedBytes, run_bytes, run_process
from sprintwright.processes.ward import WARDEN

__all__ = [
    "LOGIN",
    "WARDEN",
    "Child",
    "Finished",
    "FinishedBytes",
    "Leftovers",
    "boot_id",
    "child_environment",
    "descends_from_turn",
    "end_group",
    "find_command",
    "find_program",
    "is_loader_name",
    "is_on_path",
    "peer_of",
    "process_start_time",
    "run_bytes",
    "run_process",
    "start_child",
]
