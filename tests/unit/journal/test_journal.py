"""The journal's file: lines, tails, owners, blobs."""

import asyncio
import json
import os
from pathlib import Path

import pytest
from tests.support.grid import grid

from sprintwright.errors import JournalBroken, Refused
from sprintwright.journal.line import BadLine, decode, encode
from sprintwright.journal.owner import OwnedRun
from sprintwright.journal.store import RunFolder, list_run_folders, make_run_folder, new_run_id
from sprintwright.model.records import Ended, Finished, Noted, Opened, Record, Released, RunStarted, Started, TailCut


def started(n: int) -> Started:
    return Started(after="", what="turn", role=f"r{n}")


async def write_run(place: RunFolder, count: int = 6) -> None:
    """One owner: a start, some leaves, synced after each `started`."""
    owned = OwnedRun(place, lambda _records: None)
    owned.journal.append(
        "",
        RunStarted(
            run_id=place.run_id,
            workflow="w",
            origin="o",
            definition_hash="",
            task="t",
            folder=str(place.folder),
            roles={},
        ),
    )
    for n in range(count):
        owned.journal.append(f"k{n}", started(n))
        await owned.journal.sync()
        owned.journal.append(f"k{n}", Finished(after="", value={"text": f"answer {n}"}))
    await owned.release()


@pytest.fixture
def place(tmp_path: Path) -> RunFolder:
    made = make_run_folder(tmp_path)
    asyncio.run(write_run(made))
    return made


def journal_of(place: RunFolder) -> Path:
    return place.path / "journal.jsonl"


async def reopen(place: RunFolder) -> list[Record]:
    owned = OwnedRun(place, lambda _records: None)
    await owned.release()
    return place.read().records


def test_records_come_back_as_they_were_written(place: RunFolder) -> None:
    loaded = place.read()
    assert loaded.unreadable is None and loaded.closed
    assert [r.seq for r in loaded.records] == list(range(1, len(loaded.records) + 1))
    assert isinstance(loaded.records[0].payload, Opened)
    assert isinstance(loaded.records[-1].payload, Released)
    assert loaded.records[3].payload == Finished(after="", value={"text": "answer 0"})


def test_a_line_is_strict_json_with_its_checksum() -> None:
    line, blobs = encode(Record(7, "2026-01-01T00:00:00.000Z", "a/b", Noted(code="c", text="é\n"), 5, "e"))
    assert json.loads(line)["key"] == "a/b" and not blobs and line.endswith(b"}\n") and line.count(b"\n") == 1
    assert decode(line).payload == Noted(code="c", text="é\n")
    with pytest.raises(BadLine):
        decode(line.replace(b"a/b", b"a/c"))


def test_a_finished_and_the_next_started_share_one_fsync(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    count = 0
    real = os.fsync

    async def act() -> None:
        nonlocal count
        owned = OwnedRun(make_run_folder(tmp_path), lambda _records: None)
        await owned.journal.sync()

        def counted(descriptor: int) -> None:
            nonlocal count
            count += 1
            real(descriptor)

        monkeypatch.setattr(os, "fsync", counted)
        for n in range(10):
            owned.journal.append(f"k{n}", started(n))
            await owned.journal.sync()
            owned.journal.append(f"k{n}", Finished(after="", value={}))
        seen = count
        await owned.release()
        assert seen == 10

    asyncio.run(act())


def test_nothing_is_reported_before_it_is_on_disk(tmp_path: Path) -> None:
    async def act() -> None:
        place = make_run_folder(tmp_path)
        told: list[int] = []
        owned = OwnedRun(place, lambda records: told.extend(r.seq for r in records))
        for n in range(5):
            owned.journal.append(f"k{n}", started(n))
            assert n + 2 not in told
            await owned.journal.sync()
            on_disk = [r.seq for r in place.read().records]
            assert told == on_disk[: len(told)] and told[-1] == n + 2
        await owned.release()

    asyncio.run(act())


@pytest.mark.parametrize("first", grid(range(7), [0]))
def test_r002_a_torn_tail_at_any_byte_is_cut_once_and_told(place: RunFolder, first: int) -> None:
    whole = journal_of(place).read_bytes()
    ends = [i + 1 for i, byte in enumerate(whole) if byte == 10]
    for size in range(ends[-3] + first, len(whole), 7):
        for cut in place.path.glob("journal.cut-*"):
            cut.unlink()
        journal_of(place).write_bytes(whole[:size])
        complete = sum(1 for end in ends if end <= size)
        tail = size - ends[complete - 1]
        records = asyncio.run(reopen(place))
        cuts = [r.payload for r in records if isinstance(r.payload, TailCut)]
        assert [c.size for c in cuts] == ([tail] if tail else [])
        if tail:
            assert (place.path / cuts[0].file).read_bytes() == whole[size - tail : size]
        assert [r.seq for r in records] == list(range(1, len(records) + 1))
        assert records[:complete] == place.read().records[:complete]
        assert asyncio.run(reopen(place))[-1].seq == len(records) + 2


def test_r004_a_changed_bit_below_a_synced_number_makes_the_run_unreadable(place: RunFolder) -> None:
    whole = journal_of(place).read_bytes()
    lines = whole.splitlines(keepends=True)
    offset = 0
    for number, line in enumerate(lines[:-2], start=1):
        damaged = bytearray(whole)
        damaged[offset + len(line) // 2] ^= 4
        journal_of(place).write_bytes(damaged)
        loaded = place.read()
        assert loaded.unreadable is not None and loaded.unreadable.line == number
        assert loaded.unreadable.offset == offset
        assert len(loaded.records) == number - 1
        with pytest.raises(Exception, match="checksum"):
            asyncio.run(reopen(place))
        assert journal_of(place).read_bytes() == bytes(damaged)
        offset += len(line)


@pytest.mark.parametrize("edit", ["doubled", "dropped", "swapped"])
def test_r005_numbers_that_do_not_go_up_by_one_are_unreadable(place: RunFolder, edit: str) -> None:
    lines = journal_of(place).read_bytes().splitlines(keepends=True)
    if edit == "doubled":
        lines.insert(4, lines[4])
    elif edit == "dropped":
        del lines[4]
    else:
        lines[4], lines[5] = lines[5], lines[4]
    journal_of(place).write_bytes(b"".join(lines))
    unreadable = place.read().unreadable
    assert unreadable is not None and "line" in unreadable.message


def test_r006_an_owner_stops_when_somebody_else_wrote(place: RunFolder) -> None:
    async def act() -> None:
        owned = OwnedRun(place, lambda _records: None)
        await owned.journal.sync()
        before = journal_of(place).read_bytes()
        with journal_of(place).open("ab") as file:
            file.write(b'{"foreign":1}\n')
        owned.journal.append("k", started(1))
        with pytest.raises(JournalBroken, match="Another program wrote"):
            await owned.journal.sync()
        with pytest.raises(JournalBroken):
            owned.journal.append("k", started(2))
        await owned.release()
        assert journal_of(place).read_bytes() == before + b'{"foreign":1}\n'

    asyncio.run(act())


def test_r006_an_old_owner_that_writes_after_a_new_one_is_unreadable(place: RunFolder) -> None:
    epoch = place.read().records[0].epoch
    asyncio.run(reopen(place))
    last = place.read().last
    line, _ = encode(Record(last + 1, "", "", Noted(code="x", text="old owner"), last, epoch))
    with journal_of(place).open("ab") as file:
        file.write(line)
    unreadable = place.read().unreadable
    assert unreadable is not None and "two programs" in unreadable.message


@pytest.mark.parametrize(("edit", "word"), [("bom", "edited"), ("crlf", "edited"), ("line", "")])
def test_r024_a_journal_that_was_edited_is_unreadable(place: RunFolder, edit: str, word: str) -> None:
    whole = journal_of(place).read_bytes()
    edited = {
        "bom": b"\xef\xbb\xbf" + whole,
        "crlf": whole.replace(b"\n", b"\r\n"),
        "line": b"".join(whole.splitlines(keepends=True)[:3] + whole.splitlines(keepends=True)[4:]),
    }[edit]
    journal_of(place).write_bytes(edited)
    unreadable = place.read().unreadable
    assert unreadable is not None and word in unreadable.message
    with pytest.raises(Exception):  # noqa: B017
        asyncio.run(reopen(place))
    assert journal_of(place).read_bytes() == edited


def test_r020_a_newer_schema_and_an_unknown_kind_are_refused_in_words(place: RunFolder) -> None:
    import zlib

    def sealed(body: bytes) -> bytes:
        return body + b',"sum":"%08x"}\n' % zlib.crc32(body)

    last = place.read().last
    common = f'"seq":{last + 1},"at":"","clock":0,'.encode()
    tail = b'"key":"","data":{},"synced":0,"epoch":"zz"'
    whole = journal_of(place).read_bytes()
    for body, words in (
        (b'{"v":99,' + common + b'"kind":"noted",' + tail, "schema 99"),
        (b'{"v":1,' + common + b'"kind":"dreamed",' + tail, "dreamed"),
    ):
        journal_of(place).write_bytes(whole + sealed(body))
        unreadable = place.read().unreadable
        assert unreadable is not None and words in unreadable.message and "update" in unreadable.message


def test_r021_a_large_answer_goes_to_a_blob_and_comes_back(tmp_path: Path) -> None:
    async def act() -> None:
        place = make_run_folder(tmp_path)
        owned = OwnedRun(place, lambda _records: None)
        text = "grün " * 200_000
        owned.journal.append(
            "", RunStarted(run_id="r", workflow="w", origin="o", definition_hash="", task=text, folder="/", roles={})
        )
        owned.journal.append("k", Finished(after="", value={"text": text, "seconds": 1.0}))
        await owned.release()
        assert journal_of(place).stat().st_size < 4096
        again = OwnedRun(place, lambda _records: None)
        loaded = [r.payload for r in again.records]
        assert isinstance(loaded[1], RunStarted) and loaded[1].task == text
        finished = loaded[2]
        assert isinstance(finished, Finished) and again.journal.resolve(finished.value)["text"] == text
        await again.release()

    asyncio.run(act())


def test_r021_a_line_of_a_gigabyte_is_unreadable_and_never_held(place: RunFolder) -> None:
    import resource

    with journal_of(place).open("ab") as file:
        file.truncate(1 << 30)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    unreadable = place.read().unreadable
    assert unreadable is not None
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 64 * 1024


def test_r022_what_json_cannot_hold_is_written_all_the_same(tmp_path: Path) -> None:
    async def act() -> None:
        place = make_run_folder(tmp_path)
        owned = OwnedRun(place, lambda _records: None)
        owned.journal.append("k\ud800", Noted(code="c", text="a\ud800b\0c"))
        owned.journal.append("k", Ended(status="failed", reason="\udfff"))
        await owned.release()
        loaded = place.read()
        assert loaded.unreadable is None
        assert loaded.records[1].payload == Noted(code="c", text="a\ufffdb\0c")

    asyncio.run(act())


def test_r023_fifty_ids_in_one_millisecond_differ_and_sort_in_order_of_the_calls() -> None:
    import datetime

    now = datetime.datetime(2031, 5, 1, 12, 0, tzinfo=datetime.UTC)
    ids = [new_run_id(now) for _ in range(50)]
    assert ids == sorted(set(ids)) and all(len(one) <= 24 for one in ids)
    back = new_run_id(now - datetime.timedelta(hours=1))
    assert back > ids[-1]


def test_a_second_owner_is_refused_and_the_lock_is_free_after_release(place: RunFolder) -> None:
    async def act() -> None:
        owned = OwnedRun(place, lambda _records: None)
        with pytest.raises(Refused) as refused:
            OwnedRun(place, lambda _records: None)
        assert refused.value.code == "run_owned"
        await owned.release()
        await OwnedRun(place, lambda _records: None).release()

    asyncio.run(act())


@pytest.mark.parametrize("name", ["journal.jsonl", "lock"])
def test_r025_nothing_is_written_through_a_link(place: RunFolder, tmp_path: Path, name: str) -> None:
    target = tmp_path / "elsewhere"
    target.write_bytes(b"mine")
    (place.path / name).unlink(missing_ok=True)
    (place.path / name).symlink_to(target)
    with pytest.raises(Refused, match="link"):
        asyncio.run(reopen(place))
    assert target.read_bytes() == b"mine"


def test_a_fresh_folder_ignores_itself_and_lists_its_runs_newest_first(tmp_path: Path) -> None:
    made = [make_run_folder(tmp_path) for _ in range(3)]
    (tmp_path / ".sprintwright" / "runs" / "stray").mkdir()
    assert (tmp_path / ".sprintwright" / ".gitignore").read_text() == "*\n"
    assert [p.run_id for p in list_run_folders(tmp_path)] == [p.run_id for p in reversed(made)]
    assert all(p.path.stat().st_mode & 0o077 == 0 for p in made)
