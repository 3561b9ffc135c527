"""The one decision about paths: which are allowed, which are protected, and how files are opened."""

from sprintwright.paths.beneath import is_folder, is_link, open_beneath, read_beneath, refuse_links, resolve_inside
from sprintwright.paths.names import artifact_name, relative_inside
from sprintwright.paths.protected import PROTECTED_PLACES, is_protected, protection, runs_here
from sprintwright.paths.writing import make_private_dir, remove_leftovers, sync_folder, write_atomic

__all__ = [
    "PROTECTED_PLACES",
    "artifact_name",
    "is_folder",
    "is_link",
    "is_protected",
    "make_private_dir",
    "open_beneath",
    "protection",
    "read_beneath",
    "refuse_links",
    "relative_inside",
    "remove_leftovers",
    "resolve_inside",
    "runs_here",
    "sync_folder",
    "write_atomic",
]
