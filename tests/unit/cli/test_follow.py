"""Watching a run that another program carries on: what a poll reads, and what happens to the file meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sprintwright.app import follow, owners
from sprintwright.app.follow import Follower
from sprintwright.app.places import Places
from sprintwright.journal.line import encode
from sprintwright.journal.store import RunFolder, make_run_folder
from sprintwright.model.records import Ended, Entered, Opened, Payload, Record, Released, RunStarted, Started
from sprintwright.state.fold import RunState
from sprintwright.state.tree import Delta

PAYLOADS: list[tuple[str, Payload]] = [
    ("", Opened(pid=1, host="h", program="p")),
    ("", RunStarted(run_id="r", workflow="dev", origin="", definition_hash="", task="t", folder="/", roles={})),
    ("a", Started(after="", what="turn")),
    ("", Ended(status="cancelled")),
    ("", Released()),
]


def lines(*payloads: tuple[str, Payload], first: int = 1) -> bytes:
    made = (
        encode(Record(seq, "2026-01-01T00:00:00.000Z", key, payload, 0, "e"))[0]
        for seq, (key, payload) in enumerate(payloads, start=first)
    )
    return b"".join(made)


def alive(_places: Places, _run_id: str) -> bool:
    return True


def gone(_places: Places, _run_id: str) -> bool:
    return False


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> RunFolder:
    monkeypatch.setattr(owners, "is_alive", alive)
    return make_run_folder(tmp_path)


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path / "config", tmp_path / "state", tmp_path / "runtime")


class Told:
    def __init__(self) -> None:
        self.seqs: list[int] = []

    def __call__(self, record: Record, delta: Delta, state: RunState) -> None:
        assert state.revision == record.seq  # the state stands where the record left it
        self.seqs.append(record.seq)


def journal(place: RunFolder) -> Path:
    return place.path / "journal.jsonl"


def test_each_record_is_told_once_when_it_is_whole(place: RunFolder, places: Places) -> None:
    whole, told = lines(*PAYLOADS), Told()
    with Follower(places, place) as follower:
        follower.poll(told)
        assert told.seqs == []  # there is no journal yet
        with journal(place).open("ab") as file:
            for start in range(0, len(whole), 37):
                file.write(whole[start : start + 37])
                file.flush()
                follower.poll(told)
        assert told.seqs == [1, 2, 3, 4, 5]
        assert follower.ended and follower.state.status == "cancelled"


def test_a_poll_reads_only_what_was_appended(place: RunFolder, places: Places, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[bytes] = []
    real = follow.decode

    def counted(line: bytes, read: Any) -> Record:
        decoded.append(line)
        return real(line, read)

    monkeypatch.setattr(follow, "decode", counted)
    many = [*PAYLOADS[:2], *[("l", Entered(label="pass", limit=3))] * 2_000]
    journal(place).write_bytes(lines(*many))
    with Follower(places, place) as follower:
        follower.poll()
        assert len(decoded) == 2_002
        for more in range(3):
            with journal(place).open("ab") as file:
                file.write(lines(("l", Entered(label="pass", limit=3)), first=2_003 + more))
            decoded.clear()
            follower.poll()
            assert len(decoded) == 1
        decoded.clear()
        follower.poll()
        assert decoded == []


def test_a_copy_that_a_new_owner_put_in_its_place_tells_nothing_twice(place: RunFolder, places: Places) -> None:
    journal(place).write_bytes(lines(*PAYLOADS[:3]) + b'{"torn')
    told = Told()
    with Follower(places, place) as follower:
        follower.poll(told)
        copy = place.path / "copy"
        copy.write_bytes(lines(*PAYLOADS[:3]) + lines(*PAYLOADS[3:], first=4))
        copy.replace(journal(place))
        follower.poll(told)
        assert told.seqs == [1, 2, 3, 4, 5] and follower.state.status == "cancelled"


def test_a_file_that_lost_its_end_is_read_anew(place: RunFolder, places: Places) -> None:
    told = Told()
    journal(place).write_bytes(lines(*PAYLOADS[:2]) + b'{"torn')
    with Follower(places, place) as follower:
        follower.poll(told)
        journal(place).write_bytes(lines(*PAYLOADS[:2]))
        follower.poll(told)
        with journal(place).open("ab") as file:
            file.write(lines(PAYLOADS[2], first=3))
        follower.poll(told)
        assert told.seqs == [1, 2, 3] and follower.state.status == "running"


@pytest.mark.parametrize("bad", [b"{}\n", lines(PAYLOADS[2], first=9)])
def test_a_journal_that_is_damaged_meanwhile_ends_the_watching(place: RunFolder, places: Places, bad: bytes) -> None:
    journal(place).write_bytes(lines(*PAYLOADS[:2]) + bad + lines(PAYLOADS[2], first=3))
    with Follower(places, place) as follower:
        follower.poll()
        assert follower.ended and follower.state.status == "unreadable" and follower.state.reason
        follower.poll()
        assert follower.state.status == "unreadable"


def test_an_owner_that_is_gone_ends_the_watching(
    place: RunFolder, places: Places, monkeypatch: pytest.MonkeyPatch
) -> None:
    journal(place).write_bytes(lines(*PAYLOADS[:3]))
    with Follower(places, place) as follower:
        follower.poll()
        assert not follower.ended
        monkeypatch.setattr(owners, "is_alive", gone)
        follower.poll()
        assert follower.ended and follower.state.status == "interrupted"


def test_a_journal_that_is_a_link_is_not_opened(place: RunFolder, places: Places, tmp_path: Path) -> None:
    (tmp_path / "other").write_bytes(lines(*PAYLOADS))
    journal(place).symlink_to(tmp_path / "other")
    with Follower(places, place) as follower:
        follower.poll()
        assert follower.state.status == "unreadable"
