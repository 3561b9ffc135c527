"""A disk that is full, read-only, or lies (faults.md R7, R8, R48 and the issue's bad folders)."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.support.terminal import PROGRAM, Place, dev_script


def may_mount() -> bool:
    return (
        shutil.which("unshare") is not None
        and not subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode
    )


needs_mounts = pytest.mark.skipif(not may_mount(), reason="needs the right to mount")


@needs_mounts
def test_r007_a_full_disk_in_mid_run_stops_it_in_words_and_loses_nothing(tmp_path: Path) -> None:
    """A small disk, filled by the answer of the second turn; with space again the run goes on without repair."""
    large = [{"text": "x" * 3_000_000}, {"text": "two"}]
    place = Place(tmp_path, {"a": [{"text": "one"}], "b": large, "c": [{"text": "three"}]})
    place.define(
        "plain",
        "name: plain\nroles: [w]\nstages:\n"
        + "".join(
            f"  - {{id: {name}, kind: agent_turn, role: w, prompt: go, save_as: out_{name}}}\n" for name in "abc"
        ),
    )
    inner = " ".join([*PROGRAM, "run", "plain", "x"])
    shell = (
        f"mount -t tmpfs -o size=1500k none {place.project} && cd {place.project} && {inner}; echo exit=$?;"
        f"{' '.join(PROGRAM)} list; mount -o remount,size=50m {place.project};"
        f"{' '.join(PROGRAM)} resume; echo exit=$?"
    )
    ran = subprocess.run(["unshare", "-m", "sh", "-c", shell], env=place.environment(), capture_output=True, text=True)
    assert "exit=1" in ran.stdout and "exit=0" in ran.stdout, ran.stdout + ran.stderr
    assert "No space left" in ran.stderr and "bytes are free" in ran.stderr and "Traceback" not in ran.stderr
    assert "interrupted" in ran.stdout
    assert place.turns() == {"a": 1, "b": 2, "c": 1}


@needs_mounts
def test_a_read_only_folder_is_refused_in_words(tmp_path: Path) -> None:
    place = Place(tmp_path, dev_script())
    shell = (
        f"mount --bind {place.project} {place.project} && mount -o remount,ro,bind {place.project} && "
        f"cd {place.project} && {' '.join(PROGRAM)} run dev x"
    )
    ran = subprocess.run(["unshare", "-m", "sh", "-c", shell], env=place.environment(), capture_output=True, text=True)
    assert ran.returncode == 2 and "can't be written" in ran.stderr and "Traceback" not in ran.stderr
    assert not place.turns()


@pytest.mark.parametrize("name", ["ENOSPC", "EIO", "EDQUOT"])
def test_r008_a_failed_fsync_is_never_tried_again_and_the_next_owner_writes_a_copy(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    import asyncio

    from sprintwright.errors import JournalBroken
    from sprintwright.journal.owner import OwnedRun
    from sprintwright.journal.store import make_run_folder
    from sprintwright.model.records import Started

    async def act() -> None:
        place = make_run_folder(tmp_path)
        owned = OwnedRun(place, lambda _records: None)
        owned.journal.append("a", Started(after="", what="turn"))
        await owned.journal.sync()
        real, calls = os.fsync, 0

        def failing(_descriptor: int) -> None:
            nonlocal calls
            calls += 1
            raise OSError(getattr(errno, name), os.strerror(getattr(errno, name)))

        monkeypatch.setattr(os, "fsync", failing)
        owned.journal.append("b", Started(after="a", what="turn"))
        with pytest.raises(JournalBroken):
            await owned.journal.sync()
        with pytest.raises(JournalBroken):
            owned.journal.append("c", Started(after="b", what="turn"))
        with pytest.raises(JournalBroken):
            await owned.journal.sync()
        await owned.release()
        assert calls == 1
        monkeypatch.setattr(os, "fsync", real)
        before = (place.path / "journal.jsonl").stat().st_ino
        again = OwnedRun(place, lambda _records: None)
        assert (place.path / "journal.jsonl").stat().st_ino != before
        assert "a" in [record.key for record in again.records]
        await again.release()

    asyncio.run(act())


def test_r007_a_write_cut_at_any_byte_leaves_whole_records(tmp_path: Path) -> None:
    """FSIZE: the write that crosses the limit is short; what was written of it is truncated away."""
    code = """
import asyncio, resource, signal, sys
from pathlib import Path
from sprintwright.errors import JournalBroken
from sprintwright.journal.owner import OwnedRun
from sprintwright.journal.store import make_run_folder
from sprintwright.model.records import Noted
async def act(limit):
    place = make_run_folder(Path(sys.argv[1]))
    owned = OwnedRun(place, lambda _records: None)
    await owned.journal.sync()
    size = (place.path / "journal.jsonl").stat().st_size
    resource.setrlimit(resource.RLIMIT_FSIZE, (size + limit, resource.getrlimit(resource.RLIMIT_FSIZE)[1]))
    owned.journal.append("k", Noted(code="c", text="x" * 100))
    try:
        await owned.journal.sync()
        assert False, "nothing failed"
    except JournalBroken:
        pass
    assert (place.path / "journal.jsonl").stat().st_size == size
    resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    await owned.release()
    assert place.read().last == 1 and not place.read().tail_size
for limit in range(0, 200, 7):
    asyncio.run(act(limit))
"""
    ran = subprocess.run([PROGRAM[0], "-c", code, str(tmp_path)], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr
