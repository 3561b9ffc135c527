"""Whether a pid still means the process that was meant: pids are used again, a pid and its start are not."""

from __future__ import annotations

from pathlib import Path


def process_start_time(pid: int) -> int | None:
    """When a process started, in clock ticks since the boot; None when it is gone or the system can't tell.

    Only Linux tells (`/proc`). Elsewhere a pid alone says little, and callers must treat None as *unknown*.
    """
    fields = stat_fields(pid)
    return int(fields[19]) if fields else None


def boot_id() -> str:
    """A name for the time since the last boot; empty when the system has none."""
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
    except OSError:
        return ""


def stat_fields(pid: int | str) -> list[str] | None:
    """The fields of `/proc/<pid>/stat` from the third (state) on: state, ppid, pgrp, session, …"""
    try:
        raw = Path(f"/proc/{pid}/stat").read_bytes()
    except (OSError, ValueError):
        return None
    # The program's name, in parentheses, may hold spaces and parentheses.
    return raw.rpartition(b")")[2].decode("ascii", "replace").split() or None
